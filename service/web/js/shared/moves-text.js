/** Reads moves as people write them: 4453, h8h7i9, tiles, or a list in a form of the API. */

import { Game } from "./game.js";
import { isNumbered, moveName } from "./notation.js";
import { cellCount, cellIndex, emptyPosition, isBetween, landing } from "./rules.js";
/** @import { Rules } from "./rules.js" */

/** A sentence for the visitor: why a text cannot be read. */
export class Unreadable extends Error {}

/** @param {string} why a sentence @returns {never} */
export function unreadable(why) {
  throw new Unreadable(why);
}

/** @param {Rules} rules @param {unknown} moves text or a list @param {Game} [start] */
export function fromMoves(rules, moves, start = new Game(emptyPosition(rules, "X"))) {
  let game = start;
  const list = Array.isArray(moves) ? moves : splitMoves(String(moves), rules);
  list.forEach((move, index) => {
    const cell = cellOf(move, game);
    // A cell under gravity must be the one where the stone comes to rest.
    const next = cell !== null && landing(game.position, cell) === cell ? game.play(cell) : null;
    if (!next) return unreadable(`Move ${index + 1} (${wordsOf(move, rules)}) is not possible.`);
    game = next;
  });
  return game;
}

/** @param {string} text @param {Rules} rules */
function splitMoves(text, rules) {
  const given = text.trim().toLowerCase();
  if (isNumbered(rules) && /^[1-9\s]*$/.test(given)) return [...given.replace(/\s/g, "")];
  if (/^\d+([\s.,]+\d+)*$/.test(given)) return given.split(/[\s.,]+/).map(Number);
  if (rules.layers > 1 && /^(\d*[a-y]\d+[\s.,;]*)+$/.test(given)) return given.split(/[\s.,;]+/);
  const unnumbered = given.replace(/\d+\.\s/g, " ");
  const moves = unnumbered.match(/[a-y]\d+/g) ?? [];
  if (moves.join("") === unnumbered.replace(/[\s.,;]/g, "")) return moves;
  unreadable("This is neither a board nor moves.");
}

/** The cell that a move names, or null. @param {any} move @param {Game} game @returns {number | null} */
function cellOf(move, { rules, position }) {
  if (typeof move === "number") return isBetween(move, 1, cellCount(rules)) ? move - 1 : null;
  const place = placeOf(move, rules);
  const { layer = 0, row = 0, column } = place;
  const inPlan = isBetween(row, 0, rules.rows - 1) && isBetween(column, 0, rules.columns - 1);
  if (!inPlan || !isBetween(layer, 0, rules.layers - 1)) return null;
  const cell = cellIndex({ layer, row, column }, rules);
  // Under gravity a place without its height is where the mark comes to rest.
  const isWhole = rules.layers > 1 ? place.layer !== undefined : place.row !== undefined;
  return rules.gravity && !isWhole ? landing(position, cell) : cell;
}

/** @param {any} move @param {Rules} rules @returns {{layer?: number, row?: number, column: number}} */
function placeOf(move, rules) {
  if (Array.isArray(move)) return { layer: move.at(-3), row: move.at(-2), column: move.at(-1) };
  if (move && typeof move === "object") return move;
  const text = String(move).toLowerCase();
  if (isNumbered(rules)) return { column: /^[1-9]$/.test(text) ? Number(text) - 1 : -1 };
  const [, layer, letter, row] = text.match(/^(\d*)([a-y])(\d+)$/) ?? [];
  const column = letter ? letter.charCodeAt(0) - 97 : -1;
  return { layer: layer ? Number(layer) - 1 : undefined, row: rules.rows - Number(row), column };
}

/** @param {any} move @param {Rules} rules */
function wordsOf(move, rules) {
  return isBetween(move, 1, cellCount(rules)) ? moveName(rules, move - 1) : JSON.stringify(move).replaceAll('"', "");
}
