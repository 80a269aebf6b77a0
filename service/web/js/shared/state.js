/** What the page knows at one moment, and what follows from it. */

import { cellIndex, positionKey } from "./rules.js";
import { estimateOf } from "./words.js";

/** @param {Setup} setup @returns {State} */
export function initialState(setup) {
  return {
    running: !setup.game.isLookingBack, thinking: false, isAway: false, setupOpen: false, edit: null,
    thinkAlong: false, showHeat: true, showLine: false, stones: false, numbers: "off", pointedAt: null,
    known: new Map(), progress: null, friend: null,
    hint: null, review: null, deepening: null, mistake: null, puzzle: null, lesson: 1, step: 1,
    ...setup,
  };
}

/** The state in one place: read it, change it, hear of changes. */
export class Store {
  /** @type {Set<(state: State, before: State) => void>} */
  #listeners = new Set();

  /** @param {State} state */
  constructor(state) {
    this.state = state;
  }

  /** Changes some parts and tells all listeners, each seeing the newest state. @param {Partial<State>} change */
  set(change) {
    const before = this.state;
    this.state = { ...before, ...change };
    for (const listener of this.#listeners) listener(this.state, before);
  }

  /** @param {(state: State, before: State) => void} listener */
  listen(listener) {
    this.#listeners.add(listener);
  }
}

/** Whose move it is, if the game is going on. Who looks for a better move makes one. @param {State} state
 * @returns {Player | null} */
export function mover({ game, players, edit, mistake, friend }) {
  if (mistake) return game.shown === mistake.ply ? "you" : null;
  if (game.isOver || edit) return null;
  if (!friend) return players[game.position.toMove];
  if (friend.game.isOver) return "you";
  return game.isLookingBack || !friend.isChecked ? null : players[game.position.toMove];
}

/** Players at the board: opposite a friend sits the visitor, and each game with one has a name of its own.
 * @param {Record<Side, Player>} players @param {Game} shown of which the moves up to the point shown count
 * @returns {Partial<Setup>} */
export function seated(players, shown) {
  const { X, O } = players;
  if (X !== "friend" && O !== "friend") return { players, friend: null };
  const game = shown.again().on(shown.path);
  const id = [...crypto.getRandomValues(new Uint8Array(10))].map((each) => (each % 36).toString(36)).join("");
  const opposite = /** @type {Record<Side, Player>} */ (O === "friend" ? { X: "you", O } : { X, O: "you" });
  return { game, players: opposite, friend: { id, game, isSent: false, isChecked: true } };
}

/** Whether there is a move to take back: with a friend until it is sent, and any at the end.
 * @param {Pick<State, "game" | "players" | "friend">} state */
export function canUndo({ game, players, friend }) {
  const isFree = !friend || friend.game.isOver;
  const isOwn = players[game.position.toMove] === "friend" && !friend?.isSent && !game.isLookingBack;
  return game.shown > 0 && (isFree || isOwn);
}

/** Whether the position sets a task, or may do so, that nothing may give away; so does a game with a friend.
 * @param {Pick<State, "puzzle" | "mistake" | "friend">} state */
export function isTask({ puzzle, mistake, friend }) {
  if (friend && !friend.game.isOver) return true;
  return puzzle === undefined || (puzzle !== null && !puzzle.isDone) || (mistake !== null && !mistake.isShown);
}

/** Whether values are shown: where the visitor wants to see them, and no task is open. @param {State} state */
export function thinksAlong(state) {
  return state.thinkAlong && !isTask(state);
}

/** The review of the game, or null. It stays while variations are looked at. @param {State} state
 * @returns {Review | null} */
export function currentReview({ review, game }) {
  return review && review.game.start === game.start ? review : null;
}

/** How many moves of a path are those of a game. @param {Game} game @param {number[]} path */
export function inCommon({ moves }, path) {
  const at = path.findIndex((cell, ply) => cell !== moves[ply]);
  return at < 0 ? path.length : at;
}

/** The grade and values of the move at the end of a path, by default of that which led to the position shown.
 * @param {State} state @param {number[]} [path] @returns {any} */
export function reviewedMove(state, path = state.game.path) {
  const review = currentReview(state);
  return review && inCommon(review.game, path) === path.length ? review.moves[path.length - 1] ?? null : null;
}

/** The line that was expected before the last one or two moves, as far as it is still ahead.
 * @param {State} state
 * @returns {{cells: Cell[], holds: boolean} | null} holds: the moves made since are those expected */
export function expectedBefore({ game, known, progress }) {
  for (let ply = game.shown - 1; ply >= Math.max(0, game.shown - 2); ply--) {
    const key = positionKey(game.positions[ply]);
    const line = known.get(key)?.line ?? (progress?.key === key ? progress.latest.line : []);
    const since = game.moves.slice(ply, game.shown);
    if (line.length <= since.length) continue;
    const holds = since.every((cell, at) => cellIndex(line[at], game.rules) === cell);
    return { cells: line.slice(since.length), holds };
  }
  return null;
}

/** Adds what has been learnt; what says more is kept.
 * @param {State["known"]} known @param {string} key @param {Known} value */
export function learnt(known, key, value) {
  return known.get(key)?.moves && !value.moves ? known : new Map(known).set(key, value);
}

/** What the value of a move says of the position after it, for the other side. @param {Value} value @returns {Known} */
export function afterMove(value) {
  const turned = { win: "loss", loss: "win", draw: "draw", unknown: "unknown" };
  const outcome = /** @type {Value["outcome"]} */ (turned[value.outcome]);
  // One ply less to the end is one point more, in size.
  const score = 0 - value.score - (value.outcome === "win" ? 1 : value.outcome === "loss" ? -1 : 0);
  const distance = value.distance === null ? null : value.distance - 1;
  const expected = typeof value.expected === "number" ? 0 - value.expected : value.expected;
  return { ...value, score, outcome, distance, expected, search: null, line: [], moves: null, reasons: undefined };
}

/** The score of each position of a game for X, from −1 to 1, or null where nothing is known.
 * @param {Game} game @param {State["known"]} known @returns {({height: number, proven: boolean} | null)[]} */
export function history(game, known) {
  return game.positions.map((position, ply) => {
    const last = ply === game.moves.length;
    const ending = last ? game.at(ply).ending : null;
    const result = { X: 1, O: -1, none: 0 }[ending?.winner ?? "none"];
    if (ending && ending.state !== "ongoing") return { height: result, proven: true };
    const value = known.get(positionKey(position));
    return value ? { height: heightOf(value) * (position.toMove === "X" ? 1 : -1), proven: value.proven } : null;
  });
}

/** A value as a part of the bar: wins fill it, estimates part of it. @param {Value} value */
function heightOf(value) {
  if (value.outcome === "win") return 1;
  if (value.outcome === "loss") return -1;
  if (value.outcome === "draw") return 0;
  const estimate = estimateOf(value);
  const size = Math.abs(estimate);
  // Scores that are not calibrated crowd around zero.
  return Math.sign(estimate) * (0.08 + 0.72 * (typeof value.expected === "number" ? size : Math.sqrt(size)));
}
