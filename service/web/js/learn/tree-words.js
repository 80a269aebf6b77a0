/** What happens at each step of a search, in plain words. */

import { cellName, sideName } from "../shared/notation.js";
import { other } from "../shared/rules.js";
import { capital, say } from "../shared/say.js";
import { signed } from "../shared/words.js";

/** A value in words, for the side to move at the root: a win or a loss and in how many moves, a draw, or an estimate.
 * @param {TreeNode} node @param {number | null} value */
function scaled({ position }, value) {
  const score = value ?? 0;
  if (score && Math.abs(score) < 1) return signed(score);
  const outcome = score > 0 ? "win" : score < 0 ? "loss" : "draw";
  return say(`tree.value.${outcome}`, { count: position.cells.length + 1 - Math.abs(score) });
}

/** A bound of the window. @param {TreeNode} node @param {number | null} value @param {"−∞" | "+∞"} none */
export function boundWords(node, value, none) {
  return value === null ? none : scaled(node, value);
}

/** A side by what its marks look like. @param {TreeNode} node @param {Side} [side] the one to move */
function named({ position }, side = position.toMove) {
  return sideName(position.rules, side);
}

/** @param {TreeNode} node */
export function moveWords(node) {
  if (node.move === null) return say("tree.root");
  const side = named(node, other(node.position.toMove));
  return say("tree.move", { side, cell: cellName(node.position.rules, node.move) });
}

/** What a node is worth, or at least or at most. @param {TreeNode} node */
export function worthWords(node) {
  return say(`tree.worth${node.bound}`, { value: scaled(node, node.value) });
}

/** @param {TreeStep} step @param {Tree} tree @param {boolean} pruning @returns {{title: string, text: string}} */
export function stepWords(step, tree, pruning) {
  if (step.kind === "open") return openWords(step.node);
  if (step.kind === "leaf") return leafWords(step.node, tree);
  if (step.kind === "back") return backWords(step, pruning);
  if (step.kind === "cut") return cutWords(step);
  return doneWords(tree);
}

/** @param {TreeNode} node */
function openWords(node) {
  const text = say(`tree.open.${node.isMax ? "max" : "min"}`, { side: named(node) });
  return { title: capital(moveWords(node)), text };
}

/** @param {TreeNode} node @param {Tree} tree */
function leafWords(node, { root }) {
  const { state, winner } = node.ending;
  const [value, side, count] = [scaled(node, node.value), named(root), node.depth];
  if (state === "ongoing")
    return { title: say("tree.stopped", { count }), text: say("tree.stopped.text", { value, side }) };
  if (state !== "won") return { title: say("tree.draw"), text: "" };
  const key = winner === root.position.toMove ? "tree.win.text" : "tree.loss.text";
  const title = say("tree.wins", { side: named(node, /** @type {Side} */ (winner)), count });
  return { title, text: say(key, { value, side }) };
}

/** @param {TreeStep} step @param {boolean} pruning */
function backWords({ node, child, better, best, narrower, alpha, beta }, pruning) {
  const looked = /** @type {TreeNode} */ (child);
  const side = named(node);
  const title = say("tree.back", { move: capital(moveWords(looked)), worth: worthWords(looked) });
  if (!better) return { title, text: say("tree.noBetter", { side, value: scaled(node, best) }) };
  if (!pruning) return { title, text: say("tree.better", { side }) };
  const [bound, value] = node.isMax ? ["alpha", alpha] : ["beta", beta];
  return { title, text: say(`tree.${bound}.${narrower ? "moves" : "stays"}`, { side, value: scaled(node, value) }) };
}

/** @param {TreeStep} step */
function cutWords({ node, alpha, beta }) {
  const pruned = node.children.filter(({ isPruned }) => isPruned);
  const cells = pruned.map(({ move }) => cellName(node.position.rules, move ?? 0)).join(", ");
  const [side, opponent] = [named(node), named(node, other(node.position.toMove))];
  const window = { alpha: boundWords(node, alpha, "−∞"), beta: boundWords(node, beta, "+∞") };
  const text = say("tree.cut.text", { ...window, side, opponent });
  return { title: say("tree.cut", { cells, count: pruned.length }), text };
}

/** @param {Tree} tree */
function doneWords({ root }) {
  const best = root.children.find(({ isBest }) => isBest);
  if (!best) return { title: say("tree.over"), text: say("tree.over.text") };
  const value = root.value ?? 0;
  const [side, opponent] = [named(root), named(root, other(root.position.toMove))];
  const title = say("tree.done", { cell: cellName(root.position.rules, best.move ?? 0), value: scaled(root, value) });
  const result = Math.abs(value) < 1 ? "estimate" : value > 0 ? "wins" : "loses";
  const count = root.position.cells.length + 1 - Math.abs(value);
  return { title, text: say(`tree.done.${value === 0 ? "draw" : result}`, { side, opponent, count }) };
}
