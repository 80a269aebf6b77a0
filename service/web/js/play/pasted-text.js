/** Reads what people paste: a link, a board, moves, or a whole request, in any form that the service takes. */

import { readBoard } from "../../../../browser/read-board.js";
import { Misread, readMoves } from "../../../../browser/read-moves.js";
import { PRESETS } from "../shared/catalogue.js";
import { Game, Unreadable, fromMoves, misreadWords, unreadable } from "../shared/game.js";
import { readLink } from "../shared/link.js";
import { judge, wrongBoard } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { fitting, readRequest, sizeKey } from "./pasted-request.js";
import { partsOf, readRecord } from "./records.js";

/** Games whose moves are often pasted. */
const LIKELY = [PRESETS["connect-four"], PRESETS["tic-tac-toe"], PRESETS.gomoku];

/** Addresses of games: those of this page have a query or a hash with fields. */
const ADDRESS = /^\S*([?#]\w+=|#\/?([a-z]\d+)+\/?$)\S*$/i;
/** Those of other front ends, such as ?pos=4453 and #/h8h9. */
const OF_OTHERS = /[?&]pos=|#\/?[a-z]\d/i;
/** The beginnings of SGF, psq, and of tags above moves. */
const RECORD = /\(\s*;|^piskvorky\s|^\[\s*[a-z]\w*\s+"/i;

/** The games that a text may stand for: one of which it is sure, or those to choose from.
 * @param {string} text @param {Rules} rules of the game shown, where the text does not say otherwise
 * @returns {Reading[]} @throws {Unreadable} */
export function readPasted(text, rules) {
  const given = text.trim();
  if (!given) unreadable(say("wrong.nothing"));
  if (ADDRESS.test(given) && !OF_OTHERS.test(given)) return sure(readLink(given.replace(/^[^?#]*/, "")).game);
  if (ADDRESS.test(given) || RECORD.test(given)) return certain(attempt(() => readKept(given, rules)));
  const parsed = parse(given);
  if (parsed && typeof parsed === "object" && !Array.isArray(parsed)) return sure(fromRequest(parsed, rules));
  return readAlone(Array.isArray(parsed) ? parsed : given, rules);
}

/** A game that somebody kept: of the game that it names, else of the game shown, else of the usual one for its kind.
 * @param {string} text @param {Rules} rules @returns {Reading[]} */
function readKept(text, rules) {
  const { fields, stones, otherGame, assumed } = partsOf(text);
  const read = (/** @type {Record<string, any>} */ said) => attempt(() => readRecord(text, said).game);
  // Stones that are set up may be a composed position, where the record says who begins.
  const kept = (/** @type {Record<string, any>} */ said) => {
    const plain = read(said);
    const composed = plain instanceof Game || !stones?.length ? plain : read({ ...said, composed: true });
    return composed instanceof Game ? composed : plain;
  };
  if (fields?.game) return sure(certain(kept({})));
  const shown = kept({ ...rules });
  if (shown instanceof Game) return [{ game: shown, isSure: !otherGame }];
  if (assumed) return sure(certain(kept({})));
  const others = LIKELY.map((each) => kept({ ...each }));
  const games = others.filter((each) => each instanceof Game);
  if (!games.length) throw shown;
  return games.map((game) => ({ game, isSure: false }));
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

/** The rows of a drawn grid whose cells have bars between them. @param {string} text */
function withoutBars(text) {
  const lines = text.split("\n").filter((line) => !/^\s*-[-+\s]*-\s*$/.test(line));
  const areDrawn = lines.every((line) => /^\s*[^\s|,]([\s|,]+[^\s|,])*\s*$/.test(line));
  return areDrawn && /[|,]/.test(text) ? lines.map((line) => line.replace(/[\s|,]/g, "")).join("\n") : text;
}

/** How many layers a board is written in. @param {unknown} board */
function layersIn(board) {
  if (typeof board === "string") {
    const layers = board.trim().split(/\/\/|\n[^\S\n]*\n/);
    // Lines with an empty one after each are rows rather than layers of one row.
    return layers.some((layer) => /[/\n]/.test(layer.trim())) ? layers.length : 1;
  }
  const isRow = (/** @type {any} */ row) => Array.isArray(row) || (typeof row === "string" && row.length > 1);
  const isLayered = Array.isArray(board) && board.every((layer) => Array.isArray(layer) && layer.some(isRow));
  return isLayered ? board.length : 1;
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
