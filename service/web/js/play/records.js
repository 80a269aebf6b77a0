/** Reads games as programs and people keep them, as the service does: SGF, psq, moves below tags, addresses. */

import { explainMoves } from "../../../../browser/read-board.js";
import { Misread, readMoves, splitResult, wordsOf } from "../../../../browser/read-moves.js";
import { Game, checkResult } from "../shared/game.js";
import { moveName } from "../shared/notation.js";
import { BLOCKED, EMPTY, RULES, boardText, cellCount, landing, rulesOf } from "../shared/rules.js";
import { readRequest } from "./pasted-request.js";
import { MOST_MOVES, WrongPlace, oneLine, sizeAt, wrong } from "./record-text.js";
import { readSgf } from "./sgf.js";

const MAX_RECORD = 1_000_000;
const PSQ_HEADER = /^\s*piskvorky\s+(\d{1,3})\s*x\s*(\d{1,3})([^\r\n]*)/i;
const PSQ_MOVE = /^\s*(\d{1,3})\s*,\s*(\d{1,3})\s*(?:,\s*-?\d+\s*){0,2}$/;
const PSQ_CODE = /^\s*-?\d+\s*(?:,\s*[A-Za-z][^,]*)?$/;
const PSQ_SPOILT = /^\s*[\d-].*$|^.*,\s*\d+\s*$/;
const TAG = /\s*\[\s*([A-Za-z]\w{0,40})\s+"((?:[^"\\\r\n]|\\.)*)"\s*\]/y;
const SIDES = /** @type {Record<string, Side>} */ ({ Black: "X", X: "X", White: "O", O: "O" });
const ADDRESS = /^\s*\S*(?::\/\/|[?#])\S*\s*$/;
const GOMOCALC = /^[^#]*#\/?((?:[A-Za-z]\d{1,2})+)\/?$/;

/** The game in a record.
 * @param {string} text the whole text
 * @param {Record<string, any>} [said] by the names of a request: a game or rule fields count more than what the record
 *   says, the size and `first` must agree with it
 * @returns {{format: Written["format"], game: Game, players: Record<Side, string | null>, result: string | null}}
 * @throws {Misread} with line and column in an English sentence; Unreadable where no game is like this */
export function readRecord(text, said = {}) {
  if (text.length > MAX_RECORD) throw new Misread("record", {}, `a record has at most ${MAX_RECORD} characters`);
  return located(text, () => {
    const written = partsOf(text);
    const start = startOf(written, said);
    const game = played(written, start, text.length);
    if (written.result && written.isCompared) checkResult(game, splitResult(` ${written.result}`).result);
    const { format, players = { X: null, O: null }, result = null } = written;
    return { format, game, players, result };
  });
}

/** What is read; an error of the text names its line and column.
 * @template T @param {string} text @param {() => T} read @returns {T} @throws {Misread} */
function located(text, read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WrongPlace)) throw error;
    const lines = text.slice(0, error.place).split(/\r\n|\r|\n/);
    const [line, column] = [lines.length, (lines.at(-1) ?? "").length + 1];
    throw new Misread("record", { line, column }, `line ${line}, column ${column}: ${error.message}`);
  }
}

/** A text as the kind of record that it is. @param {string} text @returns {Written} @throws {Misread} */
export function partsOf(text) {
  return located(text, () => readParts(text));
}

/** @param {string} text @returns {Written} */
function readParts(text) {
  const sgf = text.search(/\(\s*;/);
  if (sgf >= 0) return readSgf(text, sgf);
  const header = text.match(PSQ_HEADER);
  if (header) return readPsq(text, header);
  return ADDRESS.test(text) ? readAddress(text) : readTagged(text);
}

/** The position before the first move.
 * @param {Written} written @param {Record<string, any>} said @returns {Position} */
function startOf(written, said) {
  const own = written.fields ?? {};
  for (const name of ["rows", "columns", "layers", "first"]) {
    if (name in said && name in own && said[name] !== own[name]) {
      throw new Misread("said", {}, `${name} says ${said[name]}, the record ${own[name]}`);
    }
  }
  const isRule = (/** @type {string} */ name) => name === "game" || name in RULES;
  const isSaid = Object.keys(said).some(isRule);
  if (written.otherGame && !isSaid) throw new WrongPlace(written.otherGame.place, written.otherGame.message);
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => !isSaid || !isRule(name)));
  const fields = { ...kept, ...said };
  if (!Object.keys(fields).some(isRule)) {
    const likely = /[A-Za-z]/.test(written.text ?? "") ? "gomoku" : "connect-four";
    const why = `these moves do not say their game: send game, such as ${likely}`;
    if (!written.assumed) throw new Misread("said", {}, why);
    fields.game = written.assumed;
  }
  return withStones(written, fields);
}

