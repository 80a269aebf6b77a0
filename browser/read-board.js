/** Reads boards in the strict form, rows or one text, and the fields of a request; refuses the rest in one sentence. */

import { judgeBoard } from "./judge-board.js";
import { Misread, TABLES, isNumbered, readMoves, splitResult } from "./read-moves.js";

/** What is said of the size of a board besides the board. @typedef {{rows?: number | null, columns?: number | null,
 *   layers: number, usual: Size | null}} Said */

/** @param {string} code @param {string} message @param {Record<string, any>} [values] @returns {never} */
function refuse(code, message, values = {}) {
  throw new Misread(code, values, message);
}

/** A part of what was sent, as sentences show it. @param {unknown} value */
function quoted(value) {
  if (typeof value === "string") return `'${JSON.stringify(value.slice(0, 100)).slice(1, -1).replaceAll('\\"', '"')}'`;
  return Array.isArray(value) ? "a list" : value && typeof value === "object" ? "an object" : String(value);
}

// ---- The position of a request -----------------------------------------------------------------------------------

/** The start of the position or game of a request: its board or the empty one, by the rules that it names.
 * @template {Rules} R @param {Record<string, any>} fields
 * @param {(size: Size, sent: Record<string, any>) => R} rulesOf
 * @param {{name: string, size: Size} | null} game that it names
 * @returns {{sent: Record<string, any>, rules: R, cells: string, toMove: Side, refuse: () => void}}
 *   sent: the fields that are not null; refuse: throws where no game comes to the board
 * @throws {Misread} */
export function readStart(fields, game, rulesOf) {
  const sent = sentFields(fields);
  const { cells: read, ...size } = readSize(sent, game);
  const rules = rulesOf(size, sent);
  const cells = read ?? ".".repeat(size.rows * size.columns * size.layers);
  const field = sent.moves === undefined && sent.first === undefined ? "to_move" : "first";
  const composed = readComposed(sent, rules);
  const side = readSide(sent, field) ?? (composed ? sideBefore(sent, rules) : null);
  if (composed && !side) {
    refuse("field", `a composed position needs ${field}: its marks do not show whose move it is`, { field });
  }
  const judged = judgeBoard(rules, cells, side, composed);
  return { sent, rules, cells, toMove: judged.toMove, refuse: () => refuseWrong(judged, rules) };
}

/** The rules of a request.
 * @template R @param {Record<string, any>} fields @param {{name: string, size: Size} | null} game that it names
 * @param {(size: Size, sent: Record<string, any>) => R} rulesOf @returns {R} @throws {Misread} */
export function readRules(fields, game, rulesOf) {
  const sent = sentFields(fields);
  const { cells: _, ...size } = readSize(sent, game);
  return rulesOf(size, sent);
}

