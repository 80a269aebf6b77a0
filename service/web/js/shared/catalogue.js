/** The games that the page offers: those that the server has a name for, and a few boards that have none. */

import { EMPTY, RULE_FIELDS, cellCount, rulesKey, rulesOf, unmarked, unusualRules } from "./rules.js";
import { say } from "./say.js";
import { capital } from "./words.js";
/** @import { Direction, Rules } from "./rules.js" */

/** A game to choose: id, the name of the API or one of the page's own; cells, its board before the first move; group,
 * first for most, gallery for what hardly any other page has.
 * @typedef {{id: string, name: string, short: string, rules: Rules, cells: string,
 *   group: "first" | "more" | "gallery"}} Offer */

/** The games with a name. @type {Record<string, Rules>} */
export const PRESETS = readPresets();

/** Games with a name in the order of the page; those of which the page knows no words come last. */
const ORDER = [
  "tic-tac-toe", "connect-four", "gomoku", "renju", "qubic", "score-four",
  "misere-tic-tac-toe", "four-by-four", "standard-gomoku", "caro", "torus-tic-tac-toe",
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

/** The preset that these rules are, size included, or null. @param {Rules} rules @returns {string | null} */
export function presetOf(rules) {
  const key = rulesKey(rules);
  return Object.keys(PRESETS).find((name) => rulesKey(PRESETS[name]) === key) ?? null;
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

/** What the server wrote into the page, without games whose rules the page does not know.
 * @returns {Record<string, Rules>} */
function readPresets() {
  const written = document.querySelector("meta[name=presets]")?.getAttribute("content");
  const all = /** @type {[string, any][]} */ (Object.entries(JSON.parse(written || "{}")));
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
