/** Reads what people paste: a link, a board, moves, or a whole request, in any form that the service takes. */

import { PRESETS } from "../shared/catalogue.js";
import { Game, Unreadable, checkedRules, fromMoves, unreadable } from "../shared/game.js";
import { namedRules, readLink } from "../shared/link.js";
import { Misread, readMoves } from "../shared/read-moves.js";
import { BLOCKED, EMPTY, MAX_SIDE, RULE_FIELDS, cellCount, chunks, emptyPosition, rulesOf,
  wrongField } from "../shared/rules.js";
import { say } from "../shared/say.js";

const BOARD = /^[XxOo120._#\-\s/|,]*$/;
const MARKS = /** @type {Record<string, string>} */ ({ x: "X", 1: "X", o: "O", 2: "O", [BLOCKED]: BLOCKED });
/** Games whose moves are often pasted. */
const LIKELY = [PRESETS["connect-four"], PRESETS["tic-tac-toe"], PRESETS.gomoku];

/** A board that was read: the rows of all layers. @typedef {{rows: string[], layers: number}} Read */

/** The games that a text may stand for: one of which it is sure, or those to choose from.
 * @param {string} text @param {Rules} rules of the game shown, where the text does not say otherwise
 * @returns {Reading[]} @throws {Unreadable} */
export function readPasted(text, rules) {
  const given = text.trim();
  if (!given) unreadable(say("wrong.nothing"));
  if (given.includes("#") && given.includes("=")) return sure(readLink(given.slice(given.indexOf("#"))).game);
  const parsed = parse(given);
  if (parsed && typeof parsed === "object" && !Array.isArray(parsed)) return sure(fromRequest(parsed, rules));
  const sent = Array.isArray(parsed) ? parsed : given;
  const isGrid = Array.isArray(sent) ? isBoard(sent, rules) : looksLikeBoard(sent, rules);
  return isGrid ? sure(fromBoard(sent, rules)) : readMovesAlone(rules, sent);
}

/** @param {Game} game @returns {Reading[]} */
function sure(game) {
  return [{ game, isSure: true }];
}

/** @param {string} text @returns {any} null where it is no JSON */
function parse(text) {
  try {
    return /^[[{"]/.test(text) ? JSON.parse(text) : null;
  } catch {
    return unreadable(say("wrong.json"));
  }
}

/** The body of a request. @param {any} fields @param {Rules} current */
function fromRequest(fields, current) {
  const layers = fields.layers ?? (fields.game === undefined ? 1 : namedRules(fields.game).layers);
  const board = fields.board === undefined ? null : read(fields.board, fields.columns, layers);
  const rules = rulesFrom(fields, board, current);
  const toMove = fields.first ?? (fields.moves ? undefined : fields.to_move);
  const start = board ? positionOf(board, rules, toMove) : emptyPosition(rules, fields.first ?? "X");
  return fromMoves(rules, fields.moves ?? [], new Game(start));
}

/** @param {any} fields @param {Read | null} board @param {Rules} current @returns {Rules} */
function rulesFrom(fields, board, current) {
  const { game, goal } = fields;
  const { rows, columns, layers } = current;
  const ofGoal = goal === undefined ? current : rulesOf(rows, columns, goal, { layers });
  const base = game === undefined ? ofGoal : namedRules(game);
  const given = Object.fromEntries(RULE_FIELDS.map((field) => [field, fields[field] ?? base[field]]));
  return checkedRules({ ...given, ...(board && sizeOf(board)) });
}

/** @param {Read} board */
function sizeOf({ rows, layers }) {
  return { rows: rows.length / layers, columns: rows[0].length, layers };
}

/** Rows of cells rather than moves. @param {any[]} list @param {Rules} rules */
function isBoard(list, rules) {
  const isCell = (/** @type {any} */ cell) => cell === null || typeof cell === "string";
  const hasMarks = list.some((row) => isCell(row) || (Array.isArray(row) && row.some(isCell))) || isLayered(list);
  const hasRows = hasMarks && list.every((row) => typeof row === "string" || Array.isArray(row));
  return hasRows || list.length === cellCount(rules);
}

/** Whether a list of lists holds rows of several cells. @param {any[]} list */
function isLayered(list) {
  const isRow = (/** @type {any} */ row) => Array.isArray(row) || (typeof row === "string" && row.length > 1);
  return list.every((layer) => Array.isArray(layer) && layer.some(isRow));
}

/** @param {string} text @param {Rules} rules */
function looksLikeBoard(text, rules) {
  if (!BOARD.test(text)) return false;
  return /[/\n._#\-xX|]/.test(text) || text.replace(/\s/g, "").length === cellCount(rules);
}

/** A board alone: of the game shown if the size fits, else of a game of that size.
 * @param {unknown} board @param {Rules} rules */
function fromBoard(board, rules) {
  const isOfShown = Array.isArray(board) && board.length === rules.rows * rules.layers;
  const cells = read(board, rules.columns, isOfShown ? rules.layers : 1);
  return new Game(positionOf(cells, fitting(cells, rules)));
}

/** @param {Read} board @param {Rules} current @returns {Rules} */
function fitting(board, current) {
  const { rows, columns, layers } = sizeOf(board);
  const size = [rows, columns, layers];
  const sizeOfRules = (/** @type {Rules} */ rules) => [rules.rows, rules.columns, rules.layers];
  const known = [current, ...Object.values(PRESETS)].find((each) => sizeOfRules(each).join() === size.join());
  if (known) return known;
  if (Math.max(...size) > MAX_SIDE) unreadable(say("wrong.side", { count: MAX_SIDE }));
  const goal = Math.min(current.goal, Math.max(...size));
  const same = { ...current, rows, columns, layers, goal };
  return wrongField(same) ? rulesOf(rows, columns, goal, { layers, gravity: current.gravity }) : same;
}

/** The rows of all layers of a board.
 * @param {any} board @param {number} columns of a board without rows @param {number} count of layers of a list of rows
 * @returns {Read} */
function read(board, columns, count) {
  const parts = typeof board === "string" ? board.split("//") : Array.isArray(board) ? layersOf(board, count) : [board];
  const layers = parts.map((/** @type {unknown} */ part) => rowsOf(part, columns));
  const isEven = layers.every((rows) => rows.length === layers[0].length && rows[0].length === layers[0][0].length);
  if (!isEven) unreadable(say("wrong.layers"));
  return { rows: layers.flat(), layers: layers.length };
}

/** A list of layers, or the rows of all layers cut into `count` parts. @param {any[]} list @param {number} count */
function layersOf(list, count) {
  if (isLayered(list)) return list;
  const high = list.length / count;
  if (!Number.isInteger(high)) return [list];
  return Array.from({ length: count }, (_, layer) => list.slice(layer * high, (layer + 1) * high));
}

/** The rows of a board as strings of X, O and dots.
 * @param {any} board @param {number} columns of a board without rows @returns {string[]} */
function rowsOf(board, columns) {
  const list = Array.isArray(board) ? board : splitRows(String(board));
  const rows = list.map((row) => (Array.isArray(row) ? row.map(markOf) : [...String(row || ".")].map(markOf)).join(""));
  const flat = rows.every((row) => row.length === 1) || rows.length === 1;
  const cells = rows.join("");
  const whole = flat && columns > 0 && cells.length % columns === 0 ? chunks(cells, columns) : rows;
  const ragged = whole.findIndex((row) => row.length !== whole[0].length);
  if (ragged <= 0) return whole;
  return unreadable(say("wrong.ragged", { row: ragged + 1, cells: whole[ragged].length, first: whole[0].length }));
}

/** @param {string} text */
function splitRows(text) {
  const rows = text.split(/[/\n]/).map((row) => row.replace(/\r/g, ""));
  const lines = rows.filter((row) => row.trim());
  // Marks with spaces or bars between them are a drawing; without, a space is an empty cell.
  const spaced = lines.every((row) => /^\s*\S([\s|,]+\S)*\s*$/.test(row));
  return spaced ? lines.map((row) => row.replace(/[\s|,]/g, "")) : lines;
}

/** @param {unknown} cell */
function markOf(cell) {
  return MARKS[String(cell ?? "").toLowerCase()] ?? EMPTY;
}

/** @param {Read} board @param {Rules} rules @param {unknown} [toMove] */
function positionOf(board, rules, toMove) {
  const cells = board.rows.join("");
  const count = (/** @type {string} */ mark) => cells.split(mark).length - 1;
  const isOdd = rules.marks === "shared" ? count("X") % 2 === 1 : count("X") > count("O");
  const due = /** @type {Side} */ (isOdd ? "O" : "X");
  return { rules, cells, toMove: toMove ? /** @type {Side} */ (markOf(toMove)) : due };
}

/** Moves alone: of the game shown, else all that they may be in it or in a well-known game.
 * @param {Rules} rules @param {string | any[]} moves @returns {Reading[]} */
function readMovesAlone(rules, moves) {
  const read = (/** @type {Rules} */ each, /** @type {unknown} */ written) => {
    try {
      return fromMoves(each, written);
    } catch (error) {
      return error instanceof Unreadable ? error : raise(error);
    }
  };
  const game = read(rules, moves);
  if (game instanceof Game) return sure(game);
  const inGame = otherForms(rules, moves).map((written) => read(rules, written));
  const elsewhere = LIKELY.filter((each) => each !== rules).map((each) => read(each, moves));
  const found = [...inGame, ...elsewhere].filter((each) => each instanceof Game);
  return found.length ? found.map((each) => ({ game: each, isSure: false })) : raise(game);
}

/** What moves that are none in this form may mean where marks fall: numbers of columns from 1 or from 0, or cells by
 * letters and numbers. @param {Rules} rules @param {string | any[]} moves @returns {any[][]} */
function otherForms(rules, moves) {
  if (!rules.gravity || rules.layers > 1) return [];
  if (Array.isArray(moves)) return [1, 0].map((first) => moves.map((number) => ({ column: number - first })));
  try {
    return [readMoves(moves, { ...rules, gravity: false }).map(({ cell }) => Number(cell) + 1)];
  } catch (error) {
    return error instanceof Misread ? [] : raise(error);
  }
}

/** @param {unknown} error @returns {never} */
function raise(error) {
  throw error;
}
