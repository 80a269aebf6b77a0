/** Reads what people paste: a link of this page, SGF, a board, moves, or a whole request. */

import { judgeBoard } from "../../../../browser/judge-board.js";
import { readBoard } from "../../../../browser/read-board.js";
import { Misread } from "../../../../browser/read-moves.js";
import { PRESETS } from "../shared/catalogue.js";
import { Game, Unreadable, fromMoves, misreadWords, unreadable } from "../shared/game.js";
import { readLink } from "../shared/link.js";
import { wrongBoard } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { fitting, readRequest, sizeKey } from "./pasted-request.js";
import { isRecord, partsOf, readRecord } from "./records.js";

/** Games whose moves are often pasted. */
const LIKELY = [PRESETS["connect-four"], PRESETS["tic-tac-toe"], PRESETS.gomoku];
/** Links of this page have a query or a hash with fields. */
const LINK = /^\S*[?#]\w+=\S*$/;

/** The games that a text may stand for: one of which it is sure, or those to choose from.
 * @param {string} text @param {Rules} rules of the game shown, where the text does not say otherwise
 * @returns {Reading[]} @throws {Unreadable} */
export function readPasted(text, rules) {
  const given = text.trim();
  if (!given) unreadable(say("wrong.nothing"));
  if (LINK.test(given)) return sure(readLink(given.replace(/^[^?#]*/, "")).game);
  if (isRecord(given)) return certain(attempt(() => readKept(given, rules)));
  const parsed = parse(given);
  if (parsed && typeof parsed === "object" && !Array.isArray(parsed)) return sure(fromRequest(parsed, rules));
  return readAlone(Array.isArray(parsed) ? parsed : given, rules);
}

/** A game that somebody kept: of the game that it names, else of the game shown, else of the usual one for its kind.
 * @param {string} text @param {Rules} rules @returns {Reading[]} */
function readKept(text, rules) {
  const { fields, stones, otherGame } = partsOf(text);
  const read = (/** @type {Record<string, any>} */ said) => attempt(() => readRecord(text, said).game);
  // Stones that are set up may be a composed position, where the record says who begins.
  const kept = (/** @type {Record<string, any>} */ said) => {
    const plain = read(said);
    const composed = plain instanceof Game || !stones.length ? plain : read({ ...said, composed: true });
    return composed instanceof Game ? composed : plain;
  };
  const shown = fields.game ? null : kept({ ...rules });
  return shown instanceof Game ? [{ game: shown, isSure: otherGame === undefined }] : sure(certain(kept({})));
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

/** A board or moves without a game: what they are in the game shown, or else may be.
 * @param {string | any[]} sent @param {Rules} rules @returns {Reading[]} */
function readAlone(sent, rules) {
  const board = attempt(() => fromBoard(sent, rules));
  const moves = attempt(() => fromMoves(rules, sent));
  const isLegal = board instanceof Game && wrongBoard(board.start) === null;
  if (isLegal && moves instanceof Game) return [board, moves].map((game) => ({ game, isSure: false }));
  if (moves instanceof Game) return sure(moves);
  if (board instanceof Game) return sure(board);
  const others = LIKELY.map((each) => attempt(() => fromMoves(each, sent))).filter((each) => each instanceof Game);
  if (others.length) return others.map((game) => ({ game, isSure: false }));
  throw /^[^a-w]*[/\n]|^[-XxOo120._#]*$/.test(String(sent)) ? board : moves;
}

/** A board alone: of the game shown if the size fits, else of a game of that size.
 * @param {string | any[]} board @param {Rules} current */
function fromBoard(board, current) {
  const shown = attempt(() => readBoard(board, { layers: current.layers, usual: current }));
  const isShown = !(shown instanceof Unreadable) && sizeKey(shown) === sizeKey(current);
  const { cells, ...size } = isShown ? shown : readBoard(board, { layers: layersIn(board), usual: null });
  const rules = fitting(size, current);
  return new Game({ rules, cells, toMove: judgeBoard(rules, cells, null).toMove });
}

/** How many layers a text is written in: lines with an empty one after each are rows, not layers of one row.
 * @param {unknown} board */
function layersIn(board) {
  const layers = typeof board === "string" ? board.trim().split(/\/\/|\n\n/) : [];
  return layers.some((layer) => /[/\n]/.test(layer.trim())) ? layers.length : 1;
}