/** @param {Written} written @param {Record<string, any>} given fields of a request @returns {Position} */
function withStones({ stones = [] }, given) {
  // A game of another size is read where both sides are sent.
  const { to_move: _, ...fields } = given;
  const read = (/** @type {Record<string, any>} */ sent) => readRequest({ moves: [], ...sent }, rulesOf(3, 3, 3));
  const { rules, cells, toMove, refuse } = read(fields);
  refuse();
  if (!stones.length) return { rules, cells, toMove };
  const marks = [...cells];
  for (const { mark, point, place } of stones) marks[cellOf(point, place, rules)] = mark;
  try {
    const found = read({ ...fields, board: boardText({ rules, cells: marks.join(""), toMove }) });
    found.refuse();
    return { rules: found.rules, cells: found.cells, toMove: found.toMove };
  } catch (error) {
    const { place } = stones[stones.length - 1];
    throw error instanceof Misread ? new WrongPlace(place, `the stones set up: ${error.message}`) : error;
  }
}

/** The cell of a point. @param {BoardPoint} point @param {number} place @param {Rules} rules */
function cellOf({ column, row, fromBottom }, place, { rows, columns }) {
  if (column < columns && row < rows) return (fromBottom ? rows - 1 - row : row) * columns + column;
  const hint = "a record without a size needs rows and columns";
  throw new WrongPlace(place, `the point is not on the board of ${rows} × ${columns}; ${hint}`);
}

/** The game after the moves. @param {Written} written @param {Position} start @param {number} end of the text */
function played(written, start, end) {
  const { rules } = start;
  let game = new Game(start);
  const named = namedMoves(written, rules);
  if (!named.length && written.format === "moves") throw new WrongPlace(end, "the record has no moves");
  const [cells, size] = [cellCount(rules), `${rules.rows} × ${rules.columns}`];
  if (named.length > cells) wrong(named[cells].place, `a board of ${size} has ${cells} cells; this is one move more`);
  for (const [index, { cell, stack, place }] of named.entries()) {
    const at = landing(game.position, cell ?? stack);
    const next = at !== null && at === (cell ?? at) ? game.play(at) : null;
    if (!next) throw new WrongPlace(place, `move ${index + 1}: ${whyNot(game, cell, stack)}`);
    game = next;
  }
  return game;
}

/** @param {Game} game @param {number | null} cell @param {number} stack */
function whyNot({ isOver, ending: { winner }, position, rules }, cell, stack) {
  if (isOver) return `the game was over before this move: ${winner ? `won by ${winner}` : "drawn"}`;
  const name = moveName(rules, cell ?? stack);
  if (cell === null) return `column ${name} is full`;
  const mark = position.cells[cell];
  if (mark === BLOCKED) return `${name} is blocked`;
  if (mark !== EMPTY) return `${name} is taken by ${mark}`;
  return rules.gravity ? `${name} cannot be marked yet: the cell under it is empty` : `${name} is forbidden`;
}

/** The moves, each with its place.
 * @param {Written} written @param {Rules} rules @returns {(NamedMove & {place: number})[]} */
function namedMoves({ points = [], text, at = 0 }, rules) {
  const stacks = rules.layers > 1 ? rules.rows * rules.columns : rules.columns;
  if (text === undefined) {
    return points.map(({ point, place }) => [cellOf(point, place, rules), place])
      .map(([cell, place]) => ({ cell, stack: cell % stacks, place }));
  }
  try {
    const moves = readMoves(text, rules);
    const words = [...wordsOf(text, rules)];
    return moves.map((move, index) => ({ ...move, place: at + words[index].at }));
  } catch (error) {
    if (!(error instanceof Misread)) throw error;
    throw new WrongPlace(at + (error.values.at ?? 0), explainMoves(error, rules));
  }
}

