/** Reads moves as the service does: 4453, h8h7i9, 1. h8 h7 2. i9, tiles or lists of places; refuses the rest. */

const LETTERS = "abcdefghijklmnopqrstuvwxy";
const NOTES = "(?:\\{[^{}]*\\}\\s*|[!?]+)+";
const BETWEEN = "[\\s,;_-]+";
const COLUMN_WORDS = new RegExp(`(\\d+)(\\.+)|${NOTES}|${BETWEEN}|\\d|[^\\s,;_\\d-][^\\s,;_-]*`, "g");
const COORDINATE_WORDS = new RegExp(
  `(\\d+)(\\.+|\\s+(?=[a-z]))|${NOTES}|${BETWEEN}|[a-z][^\\s,;_a-z{!?-]*|[^\\s,;_a-z{!?-]+|.`, "gi");
const RESULT = /\s([^\s]+)\s*$/;
const UNFINISHED = "*";
/** A side that passes: two hyphens, in numbered moves also one. */
const [PASS, NUMBERED_PASS] = [/--/, /--|(?<!\S)-(?!\S)/];

/** The library's tables of spellings, which the page and the engine set when they begin. */
export const TABLES = /** @type {Tables} */ ({});

/** @param {Tables} tables */
export function useTables(tables) {
  Object.assign(TABLES, tables);
}

/** Why a text, a board or a request cannot be read: an English sentence, and its code and values for other languages. */
export class Misread extends RangeError {
  /** @param {string} code @param {Record<string, any>} [values] @param {string} [message] */
  constructor(code, values = {}, message = code) {
    super(message);
    this.code = code;
    this.values = values;
  }
}

/** @param {string} code @param {Record<string, any>} [values] @param {string} [message] @returns {never} */
export function refuse(code, values, message) {
  throw new Misread(code, values, message);
}

/** Whether the number of its column names a move. @param {Size & {gravity: boolean}} rules */
export function isNumbered({ gravity, columns, layers }) {
  return gravity && layers === 1 && columns <= TABLES.max_digit_columns;
}

/** The moves of a text or a list; whether they can be made is not checked.
 * @param {unknown} moves @param {Size & {gravity: boolean}} rules
 * @returns {NamedMove[]} @throws {Misread} */
export function readMoves(moves, rules) {
  const words = typeof moves === "string" ? [...wordsOf(moves, rules)] : moves;
  if (!Array.isArray(words) || (!words.length && String(moves).trim())) {
    return refuse("text", {}, "moves are a list or a text; for no moves send an empty text");
  }
  return words.map((word, index) =>
    (typeof word === "string" ? readWord(word.trim(), rules) : readPlace(word, rules)) ?? notAMove(index, word));
}

/** A text without the result at its end, and the side that wins by it: 0 that which moved first, null for a draw.
 * @param {string} text @returns {{text: string, result: 0 | 1 | null | undefined}} undefined where it has none */
export function splitResult(text) {
  const found = text.match(RESULT);
  const result = found?.[1] ?? "";
  const isResult = result === UNFINISHED || result in TABLES.results;
  return { text: isResult ? text.slice(0, found?.index) : text, result: TABLES.results[result] };
}

/** The moves of a text as they are written, without their numbers.
 * @param {string} text @param {Size & {gravity: boolean}} rules @returns {Generator<string>} */
function* wordsOf(text, rules) {
  if ((/\d\./.test(text) ? NUMBERED_PASS : PASS).test(text)) notAMove(0, "-");
  let made = 0;
  let [counts, numbered] = [[1, 2], -1]; // how many moves a number may stand for, and the move that has one
  for (const { 0: word, 1: given, 2: dots } of text.matchAll(isNumbered(rules) ? COLUMN_WORDS : COORDINATE_WORDS)) {
    if (given) {
      const fits = counts.filter((count) => given === String(Math.floor(made / count) + 1));
      counts = fits.filter((count) => made % count === 0 || dots.trim().length > 1);
      if (!counts.length || numbered === made) notAMove(made, `${given}.`);
      numbered = made;
    } else if (!/^[\s,;_!?-]|^\{[^{}]*\}/.test(word)) {
      // A second move without a number of its own makes pairs.
      if (counts.length === 2 && numbered >= 0 && numbered < made) counts = [2];
      yield word;
      made += 1;
    }
  }
}

/** @param {string} word @param {Size & {gravity: boolean}} rules @returns {NamedMove | null} */
function readWord(word, rules) {
  const { rows, columns, layers } = rules;
  const form = isNumbered(rules) ? /^([1-9])()$/ : /^([a-y])([1-9]\d?)$/i;
  const [, letter, row] = (layers === 1 && word.match(form)) || [];
  if (!letter) return null;
  const column = row ? LETTERS.indexOf(letter.toLowerCase()) : Number(letter) - 1;
  if (column >= columns || Number(row) > rows) return null;
  return { cell: row ? (rows - Number(row)) * columns + column : null, stack: column };
}

/** A move of a list: a tile, a row and a column, a cell of an answer; where marks fall its height may be missing.
 * @param {any} move @param {Size & {gravity: boolean}} rules @returns {NamedMove | null} null for anything else */
function readPlace(move, rules) {
  const { rows, columns, layers, gravity } = rules;
  const isIn = (/** @type {any} */ at, /** @type {number} */ size) => Number.isInteger(at) && at >= 0 && at < size;
  const stacks = layers > 1 ? rows * columns : columns;
  const named = (/** @type {number} */ cell) => ({ cell, stack: cell % stacks });
  if (typeof move === "number") return isIn(move - 1, rows * columns * layers) ? named(move - 1) : null;
  const names = layers > 1 ? ["layer", "row", "column"] : ["row", "column"];
  if (Array.isArray(move) && move.length !== names.length) return null;
  const place = Array.isArray(move) ? Object.fromEntries(names.map((name, at) => [name, move[at]])) : move ?? {};
  const { tile, ...sides } = place;
  const given = Object.keys(sides).sort().join();
  const falls = gravity && given === (layers > 1 ? "column,row" : "column") && tile === undefined;
  if (!falls && given !== [...names].sort().join()) return null;
  const { layer = 0, row = 0, column } = sides;
  if (!isIn(layer, layers) || !isIn(row, rows) || !isIn(column, columns)) return null;
  const cell = (layer * rows + row) * columns + column;
  if (tile !== undefined && tile !== cell + 1) return null;
  return falls ? { cell: null, stack: cell } : named(cell);
}

/** @param {number} index @param {unknown} move @returns {never} */
function notAMove(index, move) {
  const [number, given] = [index + 1, typeof move === "string" ? move.slice(0, 100) : JSON.stringify(move)];
  const words = `move ${number}: ${given} is no cell of this board; write 4453, h8h7 or a list of tiles`;
  return refuse(index === 0 ? "text" : "move", { number, move: given }, words);
}
