/** Reads boards as people write them, as the service does, and says in English what is wrong with one. */

import { Misread, isNumbered, readMoves, splitResult } from "./read-moves.js";

const MAX_SIDE = 25;
const MAX_CELLS = MAX_SIDE ** 2;
const MAX_TEXT = 4 * MAX_CELLS;
/** The rows and columns of a flat board of nine cells. */
const USUAL_SIDE = 3;
const BLANK = " ";
const EMPTY_MARKS = [".", "_", "-", "0", BLANK];
const VALUES = /** @type {Record<string, string>} */ ({
  X: "X", 1: "X", O: "O", 2: "O", "#": "#", ...Object.fromEntries(EMPTY_MARKS.map((mark) => [mark, "."])),
});
/** Where one of them stands, no space is a cell. */
const NOT_BLANK = /[-._03-9]/;
const NUMBER = /^(0|[1-9]\d{0,2})$/;
const LOOK_ALIKES = /** @type {Record<string, string>} */ (Object.fromEntries(Object.entries({
  "the letter X": "ХхΧχ×✕✖✗✘❌Ｘｘ",
  "the letter O": "ОоΟο○◯⭕Ｏｏ",
  "a space": "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000",
  "a point": "·•∙⋅・．",
  "a hyphen": "‐‑‒–—−－",
}).flatMap(([meant, marks]) => [...marks].map((mark) => [mark, meant]))));
const IN_COLOUR = new RegExp(`([${Object.keys(LOOK_ALIKES).join("")}])\ufe0f`, "gu");
/** Lines between cells; alone + and ┼ may be empty cells. */
const LINES = /[|│─┃━║═]|\+-|┼─|╋━/;
const LEAVE_OUT = "leave out the lines of the grid, such as | and ---";
const USE = "use X or 1, O or 2, one of . _ - 0 or a blank for an empty cell, or # for a blocked one";
const LISTS_COLUMNS = "; does it list columns? Send rows, from top to bottom";
const WRITE_EACH = "write each empty cell, not how many there are";
/** Rows on one line. */
const WORDS = /^[^\s,;|]{2,}(?:[\s,;|]+[^\s,;|]{2,})+$/u;
const MOVES = /^(?:(?:[A-Ya-y]\d{1,2}[\s,;_-]*)+|[1-9]+)$/;

/** What is said of the size of a board besides the board. @typedef {{rows?: number | null, columns?: number | null,
 *   layers: number, usual: Size | null}} Said */
/** The rows of a board as they are written, those of all layers; heights: the rows of each layer.
 * @typedef {{rows: any[], heights: number[]}} Written */

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
 * @template {Size & {gravity: boolean, marks: string}} R @param {Record<string, any>} fields
 * @param {(size: Size, sent: Record<string, any>) => R} rulesOf
 * @param {{name: string, size: Size} | null} game that it names
 * @param {(rules: R, cells: string, side: Side | null, composed: boolean) => Judged} judge
 * @returns {{sent: Record<string, any>, rules: R, cells: string, toMove: Side, refuse: () => void}}
 *   sent: the fields that are not null; refuse: throws where no game comes to the board
 * @throws {Misread} */
