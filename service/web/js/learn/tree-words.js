/** What happens at each step of a search, in plain words. */

import { cellName, sideName } from "../shared/notation.js";
import { other } from "../shared/rules.js";
import { capital, signed } from "../shared/words.js";
/** @import { Side } from "../shared/rules.js" */
/** @import { Node, Step, Tree } from "./tree-model.js" */

const MARKED = "The best line is marked.";

/** A value or bound; none is infinite. @param {number | null} value @param {"−∞" | "+∞"} none */
export function boundWords(value, none) {
  return value === null ? none : signed(value);
}

/** A side by what its marks look like. @param {Node} node @param {Side} [side] the one to move */
function named({ position }, side = position.toMove) {
  return sideName(position.rules, side);
}

/** @param {Node} node */
export function moveWords(node) {
  if (node.move === null) return "the position to play from";
  return `${named(node, other(node.position.toMove))} to ${cellName(node.position.rules, node.move)}`;
}

/** What a node is worth, or at least or at most. @param {Node} node */
export function worthWords({ value, bound }) {
  const words = { "": "", "≤": "at most ", "≥": "at least " };
  return `worth ${words[bound]}${signed(value ?? 0)}`;
}

/** @param {Step} step @param {Tree} tree @param {boolean} pruning @returns {{title: string, text: string}} */
export function stepWords(step, tree, pruning) {
  if (step.kind === "open") return openWords(step.node);
  if (step.kind === "leaf") return leafWords(step.node, tree);
  if (step.kind === "back") return backWords(step, pruning);
  if (step.kind === "cut") return cutWords(step);
  return doneWords(tree);
}

/** @param {Node} node */
function openWords(node) {
  const side = named(node);
  const aim = node.isMax ? "highest value" : "lowest value, for the other side's gain is its loss";
  const text = `${side} is to move and looks for the ${aim}. Its moves are tried in order.`;
  return { title: capital(moveWords(node)), text };
}

/** @param {Node} node @param {Tree} tree */
function leafWords(node, { root }) {
  const { state, winner } = node.ending;
  const value = signed(node.value ?? 0);
  const moves = `${node.depth} ${node.depth === 1 ? "move" : "moves"}`;
  const estimate = `From the lines each side can still complete it estimates ${value} for ${named(root)}`;
  const text = `The search looks no further. ${estimate}: less than any win.`;
  if (state === "ongoing") return { title: `Stopped after ${moves}`, text };
  if (state !== "won") return { title: "The board is full: a draw", text: `A draw is worth ${value}.` };
  const isWin = winner === root.position.toMove;
  const worth = `${isWin ? "A sooner win" : "A later loss"} is worth more`;
  const sum = `${root.position.cells.length} cells + 1 − ${node.depth} moves${isWin ? "" : ", negative"}`;
  const title = `${named(node, /** @type {Side} */ (winner))} wins after ${moves}`;
  return { title, text: `Worth ${value} to ${named(root)}. ${worth}: ${sum}.` };
}

/** @param {Step} step @param {boolean} pruning */
function backWords({ node, child, better, best, narrower, alpha, beta }, pruning) {
  const looked = /** @type {Node} */ (child);
  const title = `${capital(moveWords(looked))} is ${worthWords(looked)}`;
  const worse = `No better for ${named(node)} than the ${signed(best ?? 0)} it has here already. Nothing changes.`;
  if (!better) return { title, text: worse };
  const first = `The best for ${named(node)} here so far`;
  if (!pruning) return { title, text: `${first}.` };
  const [bound, turns, value] = node.isMax ? ["alpha", "rises", alpha] : ["beta", "falls", beta];
  if (narrower) return { title, text: `${first}: ${bound} ${turns} to ${signed(value ?? 0)}.` };
  return { title, text: `${first}, but elsewhere it is sure of ${signed(value ?? 0)}: ${bound} stays.` };
}

/** @param {Step} step */
function cutWords({ node, alpha, beta }) {
  const pruned = node.children.filter(({ isPruned }) => isPruned);
  const skipped = pruned.map(({ move }) => cellName(node.position.rules, move ?? 0));
  const window = `alpha (${boundWords(alpha, "−∞")}) has reached beta (${boundWords(beta, "+∞")})`;
  return {
    title: `Cut: ${skipped.join(", ")} ${skipped.length === 1 ? "is" : "are"} never looked at`,
    text: `${capital(window)}. ${named(node)} has found a reply good enough that `
      + `${named(node, other(node.position.toMove))} will not let the game come here, however the others turn out.`,
  };
}

/** @param {Tree} tree */
function doneWords({ root }) {
  const best = root.children.find(({ isBest }) => isBest);
  if (!best) return { title: "The game is over", text: "There is nothing to search." };
  const value = root.value ?? 0;
  const [side, opponent] = [named(root), named(root, other(root.position.toMove))];
  const title = `Best: ${cellName(root.position.rules, best.move ?? 0)}, worth ${signed(value)}`;
  if (value === 0) return { title, text: `With best play by both sides it is a draw. ${MARKED}` };
  const estimate = `That is an estimate, for the search stopped before the end. ${MARKED}`;
  if (Math.abs(value) < 1) return { title, text: estimate };
  const plies = root.position.cells.length + 1 - Math.abs(value);
  const when = plies === 1 ? "with this move" : `in ${plies} moves, both sides counted`;
  const [wins, who] = value > 0 ? ["wins", opponent] : ["loses", "it"];
  return { title, text: `${side} ${wins} ${when}, whatever ${who} does. ${MARKED}` };
}
