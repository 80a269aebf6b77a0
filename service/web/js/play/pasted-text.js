/** Reads what people paste: a link, a board, moves, or a whole request, in any form that the service takes. */

import { PRESETS } from "../shared/catalogue.js";
import { Game, Unreadable, checkedRules, fromMoves, misreadWords, unreadable } from "../shared/game.js";
import { namedRules, readLink } from "../shared/link.js";
import { readBoard, readStart } from "../../../../clients/browser/read-board.js";
import { Misread, readMoves } from "../../../../clients/browser/read-moves.js";
import { RULE_FIELDS, judge, rulesOf, wrongBoard, wrongField } from "../shared/rules.js";
import { say } from "../shared/say.js";

/** Games whose moves are often pasted. */
const LIKELY = [PRESETS["connect-four"], PRESETS["tic-tac-toe"], PRESETS.gomoku];

/** The games that a text may stand for: one of which it is sure, or those to choose from.
 * @param {string} text @param {Rules} rules of the game shown, where the text does not say otherwise
 * @returns {Reading[]} @throws {Unreadable} */
export function readPasted(text, rules) {
  const given = text.trim();
  if (!given) unreadable(say("wrong.nothing"));
  if (given.includes("#") && given.includes("=")) return sure(readLink(given.slice(given.indexOf("#"))).game);
  const parsed = parse(given);
  if (parsed && typeof parsed === "object" && !Array.isArray(parsed)) return sure(fromRequest(parsed, rules));
  return readAlone(Array.isArray(parsed) ? parsed : given, rules);
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

/** What is read, or why it is not. @template T @param {() => T} read @returns {T | Unreadable} */
function attempt(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return error;
    if (error instanceof Misread) return new Unreadable(misreadWords(error));
    throw error;
  }
}

/** @template T @param {T | Unreadable} read @returns {T} */
function certain(read) {
  if (read instanceof Unreadable) throw read;
  return read;
}

/** The body of a request. A board alone may be one that no game comes to: it is set up, and can be mended.
 * @param {any} fields @param {Rules} current */
function fromRequest(fields, current) {
  return certain(attempt(() => {
    const { sent, rules, cells, toMove, refuse } = readRequest(fields, current);
    if (sent.moves) refuse();
    return fromMoves(rules, sent.moves ?? [], new Game({ rules, cells, toMove }));
  }));
}

/** What a request says, by the page's rules. @param {any} fields @param {Rules} current */
export function readRequest(fields, current) {
  const game = fields.game ? { name: fields.game, size: namedRules(fields.game) } : null;
  return readStart(fields, game, (size, sent) => rulesFrom(size, sent, current), judge);
}

/** @param {Size} size @param {Record<string, any>} sent @param {Rules} current @returns {Rules} */
function rulesFrom({ rows, columns, layers }, sent, current) {
  const size = { rows, columns, layers };
  const given = Object.fromEntries(RULE_FIELDS.filter((field) => field in sent).map((field) => [field, sent[field]]));
  if (sent.game === undefined) {
    const base = sent.goal ? rulesOf(rows, columns, sent.goal) : fitting(size, current);
    return checkedRules({ ...base, ...given, ...size });
  }
  const rules = { ...namedRules(sent.game), ...size };
  const other = RULE_FIELDS.find((field) => field in given && String(given[field]) !== String(rules[field]));
  return other ? unreadable(say("wrong.field", { field: other })) : checkedRules(rules);
}

/** A board or moves without a game: what they are in the game shown, or else may be.
 * @param {string | any[]} sent @param {Rules} rules @returns {Reading[]} */
function readAlone(sent, rules) {
  const board = attempt(() => fromBoard(sent, rules));
  const moves = attempt(() => fromMoves(rules, sent));
  const isLegal = board instanceof Game && wrongBoard(board.start) === null;
  if (isLegal && moves instanceof Game) return [board, moves].map((game) => ({ game, isSure: false }));
  if (moves instanceof Game) return sure(moves);
  if (board instanceof Game) return sure(board);
  const others = otherReadings(sent, rules);
  if (others.length) return others.map((game) => ({ game, isSure: false }));
  throw looksLikeBoard(sent) ? board : moves;
}

