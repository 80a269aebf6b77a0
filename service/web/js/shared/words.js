/** What the page says, in plain words: names of cells and games, turns, results, verdicts, values. */

import { cellName, moveInWords, sideName } from "./notation.js";
import { BLOCKED, DIRECTIONS, EMPTY, cellCount, other, rulesKey, rulesOf } from "./rules.js";
/** @import { Trouble } from "./api.js" */
/** @import { Game } from "./game.js" */
/** @import { Player } from "./link.js" */
/** @import { Direction, Position, Rules, Side, Wrap } from "./rules.js" */

/**
 * How good something is, as answers say it.
 * @typedef {object} Value
 * @property {number} score
 * @property {"win" | "draw" | "loss" | "unknown"} outcome
 * @property {number | null} distance
 * @property {boolean} distance_is_bound
 * @property {boolean} proven
 * @property {number | null} [expected] the expected result, where the service tells it
 */

/** Counts from here on are in millions. */
const ROUNDED_FROM = 1e7;

/** The bounds of an estimate above which it is called so, best first. @type {[number, string][]} */
const LEANINGS = [[0.6, "looks much better"], [0.25, "looks better"], [0.05, "looks a little better"]];

/** Which edges are joined. @type {Record<Wrap, string>} */
export const WRAP_WORDS = {
  none: "no edges joined", both: "opposite edges joined",
  rows: "left and right edges joined", columns: "top and bottom edges joined",
};

/** @type {Record<Direction, string>} */
export const DIRECTION_WORDS = {
  horizontal: "across", vertical: "up and down", diagonal: "diagonally down", antidiagonal: "diagonally up",
};

