/** A game as SGF, the format in which programs for Gomoku keep games: the moves up to the position shown. */

import { presetOf } from "../shared/catalogue.js";
import { BLOCKED, cellsWith } from "../shared/rules.js";

/** What the property RU calls games of its kind; others have the rules that a reader is told. */
const RULES = /** @type {Record<string, string>} */ ({
  "gomoku": "Gomoku", "standard-gomoku": "Standard", "renju": "Renju", "caro": "Caro",
});
/** X is black. */
const COLOURS = { X: "B", O: "W" };

/** Whether SGF has a form for a game from this board: one layer without blocked cells, a mark for each side.
 * @param {Position} start */
export function isSgf({ rules, cells }) {
  return rules.layers === 1 && rules.marks === "own" && !cells.includes(BLOCKED);
}

/** @param {Game} game one that `isSgf` */
export function sgfText({ rules, start, positions, path, ending }) {
  const { rows, columns } = rules;
  const point = (/** @type {number} */ cell) => `[${letter(cell % columns)}${letter(Math.floor(cell / columns))}]`;
  const setUp = (/** @type {Side} */ side) => cellsWith(start, (mark) => mark === side).map(point).join("");
  const properties = {
    FF: "[4]", GM: "[4]", CA: "[UTF-8]", AP: "[kinarow]", SZ: `[${columns === rows ? rows : `${columns}:${rows}`}]`,
    RU: inBrackets(RULES[presetOf(rules) ?? ""]), AB: setUp("X"), AW: setUp("O"), PL: `[${COLOURS[start.toMove]}]`,
    RE: inBrackets(ending.winner ? `${COLOURS[ending.winner]}+` : ending.state === "drawn" ? "0" : ""),
  };
  const root = Object.entries(properties).map(([name, value]) => value && name + value).join("");
  const moves = path.map((cell, at) => `;${COLOURS[positions[at].toMove]}${point(cell)}`);
  return `(;${root}${moves.join("")})`;
}

/** @param {number} at from 0 */
function letter(at) {
  return String.fromCharCode(97 + at);
}

/** @param {string} [value] */
function inBrackets(value) {
  return value ? `[${value}]` : "";
}
