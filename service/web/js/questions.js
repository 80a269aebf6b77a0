/** The bodies of requests about a position or a game, and cells as answers name them. */

import { boardRows, presetOf } from "./rules.js";

/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {{row: number, column: number}} Cell */

const FULL_STRENGTH = 10;

/** The rule fields, by the preset's name where there is one. @param {Rules} rules @returns {Record<string, unknown>} */
function ruleFields(rules) {
  const preset = presetOf(rules);
  if (preset) return { game: preset };
  const { goal, gravity, misere, exact_goal } = rules;
  const on = Object.entries({ gravity, misere, exact_goal }).filter(([, value]) => value);
  return { goal, ...Object.fromEntries(on) };
}

/** @param {Position} position */
function positionFields(position) {
  const { rows, columns } = position.rules;
  // One row or one column of cells could be mistaken for a flat board, unless this says what it is.
  const size = rows === 1 || columns === 1 ? { rows, columns } : {};
  return { ...ruleFields(position.rules), ...size, board: boardRows(position), to_move: position.toMove };
}

/** For POST /move. @param {Position} position @param {number} level */
export function moveQuestion(position, level = FULL_STRENGTH) {
  return { ...positionFields(position), ...(level < FULL_STRENGTH ? { level } : {}) };
}

/** For POST /analysis. @param {Position} position */
export function analysisQuestion(position) {
  return positionFields(position);
}

/** For POST /tree. @param {Position} position @param {boolean} pruning */
export function treeQuestion(position, pruning) {
  return { ...positionFields(position), pruning };
}

/** For POST /review. @param {Game} game */
export function reviewQuestion({ start, moves, rules }) {
  const size = { rows: rules.rows, columns: rules.columns };
  return { ...ruleFields(rules), ...size, first: start.toMove, moves: moves.map((cell) => cell + 1) };
}

/** The index of a cell of an answer. @param {Cell} cell @param {Rules} rules */
export function cellIndex({ row, column }, { columns }) {
  return row * columns + column;
}
