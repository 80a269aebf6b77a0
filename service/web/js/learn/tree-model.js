/** The game tree of an answer of /tree, with the branches nobody looked at, and the search as a list of steps. */

import { cellIndex, ending, legalMoves, play } from "../shared/rules.js";

/** @param {Position} position the root @param {any} answer of /tree @returns {Tree} */
export function growTree(position, answer) {
  /** @type {TreeNode[]} */
  const nodes = [];
  const root = grow(position, answer.root, null, nodes);
  /** @type {TreeStep[]} */
  const steps = [];
  walk(root, steps);
  const { alpha, beta, value: best } = root;
  steps.push({ kind: "done", node: root, alpha, beta, best });
  return { root, nodes, steps, looked: answer.nodes };
}

/** @param {Position} position @param {any} answer @param {TreeNode | null} parent @param {TreeNode[]} nodes
 * @returns {TreeNode} */
function grow(position, answer, parent, nodes) {
  const { value, alpha, beta, best, cut } = answer;
  const move = answer.move === null ? null : cellIndex(answer.move, position.rules);
  const node = addNode(position, parent, move, nodes);
  Object.assign(node, { value, alpha, beta, bound: boundOf(answer), isBest: best, isCut: cut, isPruned: false });
  const looked = answer.children.map((/** @type {any} */ child) =>
    grow(play(position, cellIndex(child.move, position.rules)), child, node, nodes));
  const seen = new Set(looked.map((/** @type {TreeNode} */ child) => child.move));
  const pruned = node.isCut ? legalMoves(position).filter((cell) => !seen.has(cell)) : [];
  node.children = [...looked, ...pruned.map((cell) => addNode(play(position, cell), node, cell, nodes))];
  return node;
}

/** A value outside the window on entry says only on which side of it the true value is.
 * @param {any} answer @returns {TreeNode["bound"]} */
function boundOf({ value, alpha, beta, children }) {
  if (!children.length) return "";
  if (alpha !== null && value <= alpha) return "≤";
  return beta !== null && value >= beta ? "≥" : "";
}

/** Adds a node that nobody looked at yet.
 * @param {Position} position @param {TreeNode | null} parent @param {number | null} move @param {TreeNode[]} nodes */
function addNode(position, parent, move, nodes) {
  const root = nodes[0]?.position ?? position;
  /** @type {TreeNode} */
  const node = {
    id: nodes.length, parent, depth: parent ? parent.depth + 1 : 0, move, position, ending: ending(position),
    value: null, bound: "", alpha: null, beta: null, isMax: position.toMove === root.toMove,
    isBest: false, isCut: false, isPruned: true, children: [], entered: 0, left: 0,
  };
  nodes.push(node);
  return node;
}

/** Writes down what the search does at a node and below it. @param {TreeNode} node @param {TreeStep[]} steps */
function walk(node, steps) {
  node.entered = steps.length;
  const now = { alpha: node.alpha, beta: node.beta, best: /** @type {number | null} */ (null) };
  steps.push({ kind: node.children.length ? "open" : "leaf", node, ...now });
  for (const child of node.children.filter(({ isPruned }) => !isPruned)) {
    walk(child, steps);
    const { alpha, beta } = now;
    const better = improve(now, /** @type {number} */ (child.value), node.isMax);
    const narrower = now.alpha !== alpha || now.beta !== beta;
    steps.push({ kind: "back", node, child, ...now, better, narrower });
  }
  if (node.isCut) steps.push({ kind: "cut", node, ...now });
  for (const child of node.children) if (child.isPruned) child.entered = child.left = steps.length - 1;
  node.left = steps.length - 1;
}

/** Takes a child's value into the window; whether it is the best so far.
 * @param {{alpha: number | null, beta: number | null, best: number | null}} now @param {number} value
 * @param {boolean} isMax */
function improve(now, value, isMax) {
  const better = now.best === null || (isMax ? value > now.best : value < now.best);
  if (better) now.best = value;
  if (isMax) now.alpha = Math.max(now.alpha ?? -Infinity, value);
  else now.beta = Math.min(now.beta ?? Infinity, value);
  return better;
}

/** A node and all above it, root first. @param {TreeNode} node @returns {TreeNode[]} */
export function pathTo(node) {
  return node.parent ? [...pathTo(node.parent), node] : [node];
}

/** The nodes of the best line. @param {Tree} tree */
export function bestLine({ nodes }) {
  return nodes.filter(({ isBest }) => isBest);
}
