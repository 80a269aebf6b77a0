/** The bodies of requests about a position or a game. */

import { rulesFields } from "./catalogue.js";
import { boardOf, isComposed } from "./rules.js";
import { FULL_STRENGTH } from "./words.js";

/** For POST /analysis, and the part of the others that says what the position is. @param {Position} position */
export function positionFields(position) {
  const composed = isComposed(position) && { composed: true };
  return { ...rulesFields(position.rules), board: boardOf(position), to_move: position.toMove, ...composed };
}

/** For POST /move. @param {Position} position @param {number} level */
export function moveQuestion(position, level = FULL_STRENGTH) {
  return { ...positionFields(position), ...(level < FULL_STRENGTH ? { level } : {}) };
}

/** For POST /tree.
 * @param {Position} position @param {boolean} pruning @param {number | null} depth moves to look ahead, null for all */
export function treeQuestion(position, pruning, depth) {
  return { ...positionFields(position), pruning, ...(depth ? { max_depth: depth } : {}) };
}

/** For POST /review. @param {Game} game */
export function reviewQuestion({ start, moves, rules }) {
  const isEmpty = !/[^.]/.test(start.cells);
  const { to_move: _, ...position } = positionFields(start);
  const begin = isEmpty ? rulesFields(rules) : position;
  return { ...begin, first: start.toMove, moves: moves.map((cell) => cell + 1) };
}

/** For POST /review: one move of a game.
 * @param {Game} game @param {number} ply @param {number} [nodes] for each search, else as many as is usual */
export function moveReviewQuestion({ positions, moves }, ply, nodes) {
  const { to_move: first, ...position } = positionFields(positions[ply]);
  return { ...position, first, moves: [moves[ply] + 1], max_nodes: nodes };
}
