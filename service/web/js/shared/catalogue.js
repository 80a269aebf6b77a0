/** The games that the page offers: those that the server has a name for, and a few boards that have none. */

import { EMPTY, RULE_FIELDS, cellCount, rulesKey, rulesOf, unmarked, unusualRules } from "./rules.js";
import { capital } from "./words.js";
/** @import { Direction, Rules } from "./rules.js" */

/** A game to choose: id, the name of the API or one of the page's own; cells, its board before the first move; group,
 * first for most, gallery for what hardly any other page has.
 * @typedef {{id: string, name: string, short: string, rules: Rules, cells: string,
 *   group: "first" | "more" | "gallery"}} Offer */

/** The games with a name. @type {Record<string, Rules>} */
export const PRESETS = readPresets();

/** Names and rules in short, in the order of the page. @type {Record<string, [string, string]>} */
const WORDS = {
  "tic-tac-toe": ["Tic-tac-toe", "3 × 3, three in a row"],
  "connect-four": ["Connect Four", "7 × 6, four in a row, stones fall"],
  gomoku: ["Gomoku", "15 × 15, five in a row"],
  renju: ["Renju", "15 × 15, some cells forbidden to Black"],
  qubic: ["Qubic", "4 × 4 × 4, four in a row in space"],
  "score-four": ["Score Four", "4 × 4 × 4, four in a row, balls on pegs"],
  "misere-tic-tac-toe": ["Misère tic-tac-toe", "3 × 3, three in a row loses"],
  "four-by-four": ["Four by four", "4 × 4, four in a row"],
  "standard-gomoku": ["Standard gomoku", "15 × 15, exactly five"],
  caro: ["Caro", "15 × 15, five with an open end"],
  "torus-tic-tac-toe": ["Torus tic-tac-toe", "3 × 3, opposite edges joined"],
};
const FIRST = 6;
/** A game of the gallery that has a name in the API. */
const TORUS = "torus-tic-tac-toe";

/** @type {Direction[]} */
const STRAIGHT = ["horizontal", "vertical"];
/** @type {Direction[]} */
const SLANTED = ["diagonal", "antidiagonal"];

/** Boards without a name, which the API takes by their fields. @type {Offer[]} */
const GALLERY = [
  offer("no-diagonals", "No diagonals", "5 × 5, four in a row or column", rulesOf(5, 5, 4, { directions: STRAIGHT })),
  offer("diagonals-only", "Diagonals only", "5 × 5, four on a diagonal", rulesOf(5, 5, 4, { directions: SLANTED })),
  offer("blocked-centre", "Blocked centre", "5 × 5, four in a row", rulesOf(5, 5, 4), "............#............"),
  offer("torus-five", "Five by five torus", "5 × 5, four in a row, edges joined", rulesOf(5, 5, 4, { wrap: "both" })),
  offer("misere-torus", "Misère torus", "4 × 4, three in a row loses, edges joined",
    rulesOf(4, 4, 3, { misere: true, wrap: "both" })),
  offer("round-tower", "Round tower", "5 × 4, stones fall, sides joined",
    rulesOf(4, 5, 4, { gravity: true, wrap: "rows" })),
  offer("staircase", "Staircase", "6 × 5, stones fall onto steps", rulesOf(5, 6, 4, { gravity: true }),
    `${"......".repeat(3)}....##..####`),
  offer("just-four", "Just four", "6 × 5, stones fall, five do not count",
    rulesOf(5, 6, 4, { gravity: true, exact_goal: true })),
  offer("hollow-cube", "Hollow cube", "3 × 3 × 3 without its middle", rulesOf(3, 3, 3, { layers: 3 }),
    `${EMPTY.repeat(13)}#${EMPTY.repeat(13)}`),
];

export const GAMES = [...named(), ...GALLERY];

export const CUSTOM = { name: "Your own game", short: "Any board, any goal" };

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

/** @param {string} id @param {string} name @param {string} short @param {Rules} rules @param {string} [cells]
 * @param {Offer["group"]} [group] @returns {Offer} */
function offer(id, name, short, rules, cells = EMPTY.repeat(cellCount(rules)), group = "gallery") {
  return { id, name, short, rules, cells, group };
}

/** The games with a name, those first that most visitors look for. */
function named() {
  const order = Object.keys(WORDS);
  const place = (/** @type {string} */ id) => (order.includes(id) ? order.indexOf(id) : order.length);
  const ids = Object.keys(PRESETS).sort((a, b) => place(a) - place(b));
  const group = (/** @type {string} */ id) => (id === TORUS ? "gallery" : place(id) < FIRST ? "first" : "more");
  return ids.map((id) => offer(id, ...wordsOf(id, PRESETS[id]), PRESETS[id], undefined, group(id)));
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
 * @param {string} id @param {Rules} rules @returns {[string, string]} */
function wordsOf(id, { rows, columns, goal }) {
  return WORDS[id] ?? [capital(id.replaceAll("-", " ")), `${columns} × ${rows}, ${goal} in a row`];
}
