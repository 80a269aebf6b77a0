/** Reads what people paste: a link of this page, SGF, a board, moves, or a whole request. */

import { judgeBoard } from "../../../../browser/judge-board.js";
import { readBoard } from "../../../../browser/read-board.js";
import { Misread, refuse } from "../../../../browser/read-moves.js";
import { PRESETS } from "../shared/catalogue.js";
import { Game, fromMoves } from "../shared/game.js";
import { readLink } from "../shared/link.js";
import { fitting, readRequest } from "../shared/read-request.js";
import { isRecord, partsOf, readRecord } from "./records.js";

/** Games whose moves are often pasted. */
const LIKELY = [PRESETS["connect-four"], PRESETS["tic-tac-toe"], PRESETS.gomoku];
/** Links of this page have a query or a hash with fields. */
const LINK = /^\S*[?#]\w+=\S*$/;

/** The games that a text may stand for: one of which it is sure, or those to choose from.
 * @param {string} text @param {Rules} rules of the game shown, where the text does not say otherwise
 * @returns {Reading[]} @throws {Misread} */
export function readPasted(text, rules) {
  const given = text.trim();
  if (!given) refuse("text");
  if (LINK.test(given)) return sure(readLink(given.replace(/^[^?#]*/, "")).game);
  if (isRecord(given)) return readKept(given, rules);
  const parsed = parse(given);
  if (parsed && typeof parsed === "object" && !Array.isArray(parsed)) return sure(fromRequest(parsed, rules));
  return readAlone(Array.isArray(parsed) ? parsed : given, rules);
}

/** A game that somebody kept: of the game that it names, else of the game shown, else of the usual one for its kind.
 * @param {string} text @param {Rules} rules @returns {Reading[]} */
function readKept(text, rules) {
  const { fields, stones, isOther } = partsOf(text);
  const read = (/** @type {Record<string, any>} */ said) => attempt(() => readRecord(text, said).game);
  // Stones that are set up may be a composed position, where the record says who begins.
  const kept = (/** @type {Record<string, any>} */ said) => {
    const plain = read(said);
    const composed = plain instanceof Game || !stones.length ? plain : read({ ...said, composed: true });
    return composed instanceof Game ? composed : plain;
  };
  const shown = fields.game ? null : kept({ ...rules });
  if (shown instanceof Game) return [{ game: shown, isSure: !isOther }];
  const usual = kept({});
  if (usual instanceof Misread) throw usual;
  return sure(usual);
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
    return null;
  }
}

/** What is read, or why it is not. @template T @param {() => T} read @returns {T | Misread} */
function attempt(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Misread) return error;
    throw error;
  }
}

/** The body of a request. A board alone may be one that no game comes to: it is set up, and can be mended.
 * @param {any} fields @param {Rules} current */
function fromRequest(fields, current) {
  const { sent, rules, cells, toMove, check } = readRequest(fields, current);
  if (sent.moves) check();
  return fromMoves(rules, sent.moves ?? [], new Game({ rules, cells, toMove }));
}

/** A board or moves without a game: what they are in the game shown, or else may be.
 * @param {string | any[]} sent @param {Rules} rules @returns {Reading[]} */
function readAlone(sent, rules) {
  const [moves, board] = [() => fromMoves(rules, sent), () => fromBoard(sent, rules)].map(attempt);
  if (moves instanceof Game) return sure(moves);
  if (board instanceof Game) return sure(board);
  const others = LIKELY.map((each) => attempt(() => fromMoves(each, sent))).filter((each) => each instanceof Game);
  if (others.length) return others.map((game) => ({ game, isSure: false }));
  throw moves;
}

/** A board alone: of the game shown if the size fits, else of a game of that size.
 * @param {string | any[]} board @param {Rules} current */
function fromBoard(board, current) {
  const isShown = typeof board !== "string" && board.length === current.rows * current.layers;
  const { cells, ...size } = readBoard(board, { layers: isShown ? current.layers : undefined, usual: current });
  const rules = fitting(size, current);
  return new Game({ rules, cells, toMove: judgeBoard(rules, cells, null).toMove });
}