export function readStart(fields, game, rulesOf, judge) {
  const sent = sentFields(fields);
  const { cells: read, ...size } = readSize(sent, game);
  const rules = rulesOf(size, sent);
  const cells = read ?? ".".repeat(size.rows * size.columns * size.layers);
  const field = sent.moves === undefined && sent.first === undefined ? "to_move" : "first";
  const composed = readComposed(sent, rules);
  const side = readSide(sent, field) ?? (composed ? sideBefore(sent, rules) : null);
  if (composed && !side) refuse("composed", `a composed position needs ${field}: the counts do not say it`);
  const judged = judge(rules, cells, side, composed);
  const judgeAgain = (/** @type {string} */ turned, sides = {}) => judge({ ...rules, ...sides }, turned, null, false);
  const refuseIt = () => refuseWrong(judged, rules, cells, sent.board, judgeAgain);
  return { sent, rules, cells, toMove: judged.toMove, refuse: refuseIt };
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
    if (fields[name] === null) refuse("null", `${name} is null; send a value, or leave the field out`);
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** The side that a field names, null where it is not sent. @param {Record<string, any>} sent @param {string} field
 * @returns {Side | null} */
export function readSide(sent, field) {
  const side = sent[field];
  if (side === undefined) return null;
  const mark = spelling(side);
  if (mark === "X" || mark === "1") return "X";
  if (mark === "O" || mark === "2") return "O";
  const hint = typeof side === "string" && LOOK_ALIKES[side] ? `; ${lookAlike(side)}` : "";
  return refuse("sides", `${field}: sides are X and O, or 1 and 2, not ${quoted(side)}${hint}`);
}

/** Whether either side may have any number of marks. @param {Record<string, any>} sent @param {any} rules */
function readComposed({ composed = false }, { renju }) {
  if (typeof composed !== "boolean") refuse("composed", `composed is true or false, not ${quoted(composed)}`);
  if (composed && renju) refuse("composed", "composed: not with renju, where the numbers of marks say who began");
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
    if (Number.isInteger(number) && number >= 1 && number <= MAX_SIDE) continue;
    refuse("side", `${side} is a whole number from 1 to ${MAX_SIDE}, not ${quoted(number)}`, { count: MAX_SIDE });
  }
  const usual = game?.size ?? null;
  const { rows, columns, layers = usual?.layers ?? 1 } = sent;
  const size = sent.board === undefined
    ? { rows: rows ?? usual?.rows, columns: columns ?? usual?.columns, layers, cells: null }
    : readBoard(sent.board, { rows, columns, layers, usual });
  if (!size.rows || !size.columns) refuse("says", "rows and columns are required unless game names a preset");
  if (game) checkSize(game.name, game.size, size, sent);
  return size;
}

