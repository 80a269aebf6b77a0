/** Works out what the board shows from what the page knows. */

import { cellIndex } from "./questions.js";
import { currentReview, mover } from "./state.js";
import { shortValue, valueWords } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").MoveValue} MoveValue */
/** @typedef {import("./board.js").Scene} Scene */
/** @typedef {import("./board.js").Heat} Heat */

/** More of the best line than this hides the board. */
const GHOSTS = 9;
const FAINTEST = 0.5;
/** Of more moves than this only the best few are written out; the others are dots of colour. */
const CROWD = 40;
const CROWD_WRITTEN = 16;

/** @param {State} state @returns {Scene} */
export function sceneOf(state) {
  const { game } = state;
  return {
    position: game.position,
    lastMove: game.lastMove,
    lines: game.ending.lines,
    playable: mover(state) === "you",
    heat: heatOf(state),
    ghosts: ghostsOf(state),
    pointers: pointersOf(state),
  };
}

/** @param {State} state @returns {Heat[]} */
function heatOf({ insight, showHeat, known, game }) {
  const moves = (insight && showHeat && !game.isOver && known.get(game.key)?.moves) || [];
  if (!moves.length) return [];
  const best = moves[0];
  const written = new Set(moves.length > CROWD ? bestOf(moves) : moves);
  const strength = strengths([...written]);
  const isBest = (/** @type {MoveValue} */ move) => move === best || (best.proven && !best.distance_is_bound && !move.distance_is_bound && move.score === best.score);
  // Where all moves are as good there is nothing to point out.
  const choice = !moves.every(isBest);
  return moves.map((move) => ({
    cell: cellIndex(move, game.rules),
    tone: move.outcome === "unknown" ? "estimate" : move.outcome,
    strength: written.has(move) ? strength(move) : FAINTEST,
    text: written.has(move) ? shortValue(move).replace("0.", ".") : "",
    spoken: valueWords(move),
    best: choice && isBest(move),
  }));
}

/** The best few of many moves. @param {MoveValue[]} moves */
function bestOf([first, ...rest]) {
  return [first, ...rest.sort((a, b) => b.score - a.score)].slice(0, CROWD_WRITTEN);
}

/** How strongly a move is coloured among the moves of the same tone. @param {MoveValue[]} moves @returns {(move: MoveValue) => number} */
function strengths(moves) {
  return (move) => {
    if (move.outcome === "draw" || move === moves[0]) return 1;
    const scores = moves.filter(({ outcome }) => outcome === move.outcome).map(({ score }) => score);
    const [low, high] = [Math.min(...scores), Math.max(...scores)];
    const part = high === low ? 1 : (move.score - low) / (high - low);
    // A win is stronger the sooner it comes, and so is a loss.
    return FAINTEST + (1 - FAINTEST) * (move.outcome === "loss" ? 1 - part * (high === low ? 0 : 1) : part);
  };
}

/** @param {State} state @returns {number[]} */
function ghostsOf({ insight, showLine, known, progress, game }) {
  if (!insight || !showLine || game.isOver) return [];
  const line = known.get(game.key)?.line ?? (progress?.key === game.key ? progress.latest.line : []);
  return line.slice(0, GHOSTS).map((cell) => cellIndex(cell, game.rules));
}

/** The hint, or what would have been better than the move just looked at. @param {State} state @returns {number[]} */
function pointersOf(state) {
  const { hint, game } = state;
  if (hint?.key === game.key) return [hint.cell];
  // Values are for the side to move now, not for the one whose move was reviewed.
  if (heatOf(state).length) return [];
  const looked = currentReview(state)?.moves[game.shown - 1];
  if (!looked || looked.grade === "best") return [];
  return looked.best_moves.map((/** @type {any} */ cell) => cellIndex(cell, game.rules));
}