/** The fields of a request that are sent: null in one is not sent. @param {Record<string, any>} fields */
export function sentFields(fields) {
  for (const name of ["board", "moves"]) {
    if (fields[name] === null) refuse("text", `${name} is null; send a value, or leave the field out`);
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
  return refuse("text", `${field}: sides are X and O, or 1 and 2, not ${quoted(side)}`);
}

/** Whether either side may have any number of marks. @param {Record<string, any>} sent @param {any} rules */
function readComposed({ composed = false }, { renju }) {
  if (typeof composed !== "boolean") refuse("text", `composed is true or false, not ${quoted(composed)}`);
  if (composed && renju) {
    refuse("field", "composed: not with renju, where the numbers of marks say who began", { field: "composed" });
  }
  return composed;
}

/** The side that makes the first of the moves where only that after them is said: the sides take turns.
 * @param {Record<string, any>} sent @param {Size & {gravity: boolean}} rules @returns {Side | null} */
function sideBefore(sent, rules) {
  const after = readSide(sent, "to_move");
  if (!after || sent.moves === undefined) return after;
  const text = typeof sent.moves === "string" ? splitResult(sent.moves).text : sent.moves;
  const isSame = readMoves(text, rules).length % 2 === 0;
  return isSame ? after : after === "X" ? "O" : "X";
}

/** The size that fields say, and the cells of their board, null where there is none.
 * @param {Record<string, any>} sent @param {{name: string, size: Size} | null} game
 * @returns {Size & {cells: string | null}} */
function readSize(sent, game) {
  for (const side of ["rows", "columns", "layers"]) {
    const number = sent[side] ?? 1;
    if (Number.isInteger(number) && number >= 1 && number <= TABLES.max_side) continue;
    refuse("side", `${side} is a whole number from 1 to ${TABLES.max_side}, not ${quoted(number)}`, { count: TABLES.max_side });
  }
  const usual = game?.size ?? null;
  const { rows, columns, layers = usual?.layers ?? 1 } = sent;
  const size = sent.board === undefined
    ? { rows: rows ?? usual?.rows, columns: columns ?? usual?.columns, layers, cells: null }
    : readBoard(sent.board, { rows, columns, layers, usual });
  if (!size.rows || !size.columns) refuse("size", "rows and columns are required unless game names a preset");
  const names = /** @type {(keyof Size)[]} */ (size.layers > 1 || (usual?.layers ?? 1) > 1
    ? ["rows", "columns", "layers"] : ["rows", "columns"]);
  const isOther = names.some((name) => usual && size[name] !== usual[name] && names.some((each) => sent[each] === undefined));
  if (game && isOther) refuse("size", `${game.name} has another size; for this one say ${names.join(" and ")}`);
  return size;
}

/** Refuses a board that no game comes to.
 * @param {Judged} judged @param {Size & {gravity: boolean, marks: string}} rules */
function refuseWrong({ xs, os, cell = 0, toMove, wrong }, rules) {
  if (!wrong) return;
  const other = toMove === "X" ? "O" : "X";
  const [row, column] = [Math.floor(cell / rules.columns) + 1, (cell % rules.columns) + 1];
  const sentences = {
    blocked: "renju needs a board without blocked cells",
    counts: `${xs} X and ${os} O: the counts may differ by one at most`,
    turn: `${xs} X and ${os} O: it cannot be ${toMove}'s move`,
    floating: `the mark at ${nameCell(cell, rules)} has an empty cell under it`,
    propped: `with gravity the blocked cell at ${nameCell(cell, rules)} must rest on the floor or on another`,
    both: "both sides have completed a line",
    over: `${toMove} has completed a line and would be to move: the game was over`,
    before: "no single last move completes all lines: the game was over before",
    shared: `unknown mark "O" in row ${row}, column ${column}: both sides mark with X`,
  };
  refuse(wrong, sentences[wrong], { mover: toMove, waiting: other });
}

/** A cell in words. @param {number} cell @param {Size & {gravity: boolean}} rules */
function nameCell(cell, rules) {
  const { rows, columns, layers } = rules;
  if (layers > 1) return `tile ${cell + 1}`;
  if (isNumbered(rules)) return `tile ${cell + 1} in column ${(cell % columns) + 1}`;
  return `${String.fromCharCode(97 + (cell % columns))}${rows - Math.floor(cell / columns)}`;
}

/** Why moves cannot be read, in English. @param {Misread} misread @param {Size & {gravity: boolean}} rules */
export function explainMoves({ code, values: { number, given, move, at }, message }, rules) {
  const cells = rules.rows * rules.columns * rules.layers;
  const last = `${String.fromCharCode(96 + rules.columns)}${rules.rows}`;
  const form = isNumbered(rules) ? `a column is 1 to ${rules.columns}`
    : `a move is a column's letter and a row's number, a1 to ${last}`;
  const sentences = /** @type {Record<string, string>} */ ({
    pairs: "pairs of numbers do not say which is the row: write a letter and a number, as in h8",
    number: `${given}. is not the number of move ${number}`,
    move: at === null ? `a move of a list is a tile from 1 to ${cells}, or a place on the board, not ${move}`
      : `${form}, not ${quoted(move)}`,
  });
  return sentences[code] ?? message;
}

// ---- Boards ------------------------------------------------------------------------------------------------------

/** A board as rows or one text: its size and its cells as X, O, # and dots.
 * @param {unknown} board @param {Said} said @returns {Size & {cells: string}} @throws {Misread} */
export function readBoard(board, said) {
  const parts = typeof board === "string" ? linesOf(board) : board;
  const isText = (/** @type {unknown} */ part) => typeof part === "string";
  const areRows = Array.isArray(parts) && parts.length > 0 && parts.every(isText);
  if (!areRows) return refuse("text", "the board is a list of rows, such as \"X.O\", or one text with / between rows");
  const [layers, rows] = layersOf(parts.map((part) => [...part.replaceAll(TABLES.ignored, "")]), typeof board === "string", said);
  const wide = rows[0].length;
  const ragged = rows.findIndex((row) => row.length !== wide);
  if (ragged > 0) {
    refuse("ragged", `row 1 has ${wide} cells, row ${ragged + 1} has ${rows[ragged].length}`,
      { row: ragged + 1, cells: rows[ragged].length, first: wide });
  }
  const size = { rows: rows.length / layers, columns: wide, layers };
  if (!wide || Math.max(size.rows, wide, layers) > TABLES.max_side) {
    refuse("side", `a board has 1 to ${TABLES.max_side} rows and columns`, { count: TABLES.max_side });
  }
  for (const side of /** @type {const} */ (["rows", "columns"])) {
    if (said[side] && said[side] !== size[side]) refuse("size", `${side} says ${said[side]}, the board has ${size[side]}`);
  }
  return { ...size, cells: readMarks(rows.flat()) };
}

/** The lines of a text; with layers an empty one stands between two layers. @param {string} text */
function linesOf(text) {
  if (text.length > TABLES.max_board_text) refuse("text", `a board as text has at most ${TABLES.max_board_text} characters`);
  const lines = text.replace(/\r\n?/g, "\n").split(/\/\n|[/\n]/);
  return lines.slice(lines[0] ? 0 : 1, lines.at(-1) ? undefined : -1);
}

/** The number of layers and the rows of all; a flat text is cut into rows.
 * @param {string[][]} parts @param {boolean} isText @param {Said} said @returns {[number, string[][]]} */
function layersOf(parts, isText, said) {
  const { layers } = said;
  if (parts.length === (isText ? 1 : 0)) return [layers, cut(parts[0], said)];
  if (!isText && parts.length > 1 && parts.every((part) => part.length < 2)) {
    refuse("text", "write a board as rows, or as one text with / between rows");
  }
  const ends = parts.flatMap((part, at) => (part.length ? [] : [at]));
  if (layers > 1 && isText && (ends.length || parts.length <= layers)) {
    const blocks = [-1, ...ends].map((end, at) => parts.slice(end + 1, ends[at])).filter((block) => block.length);
    if (blocks.length !== layers) refuse("layers", `layers says ${layers}, the board has ${blocks.length}`);
    if (blocks.some((block) => block.length !== blocks[0].length)) refuse("layers", "the layers differ in their rows");
    return [layers, blocks.flat()];
  }
  if (parts.length % layers) refuse("layers", `the ${parts.length} rows of the board do not make ${layers} layers`);
  return [layers, parts];
}

/** The rows of a flat text. @param {string[]} cells @param {Said} said */
function cut(cells, { rows, columns, layers, usual }) {
  const isUsual = !rows && !columns && !usual && layers === 1 && cells.length === TABLES.usual_side ** 2;
  let [high, wide] = isUsual ? [TABLES.usual_side, TABLES.usual_side] : [rows ?? usual?.rows, columns ?? usual?.columns];
  if (layers === 1 && (rows === 1 || columns === 1)) [high, wide] = rows === 1 ? [1, cells.length] : [cells.length, 1];
  if (!high || !wide || high * wide * layers !== cells.length) {
    return refuse("text", "this is a flat board: send rows, or say rows and columns");
  }
  return Array.from({ length: high * layers }, (_, row) => cells.slice(row * wide, (row + 1) * wide));
}

/** The cells of a board in one alphabet, with one spelling of each side and of the empty cell.
 * @param {string[]} marks @returns {string} */
function readMarks(marks) {
  const large = marks.map((mark) => TABLES.small_letters[mark] ?? mark);
  const used = new Set(large);
  const alphabets = Object.values(TABLES.alphabets).map((sides) => sides.map((spellings) => [...spellings]));
  const empty = [...TABLES.empty_marks, ...Object.keys(TABLES.empty_beside)];
  const has = (/** @type {string[]} */ spellings) => spellings.filter((mark) => used.has(mark));
  const sides = has([...new Set(alphabets.flat(2))]);
  const found = alphabets.find(([xs, os]) => has(xs).length < 2 && has(os).length < 2
    && sides.every((mark) => xs.includes(mark) || os.includes(mark)));
  const isBeside = Object.entries(TABLES.empty_beside).every(([mark, beside]) => !used.has(mark) || has([...beside]).length);
  const known = new Set([...sides, ...has(empty), TABLES.blocked]);
  if (!found || !isBeside || has(empty).length > 1 || [...used].some((mark) => !known.has(mark))) {
    return refuse("text", "write X and O for the sides, one sign such as . for empty cells, and # for blocked ones");
  }
  return large.map((mark) => (found[0].includes(mark) ? "X" : found[1].includes(mark) ? "O"
    : mark === TABLES.blocked ? "#" : ".")).join("");
}
