/** A game and how it is played as the hash of an address, and back. */

import { PRESETS, rulesFields } from "./catalogue.js";
import { Game } from "./game.js";
import { DIRECTIONS, EMPTY, SWITCHES, WRAPS, boardText, rulesOf, wrongBoard, wrongField } from "./rules.js";
/** @import { Rules, Side } from "./rules.js" */

/** @typedef {"you" | "computer"} Player */

/**
 * Everything that a link restores.
 * @typedef {object} Setup
 * @property {Game} game
 * @property {Record<Side, Player>} players
 * @property {Record<Side, number>} levels 1 to 10, of the computer that plays a side
 * @property {"play" | "learn"} view
 */

export const FULL_STRENGTH = 10;
/** What a visitor without a link meets: an opponent that can be beaten. */
const MEDIUM = 5;
/** The game of a link that names none. */
const FIRST_GAME = rulesOf(3, 3, 3);

/** @returns {Setup} */
export function defaultSetup() {
  return {
    game: Game.fresh(FIRST_GAME, "X"),
    players: { X: "you", O: "computer" },
    levels: { X: MEDIUM, O: MEDIUM },
    view: "play",
  };
}

/** The hash that restores a setup, without its `#`. @param {Setup} setup */
export function writeLink({ game, players, levels, view }) {
  const fields = new URLSearchParams(rulesFields(game.rules));
  if (game.start.cells.replaceAll(EMPTY, "")) fields.set("board", boardText(game.start));
  if (game.start.toMove !== "X") fields.set("first", game.start.toMove);
  if (game.shown) fields.set("moves", game.moves.slice(0, game.shown).map((cell) => cell + 1).join("."));
  fields.set("x", players.X);
  fields.set("o", players.O);
  const weaker = levelFields(players, levels).filter(([, level]) => level !== FULL_STRENGTH);
  for (const [name, level] of weaker) fields.set(name, String(level));
  if (view !== "play") fields.set("view", view);
  return fields.toString().replaceAll("%2F", "/").replaceAll("%2C", ",");
}

/** One level where one will do.
 * @param {Record<Side, Player>} players @param {Record<Side, number>} levels @returns {[string, number][]} */
function levelFields(players, levels) {
  const two = players.X === "computer" && players.O === "computer" && levels.X !== levels.O;
  if (two) return [["level_x", levels.X], ["level_o", levels.O]];
  return [["level", players.X === "computer" ? levels.X : levels.O]];
}

/** The setup a hash stands for.
 * @param {string} hash with or without its `#`
 * @returns {Setup | null} null where it is none that this page has written */
export function readLink(hash) {
  const base = defaultSetup();
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  if (!fields.size) return base;
  const rules = readRules(fields);
  const game = rules && readGame(fields, rules);
  if (!game) return null;
  const levels = { X: readLevel(fields, "level_x"), O: readLevel(fields, "level_o") };
  if (!levels.X || !levels.O) return null;
  return {
    game,
    players: { X: readPlayer(fields.get("x"), base.players.X), O: readPlayer(fields.get("o"), base.players.O) },
    levels: { X: levels.X, O: levels.O },
    view: fields.get("view") === "learn" ? "learn" : "play",
  };
}

/** A level, or null where it is none. @param {URLSearchParams} fields @param {string} name of one side's own level */
function readLevel(fields, name) {
  const level = Number(fields.get(name) ?? fields.get("level") ?? FULL_STRENGTH);
  return Number.isInteger(level) && level >= 1 && level <= FULL_STRENGTH ? level : null;
}

/** @param {string | null} text @param {Player} fallback @returns {Player} */
function readPlayer(text, fallback) {
  return text === "you" || text === "computer" ? text : fallback;
}

/** @param {URLSearchParams} fields @returns {Rules | null} */
function readRules(fields) {
  const preset = fields.get("game");
  if (preset !== null) return Object.hasOwn(PRESETS, preset) ? PRESETS[preset] : null;
  if (!fields.has("rows") && !fields.has("board")) return FIRST_GAME;
  const layers = fields.get("board")?.split("//") ?? [];
  const board = layers[0]?.split("/") ?? [];
  const rows = Number(fields.get("rows") ?? board.length);
  const columns = Number(fields.get("columns") ?? board[0]?.length);
  const on = Object.fromEntries(SWITCHES.map((name) => [name, fields.get(name) === "true"]));
  const shape = readShape(fields);
  const [goal, height] = [Number(fields.get("goal")), Number(fields.get("layers") ?? 1)];
  const rules = rulesOf(rows, columns, goal, { ...on, ...shape, layers: height });
  return !shape || wrongField(rules) ? null : rules;
}

/** Joined edges and directions, or null where they are none.
 * @param {URLSearchParams} fields @returns {Pick<Rules, "wrap" | "directions"> | null} */
function readShape(fields) {
  const wrap = WRAPS.find((each) => each === (fields.get("wrap") ?? "none"));
  const named = fields.get("directions")?.split(",") ?? DIRECTIONS;
  const directions = DIRECTIONS.filter((each) => named.includes(each));
  return wrap && directions.length && directions.length === named.length ? { wrap, directions } : null;
}

/** @param {URLSearchParams} fields @param {Rules} rules @returns {Game | null} */
function readGame(fields, rules) {
  let game = Game.fresh(rules, fields.get("first") === "O" ? "O" : "X");
  const board = fields.get("board");
  if (board !== null) {
    const cells = board.replaceAll("/", "");
    if (cells.length !== game.start.cells.length || !/^[XO.#]*$/.test(cells)) return null;
    game = new Game({ ...game.start, cells });
    if (wrongBoard(game.start)) return null;
  }
  return playAll(game, fields.get("moves"));
}

/** @param {Game} game @param {string | null} moves tiles with dots between @returns {Game | null} */
function playAll(game, moves) {
  let at = /** @type {Game | null} */ (game);
  for (const tile of moves ? moves.split(".") : []) {
    const cell = Number(tile) - 1;
    // A cell that is occupied, or not the lowest of its column, was never written by this page.
    at = at?.position.cells[cell] === EMPTY ? at.play(cell) : null;
    if (at?.lastMove !== cell) return null;
  }
  return at;
}
