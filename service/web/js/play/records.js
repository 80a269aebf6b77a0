/** Reads games in SGF to games of the page. */

import { Misread } from "../../../../browser/read-moves.js";
import { Game } from "../shared/game.js";
import { RULES, WRITTEN, boardText, forbiddenCells, landing, rulesOf } from "../shared/rules.js";
import { readRequest } from "./pasted-request.js";
import { WrongPlace, readSgf, wrong } from "./sgf.js";

const BEGIN = /\(\s*;/;
/** The result of a game that ends by a foul. */
const FOUL = "0-1";

/** Whether a text is a record that the page reads. @param {string} text */
export function isRecord(text) {
  return BEGIN.test(text);
}

/** The game in a record.
 * @param {string} text the whole text
 * @param {Record<string, any>} [said] by the names of a request: a game or rule fields count more than what the record
 *   says, the size and `first` must agree with it
 * @returns {{format: "sgf", game: Game, players: Record<Side, string | null>, result: string | null}}
 * @throws {Misread} with line and column; Unreadable where no game is like this */
export function readRecord(text, said = {}) {
  return located(text, () => {
    const written = partsOf(text);
    const start = startOf(written, said);
    const { game, isFoul } = played(written, start);
    return { format: "sgf", game, players: written.players, result: written.result ?? (isFoul ? FOUL : null) };
  });
}

/** Whether games follow the first one of a record. @param {string} text */
export function isCollection(text) {
  const bare = text.slice(text.search(BEGIN)).replace(/\[(?:\\[^]|[^\\\]])*\]/g, "");
  let depth = 0;
  const end = [...bare].findIndex((sign) => (depth += Number(sign === "(") - Number(sign === ")")) === 0);
  return end >= 0 && isRecord(bare.slice(end));
}

/** What a record says. @param {string} text @returns {Written} @throws {Misread} */
export function partsOf(text) {
  if (!isRecord(text) || text.length > WRITTEN.reading.max_record) throw new Misread("text");
  return located(text, () => readSgf(text, text.search(BEGIN)));
}

/** What is read; an error of the text names its line and column.
 * @template T @param {string} text @param {() => T} read @returns {T} @throws {Misread} */
function located(text, read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WrongPlace)) throw error;
    const lines = text.slice(0, error.place).split(/\r\n|\r|\n/);
    throw new Misread("record", { line: lines.length, column: (lines.at(-1) ?? "").length + 1 });
  }
}

/** The position before the first move.
 * @param {Written} written @param {Record<string, any>} said @returns {Position} */
function startOf({ fields: own, otherGame, stones }, said) {
  for (const name of ["rows", "columns", "layers", "first"]) {
    if (name in said && name in own && said[name] !== own[name]) throw new Misread("size");
  }
  const isRule = (/** @type {string} */ name) => name === "game" || name in RULES;
  const isSaid = Object.keys(said).some(isRule);
  if (otherGame !== undefined && !isSaid) wrong(otherGame);
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => !isSaid || !isRule(name)));
  const { to_move: _, ...fields } = { ...kept, ...said };
  const read = (/** @type {Record<string, any>} */ sent) => {
    const { rules, cells, toMove, refuse } = readRequest({ moves: [], ...sent }, rulesOf(3, 3, 3));
    refuse();
    return { rules, cells, toMove };
  };
  if (!Object.keys(fields).some(isRule)) fields.game = "gomoku";
  const start = read(fields);
  if (!stones.length) return start;
  const marks = [...start.cells];
  for (const { mark, point, place } of stones) marks[cellOf(point, place, start.rules)] = mark;
  try {
    return read({ ...fields, board: boardText({ ...start, cells: marks.join("") }) });
  } catch (error) {
    throw error instanceof Misread ? new WrongPlace(stones[stones.length - 1].place) : error;
  }
}

/** The cell of a point. @param {BoardPoint} point @param {number} place @param {Rules} rules */
function cellOf({ column, row, fromBottom }, place, { rows, columns }) {
  if (column < columns && row < rows) return (fromBottom ? rows - 1 - row : row) * columns + column;
  return wrong(place);
}

/** The game after the moves, and whether a foul, which is none of them, ends it.
 * @param {Written} written @param {Position} start */
function played({ points }, start) {
  let game = new Game(start);
  for (const [index, { point, place }] of points.entries()) {
    const cell = cellOf(point, place, start.rules);
    const next = landing(game.position, cell) === cell ? game.play(cell) : null;
    const isFoul = !next && !game.isOver && index === points.length - 1 && forbiddenCells(game.position).has(cell);
    if (isFoul) return { game, isFoul };
    game = next ?? wrong(place);
  }
  return { game, isFoul: false };
}
