/** The bodies of requests about a position or a game. */

import { presetOf } from "./catalogue.js";
import { DIRECTIONS, boardOf } from "./rules.js";

/** @import { Game } from "./game.js" */
/** @import { Position, Rules } from "./rules.js" */

const FULL_STRENGTH = 10;

/** The rule fields, by the preset's name where there is one. @param {Rules} rules @returns {Record<string, unknown>} */
function ruleFields(rules) {
  const preset = presetOf(rules);
  if (preset) return { game: preset };
  const { goal, gravity, misere, exact_goal, caro, renju, wrap, directions, layers } = rules;
  const on = Object.entries({ gravity, misere, exact_goal, caro, renju }).filter(([, value]) => value);
  const shape = { ...(layers > 1 ? { layers } : {}), ...(wrap === "none" ? {} : { wrap }), ...(directions.length < DIRECTIONS.length ? { directions } : {}) };
  return { goal, ...Object.fromEntries(on), ...shape };
}

/** @param {Position} position */
function positionFields(position) {
  const { rows, columns } = position.rules;
  // One row or one column of cells could be mistaken for a flat board, unless this says what it is.
  const size = rows === 1 || columns === 1 ? { rows, columns } : {};
  return { ...ruleFields(position.rules), ...size, board: boardOf(position), to_move: position.toMove };
}

/** For POST /move. @param {Position} position @param {number} level */
export function moveQuestion(position, level = FULL_STRENGTH) {
  return { ...positionFields(position), ...(level < FULL_STRENGTH ? { level } : {}) };
}

/** For POST /analysis. @param {Position} position */
export function analysisQuestion(position) {
  return positionFields(position);
}

/** For POST /tree. @param {Position} position @param {boolean} pruning @param {number | null} depth moves to look ahead, null for all */
export function treeQuestion(position, pruning, depth) {
  return { ...positionFields(position), pruning, ...(depth ? { max_depth: depth } : {}) };
}

/** For POST /review. @param {Game} game */
export function reviewQuestion({ start, moves, rules }) {
  const isEmpty = !/[^.]/.test(start.cells);
  const { to_move: _, ...position } = positionFields(start);
  const begin = isEmpty ? { ...ruleFields(rules), rows: rules.rows, columns: rules.columns } : position;
  return { ...begin, first: start.toMove, moves: moves.map((cell) => cell + 1) };
}

/** For POST /review: one move of a game, with more nodes for each search. @param {Game} game @param {number} ply @param {number} nodes */
export function moveReviewQuestion({ positions, moves }, ply, nodes) {
  const { to_move: first, ...position } = positionFields(positions[ply]);
  return { ...position, first, moves: [moves[ply] + 1], max_nodes: nodes };
}
