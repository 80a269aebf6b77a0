/** What the page says, in plain words: names of cells and games, turns, results, verdicts, values. */

import { other, presetOf } from "./rules.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Side} Side */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./link.js").Player} Player */

/**
 * How good something is, as answers say it.
 * @typedef {object} Value
 * @property {number} score
 * @property {"win" | "draw" | "loss" | "unknown"} outcome
 * @property {number | null} distance
 * @property {boolean} distance_is_bound
 * @property {boolean} proven
 */

/** @type {Record<string, {name: string, short: string}>} */
export const GAMES = {
  "tic-tac-toe": { name: "Tic-tac-toe", short: "3 × 3, three in a row" },
  "misere-tic-tac-toe": { name: "Misère tic-tac-toe", short: "3 × 3, three in a row loses" },
  "four-by-four": { name: "Four by four", short: "4 × 4, four in a row" },
  "connect-four": { name: "Connect Four", short: "7 × 6, stones fall" },
  gomoku: { name: "Gomoku", short: "15 × 15, five in a row" },
  "standard-gomoku": { name: "Standard gomoku", short: "15 × 15, exactly five" },
};

export const CUSTOM = { name: "Your own game", short: "Any board, any goal" };

/** Counts from here on are told in millions. */
const ROUNDED_FROM = 1e7;

/** The bounds of an estimate above which it is called so, best first. @type {[number, string][]} */
const LEANINGS = [[0.6, "looks much better"], [0.25, "looks better"], [0.05, "looks a little better"]];

/** @param {Rules} rules */
export function gameName(rules) {
  const preset = presetOf(rules);
  return preset ? GAMES[preset].name : CUSTOM.name;
}

/** The rules in a sentence. @param {Rules} rules */
export function rulesSentence({ rows, columns, goal, gravity, misere, exact_goal }) {
  const line = `${exact_goal ? "exactly " : ""}${goal} in a row`;
  const aim = misere ? `${line} loses` : `${line} wins`;
  return `${columns} × ${rows} board, ${aim}${gravity ? ", marks fall" : ""}.`;
}

/** The letter of a column, A to Y. @param {number} column */
export function columnName(column) {
  return String.fromCharCode(65 + column);
}

/** A short name of a cell: B2 is the second column of the second row; under gravity the column says it all. @param {Rules} rules @param {number} cell */
export function cellName({ columns, gravity }, cell) {
  const column = columnName(cell % columns);
  return gravity ? column : `${column}${Math.floor(cell / columns) + 1}`;
}

/** The name of a cell with its row, whatever the rules. @param {Rules} rules @param {number} cell */
export function fullCellName({ columns }, cell) {
  return `${columnName(cell % columns)}${Math.floor(cell / columns) + 1}`;
}

/** @param {Rules} rules @param {number[]} cells */
function cellNames(rules, cells) {
  return cells.map((cell) => fullCellName(rules, cell)).join(", ");
}

/** The one-line status above the board. @param {Game} game @param {Record<Side, Player>} players @param {{thinking: boolean, running: boolean}} now */
export function statusWords(game, players, { thinking, running }) {
  if (game.isOver) return resultWords(game, players);
  const side = game.position.toMove;
  if (players[side] === "you") return players[other(side)] === "you" ? `${side} to move` : `Your turn: ${side} to move`;
  if (!running) return `Paused: ${side} is the computer's`;
  return thinking ? `The computer is thinking about ${side}'s move …` : `${side} to move`;
}

/** @param {Game} game @param {Record<Side, Player>} [players] */
export function resultWords({ ending }, players) {
  if (ending.state === "drawn") return "A draw: the board is full";
  const winner = /** @type {Side} */ (ending.winner);
  const alone = players && players[winner] !== players[other(winner)];
  if (!alone) return `${winner} wins`;
  return players[winner] === "you" ? `You win as ${winner}` : `The computer wins as ${winner}`;
}

