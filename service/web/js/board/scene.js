/** Works out what the board shows from what the page knows. */

import { isNumbered } from "../../../../browser/read-moves.js";
import { cellIndex, cellsWith, countEmpty, editTarget, ending, forbiddenCells, landing, other, play } from "../shared/rules.js";
import { currentReview, expectedBefore, isTask, mover, reviewedMove, thinksAlong } from "../shared/state.js";
import { say } from "../shared/say.js";
import { GRADES, cellValue, valueWords } from "../shared/words.js";

/** More of a line than this hides the board. */
const GHOSTS = 9;
const FAINTEST = 0.5;
/** Of more moves than this only the best few are shown on the board. */
const CROWD = 40;
const BEST_SHOWN = 5;
/** How many of the last moves have numbers. @type {Record<string, number>} */
const NUMBERED = { off: 0, last: 5, all: Infinity };
/** So near to a mark a move can still be a defence. */
const NEAR = 2;

/** @type {Scene["better"]} */
const NONE = { cells: [], side: "X" };

/** What a board shows on which nobody plays. @type {Omit<Scene, "position" | "targetOf" | "mark">} */
export const BARE = {
  lastMove: null, numbers: new Map(), lines: [], isCelebrated: false, heat: [], pointers: [], forbidden: new Set(),
  ghosts: { cells: [], isOld: false }, better: NONE, played: null,
};

/** @param {State} state @returns {Scene} */
export function sceneOf(state) {
  const { game, edit } = state;
  // While a position is set up, every click that changes it counts.
  if (edit) return { ...BARE, position: edit, targetOf: (cell) => editTarget(edit, edit.tool, cell), mark: edit.tool };
  const playable = mover(state) === "you";
  return {
    position: game.position,
    lastMove: game.lastMove,
    numbers: new Map(game.path.map((cell, ply) => /** @type {const} */ ([cell, ply + 1]))
      .filter(([, number]) => number > game.shown - NUMBERED[state.numbers])),
    lines: game.ending.lines,
    isCelebrated: isWonByVisitor(state),
    targetOf: (cell) => (playable ? landing(game.position, cell) : null),
    mark: game.position.toMove,
    forbidden: game.isOver ? new Set() : forbiddenCells(game.position),
    heat: heatOf(state),
    ghosts: ghostsOf(state),
    pointers: state.hint?.key === game.key ? [state.hint.cell] : [],
    better: betterOf(state),
    played: playedOf(state),
  };
}

/** Against another. @param {State} state */
function isWonByVisitor({ game: { ending: { winner } }, players }) {
  return winner !== null && players[winner] === "you" && players[other(winner)] !== "you";
}

/** The values of moves that are known so far: those of a finished search, else of one that runs the best and what is
 * proven.
 * @param {State} state @returns {MoveValue[]} */
export function knownMoves(state) {
  const { known, progress, game } = state;
  if (!thinksAlong(state) || game.isOver) return [];
  const soFar = (progress?.key === game.key && progress.latest.moves) || [];
  // What a search has hardly looked at so far says nothing of its rank.
  return known.get(game.key)?.moves ?? soFar.filter((move, rank) => rank === 0 || move.proven);
}

/** @param {State} state @returns {Heat[]} */
function heatOf(state) {
  const moves = state.showHeat ? knownMoves(state) : [];
  if (!moves.length) return [];
  const shown = moves.length > CROWD ? bestOf(moves, state.game.position, BEST_SHOWN) : moves;
  const best = moves[0];
  const strength = strengths(shown);
  const isExact = (/** @type {MoveValue} */ move) => best.proven && !best.distance_is_bound && !move.distance_is_bound;
  const isBest = (/** @type {MoveValue} */ move) => move === best || (isExact(move) && move.score === best.score);
  // Where all moves are as good there is nothing to point out.
  const choice = !moves.every(isBest);
  return shown.map((move) => ({
    cell: cellIndex(move, state.game.rules),
    tone: move.outcome === "unknown" ? "estimate" : move.outcome,
    strength: strength(move),
    text: cellValue(move, emptyOf(state)),
    spoken: valueWords(move),
    best: choice && isBest(move),
  }));
}

