/** The games that the page offers: those that the server has a name for, and a few boards that have none. */

import { refuse } from "../../../../browser/read-moves.js";
import { EMPTY, RULE_FIELDS, WRITTEN, cellCount, rulesKey, rulesOf, unmarked, unusualRules } from "./rules.js";
import { capital, say } from "./say.js";

/** The games with a name. @type {Record<string, Rules>} */
export const PRESETS = readPresets();

/** Games with a name in the order of the page; those of which the page knows no words come last. */
const ORDER = [
  "tic-tac-toe", "connect-four", "gomoku", "renju", "qubic", "score-four",
  "misere-tic-tac-toe", "four-by-four", "standard-gomoku", "caro", "notakto", "treblecross",
  "torus-tic-tac-toe",
];
const FIRST = 6;
/** A game of the gallery that has a name in the API. */
const TORUS = "torus-tic-tac-toe";

/** @type {Direction[]} */
const STRAIGHT = ["horizontal", "vertical"];
/** @type {Direction[]} */
const SLANTED = ["diagonal", "antidiagonal"];

/** Boards without a name, which the API takes by their fields. @type {Offer[]} */
const GALLERY = [
  offer("no-diagonals", rulesOf(5, 5, 4, { directions: STRAIGHT })),
  offer("diagonals-only", rulesOf(5, 5, 4, { directions: SLANTED })),
  offer("blocked-centre", rulesOf(5, 5, 4), "............#............"),
  offer("torus-five", rulesOf(5, 5, 4, { wrap: "both" })),
  offer("misere-torus", rulesOf(4, 4, 3, { misere: true, wrap: "both" })),
  offer("round-tower", rulesOf(4, 5, 4, { gravity: true, wrap: "rows" })),
  offer("staircase", rulesOf(5, 6, 4, { gravity: true }), `${"......".repeat(3)}....##..####`),
  offer("just-four", rulesOf(5, 6, 4, { gravity: true, exact_goal: true })),
  offer("hollow-cube", rulesOf(3, 3, 3, { layers: 3 }), `${EMPTY.repeat(13)}#${EMPTY.repeat(13)}`),
];

export const GAMES = [...named(), ...GALLERY];

export const CUSTOM = { name: say("game.custom"), short: say("game.custom.rules") };

/** @param {string} game @throws {Misread} where no game has this name */
export function namedRules(game) {
  return Object.hasOwn(PRESETS, game) ? PRESETS[game] : refuse("noGame", { game });
}

/** The preset that these rules are, size included, or null. @param {Rules} rules @returns {string | null} */
export function presetOf(rules) {
  const key = rulesKey(rules);
  return Object.keys(PRESETS).find((name) => rulesKey(PRESETS[name]) === key) ?? null;
}

/** Whether the service proves every position of a game at once. @param {Rules} rules */
export function isSolved(rules) {
  return cellCount(rules) <= WRITTEN.solved.cells || WRITTEN.solved.games.includes(presetOf(rules) ?? "");
}

/** Rules as fields of the API: a preset's name, or all that are unusual.
 * @param {Rules} rules @returns {Record<string, any>} */
export function rulesFields(rules) {
  const game = presetOf(rules);
  return game ? { game } : unusualRules(rules);
}

/** The game that is played, or null for a game of one's own.
 * @param {{rules: Rules, cells: string}} position @returns {Offer | null} */
export function gameOf({ rules, cells }) {
  const [key, board] = [rulesKey(rules), unmarked(cells)];
  return GAMES.find((each) => each.cells === board && rulesKey(each.rules) === key) ?? null;
}

/** @param {{rules: Rules, cells: string}} position */
export function gameName(position) {
  return (gameOf(position) ?? CUSTOM).name;
}

/** @param {string} id @param {Rules} rules @param {string} [cells] @param {Offer["group"]} [group] @returns {Offer} */
function offer(id, rules, cells = EMPTY.repeat(cellCount(rules)), group = "gallery") {
  return { id, ...wordsOf(id, rules), rules, cells, group };
}

/** The games with a name, those first that most visitors look for. */
function named() {
  const place = (/** @type {string} */ id) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);
  const ids = Object.keys(PRESETS).sort((a, b) => place(a) - place(b));
  const group = (/** @type {string} */ id) => (id === TORUS ? "gallery" : place(id) < FIRST ? "first" : "more");
  return ids.map((id) => offer(id, PRESETS[id], undefined, group(id)));
}

/** @returns {Record<string, Rules>} without games whose rules the page does not know */
function readPresets() {
  const all = /** @type {[string, any][]} */ (Object.entries(WRITTEN.games));
  // A rule that is newer than this page cannot be played by.
  const known = /** @type {string[]} */ (RULE_FIELDS);
  const playable = all.filter(([, fields]) => Object.keys(fields).every((field) => known.includes(field)));
  const rules = playable.map(([, { rows, columns, goal, ...switches }]) => rulesOf(rows, columns, goal, switches));
  return Object.fromEntries(playable.map(([name], at) => [name, rules[at]]));
}

/** A game that is newer than these words is called by its name in the API.
 * @param {string} id @param {Rules} rules */
function wordsOf(id, { rows, columns, goal }) {
  const key = `game.${id}`;
  if (say(key) !== key) return { name: say(key), short: say(`${key}.rules`) };
  return { name: capital(id.replaceAll("-", " ")), short: say("game.other.rules", { columns, rows, goal }) };
}
