/** A game and how it is played as the hash of an address, and back. */

import { refuse } from "../../../../browser/read-moves.js";
import { PRESETS, rulesFields } from "./catalogue.js";
import { Game, fromMoves } from "./game.js";
import { moveName } from "./notation.js";
import { readRequest } from "./read-request.js";
import { EMPTY, RULES, RULE_FIELDS, boardText, isBetween, isComposed } from "./rules.js";
import { isForked } from "./variations.js";
import { FULL_STRENGTH } from "./words.js";

/** What a visitor without a link meets: an opponent that can be beaten. */
const MEDIUM = 5;
/** What a visitor meets, and a link without moves leads to. */
const FIRST_GAME = "connect-four";
/** The game of a link that has moves and names none. */
const GAME_OF_MOVES = "tic-tac-toe";
/** The sides that the visitor plays. @type {Record<string, Record<Side, Player>>} */
const YOU = {
  X: { X: "you", O: "computer" }, O: { X: "computer", O: "you" },
  both: { X: "you", O: "you" }, none: { X: "computer", O: "computer" },
};

/** @returns {Setup} */
export function defaultSetup() {
  return {
    game: Game.fresh(PRESETS[FIRST_GAME], "X"),
    players: { X: "you", O: "computer" },
    levels: { X: MEDIUM, O: MEDIUM },
    view: "play",
  };
}

/** The hash that restores a setup, without its `#`. @param {Setup} setup */
export function writeLink({ game: shown, players, levels, view, lesson, step, friend = null }) {
  const game = friend?.game ?? shown;
  const fields = new URLSearchParams(rulesFields(game.rules));
  if (game.start.cells.replaceAll(EMPTY, "")) fields.set("board", boardText(game.start));
  if (game.start.toMove !== "X") fields.set("first", game.start.toMove);
  if (isComposed(game.start)) fields.set("composed", "true");
  const between = game.rules.layers > 1 ? "." : "";
  if (game.moves.length) fields.set("moves", game.moves.map((cell) => moveName(game.rules, cell)).join(between));
  if (game.isLookingBack) fields.set("at", String(game.shown));
  if (isForked(game.tree)) fields.set("tree", game.text(between));
  const you = Object.keys(YOU).find((who) => YOU[who].X === players.X && YOU[who].O === players.O) ?? "X";
  if (friend) fields.set("with", "friend");
  if (you !== "X" || friend) fields.set("you", friend ? (players.X === "you" ? "X" : "O") : you);
  if (friend) fields.set("id", friend.id);
  const unusual = (friend ? [] : levelFields(players, levels)).filter(([, level]) => level !== MEDIUM);
  for (const [name, level] of unusual) fields.set(name, String(level));
  if (view !== "play") fields.set("view", view);
  if (view === "learn" && lesson && (lesson > 1 || Number(step) > 1)) {
    fields.set("lesson", String(lesson));
    fields.set("step", String(step));
  }
  return fields.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%28", "(").replaceAll("%29", ")");
}

/** One level where one will do.
 * @param {Record<Side, Player>} players @param {Record<Side, number>} levels @returns {[string, number][]} */
function levelFields(players, levels) {
  const two = players.X === "computer" && players.O === "computer" && levels.X !== levels.O;
  if (two) return [["level_x", levels.X], ["level_o", levels.O]];
  return [["level", players.X === "computer" ? levels.X : levels.O]];
}

/** The setup a link stands for.
 * @param {string} link the hash or the query of an address, with or without its first sign @returns {Setup}
 * @throws {Misread} where it leads nowhere, with what is wrong with it */