/** @param {string | any[]} sent */
function looksLikeBoard(sent) {
  if (typeof sent !== "string") return sent.some((part) => typeof part !== "number");
  return /[/\n|]|^[-XxOo120._#\s]*$/.test(sent);
}

/** A board alone: of the game shown if the size fits, else of a game of that size.
 * @param {string | any[]} sent @param {Rules} current */
function fromBoard(sent, current) {
  const board = typeof sent === "string" ? withoutBars(sent) : sent;
  const shown = attempt(() => readBoard(board, { layers: current.layers, usual: current }));
  const isShown = !(shown instanceof Unreadable) && sizeKey(shown) === sizeKey(current);
  const { cells, ...size } = isShown ? shown : readBoard(board, { layers: layersIn(board), usual: null });
  const rules = fitting(size, current);
  return new Game({ rules, cells, toMove: judge(rules, cells, null).toMove });
}

/** @param {Size} size */
function sizeKey({ rows, columns, layers }) {
  return `${rows} ${columns} ${layers}`;
}

/** The rows of a drawn grid whose cells have bars between them. @param {string} text */
function withoutBars(text) {
  const lines = text.split("\n").filter((line) => !/^\s*-[-+\s]*-\s*$/.test(line));
  const areDrawn = lines.every((line) => /^\s*[^\s|,]([\s|,]+[^\s|,])*\s*$/.test(line));
  return areDrawn && /[|,]/.test(text) ? lines.map((line) => line.replace(/[\s|,]/g, "")).join("\n") : text;
}

/** How many layers a board is written in. @param {unknown} board */
function layersIn(board) {
  if (typeof board === "string") return board.trim().split(/\/\/|\n[^\S\n]*\n/).length;
  const isRow = (/** @type {any} */ row) => Array.isArray(row) || (typeof row === "string" && row.length > 1);
  const isLayered = Array.isArray(board) && board.every((layer) => Array.isArray(layer) && layer.some(isRow));
  return isLayered ? board.length : 1;
}

/** The rules of a board without any: those of the game shown, of a game of that size, or as near to the game shown as
 * the size allows. @param {Size} size @param {Rules} current @returns {Rules} */
function fitting(size, current) {
  const known = [current, ...Object.values(PRESETS)].find((each) => sizeKey(each) === sizeKey(size));
  if (known) return known;
  const { rows, columns, layers } = size;
  const goal = Math.min(current.goal, Math.max(rows, columns, layers));
  const same = { ...current, ...size, goal };
  return wrongField(same) ? rulesOf(rows, columns, goal, { layers, gravity: current.gravity }) : same;
}

/** All that moves may be that are none in the game shown: in another form, or in a well-known game.
 * @param {string | any[]} moves @param {Rules} rules */
function otherReadings(moves, rules) {
  const inGame = otherForms(rules, moves).map((written) => attempt(() => fromMoves(rules, written)));
  const elsewhere = LIKELY.filter((each) => each !== rules).map((each) => attempt(() => fromMoves(each, moves)));
  return [...inGame, ...elsewhere].filter((each) => each instanceof Game);
}

/** What moves that are none in this form may mean where marks fall: numbers of columns from 1 or from 0, or cells by
 * letters and numbers. @param {Rules} rules @param {string | any[]} moves @returns {any[][]} */
function otherForms(rules, moves) {
  if (!rules.gravity || rules.layers > 1) return [];
  if (Array.isArray(moves)) return [1, 0].map((first) => moves.map((number) => ({ column: number - first })));
  const cells = attempt(() => readMoves(moves, { ...rules, gravity: false }).map(({ cell }) => Number(cell) + 1));
  return cells instanceof Unreadable ? [] : [cells];
}
