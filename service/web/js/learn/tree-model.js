/** The game tree of an answer of /tree, with the branches nobody looked at, and the search as a list of steps. */

import { cellIndex, ending, legalMoves, play } from "../shared/rules.js";

/** @import { Ending, Position, Side } from "../shared/rules.js" */

/**
 * One position of the tree.
 * @typedef {object} Node
 * @property {number} id in the order in which the search enters them
 * @property {Node | null} parent
 * @property {number} depth plies from the root
 * @property {number | null} move the cell that led here
 * @property {Position} position
 * @property {Ending} ending
 * @property {number | null} value in the root player's view, null where it was not looked at
 * @property {number | null} alpha as on entry, null for minus infinity
 * @property {number | null} beta as on entry, null for plus infinity
 * @property {boolean} isMax whether the root player is to move
 * @property {boolean} isBest on the best line
 * @property {"" | "≤" | "≥"} bound whether the true value may be lower or higher than `value`
 * @property {boolean} isCut moves were not looked at
 * @property {boolean} isPruned nobody looked at it
 * @property {Node[]} children those looked at and then those not, in tile order
 * @property {number} entered the step at which the search comes here
 * @property {number} left the step from which its value is known
 */

/**
 * One thing the search does.
 * @typedef {object} Step
 * @property {"open" | "leaf" | "back" | "cut" | "done"} kind
 * @property {Node} node where the search is
 * @property {Node | null} child for `back`, the one whose value came back
 * @property {number | null} alpha now, at this node
 * @property {number | null} beta
 * @property {number | null} best the best value among its children so far
 * @property {boolean} better for `back`, whether the child is better than those before
 * @property {boolean} narrower for `back`, whether alpha or beta has moved
 */

/** @typedef {{root: Node, nodes: Node[], steps: Step[], looked: number}} Tree */

/**
 * @param {Position} position the root
 * @param {any} answer of /tree
 * @returns {Tree}
 */
export function growTree(position, answer) {
  /** @type {Node[]} */
  const nodes = [];
  const root = grow(position, answer.root, null, nodes, position.toMove);
  /** @type {Step[]} */
  const steps = [];
  walk(root, steps);
  steps.push({ kind: "done", node: root, child: null, alpha: root.alpha, beta: root.beta, best: root.value, better: false, narrower: false });
  return { root, nodes, steps, looked: answer.nodes };
}

/** @param {Position} position @param {any} told @param {Node | null} parent @param {Node[]} nodes @param {Side} rootSide @returns {Node} */
function grow(position, told, parent, nodes, rootSide) {
  const move = told.move === null ? null : cellIndex(told.move, position.rules);
  const node = blank(position, parent, move, rootSide);
  Object.assign(node, { id: nodes.length, value: told.value, alpha: told.alpha, beta: told.beta, bound: boundOf(told), isBest: told.best, isCut: told.cut, isPruned: false });
  nodes.push(node);
  const looked = told.children.map((/** @type {any} */ child) =>
    grow(play(position, cellIndex(child.move, position.rules)), child, node, nodes, rootSide));
  const seen = new Set(looked.map((/** @type {Node} */ child) => child.move));
  const pruned = node.isCut ? legalMoves(position).filter((cell) => !seen.has(cell)) : [];
  node.children = [...looked, ...pruned.map((cell) => prunedChild(node, cell, nodes, rootSide))];
  return node;
}

/** A value outside the window on entry says only on which side of it the true value is. @param {any} told @returns {Node["bound"]} */
function boundOf({ value, alpha, beta, children }) {
  if (!children.length) return "";
  if (alpha !== null && value <= alpha) return "≤";
  return beta !== null && value >= beta ? "≥" : "";
}

/** @param {Node} parent @param {number} cell @param {Node[]} nodes @param {Side} rootSide */
function prunedChild(parent, cell, nodes, rootSide) {
  const node = blank(play(parent.position, cell), parent, cell, rootSide);
  node.id = nodes.length;
  nodes.push(node);
  return node;
}

/** @param {Position} position @param {Node | null} parent @param {number | null} move @param {Side} rootSide @returns {Node} */
function blank(position, parent, move, rootSide) {
  return {
    id: 0, parent, depth: parent ? parent.depth + 1 : 0, move, position, ending: ending(position),
    value: null, bound: "", alpha: null, beta: null, isMax: position.toMove === rootSide,
    isBest: false, isCut: false, isPruned: true, children: [], entered: 0, left: 0,
  };
}

/** Writes down what the search does at a node and below it. @param {Node} node @param {Step[]} steps */
function walk(node, steps) {
  node.entered = steps.length;
  const now = { alpha: node.alpha, beta: node.beta, best: /** @type {number | null} */ (null) };
  const isLeaf = node.children.length === 0;
  steps.push({ kind: isLeaf ? "leaf" : "open", node, child: null, ...now, better: false, narrower: false });
  for (const child of node.children.filter(({ isPruned }) => !isPruned)) {
    walk(child, steps);
    const before = { ...now };
    const better = improve(now, /** @type {number} */ (child.value), node.isMax);
    const narrower = now.alpha !== before.alpha || now.beta !== before.beta;
    steps.push({ kind: "back", node, child, ...now, better, narrower });
  }
  if (node.isCut) cut(node, now, steps);
  node.left = steps.length - 1;
}

/** @param {Node} node @param {{alpha: number | null, beta: number | null, best: number | null}} now @param {Step[]} steps */
function cut(node, now, steps) {
  steps.push({ kind: "cut", node, child: null, ...now, better: false, narrower: false });
  for (const child of node.children) if (child.isPruned) child.entered = child.left = steps.length - 1;
}

/** Takes a child's value into the window; whether it is the best so far. @param {{alpha: number | null, beta: number | null, best: number | null}} now @param {number} value @param {boolean} isMax */
function improve(now, value, isMax) {
  const better = now.best === null || (isMax ? value > now.best : value < now.best);
  if (better) now.best = value;
  if (isMax) now.alpha = Math.max(now.alpha ?? -Infinity, value);
  else now.beta = Math.min(now.beta ?? Infinity, value);
  return better;
}

/** A node and all above it, root first. @param {Node} node @returns {Node[]} */
export function pathTo(node) {
  return node.parent ? [...pathTo(node.parent), node] : [node];
}

/** The nodes of the best line. @param {Tree} tree */
export function bestLine({ nodes }) {
  return nodes.filter(({ isBest }) => isBest);
}
