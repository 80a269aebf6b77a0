/** Names of stones and cells as they are seen and printed: Red and Yellow, h8, column 4, layer 2 b3. */

import { isNumbered } from "../../../../browser/read-moves.js";
import { say } from "./say.js";

/** A board without gravity is drawn as lines and stones from this many rows or columns on. */
const STONES_FROM = 8;

/** @type {Record<Skin, Record<Side, string>>} */
const STONES = {
  tiles: { X: "X", O: "O" },
  discs: { X: say("side.red"), O: say("side.yellow") },
  stones: { X: say("side.black"), O: say("side.white") },
};

/** @param {Rules} rules @returns {Skin} */
export function skinOf({ rows, columns, gravity, marks }) {
  if (gravity) return "discs";
  return marks === "own" && Math.max(rows, columns) >= STONES_FROM ? "stones" : "tiles";
}

/** What a mark looks like. @param {Rules} rules @param {Side} mark */
export function markName(rules, mark) {
  return STONES[skinOf(rules)][mark];
}

/** A side is called by its marks, or where both have the same by its place. @param {Rules} rules @param {Side} side */
export function sideName(rules, side) {
  return rules.marks === "shared" ? say(side === "X" ? "side.first" : "side.second") : markName(rules, side);
}

/** The letter of a column, a to y, or its number. @param {Rules} rules @param {number} column from 0 */
export function columnName(rules, column) {
  return isNumbered(rules) ? String(column + 1) : String.fromCharCode(97 + column);
}

/** The number of a row, counted from the bottom. @param {Rules} rules @param {number} row from 0 at the top */
export function rowName({ rows }, row) {
  return String(rows - row);
}

/** The layer of a cell, from 0 at the bottom. @param {Rules} rules @param {number} cell */
export function layerOf({ rows, columns }, cell) {
  return Math.floor(cell / (rows * columns));
}

/** A move as it is written down: h8, with layers 2b3; where marks fall the place alone: 4, b3.
 * @param {Rules} rules @param {number} cell */
export function moveName(rules, cell) {
  const { rows, columns, layers, gravity } = rules;
  const column = columnName(rules, cell % columns);
  if (isNumbered(rules)) return column;
  const layer = layers > 1 && !gravity ? String(layerOf(rules, cell) + 1) : "";
  return layer + column + rowName(rules, Math.floor(cell / columns) % rows);
}

/** The name of a cell, different for each. @param {Rules} rules @param {number} cell */
export function cellName(rules, cell) {
  const { rows, columns, layers } = rules;
  const row = rowName(rules, Math.floor(cell / columns) % rows);
  if (layers > 1) return `${layerOf(rules, cell) + 1}${columnName(rules, cell % columns)}${row}`;
  const column = moveName(rules, cell);
  return isNumbered(rules) ? say("cell.columnRow", { column, row }) : column;
}

/** A move within a sentence. @param {Rules} rules @param {number} cell */
export function moveInWords(rules, cell) {
  const column = moveName(rules, cell);
  return isNumbered(rules) ? say("cell.column", { column }) : column;
}

/** Moves in a form of the API: 4453, h8 h7 i9, or with layers, for which there is no text, a list of tiles.
 * @param {Rules} rules @param {number[]} cells */
export function movesText(rules, cells) {
  if (rules.layers > 1) return JSON.stringify(cells.map((cell) => cell + 1));
  return cells.map((cell) => moveName(rules, cell)).join(isNumbered(rules) ? "" : " ");
}