/** What a screen reader hears after a move. @param {Game} game */
export function moveAnnouncement(game) {
  const cell = game.lastMove;
  const side = other(game.position.toMove);
  const made = cell === null ? "The board is as at the start." : `${side} plays ${fullCellName(game.rules, cell)}.`;
  if (!game.isOver) return `${made} ${game.position.toMove} to move.`;
  const lines = game.ending.lines.map((line) => cellNames(game.rules, line)).join(" and ");
  return `${made} ${resultWords(game)}${lines ? `, with the line ${lines}` : ""}.`;
}

/** A number of a side's moves out of plies. @param {number} plies */
function movesWords(plies) {
  const moves = Math.ceil(plies / 2);
  return moves === 1 ? "1 move" : `${moves} moves`;
}

/** What a value of a position means, for the side to move in it. @param {Value} value @param {Side} toMove */
export function verdictWords({ score, outcome, distance, distance_is_bound: bound }, toMove) {
  if (outcome === "draw") return "A draw, if both play their best";
  if (outcome === "unknown") return leaningWords(score, toMove);
  const winner = outcome === "win" ? toMove : other(toMove);
  if (!distance) return `${winner} has won`;
  return `${winner} wins in ${bound ? "at most " : ""}${movesWords(distance)}, whatever ${other(winner)} does`;
}

/** @param {number} score @param {Side} toMove */
function leaningWords(score, toMove) {
  const found = LEANINGS.find(([least]) => Math.abs(score) >= least);
  return found ? `${score > 0 ? toMove : other(toMove)} ${found[1]}` : "About even";
}

/** How sure that is. @param {Value} value */
export function certaintyWords({ proven, distance_is_bound: bound }) {
  if (!proven) return "The search ended before the game did. Looking further may change this.";
  if (bound) return "A forced win was found; a shorter one may exist.";
  return "Every reply that matters was followed to the end of the game.";
}

/** A value in at most six characters, for the board and lists. @param {Value} value */
export function shortValue({ outcome, distance, score, distance_is_bound: bound }) {
  if (outcome === "draw") return "D";
  if (outcome === "unknown") return signed(score.toFixed(2));
  return `${outcome === "win" ? "W" : "L"}${bound ? "≤" : ""}${distance}`;
}

/** A value in a few words, for the side that makes the move. @param {Value} value */
export function valueWords({ outcome, distance, score, distance_is_bound: bound }) {
  if (outcome === "draw") return "draw";
  if (outcome === "unknown") return `estimate ${signed(score.toFixed(2))}`;
  return `${outcome} in ${bound ? "at most " : ""}${distance}`;
}

/** A number with a true minus or a plus. @param {string | number} number */
export function signed(number) {
  const text = String(number);
  if (Number(text) === 0) return text.replace(/^-/, "");
  return text.startsWith("-") ? `−${text.slice(1)}` : `+${text}`;
}

/** @param {number} count */
export function countWords(count) {
  return count < ROUNDED_FROM ? count.toLocaleString("en") : `${(count / 1e6).toFixed(1)} M`;
}

/** @param {number} ms */
export function timeWords(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** Why a search ended. @type {Record<string, string>} */
export const STOPPED = {
  proof: "ended with a proof",
  depth: "reached its depth",
  nodes: "used up its nodes",
  time: "used up its time",
};

/** The grades of a review: sign, name and meaning. @type {Record<string, {sign: string, name: string, meaning: string}>} */
export const GRADES = {
  best: { sign: "✓", name: "best", meaning: "nothing was better" },
  inaccuracy: { sign: "?!", name: "inaccuracy", meaning: "the same result, later for a winner or sooner for a loser" },
  mistake: { sign: "?", name: "mistake", meaning: "turned a win into a draw, or a draw into a loss" },
  blunder: { sign: "??", name: "blunder", meaning: "turned a win into a loss" },
  unclear: { sign: "~", name: "unclear", meaning: "not proven, so not judged" },
};

/** @param {import("./api.js").Trouble} trouble @param {number} seconds until the next attempt */
export function troubleWords({ kind }, seconds) {
  const again = seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again …";
  return kind === "busy" ? `The server is busy. ${again}` : `The server cannot be reached. ${again}`;
}
