/** Reads games in SGF to games of the page. */

import { refuse } from "../../../../browser/read-moves.js";
import { Game } from "../shared/game.js";
import { EMPTY, RULES, WRITTEN, boardText, forbiddenCells, landing, rulesOf } from "../shared/rules.js";
import { readRequest } from "../shared/read-request.js";
import { readSgf, wrong } from "./sgf.js";

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
 * @throws {Misread} */
export function readRecord(text, said = {}) {
  const written = partsOf(text);
  const { game, isFoul } = played(written, startOf(written, said));
  return { format: "sgf", game, players: written.players, result: written.result ?? (isFoul ? FOUL : null) };
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
  if (!isRecord(text) || text.length > WRITTEN.reading.max_record) refuse("text");
  return readSgf(text, text.search(BEGIN));
}

/** The position before the first move.
 * @param {Written} written @param {Record<string, any>} said @returns {Position} */
function startOf({ fields: own, isOther, stones }, said) {
  for (const name of ["rows", "columns", "layers", "first"]) {
    if (name in said && name in own && said[name] !== own[name]) refuse("size");
  }
  const isRule = (/** @type {string} */ name) => name === "game" || name in RULES;
  const isSaid = Object.keys(said).some(isRule);
  if (isOther && !isSaid) wrong();
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => !isSaid || !isRule(name)));
  const { to_move: _, ...fields } = { ...kept, ...said };
  const read = (/** @type {Record<string, any>} */ sent) => {
    const { rules, cells, toMove, check } = readRequest({ moves: [], ...sent }, rulesOf(3, 3, 3));
    check();
    return { rules, cells, toMove };
  };
  if (!Object.keys(fields).some(isRule)) fields.game = "gomoku";
  const start = read(fields);
  if (!stones.length) return start;
  const marks = [...start.cells];
  for (const { mark = EMPTY, ...point } of stones) marks[cellOf(point, start.rules)] = mark;
  return read({ ...fields, board: boardText({ ...start, cells: marks.join("") }) });
}

/** The cell of a point. @param {BoardPoint} point @param {Rules} rules */
function cellOf({ column, row, fromBottom }, { rows, columns }) {
  return column < columns && row < rows ? (fromBottom ? rows - 1 - row : row) * columns + column : wrong();
}

/** The game after the moves, and whether a foul, which is none of them, ends it.
 * @param {Written} written @param {Position} start */
function played({ points }, start) {
  let game = new Game(start);
  for (const [index, point] of points.entries()) {
    const cell = cellOf(point, start.rules);
    const next = landing(game.position, cell) === cell ? game.play(cell) : null;
    const isFoul = !next && !game.isOver && index === points.length - 1 && forbiddenCells(game.position).has(cell);
    if (isFoul) return { game, isFoul };
    game = next ?? wrong();
  }
  return { game, isFoul: false };
}