export function readLink(link) {
  const fields = new URLSearchParams(link.replace(/^[#?]/, ""));
  if (!fields.size) return defaultSetup();
  const level = fields.get("level") ?? String(isOld(fields) ? FULL_STRENGTH : MEDIUM);
  const game = readGame(fields);
  return {
    game,
    players: readPlayers(fields),
    ...(fields.has("with") && readFriend(fields, game)),
    levels: { X: readLevel(fields.get("level_x") ?? level), O: readLevel(fields.get("level_o") ?? level) },
    view: fields.get("view") === "learn" ? "learn" : "play",
    ...(fields.get("values") === "on" && { thinkAlong: true }),
    ...(fields.get("view") === "learn" && { lesson: readCount(fields, "lesson"), step: readCount(fields, "step") }),
  };
}

/** Links with a player for each side are old: their moves are tiles. @param {URLSearchParams} fields */
function isOld(fields) {
  return fields.has("x") || fields.has("o");
}

/** A lesson or its step, the first where none is named. @param {URLSearchParams} fields @param {string} name */
function readCount(fields, name) {
  return Math.max(1, Math.floor(Number(fields.get(name))) || 1);
}

/** @param {string} text */
function readLevel(text) {
  const level = Number(text);
  return isBetween(level, 1, FULL_STRENGTH) ? level : refuse("field", { field: "level" });
}

/** @param {URLSearchParams} fields @returns {Record<Side, Player>} */
function readPlayers(fields) {
  const [x, o] = [fields.get("x"), fields.get("o")];
  if (isOld(fields)) return { X: x === "computer" ? x : "you", O: o === "you" ? o : "computer" };
  return YOU[fields.get("you") ?? "X"] ?? refuse("field", { field: "you" });
}

/** A game with a friend, which has no variations. @param {URLSearchParams} fields @param {Game} game
 * @returns {Pick<Setup, "players" | "friend" | "isCut">} */
function readFriend(fields, game) {
  const [you, id] = [fields.get("you"), fields.get("id") ?? ""];
  if (!id && "friend".startsWith(fields.get("with") ?? "")) return { players: YOU.both, isCut: true };
  const wrong = fields.get("with") !== "friend" ? "with" : fields.has("tree") ? "tree" : /^\w{1,40}$/.test(id) ? "" : "id";
  if (wrong || (you !== "X" && you !== "O")) refuse("field", { field: wrong || "you" });
  const players = you === "X" ? { X: "you", O: "friend" } : { X: "friend", O: "you" };
  return { players: /** @type {Record<Side, Player>} */ (players), friend: { id, game, isSent: true, isChecked: false } };
}

/** The request that a link makes of its game, without the moves. @param {URLSearchParams} fields */
function requestIn(fields) {
  const names = ["game", "board", "composed", ...RULE_FIELDS].filter((name) => fields.has(name));
  const sent = Object.fromEntries(names.map((name) => [name, valueIn(name, fields.get(name) ?? "")]));
  const usual = ["moves", "pos", "tree"].some((name) => fields.has(name)) ? GAME_OF_MOVES : FIRST_GAME;
  const isNamed = ["game", "rows", "board"].some((name) => fields.has(name));
  return { ...(!isNamed && { game: usual }), first: fields.get("first") ?? "X", ...sent };
}

/** @param {string} name of a field @param {string} text */
function valueIn(name, text) {
  const kind = RULES[name]?.kind ?? (name === "composed" ? "switch" : null);
  if (kind === "switch") return text === "true" || (text !== "false" && refuse("field", { field: name }));
  if (kind === "list") return text.split(",");
  return kind === "integer" || ["rows", "columns", "layers"].includes(name) ? Number(text) : text;
}

/** @param {URLSearchParams} fields @returns {Game} */
function readGame(fields) {
  const { rules, cells, toMove, check } = readRequest(requestIn(fields), PRESETS[FIRST_GAME]);
  check();
  const game = new Game({ rules, cells, toMove });
  const moves = fields.get("moves") ?? fields.get("pos");
  const isTiles = isOld(fields) || /^\d+(\.\d+)+$/.test(moves ?? "");
  const shown = moves ? fromMoves(rules, isTiles ? moves.split(".").map(Number) : moves, game) : game;
  const [tree, at] = [fields.get("tree"), fields.get("at")];
  const whole = tree ? fromMoves(rules, tree, game).on(shown.moves) : shown;
  if (at === null) return whole;
  return /^\d+$/.test(at) && Number(at) <= whole.moves.length ? whole.at(Number(at)) : refuse("field", { field: "at" });
}