const several = (/** @type {number} */ count, /** @type {string} */ what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** A game means its own size, unless all sides are sent.
 * @param {string} game @param {Size} usual @param {Size} size @param {Record<string, any>} sent */
function checkSize(game, usual, size, sent) {
  const isLayered = Math.max(size.layers, usual.layers) > 1;
  const names = /** @type {(keyof Size)[]} */ (isLayered ? ["rows", "columns", "layers"] : ["rows", "columns"]);
  if (names.every((name) => size[name] === usual[name]) || names.every((name) => sent[name] !== undefined)) return;
  const words = (/** @type {Size} */ { rows, columns, layers }) =>
    `${isLayered ? `${several(layers, "layer")} of ` : ""}${several(rows, "row")} of ${columns}`;
  const say = `say ${names.map((name) => `${name} ${size[name]}`).join(" and ")}`;
  const isTurned = size.rows === usual.columns && size.columns === usual.rows && size.layers === usual.layers;
  const hint = isTurned ? `Does it list columns? Send rows, or ${say}` : `For that size ${say}`;
  const said = names.filter((name) => sent[name] !== undefined).map((name) => `${name} says ${sent[name]}`);
  const wrong = sent.board === undefined ? `${said.join(" and ")}. For ${words(size)} ${say}`
    : `this board has ${words(size)}. ${hint}`;
  refuse("gameSize", `${game} has ${words(usual)}; ${wrong}`);
}

/** Refuses a board that no game comes to.
 * @param {Judged} judged @param {Size & {gravity: boolean, marks: string}} rules @param {string} cells
 * @param {unknown} board as it was sent @param {(cells: string, sides?: Partial<Size>) => Judged} judge */
function refuseWrong(judged, rules, cells, board, judge) {
  if (!judged.wrong) return;
  const { xs, os, cell = 0, toMove, wrong } = judged;
  const other = toMove === "X" ? "O" : "X";
  const last = rules.marks === "shared" ? "mark" : "move";
  const sentences = {
    blocked: "renju needs a board without blocked cells",
    counts: `${xs} X and ${os} O: the counts may differ by one at most`,
    turn: `${xs} X and ${os} O: it cannot be ${toMove}'s move`,
    floating: `the mark at ${nameCell(cell, rules)} has an empty cell under it`,
    propped: `with gravity the blocked cell at ${nameCell(cell, rules)} must rest on the floor or on another`,
    both: "both sides have completed a line",
    over: `${toMove} has completed a line and would be to move: the game was over`,
    before: `${last === "move" ? `${other} has lines that no single last move completes`
      : "no single last mark completes all lines"}: the game was over before`,
    shared: `unknown mark "O" in ${placeOf(cell, rules)}: both sides mark with X`,
  };
  const hint = isTurned(wrong, rules, cells, judge)
    ? `; upside down the board is legal: send the ${rules.layers > 1 ? "bottom layer" : "top row"} first` : "";
  const columns = IN_THE_AIR.includes(wrong) && mayBeColumns(board, rules, cells, judge) ? LISTS_COLUMNS : "";
  const values = { ...judged, mover: toMove, waiting: other };
  refuse(wrong, sentences[wrong] + hint + columns + hintOfZero(board, rules, cells), values);
}

const IN_THE_AIR = ["floating", "propped"];

/** Whether a board with a mark in the air is legal upside down.
 * @param {string} wrong @param {Size} rules @param {string} cells @param {(cells: string) => Judged} judge */
function isTurned(wrong, { rows, columns, layers }, cells, judge) {
  return IN_THE_AIR.includes(wrong) && judge(upsideDown(cells, layers > 1 ? rows * columns : columns)).wrong === null;
}

/** @param {string} cells @param {number} size the cells of a level */
function upsideDown(cells, size) {
  const levels = Array.from({ length: cells.length / size }, (_, at) => cells.slice(at * size, (at + 1) * size));
  return levels.reverse().join("");
}

/** Whether a board with a mark in the air is legal once its rows, unless they are texts, are read as columns, upwards or
 * downwards.
 * @param {unknown} board @param {Size} size @param {string} cells
 * @param {(cells: string, sides?: Partial<Size>) => Judged} judge */
function mayBeColumns(board, { rows, columns, layers }, cells, judge) {
  const parts = typeof board === "string" ? linesOf(board) : /** @type {any[]} */ (board);
  const areFlat = isFlat(board, parts);
  if (layers > 1 || !(areFlat || parts.every(Array.isArray))) return false;
  const high = areFlat ? rows : columns;
  const sides = { rows: high, columns: cells.length / high };
  const level = (/** @type {unknown} */ _, /** @type {number} */ row) =>
    [...cells].filter((_, at) => at % high === row).join("");
  const turned = Array.from({ length: high }, level).join("");
  return [turned, upsideDown(turned, sides.columns)].some((each) => judge(each, sides).wrong === null);
}

/** Where a 0 may be meant as the second side. @param {unknown} board @param {Size} size @param {string} cells */
function hintOfZero(board, { rows, columns, layers }, cells) {
  if (cells.includes("O")) return "";
  const found = writtenOf(board, { rows, columns, layers, usual: null }).rows.flatMap((row) => [...row].map(spelling));
  return found.includes("0") ? `; ${zeroIsEmpty(found.includes("1"))}` : "";
}

/** @param {boolean} areNumbers */
function zeroIsEmpty(areNumbers) {
  return `0 is an empty cell: write ${areNumbers ? 2 : "O"} for the second side`;
}

/** A cell in words. @param {number} cell @param {Size & {gravity: boolean}} rules */
function nameCell(cell, rules) {
  const { rows, columns, layers } = rules;
  if (layers > 1) return `tile ${cell + 1}`;
  if (isNumbered(rules)) return `tile ${cell + 1} in column ${(cell % columns) + 1}`;
  return `${String.fromCharCode(97 + (cell % columns))}${rows - Math.floor(cell / columns)}`;
}

/** @param {number} cell @param {Size} size */
function placeOf(cell, { columns }) {
  return `row ${Math.floor(cell / columns) + 1}, column ${(cell % columns) + 1}`;
}

/** Why moves cannot be read, in English. @param {Misread} misread @param {Size & {gravity: boolean}} rules */
export function explainMoves({ code, values: { number, given, move, at }, message }, rules) {
  const cells = rules.rows * rules.columns * rules.layers;
  const last = `${String.fromCharCode(96 + rules.columns)}${rules.rows}`;
  const form = isNumbered(rules) ? `a column is 1 to ${rules.columns}`
    : `a move is a column's letter and a row's number, a1 to ${last}`;
  const sentences = /** @type {Record<string, string>} */ ({
    layered: "with layers moves are a list, not text",
    pairs: "pairs of numbers do not say which is the row: write a letter and a number, as in h8",
    number: `${given}. is not the number of move ${number}`,
    move: at === null ? `a move of a list is a tile from 1 to ${cells}, or a place on the board, not ${move}`
      : `${form}, not ${quoted(move)}`,
  });
  return sentences[code] ?? message;
}

// ---- The rows of a board -----------------------------------------------------------------------------------------

/** A board in any form: its size and its cells as X, O, # and dots.
 * @param {unknown} board @param {Said} said @returns {Size & {cells: string}} @throws {Misread} */
export function readBoard(board, said) {
  const written = writtenOf(board, said);
  checkLengths(written, said.usual);
  const cells = readMarks(written);
  const size = { rows: written.heights[0], columns: widthOf(written, said.usual), layers: said.layers };
  for (const name of /** @type {const} */ (["rows", "columns"])) {
    const wanted = said[name] ?? size[name];
    if (wanted !== size[name]) refuse("says", `${name} says ${wanted}, the board has ${size[name]}`);
  }
  return { ...size, cells };
}

/** The rows without the spaces between cells; a flat board is cut into rows.
 * @param {any} board @param {Said} said @returns {Written} */
function writtenOf(board, said) {
  const parts = typeof board === "string" ? linesOf(board) : board;
  const forms = said.layers > 1 ? "rows or layers, or a string with // between layers"
    : "rows, or a string with / between rows";
  if (!Array.isArray(parts)) refuse("form", `the board must be a list of ${forms}`);
  if (!parts.length) refuse("form", "the board has no rows");
  const flat = isFlat(board, parts) ? cut(typeof board === "string" ? parts[0] : parts, said) : null;
  if (flat) return flat;
  const layers = said.layers === 1 ? [parts] : layersOf(parts, said, isInLayers(board, parts, said));
  const written = { rows: layers.flat(), heights: layers.map((layer) => layer.length) };
  const strange = written.rows.findIndex((row) => typeof row !== "string" && !Array.isArray(row));
  if (strange >= 0) {
    const [row, place] = [written.rows[strange], namePlace(written, strange)];
    refuse("form", `${place} must be a string or a list of cells, not ${quoted(row)}`);
  }
  return { ...written, rows: withoutSpaces(written.rows, widthSaid(said, parts.length)) };
}

/** The rows of a text; with layers an empty one stands between two layers. @param {string} text */
function linesOf(text) {
  if (text.length > MAX_TEXT) refuse("form", `a board as text has at most ${MAX_TEXT} characters, not ${text.length}`);
  let plain = text.replace(IN_COLOUR, "$1").replace(/\r\n?/g, "\n");
  const isBlankNoCell = plain.includes(BLANK) && NOT_BLANK.test(plain);
  if (isBlankNoCell) plain = stripped(plain).replace(/ *([/\n]) */g, "$1");
  const lines = plain.replaceAll("/\n", "/").replaceAll("\n", "/").split("/");
  return lines.slice(lines[0] ? 0 : 1, lines.at(-1) ? undefined : -1);
}

/** @param {string} text */
function stripped(text) {
  return text.replace(/^ +| +$/g, "");
}

/** Whether it is a text of several cells; the number of a cell is none. @param {unknown} value */
function isLong(value) {
  return typeof value === "string" && [...value.replace(IN_COLOUR, "$1")].length > 1 && !NUMBER.test(value);
}

/** Whether the parts of a board are bare cells. @param {unknown} board @param {any[]} parts */
function isFlat(board, parts) {
  if (typeof board === "string") return parts.length === 1;
  if (parts.some(Array.isArray)) return false;
  const widths = new Set(parts.map((part) => (typeof part === "string" ? [...part].length : 1)));
  const [width, other] = widths;
  if (other === undefined) return width < 2 && (parts.length > 1 || typeof parts[0] !== "string");
  // Rows have one width. Cells may be numbers, or words that are no marks.
  return 2 * parts.filter(isLong).length < parts.length;
}

/** The rows and columns of a flat board with this number of cells; null if unknown.
 * @param {Said} said @param {number} cells @returns {number[] | null} */
function sidesSaid({ rows, columns, layers, usual }, cells) {
  if (!rows && !columns && !usual) return cells === USUAL_SIDE ** 2 && layers === 1 ? [USUAL_SIDE, USUAL_SIDE] : null;
  const [high, wide] = [rows ?? usual?.rows, columns ?? usual?.columns];
  return high && wide ? [high, wide] : null;
}

/** The columns of a board with this number of rows. @param {Said} said @param {number} rows */
function widthSaid(said, rows) {
  return (sidesSaid(said, rows * USUAL_SIDE) ?? [null, said.columns])[1];
}

/** The rows of a flat board; null with layers of one column whose height is not known: the cells
 * are its rows.
 * @param {any} given @param {Said} said @returns {Written | null} */
function cut(given, said) {
  let cells = given;
  if (typeof cells === "string") {
    const [high, wide] = sidesSaid(said, cells.length) ?? [];
    const fits = high * wide * said.layers === cells.length;
    cells = [...withoutSpaces([cells], fits ? cells.length : null)[0]];
  }
  const rowsOf = (/** @type {number} */ wide) =>
    Array.from({ length: Math.ceil(cells.length / wide) }, (_, at) => cells.slice(at * wide, (at + 1) * wide));
  if (said.layers === 1 && said.rows === 1) return { rows: [cells], heights: [1] };
  if (said.layers === 1 && said.columns === 1) return { rows: rowsOf(1), heights: [cells.length] };
  const [high, wide] = sidesSaid(said, cells.length) ?? [0, 0];
  if (high && high * wide * said.layers === cells.length) {
    return { rows: rowsOf(wide), heights: Array(said.layers).fill(high) };
  }
  const isColumn = said.layers > 1 && said.columns === 1 && !high;
  if (isColumn && [...cells].every((cell) => typeof cell === "string")) return null;
  const row = typeof given === "string" ? cells.join("") : cells;
  if (cells.length <= MAX_CELLS) readMarks({ rows: [row], heights: [1] }); // another mark says more than the size
  const example = '["X.O", ".X.", "..."] or X.O/.X./...';
  if (!high) refuse("flat", `this is a flat board: send rows, ${example}, or say rows and columns`);
  const sides = said.layers > 1 ? [said.layers, high, wide] : [high, wide];
  const wanted = several(sides.reduce((one, other) => one * other), "cell");
  const words = `a flat board of ${sides.join(" × ")} has ${wanted}, `
    + `this one has ${cells.length}`;
  return refuse("flat", words);
}

/** Whether a board is written layer by layer rather than as the rows of all layers.
 * @param {unknown} board @param {any[]} parts @param {Said} said */
function isInLayers(board, parts, { layers, rows }) {
  if (typeof board === "string") return parts.includes("") || parts.length <= layers;
  const lists = parts.filter(Array.isArray);
  const holdRows = lists.some((part) => part.some((row) => Array.isArray(row) || isLong(row)));
  return holdRows || (lists.length === parts.length && parts.length === layers && rows !== 1);
}

/** The rows of each layer. @param {any[]} parts @param {Said} said @param {boolean} inLayers @returns {any[][]} */
function layersOf(parts, { layers: count }, inLayers) {
  if (!inLayers) {
    const high = parts.length / count;
    const all = several(parts.length, "row");
    if (!Number.isInteger(high)) refuse("layers", `the ${all} of the board do not make ${count} layers`);
    return Array.from({ length: count }, (_, at) => parts.slice(at * high, (at + 1) * high));
  }
  let layers = /** @type {any[]} */ (parts);
  if (parts.every((part) => typeof part === "string")) { // a text, with empty lines between layers
    layers = [];
    for (const [at, line] of parts.entries()) {
      if (line && !parts[at - 1]) layers.push([]);
      if (line) layers[layers.length - 1].push(line);
    }
  }
  if (layers.length !== count) refuse("layers", `layers says ${count}, the board has ${layers.length}`);
  const strange = layers.findIndex((layer) => !Array.isArray(layer));
  if (strange < 0) return layers;
  return refuse("layers", `layer ${strange + 1} must be a list of rows, not ${quoted(layers[strange])}`);
}

/** The rows without spaces that stand between cells or at the ends of rows. Where spaces can be cells too, they are
 * cells if the rows then have the width that they should have.
 * @param {any[]} rows @param {number | null | undefined} wide */
function withoutSpaces(rows, wide) {
  const texts = rows.filter((row) => typeof row === "string");
  if (!texts.some((text) => text.includes(BLANK))) return rows;
  const marks = new Set(rows.flatMap((row) => [...row].map(spelling)));
  const isBlankNoCell = NOT_BLANK.test(texts.join("")) || [...marks].some((mark) => mark && NOT_BLANK.test(mark));
  const trim = (/** @type {any} */ row) => (isBlankNoCell && typeof row === "string" ? stripped(row) : row);
  const widths = (/** @type {any[]} */ some) => new Set(some.map((row) => row.length)).size;
  const bare = rows.map(trim);
  // Rows that have one width with their spaces alone have a second empty mark.
  const trimmed = widths(rows) === 1 && widths(bare) > 1 ? rows : bare;
  if (!trimmed.every((row) => typeof row === "string" && /^[^ ]( [^ ])*$/u.test(row))) return trimmed;
  if (wide === [...trimmed[0]].length && isOneAlphabet(marks)) return trimmed;
  return trimmed.map((row) => row.replaceAll(BLANK, ""));
}

/** @param {Written} written @param {Size | null} usual that of the game */
function checkLengths({ rows, heights }, usual) {
  let first = 0;
  const lengths = rows.map((row) => [...row].length);
  for (const [layer, high] of heights.entries()) {
    const name = heights.length === 1 ? "the board" : `layer ${layer + 1}`;
    if (!high) refuse("form", `${name} has no rows`);
    if (high > MAX_SIDE) tooLong(`${name} has ${high} rows`);
    const hint = mayListColumns(rows, usual) ? LISTS_COLUMNS : "";
    if (!lengths[first]) refuse("form", `${namePlace({ rows, heights }, first)} has no cells${hint}`);
    first += high;
  }
  const long = lengths.findIndex((length) => length > MAX_SIDE);
  if (long < 0) return;
  readMarks({ rows, heights }); // another mark says more than the size
  tooLong(`${namePlace({ rows, heights }, long)} has ${lengths[long]} cells`);
}

/** @param {string} what @returns {never} */
function tooLong(what) {
  return refuse("side", `${what}, at most ${MAX_SIDE} are allowed`, { count: MAX_SIDE });
}

/** The number of columns. @param {Written} written @param {Size | null} usual that of the game */
function widthOf({ rows, heights }, usual) {
  const uneven = heights.findIndex((high) => high !== heights[0]);
  const high = several(heights[0], "row");
  if (uneven >= 0) refuse("layers", `layer 1 has ${high}, layer ${uneven + 1} has ${heights[uneven]}`);
  const lengths = rows.map((row) => [...row].length);
  const ragged = lengths.findIndex((length) => length !== lengths[0]);
  if (ragged < 0) return lengths[0];
  const hint = rows[ragged] === "" ? "; // or an empty line stands between layers, which need layers"
    : mayListColumns(rows, usual) ? LISTS_COLUMNS : "";
  const [first, other] = [0, ragged].map((row) => namePlace({ rows, heights }, row));
  return refuse("ragged", `${first} has ${several(lengths[0], "cell")}, ${other} has ${lengths[ragged]}${hint}`,
    { row: ragged + 1, cells: lengths[ragged], first: lengths[0] });
}

/** Whether rows are as many as the columns of the game, and not text. @param {any[]} rows @param {Size | null} usual */
function mayListColumns(rows, usual) {
  return rows.length === usual?.columns && !rows.some((row) => typeof row === "string");
}

/** Whether the rows have one width once their numbers are read as runs of empty cells, as in the FEN of chess.
 * @param {any[]} rows */
function hasRuns(rows) {
  if (rows.length < 2 || rows.some((row) => typeof row !== "string")) return false;
  const runs = rows.map((row) => /** @type {string[]} */ (row.split(BLANK)[0].match(/\d+|\D/gu) ?? []));
  const widths = runs.map((row) => row.map((run) => Number(run) || 1).reduce((sum, width) => sum + width, 0));
  const isOne = widths.every((width) => width === widths[0]) && widths[0] > 1 && widths[0] <= MAX_SIDE;
  return isOne && runs.flat().some((run) => /\d/.test(run));
}

/** A row in words, or one of its cells. @param {Written} written @param {number} row @param {number} [column] */
function namePlace({ heights }, row, column) {
  let [layer, at] = [0, row];
  while (at >= heights[layer]) at -= heights[layer++];
  const cell = column === undefined ? "" : `, column ${column + 1}`;
  return `row ${at + 1}${cell}${heights.length > 1 ? ` of layer ${layer + 1}` : ""}`;
}

// ---- The marks of a board ----------------------------------------------------------------------------------------

/** @param {Written} written @returns {string} */
function readMarks(written) {
  const cells = written.rows.flatMap((row) => [...row]);
  const marks = cells.map(spelling);
  if (isOneAlphabet(new Set(marks))) return marks.map((mark) => VALUES[mark ?? ""]).join("");
  return readNumbered(cells, marks) ?? refuseMarks(written);
}

/** The mark that a cell holds, in the spelling that stands for it; null for an unknown one. @param {unknown} cell */
function spelling(cell) {
  if (cell === null || cell === "") return BLANK;
  const mark = cell === "x" ? "X" : cell === "o" ? "O" : typeof cell === "number" ? String(cell) : cell;
  return typeof mark === "string" && Object.hasOwn(VALUES, mark) ? mark : null;
}

/** @param {Set<string | null>} marks */
function isOneAlphabet(marks) {
  const has = (/** @type {string} */ some) => [...some].some((mark) => marks.has(mark));
  const isMixed = has("XO") && has("12");
  return !marks.has(null) && !isMixed && EMPTY_MARKS.filter((mark) => marks.has(mark)).length <= 1;
}

/** The cells of a board of which each free cell holds its own number, from 0 or from 1; null for another.
 * @param {unknown[]} cells @param {(string | null)[]} marks */
function readNumbered(cells, marks) {
  const numbers = cells.map(numberOf);
  const offsets = new Set(numbers.flatMap((number, at) => (number === null ? [] : [number - at])));
  const isOwn = offsets.size === 1 && (offsets.has(0) || offsets.has(1));
  const isClear = marks.includes("X") || marks.includes("O") || numbers.some((number) => (number ?? 0) > 2);
  const isKnown = numbers.every((number, at) => number !== null || isLetter(marks[at]));
  return isOwn && isClear && isKnown ? numbers.map((number, at) => (number === null ? marks[at] : ".")).join("") : null;
}

/** @param {string | null} mark */
function isLetter(mark) {
  return mark === "X" || mark === "O" || mark === "#";
}

/** The number that a cell holds, as number or as text. @param {unknown} cell */
function numberOf(cell) {
  if (typeof cell === "string") return NUMBER.test(cell) ? Number(cell) : null;
  return Number.isInteger(cell) ? Number(cell) : null;
}

/** Why the marks of a board are not those of one alphabet. @param {Written} written @returns {never} */
function refuseMarks(written) {
  /** @type {Map<string, [unknown, number, number]>} the first place of each mark */
  const found = new Map();
  for (const [row, cells] of written.rows.entries()) {
    for (const [column, cell] of [...cells].entries()) {
      const mark = spelling(cell);
      if (mark === null) refuseUnknown(written, cell, row, column);
      if (!found.has(mark)) found.set(mark, [cell, row, column]);
    }
  }
  const at = (/** @type {string} */ mark) =>
    nameFound(written, .../** @type {[unknown, number, number]} */ (found.get(mark)));
  const isRagged = new Set(written.rows.map((row) => row.length)).size > 1;
  const ofRows = hintOfRows(written.rows);
  const both = ofRows && (isRagged || ofRows !== WRITE_EACH) ? ofRows
    : "write the marks of both sides as letters, or both as numbers";
  for (const [letter, number, words] of [["X", "1", "first"], ["O", "2", "second"], ["X", "2"], ["O", "1"]]) {
    if (!found.has(letter) || !found.has(number)) continue;
    const why = words ? `${at(letter)} and ${at(number)} are both marks of the ${words} side`
      : `${at(letter)} is a letter and ${at(number)} a number`;
    refuse("mixed", `${why}; ${both}`);
  }
  const [one, other] = [...found.keys()].filter((mark) => EMPTY_MARKS.includes(mark));
  const isGrid = written.rows.some((row) => typeof row === "string" && /^[ +-]*---[ +-]*$/.test(row));
  const hint = found.has("0") && !found.has("O") && !found.has("2") ? zeroIsEmpty(found.has("1"))
    : isGrid ? LEAVE_OUT : ofRows || "use one of them";
  return refuse("empties", `${at(one)} and ${at(other)} are both marks of an empty cell; ${hint}`);
}

/** What is likely wrong with rows as a whole. @param {any[]} rows */
function hintOfRows(rows) {
  if (rows.every((row) => Array.isArray(row) && row.length === 1 && isLong(row[0]))) {
    return "write each row without a list around it";
  }
  if (rows.some((row) => typeof row !== "string")) return hintOfLists(rows);
  if (rows.length === 1) {
    if (MOVES.test(rows[0])) return "if these are moves, send them as moves";
    const isInWords = WORDS.test(rows[0])
      && new Set(rows[0].split(/[\s,;|]+/).map((/** @type {string} */ word) => [...word].length)).size === 1;
    return isInWords ? "write / between the rows" : "";
  }
  if (rows.every((row) => /^[A-Y]\d{1,2}$/i.test(row))) return "if these are moves, send them as moves";
  if (hasRuns(rows)) return WRITE_EACH;
  const words = rows.map((row) => (row.includes(BLANK) ? row.split(/\s+/).filter(Boolean) : [...row]));
  const edges = [words[0], words.at(-1), words.slice(1, -1).flatMap((row) => (row.length > 1 ? [row[0]] : []))];
  const isNumbered = words.slice(1, -1).some((row) => /\d/.test(row.slice(1).join("")));
  if (!isNumbered && edges.some(areLabels)) return "leave out the coordinates";
  return rows.some((row) => LINES.test(row)) ? LEAVE_OUT : "";
}

/** The same for rows of which some are lists. @param {any[]} rows */
function hintOfLists(rows) {
  const cells = rows.flatMap((row) => [...row]);
  const count = (/** @type {string} */ mark) => cells.filter((cell) => !Array.isArray(cell) && String(cell) === mark).length;
  const [minus, none, one] = ["-1", "0", "1"].map(count);
  const areSides = minus + none + one === cells.length && Math.abs(none - one) <= 1;
  if (minus > one + 1) return areSides ? "write 0 for an empty cell, 1 and 2 for the sides" : USE; // too many for a side
  const areNested = cells.every((cell) => Array.isArray(cell) || (isLong(cell) && /^[XxOo12#._0 -]*$/.test(cell)));
  const sizes = new Set(cells.map((cell) => (areNested ? cell.length : 0)));
  if (!areNested || sizes.size > 1) return "";
  if (rows.length === 1) return "leave out the list around the rows";
  const areFew = [2, 3].some((few) => rows.length === few || sizes.has(few));
  const arePlanes = areFew && cells.every((cell) => [...cell].every((mark) => [0, 1, true, false].includes(mark)));
  const planes = arePlanes ? ", and planes of 0 and 1 are one board of 0, 1 and 2" : "";
  return `a board of several layers needs layers${planes}`;
}

/** Whether words count the rows or columns of a drawn board. @param {string[]} words */
function areLabels(words) {
  if (words.length < 3 || !words.every((word) => /^(?:\d+|[\0-\x7f])$/.test(word))) return false;
  const numbers = words.filter((word) => word.length < 3)
    .map((word) => (/^\d/.test(word) ? Number(word) : word.charCodeAt(0)));
  const steps = new Set(numbers.slice(1).map((number, at) => number - numbers[at]));
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}

/** @param {string} mark */
function lookAlike(mark) {
  return `it is U+${mark.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}, not ${LOOK_ALIKES[mark]}`;
}

/** @param {Written} written @param {unknown} cell @param {number} row @param {number} column */
function nameFound(written, cell, row, column) {
  const shown = typeof cell === "string" && !cell.trim() ? `"${cell}"` : cell;
  return `${shown} in ${namePlace(written, row, column)}`;
}

/** @type {(written: Written, cell: unknown, row: number, column: number) => never} */
function refuseUnknown(written, cell, row, column) {
  const ofRows = hintOfRows(written.rows);
  if (!ofRows) refuseMisnumbered(written);
  const text = typeof cell === "string" ? cell : "";
  const mark = text.slice(0, 2).replace(IN_COLOUR, "$1");
  let hint = USE;
  if (numberOf(cell) !== null) hint += "; or in every free cell its own number";
  if (/^[|│─┃━║═]$/.test(text)) hint = LEAVE_OUT;
  if (/^[,;\t]$/.test(text)) hint = "leave out what stands between the cells";
  if (/^[\][{}"']$/.test(text)) hint = "send a list of rows as JSON, or one string with / between the rows";
  if (cell === -1 || cell === "-1") hint = "write 2 for the second side";
  hint = ofRows || hint;
  if (LOOK_ALIKES[mark]) hint = lookAlike(mark);
  const shown = text ? JSON.stringify(text.slice(0, 100)) : quoted(cell);
  return refuse("mark", `unknown mark ${shown} in ${namePlace(written, row, column)}; ${hint}`);
}

/** Refuses the first cell without its own number, if most of the numbers above 2 are those of their cells.
 * @param {Written} written */
function refuseMisnumbered(written) {
  const cells = written.rows.flatMap((row, at) => [...row].map((cell, column) => ({ cell, at, column })));
  const numbers = cells.map(({ cell }) => numberOf(cell) ?? 0);
  const offsets = numbers.flatMap((number, index) => (number > 2 ? [number - index] : []));
  const most = [0, 1].find((first) => 2 * offsets.filter((each) => each === first).length > offsets.length);
  if (most === undefined || offsets.length < 2) return;
  const index = cells.findIndex(({ cell }, at) => !isLetter(spelling(cell)) && numberOf(cell) !== at + most);
  if (index < 0) return;
  const { cell, at, column } = cells[index];
  const hint = "where free cells are numbered, each holds its own number, from 0 or from 1 throughout";
  refuse("misnumbered", `${nameFound(written, cell, at, column)} is not the number of its cell; ${hint}`);
}