// ---- The other kinds of records ----------------------------------------------------------------------------------

/** The moves up to the first line that is none; then the names of two players and codes of the program.
 * @param {string} text @param {RegExpMatchArray} header @returns {Written} */
function readPsq(text, header) {
  const [whole, columns, rows, settings] = header;
  if (!/^[\s\d,:;-]*$/.test(settings)) {
    throw new WrongPlace(whole.length - settings.length, `'${settings.trim()}' in the header is unknown`);
  }
  const fields = sizeAt(rows, columns, text.search(/\d/));
  /** @type {Written["points"]} */
  const points = [];
  /** @type {string[]} */
  const names = [];
  let isAfter = false;
  for (const { 0: line, index } of text.slice(whole.length).matchAll(/[^\r\n]+/g)) {
    const place = whole.length + index;
    if (!line.trim()) continue;
    const move = psqMove(line, place, isAfter, points.length);
    if (move) points.push(move);
    isAfter = !move;
    if (!move && !PSQ_CODE.test(line)) names.push(psqName(line, place, names.length));
  }
  const [first = null, second = null] = names;
  return { format: "psq", fields, assumed: "gomoku", points, players: { X: first, O: second } };
}

/** The move of a line, or null.
 * @param {string} line @param {number} place @param {boolean} isAfter the last move @param {number} count before it */
function psqMove(line, place, isAfter, count) {
  if (count === MOST_MOVES) throw new WrongPlace(place, `a game has at most ${MOST_MOVES} moves`);
  const [, x, y] = (line.match(PSQ_MOVE) ?? []).map(Number);
  if (x === undefined) return null;
  if (isAfter) throw new WrongPlace(place, "a move after the last one");
  if (!x || !y) throw new WrongPlace(place, "x and y count from 1");
  return { point: { column: x - 1, row: y - 1 }, place };
}

/** @param {string} line @param {number} place @param {number} count of names before it */
function psqName(line, place, count) {
  const isName = !PSQ_SPOILT.test(line) && count < 2;
  return isName ? oneLine(line) : wrong(place, `'${line.trim()}' is no move x,y,time and no name of a player`);
}

/** Moves, perhaps below tags. @param {string} text @returns {Written} */
function readTagged(text) {
  const tags = /** @type {Record<string, string>} */ ({});
  let at = TAG.lastIndex = 0;
  for (let found = TAG.exec(text); found; found = TAG.exec(text)) {
    tags[found[1]] = found[2];
    at = TAG.lastIndex;
  }
  const { text: moves, result } = splitResult(text.slice(at));
  const players = /** @type {Record<Side, string | null>} */ ({ X: null, O: null });
  for (const [name, side] of Object.entries(SIDES)) if (tags[name]?.trim()) players[side] = oneLine(tags[name]);
  const claimed = result === undefined ? tags.Result : text.slice(at + moves.length).trim();
  // Programs that write tags do not agree on whose win 1-0 is.
  return { format: "moves", text: moves, at, players, result: claimed, isCompared: !Object.keys(tags).length };
}

/** An address of a front end; those of this page are read as links. @param {string} text @returns {Written} */
function readAddress(text) {
  const address = text.trim();
  const query = new URLSearchParams(address.replace(/#.*$/s, "").split("?").slice(1).join("?"));
  const pos = query.get("pos");
  const game = query.get("game") ?? "connect-four";
  if (pos !== null) return { format: "address", fields: { game }, text: pos, at: text.indexOf("pos=") + 4 };
  const found = address.match(GOMOCALC);
  const unknown = "no address with a game that is known, such as ?pos=4453 or #/h8h9";
  if (!found) throw new WrongPlace(text.indexOf(address), unknown);
  return { format: "address", assumed: "gomoku", text: found[1], at: text.lastIndexOf(found[1]) };
}
