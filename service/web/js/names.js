/** Names of stones and cells as they are seen and printed: Red and Yellow, h8, column 4. */

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Side} Side */
/** @typedef {"tiles" | "discs" | "stones"} Skin */

/** A board without gravity is drawn as lines and stones from this many rows or columns on. */
const STONES_FROM = 8;
/** Connect Four numbers its columns; a digit for each is enough up to this many. */
const MOST_NUMBERED = 9;

/** @type {Record<Skin, Record<Side, string>>} */
const STONES = { tiles: { X: "X", O: "O" }, discs: { X: "Red", O: "Yellow" }, stones: { X: "Black", O: "White" } };

/** @param {Rules} rules @returns {Skin} */
export function skinOf({ rows, columns, gravity }) {
  if (gravity) return "discs";
  return Math.max(rows, columns) >= STONES_FROM ? "stones" : "tiles";
}

/** What a side's marks look like. @param {Rules} rules @param {Side} side */
export function sideName(rules, side) {
  return STONES[skinOf(rules)][side];
}

/** Whether moves are told by the number of the column alone. @param {Rules} rules */
export function isNumbered({ gravity, columns }) {
  return gravity && columns <= MOST_NUMBERED;
}

/** The letter of a column, a to y, or its number. @param {Rules} rules @param {number} column from 0 */
export function columnName(rules, column) {
  return isNumbered(rules) ? String(column + 1) : String.fromCharCode(97 + column);
}

/** The number of a row, counted from the bottom. @param {Rules} rules @param {number} row from 0 at the top */
export function rowName({ rows }, row) {
  return String(rows - row);
}

/** A move as it is written down: h8, or under gravity the number of the column. @param {Rules} rules @param {number} cell */
export function moveName(rules, cell) {
  const { columns } = rules;
  const column = columnName(rules, cell % columns);
  return isNumbered(rules) ? column : column + rowName(rules, Math.floor(cell / columns));
}

/** The name of a cell, different for each. @param {Rules} rules @param {number} cell */
export function cellName(rules, cell) {
  if (!isNumbered(rules)) return moveName(rules, cell);
  return `column ${moveName(rules, cell)} row ${rowName(rules, Math.floor(cell / rules.columns))}`;
}

/** A move within a sentence. @param {Rules} rules @param {number} cell */
export function moveInWords(rules, cell) {
  return isNumbered(rules) ? `column ${moveName(rules, cell)}` : moveName(rules, cell);
}

/** Moves as text that can be read back: 4453, or h8 h7 i9. @param {Rules} rules @param {number[]} cells */
export function movesText(rules, cells) {
  return cells.map((cell) => moveName(rules, cell)).join(isNumbered(rules) ? "" : " ");
}
