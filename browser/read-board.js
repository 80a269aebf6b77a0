/** Reads boards in the strict form, rows or one text, and the fields of a request; refuses the rest in one sentence. */

import { judgeBoard } from "./judge-board.js";
import { opponent } from "./lines.js";
import { TABLES, readMoves, refuse, splitResult } from "./read-moves.js";

const FORM = 'write a board as a list of rows such as "X.O", or as one text with / between them';
const SIZE = "rows and columns are missing, or are not those of the board or of the game";

/** What is said of the size of a board besides the board. @typedef {{rows?: number | null, columns?: number | null,
 *   layers?: number, usual: Size | null}} Said layers: those of a text by default */

// ---- The position of a request -----------------------------------------------------------------------------------

/** The start of the position or game of a request: its board or the empty one, by the rules that it names.
 * @template {Rules} R @param {Record<string, any>} fields
 * @param {(size: Size, sent: Record<string, any>) => R} rulesOf
 * @param {{name: string, size: Size} | null} game that it names
 * @returns {{sent: Record<string, any>, rules: R, cells: string, toMove: Side, check: () => unknown}}
 *   sent: the fields that are not null; check: throws where no game comes to the board
 * @throws {Misread} */
export function readStart(fields, game, rulesOf) {
  const sent = sentFields(fields);
  const { cells: read, ...size } = readSize(sent, game);
  const rules = rulesOf(size, sent);
  const cells = read ?? ".".repeat(size.rows * size.columns * size.layers);
  const field = sent.moves === undefined && sent.first === undefined ? "to_move" : "first";
  const { composed = false } = sent;
  const side = readSide(sent, field) ?? (composed ? sideBefore(sent, rules) : null);
  if (typeof composed !== "boolean" || (composed && (rules.renju || !side))) {
    refuse("field", { field: "composed" }, `composed is true or false; it needs ${field}, and no renju`);
  }
  const { toMove, wrong } = judgeBoard(rules, cells, side, composed);
  const values = { mover: toMove, waiting: opponent(toMove) };
  return { sent, rules, cells, toMove, check: () => wrong && refuse(wrong, values, "no game comes to this board") };
}

/** The fields of a request that are sent: null in one is not sent. @param {Record<string, any>} fields */
export function sentFields(fields) {
  for (const name of ["board", "moves"]) {
    if (fields[name] === null) refuse("text", {}, `${name} is null; leave the field out`);
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** The side that a field names, null where it is not sent. @param {Record<string, any>} sent @param {string} field
 * @returns {Side | null} */
export function readSide(sent, field) {
  const side = sent[field];
  if (side === undefined) return null;
  const found = /** @type {Record<string, Side>} */ ({ X: "X", x: "X", 1: "X", O: "O", o: "O", 2: "O" })[side];
  if (found && side !== true) return found;
  return refuse("text", {}, `${field} is X or O`);
}

/** The side that makes the first of the moves where only that after them is said: the sides take turns.
 * @param {Record<string, any>} sent @param {Size & {gravity: boolean}} rules @returns {Side | null} */
function sideBefore(sent, rules) {
  const after = readSide(sent, "to_move");
  if (!after || sent.moves === undefined) return after;
  const text = typeof sent.moves === "string" ? splitResult(sent.moves).text : sent.moves;
  return readMoves(text, rules).length % 2 === 0 ? after : opponent(after);
}

/** The size that fields say, and the cells of their board, null where there is none.
 * @param {Record<string, any>} sent @param {{name: string, size: Size} | null} game
 * @returns {Size & {cells: string | null}} */
function readSize(sent, game) {
  const isSide = (/** @type {any} */ side = 1) => Number.isInteger(side) && side >= 1 && side <= TABLES.max_side;
  if (![sent.rows, sent.columns, sent.layers].every((side) => isSide(side))) refuse("size", {}, SIZE);
  const usual = game?.size ?? null;
  const { rows, columns, layers = usual?.layers ?? 1 } = sent;
  const size = sent.board === undefined
    ? { rows: rows ?? usual?.rows, columns: columns ?? usual?.columns, layers, cells: null }
    : readBoard(sent.board, { rows, columns, layers, usual });
  const isSaid = sent.rows && sent.columns && (sent.layers || usual?.layers === 1);
  const isOther = usual && (size.rows !== usual.rows || size.columns !== usual.columns || layers !== usual.layers);
  if (!size.rows || !size.columns || (isOther && !isSaid)) refuse("size", {}, SIZE);
  return size;
}

// ---- Boards ------------------------------------------------------------------------------------------------------

/** A board as rows or one text: its size and its cells as X, O, # and dots.
 * @param {unknown} board @param {Said} said @returns {Size & {cells: string}} @throws {Misread} */
export function readBoard(board, { rows: high, columns: wide, layers: given, usual }) {
  const isText = typeof board === "string";
  const blocks = isText ? layersOf(board) : [Array.isArray(board) ? board : []];
  const layers = given ?? blocks.length;
  const rows = blocks.flat().map((row) => (typeof row === "string" ? [...row.replaceAll(TABLES.ignored, "")] : []));
  const columns = rows[0]?.length ?? 0;
  const areEven = [rows, blocks].every((parts) => parts.every(({ length }) => length === parts[0].length));
  const size = { rows: rows.length / layers, columns, layers };
  const isWhole = isText ? blocks.length === layers : Number.isInteger(size.rows);
  // Single rows of a text, and a list of single marks, may be the cells of another board.
  const isFlat = isText ? blocks[0].length === 1 && (high ?? usual?.rows) !== 1 : columns === 1 && rows.length > 1;
  const isPossible = [size.rows, columns].every((side) => side >= 1 && side <= TABLES.max_side);
  if (!areEven || !isWhole || isFlat || !isPossible) refuse("text", {}, FORM);
  if ((high ?? size.rows) !== size.rows || (wide ?? columns) !== columns) refuse("size", {}, SIZE);
  return { ...size, cells: readMarks(rows.flat()) };
}

/** The layers of a text and their rows. @param {string} text */
function layersOf(text) {
  const whole = text.length > TABLES.max_board_text ? "" : text.replace(/\r\n?/g, "\n").replace(/^[/\n]|[/\n]$/g, "");
  return whole.split(/\/\/|\n\n/).map((layer) => layer.split(/\/\n|[/\n]/));
}

/** The cells of a board in one alphabet, with one spelling of each side and of the empty cell.
 * @param {string[]} marks @returns {string} */
function readMarks(marks) {
  const large = marks.map((mark) => TABLES.small_letters[mark] ?? mark);
  const used = [...new Set(large)];
  for (const [xs, os] of Object.values(TABLES.alphabets)) {
    const spellings = [[xs, "X"], [os, "O"], [TABLES.empty_marks, "."], [TABLES.blocked, "#"]];
    const names = new Map(spellings.flatMap(([all, name]) => [...all].map((mark) => [mark, name])));
    const read = used.map((mark) => names.get(mark));
    if (read.every(Boolean) && new Set(read).size === read.length) return large.map((mark) => names.get(mark)).join("");
  }
  return refuse("text", {}, FORM);
}
