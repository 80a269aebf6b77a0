/** What the page knows at one moment, and what follows from it. */

import { positionKey } from "./rules.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./rules.js").Side} Side */
/** @typedef {import("./words.js").Value} Value */

/** @typedef {{depth: number, nodes: number, elapsed_ms?: number, stopped_by?: string, cached?: boolean}} Search */
/** @typedef {Value & {row: number, column: number, tile: number, line: any[]}} MoveValue */

/**
 * What an answer said of a position, in the view of the side to move in it.
 * @typedef {Value & {search: Search | null, line: {row: number, column: number}[], moves: MoveValue[] | null}} Known
 */

/**
 * The search that is running, or has run, for one position.
 * @typedef {object} Progress
 * @property {string} key of the position
 * @property {Search & {score: any, line: any[]}} latest
 */

/** What the page uses of the service. */
export const ALL_PATHS = ["/move", "/analysis", "/review", "/tree"];

/** @typedef {{key: string, answer: any}} Review */

/**
 * @typedef {import("./link.js").Setup & {
 *   running: boolean, thinking: boolean, setupOpen: boolean,
 *   insight: boolean, showHeat: boolean, showLine: boolean,
 *   known: Map<string, Known>, progress: Progress | null,
 *   hint: {key: string, cell: number} | null, review: Review | null, reviewing: boolean,
 *   paths: Set<string> | null, streams: boolean, problem: string | null,
 * }} State
 */

/** @typedef {import("./store.js").Store<State>} PageStore */

/** @param {import("./link.js").Setup} setup @returns {State} */
export function initialState(setup) {
  return {
    ...setup,
    running: true, thinking: false, setupOpen: false,
    insight: false, showHeat: true, showLine: true,
    known: new Map(), progress: null,
    hint: null, review: null, reviewing: false,
    paths: null, streams: true, problem: null,
  };
}

/** Whether the service has this path; unknown counts as yes. @param {State} state @param {string} path */
export function has({ paths }, path) {
  return paths === null || paths.has(path);
}

/** Whose move it is, if the game is going on. @param {State} state @returns {import("./link.js").Player | null} */
export function mover({ game, players }) {
  return game.isOver ? null : players[game.position.toMove];
}

/** Names a game with all its moves, whatever point of it is shown. @param {Game} game */
export function gameKey({ start, moves }) {
  const { rows, columns, goal, gravity, misere, exact_goal } = start.rules;
  return [rows, columns, goal, gravity, misere, exact_goal, start.cells, start.toMove, ...moves].join();
}

/** Reviews begin at an empty board. @param {Game} game */
export function canReview({ start, moves }) {
  return moves.length > 0 && !/[XO]/.test(start.cells);
}

/** The review of the game as it is, or null. @param {State} state @returns {any} */
export function currentReview({ review, game }) {
  return review && review.key === gameKey(game) ? review.answer : null;
}

/** The grade and values of the move that led to the position shown. @param {State} state */
export function reviewedMove(state) {
  return currentReview(state)?.moves[state.game.shown - 1] ?? null;
}

/** Adds what has been learnt; what says more is kept. @param {State} state @param {string} key @param {Known} known */
export function learnt(state, key, known) {
  const before = state.known.get(key);
  if (before?.moves && !known.moves) return state.known;
  return new Map(state.known).set(key, known);
}

/**
 * What the value of a move says of the position after it, for the other side.
 * @param {Value} value
 * @returns {Known}
 */
export function afterMove(value) {
  const turned = { win: "loss", loss: "win", draw: "draw", unknown: "unknown" };
  const outcome = /** @type {Value["outcome"]} */ (turned[value.outcome]);
  // One ply less to the end is one point more, in size.
  const score = 0 - value.score - (value.outcome === "win" ? 1 : value.outcome === "loss" ? -1 : 0);
  const distance = value.distance === null ? null : value.distance - 1;
  return { ...value, score, outcome, distance, search: null, line: [], moves: null };
}

/**
 * The score of each position of the game for X, from −1 to 1, or null where nothing is known.
 * @param {State} state
 * @returns {({height: number, proven: boolean} | null)[]}
 */
export function history({ game, known }) {
  return game.positions.map((position, ply) => {
    const last = ply === game.moves.length;
    const ending = last ? game.at(ply).ending : null;
    if (ending && ending.state !== "ongoing") return { height: ending.winner ? (ending.winner === "X" ? 1 : -1) : 0, proven: true };
    const value = known.get(positionKey(position));
    return value ? { height: heightOf(value) * (position.toMove === "X" ? 1 : -1), proven: value.proven } : null;
  });
}

/** A score as a part of the bar: wins fill it, estimates part of it. @param {Value} value */
function heightOf({ outcome, score }) {
  if (outcome === "win") return 1;
  if (outcome === "loss") return -1;
  return outcome === "draw" ? 0 : Math.sign(score) * (0.08 + 0.72 * Math.sqrt(Math.abs(score)));
}