/** The rules in a sentence. @param {Pick<Position, "rules" | "cells">} board */
export function rulesSentence({ rules, cells }) {
  const { rows, columns, layers, goal, gravity, misere, exact_goal, wrap, directions, caro, renju } = rules;
  const line = `${exact_goal ? "exactly " : ""}${goal} in a row`;
  const blocked = cells.split(BLOCKED).length - 1;
  const parts = [
    `${columns} × ${rows}${layers > 1 ? ` × ${layers}` : ""} board`,
    misere ? `${line} loses` : `${line} wins`,
    gravity && "stones fall",
    caro && "closed at both ends it does not",
    renju && "some cells are forbidden to the side that begins",
    wrap !== "none" && WRAP_WORDS[wrap],
    directions.length < DIRECTIONS.length && `only ${listed(directions.map((each) => DIRECTION_WORDS[each]))}`,
    blocked && `${blocked} ${blocked === 1 ? "cell" : "cells"} blocked`,
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}

/** @param {string} words */
export function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @param {string[]} words */
function listed(words) {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words[words.length - 1]}`;
}

/** The one-line status above the board.
 * @param {Game} game @param {Record<Side, Player>} players @param {{thinking: boolean, running: boolean}} now */
export function statusWords(game, players, { thinking, running }) {
  if (game.isOver) return resultWords(game, players);
  const side = game.position.toMove;
  const name = sideName(game.rules, side);
  if (players[side] === "you") return players[other(side)] === "you" ? `${name} to move` : `Your turn: ${name} to move`;
  if (!running) return `Paused: the computer plays ${name}`;
  return thinking ? `The computer (${name}) is thinking …` : `${name} to move`;
}

/** @param {Game} game @param {Record<Side, Player>} [players] */
export function resultWords({ ending, rules, position }, players) {
  const isStuck = position.cells.includes(EMPTY);
  if (ending.state === "drawn") return `A draw: ${isStuck ? "only forbidden cells are left" : "the board is full"}`;
  const winner = /** @type {Side} */ (ending.winner);
  const name = sideName(rules, winner);
  if (!players || players[winner] === players[other(winner)]) return `${name} wins`;
  return players[winner] === "you" ? `You win as ${name}` : `The computer wins as ${name}`;
}

/** What a screen reader hears after a move. @param {Game} game */
export function moveAnnouncement(game) {
  const cell = game.lastMove;
  const [side, next] = [other(game.position.toMove), game.position.toMove].map((each) => sideName(game.rules, each));
  const made = cell === null ? "The board is as at the start." : `${side} plays ${moveInWords(game.rules, cell)}.`;
  if (!game.isOver) return `${made} ${next} to move.`;
  const lines = game.ending.lines.map((line) => line.map((each) => cellName(game.rules, each)).join(", "));
  return `${made} ${resultWords(game)}${lines.length ? `, with the line ${lines.join(" and ")}` : ""}.`;
}

/** Moves to the end of the game, those of both sides counted: the one unit of this page. @param {Value} value */
function toTheEnd({ distance, distance_is_bound: bound }) {
  return `${bound ? "at most " : ""}${distance} ${distance === 1 ? "move" : "moves"} to the end`;
}

/** What a value of a position means, for the side to move in it.
 * @param {Value} value @param {Rules} rules @param {Side} toMove */
export function verdictWords(value, rules, toMove) {
  const { outcome, distance } = value;
  if (outcome === "draw") return "A draw, if both play their best";
  if (outcome === "unknown") return leaningWords(estimateOf(value), rules, toMove);
  const winner = sideName(rules, outcome === "win" ? toMove : other(toMove));
  return distance ? `${winner} wins: ${toTheEnd(value)}` : `${winner} has won`;
}

/** @param {number} estimate @param {Rules} rules @param {Side} toMove */
function leaningWords(estimate, rules, toMove) {
  const leaning = LEANINGS.find(([least]) => Math.abs(estimate) >= least);
  return leaning ? `${sideName(rules, estimate > 0 ? toMove : other(toMove))} ${leaning[1]}` : "About even";
}

/** The expected result where the service tells it, else its score: from −1 to 1 for the side to move.
 * @param {Value} value */
export function estimateOf({ expected, score }) {
  return expected ?? score;
}

/** How sure that is. @param {Value} value */
export function certaintyWords({ proven, distance_is_bound: bound }) {
  if (!proven) return "The search ended before the game did. Looking further may change this.";
  if (bound) return "A forced win was found. A shorter one may exist.";
  return "Every reply that matters was followed to the end of the game.";
}

/** What the service says of its move and why, with marks named as they are seen; how good it is the page says itself.
 * @param {string} text such as "X plays b2, blocking a line of O: a draw with best play." @param {Rules} rules */
export function reasonWords(text, rules) {
  const value = text.lastIndexOf(": ");
  const why = value < 0 ? text : `${text.slice(0, value)}.`;
  const named = why.replace(/ plays tile (\d+)/, (_, tile) => ` plays ${moveInWords(rules, Number(tile) - 1)}`);
  return named.replace(/\b[XO]\b/g, (side) => sideName(rules, /** @type {Side} */ (side)));
}

/** A value in at most six characters, for the board and lists. @param {Value} value */
export function shortValue(value) {
  const { outcome, distance, distance_is_bound: bound } = value;
  if (outcome === "draw") return "D";
  if (outcome === "unknown") return signed(estimateOf(value).toFixed(2));
  return `${outcome === "win" ? "W" : "L"}${bound ? "≤" : ""}${distance}`;
}

/** The same in at most four characters, for a cell. @param {Value} value */
export function cellValue(value) {
  return shortValue(value).replace("0.", ".").replace("1.00", "1");
}

/** A value in a few words, for the side that makes the move. @param {Value} value */
export function valueWords(value) {
  if (value.outcome === "draw") return "draw";
  const kind = typeof value.expected === "number" ? "expected result" : "estimate";
  if (value.outcome === "unknown") return `${kind} ${signed(estimateOf(value).toFixed(2))}`;
  return `${value.outcome}, ${toTheEnd(value)}`;
}

/** What the short values mean. */
export const VALUES_EXPLAINED =
  "W5 is a win, 5 moves to the end, the moves of both sides counted. L5 is a loss, D a draw. Other numbers are "
  + "estimates of the result, from −1 (a loss) to +1 (a win).";

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
  proof: "ended with a proof", depth: "reached its depth", nodes: "used up its nodes", time: "used up its time",
};

/** The number of the strongest level. */
export const FULL_STRENGTH = 10;
/** The service proves every position of boards of so many cells within its default budget, and of one larger game. */
const SOLVED_CELLS = 16;
const CONNECT_FOUR = rulesKey(rulesOf(6, 7, 4, { gravity: true }));
/** The levels that have the same name in each game. @type {Record<number, string>} */
const LEVEL_NAMES = { 2: "Easy", 5: "Medium", 8: "Hard" };

/** The name of a level; the strongest is perfect where the service proves every position of the game at once.
 * @param {number} level @param {Rules} rules */
export function levelWords(level, rules) {
  const isSolved = cellCount(rules) <= SOLVED_CELLS || rulesKey(rules) === CONNECT_FOUR;
  const name = level === FULL_STRENGTH ? (isSolved ? "Perfect" : "Strongest") : LEVEL_NAMES[level];
  return name ? `${level} · ${name}` : String(level);
}

/** The grades of a review: sign and meaning. @type {Record<string, {sign: string, meaning: string}>} */
export const GRADES = {
  best: { sign: "✓", meaning: "nothing was better" },
  inaccuracy: { sign: "?!", meaning: "the same result, but a later win or a sooner loss" },
  mistake: { sign: "?", meaning: "gave away a win or a draw" },
  blunder: { sign: "??", meaning: "turned a win into a loss" },
  unclear: { sign: "~", meaning: "too little is known to judge it" },
};

/** @param {Trouble} trouble @param {number} seconds until the next attempt */
export function troubleWords({ kind }, seconds) {
  const again = seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again …";
  return kind === "busy" ? `The server is busy. ${again}` : `The server cannot be reached. ${again}`;
}