/** The empty cells of a position whose values the visitor wants as gamesolver's page has them, else null.
 * @param {State} state */
export function emptyOf({ stones, game: { rules, position } }) {
  return stones && isNumbered(rules) ? countEmpty(position) : null;
}

/** The best few of many moves; of equal ones those that stop a line, then those near the other side.
 * @param {MoveValue[]} moves @param {Position} position @param {number} count */
export function bestOf([first, ...rest], position, count) {
  const reach = new Map(rest.map((move) => [move, reachOf(position, cellIndex(move, position.rules))]));
  const order = (/** @type {MoveValue} */ move) => reach.get(move) ?? 0;
  // Where all is lost anyway, a mark in a far corner is no defence.
  const sensible = first.outcome === "loss" ? rest.filter((move) => order(move) <= NEAR) : rest;
  return [first, ...sensible.sort((a, b) => b.score - a.score || order(a) - order(b))].slice(0, count);
}

/** How far a cell is from the nearest mark of the other side; 0 where that would win with it.
 * @param {Position} position @param {number} cell */
function reachOf(position, cell) {
  const { rows, columns } = position.rules;
  const place = (/** @type {number} */ at) =>
    [at % columns, Math.floor(at / columns) % rows, Math.floor(at / columns / rows)];
  const own = place(cell);
  const steps = (/** @type {number} */ at) => Math.max(...place(at).map((each, axis) => Math.abs(each - own[axis])));
  const toMove = other(position.toMove);
  const near = Math.min(...cellsWith(position, (mark) => mark === toMove).map(steps));
  return near === 1 && ending(play({ ...position, toMove }, cell)).winner === toMove ? 0 : near;
}

/** How strongly a move is coloured among the moves of the same tone.
 * @param {MoveValue[]} moves @returns {(move: MoveValue) => number} */
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

/** The line of the move that is pointed at, else the best line, else what was expected before.
 * @param {State} state @returns {Scene["ghosts"]} */
function ghostsOf(state) {
  const { showLine, game } = state;
  const indices = (/** @type {Cell[]} */ cells) => cells.slice(0, GHOSTS).map((cell) => cellIndex(cell, game.rules));
  if (!thinksAlong(state) || game.isOver) return { cells: [], isOld: false };
  const pointed = knownMoves(state).find((move) => cellIndex(move, game.rules) === state.pointedAt);
  if (pointed) return { cells: indices(pointed.line), isOld: false };
  if (!showLine) return { cells: [], isOld: false };
  const line = bestLineOf(state);
  if (line.length) return { cells: indices(line), isOld: false };
  const before = expectedBefore(state);
  return { cells: before?.holds ? indices(before.cells) : [], isOld: true };
}

/** What both sides would play from here, as far as the search knows now. @param {State} state @returns {Cell[]} */
export function bestLineOf({ known, progress, game }) {
  const finished = known.get(game.key);
  if (finished?.line.length) return finished.line;
  return progress?.key === game.key ? progress.latest.line : [];
}

/** The better move: than the move on show, or than a mistake after the reader has asked for it.
 * @param {State} state @returns {Scene["better"]} */
function betterOf(state) {
  const { game, mistake } = state;
  // Values are for the side to move now, not for the one whose move was reviewed.
  if ((mistake && !mistake.isShown) || heatOf(state).length) return NONE;
  const graded = mistake ? currentReview(state)?.moves[mistake.ply] : reviewedMove(state);
  if (!graded || ["best", "lost"].includes(graded.grade)) return NONE;
  const cells = graded.best_moves.map((/** @type {any} */ cell) => cellIndex(cell, game.rules));
  return { cells, side: graded.to_move };
}

/** The sign of the move on show, where it was not the best. @param {State} state @returns {Scene["played"]} */
function playedOf(state) {
  const graded = isTask(state) ? null : reviewedMove(state);
  if (!graded || ["best", "unclear", "lost"].includes(graded.grade)) return null;
  const words = say(`grade.${graded.grade}`);
  return { cell: cellIndex(graded.move, state.game.rules), grade: graded.grade, sign: GRADES[graded.grade], words };
}
