/** Games in SGF, the format in which programs for Gomoku keep games: read as the service does, and written. */

import { presetOf } from "../shared/catalogue.js";
import { refuse } from "../../../../browser/read-moves.js";
import { BLOCKED, MAX_SIDE, WRITTEN, cellsWith, isBetween } from "../shared/rules.js";

/** The values of each property. @typedef {Map<string, string[]>} Node */

/** The most moves of a game. */
const MOST_MOVES = MAX_SIDE ** 2;
const GOMOKU = "4";
/** What the property RU calls games of its kind; others have the rules that a reader is told. */
const RULES = /** @type {Record<string, string>} */ ({
  "gomoku": "Gomoku", "standard-gomoku": "Standard", "renju": "Renju", "caro": "Caro",
});
const TABLES = WRITTEN.reading;
/** X is black. */
const COLOURS = Object.fromEntries(Object.entries(TABLES.sgf_sides).map(([colour, side]) => [side, colour]));

/** @returns {never} */
export function wrong() {
  return refuse("record");
}

/** The main line of the first game in a text.
 * @param {string} text @param {number} begin where it begins @returns {Written} */
export function readSgf(text, begin) {
  const nodes = mainLine(text, begin);
  const root = nodes[0] ?? new Map();
  const { stones, points } = movesOf(nodes);
  const first = firstOf(nodes, points[0]?.side ?? null);
  const rules = TABLES.sgf_rules[wordsIn(root, "RU").toLowerCase()];
  return {
    points, stones,
    fields: { ...sizeOf(root), ...(first && { first }), ...(rules && { game: rules }) },
    isOther: root.has("GM") && wordsIn(root, "GM") !== GOMOKU,
    players: { X: wordsIn(root, "PB") || null, O: wordsIn(root, "PW") || null },
    result: wordsIn(root, "RE") || null,
  };
}

/** The nodes of the first game's main line: each variation goes on with its first one.
 * @param {string} text @param {number} begin @returns {Node[]} */
function mainLine(text, begin) {
  const token = /\s*(?:([();])|([A-Za-z]+)|\[([^\\\]]*(?:\\[^][^\\\]]*)*)\])/y;
  token.lastIndex = begin;
  /** @type {Node[]} */
  const nodes = [];
  /** @type {string[] | null} those of the property that was named last */
  let values = null;
  for (let lacksValue = false; ;) {
    const [, sign, name, value] = token.exec(text) ?? wrong();
    if (value !== undefined) (values ?? wrong()).push(value);
    else if (lacksValue) wrong();
    else if (name) values = propertyOf(nodes.at(-1) ?? wrong(), name);
    else if (sign === ")") return nodes;
    else {
      values = null;
      if (sign === ";") nodes.push(new Map());
      if (nodes.length > TABLES.max_nodes) wrong();
    }
    lacksValue = Boolean(name);
  }
}

/** The list for the values of a property. @param {Node} node @param {string} name */
function propertyOf(node, name) {
  // Older files have small letters between, as in GaMe.
  const short = name.replace(/[a-z]/g, "") || wrong();
  const values = node.get(short) ?? [];
  node.set(short, values);
  return values;
}

/** @param {Node} root */
function sizeOf(root) {
  const [size] = root.get("SZ") ?? [];
  if (size === undefined) return {};
  const [, columns, rows = columns] = size.match(/^\s*(\d{1,3})\s*(?::\s*(\d{1,3})\s*)?$/) ?? wrong();
  const isSize = [rows, columns].every((side) => isBetween(Number(side), 1, MAX_SIDE));
  return isSize ? { rows: Number(rows), columns: Number(columns) } : wrong();
}

/** The stones set up before the first move, and the moves.
 * @param {Node[]} nodes @returns {{stones: BoardPoint[], points: BoardPoint[]}} */
function movesOf(nodes) {
  /** @type {BoardPoint[]} */
  const stones = [];
  /** @type {BoardPoint[]} */
  const points = [];
  for (const node of nodes) {
    for (const [name, mark] of Object.entries(TABLES.sgf_stones)) {
      for (const value of node.get(name) ?? []) {
        stones.push(...pointsOf(value).map((point) => ({ ...point, mark })));
        if (points.length || stones.length > TABLES.max_stones) wrong();
      }
    }
    const move = moveOf(node, points);
    if (move) points.push(move);
  }
  const both = [...stones, ...points];
  return both.every(({ fromBottom }) => fromBottom === both[0].fromBottom) ? { stones, points } : wrong();
}

/** @param {Node} node @param {BoardPoint[]} points of the moves before @returns {BoardPoint | null} */
function moveOf(node, points) {
  const [name, other] = Object.keys(TABLES.sgf_sides).filter((each) => node.has(each));
  const [value, more] = node.get(name) ?? [];
  if (value === undefined) return null;
  const side = TABLES.sgf_sides[name];
  if (other || more !== undefined || points.length === MOST_MOVES || points.at(-1)?.side === side) wrong();
  return { ...pointOf(value), side };
}

/** A point, or all of a rectangle aa:cc. @param {string} value @returns {BoardPoint[]} */
function pointsOf(value) {
  const [one, other = one] = value.split(/:(.*)/s, 2).map(pointOf);
  const between = (/** @type {number} */ a, /** @type {number} */ b) =>
    Array.from({ length: Math.abs(a - b) + 1 }, (_, at) => Math.min(a, b) + at);
  const rows = between(one.row, other.row);
  return between(one.column, other.column).flatMap((column) => rows.map((row) => ({ ...one, column, row })));
}

/** @param {string} value @returns {BoardPoint} */
function pointOf(value) {
  const [, letter, second, number] = value.trim().match(/^([A-Za-z])(?:([A-Za-z])|([1-9]\d?))$/) ?? wrong();
  const at = (/** @type {string} */ each) => each.toLowerCase().charCodeAt(0) - 97;
  return { column: at(letter), row: second ? at(second) : Number(number) - 1, fromBottom: !second };
}

/** The side of the first move, which PL may name too. @param {Node[]} nodes @param {Side | null} first */
function firstOf(nodes, first) {
  for (const value of nodes.flatMap((node) => node.get("PL") ?? [])) {
    const side = TABLES.sgf_beginners[value.trim().toLowerCase()[0]];
    if (!side || (first && first !== side)) wrong();
    first = side;
  }
  return first;
}

/** A text of the root on one line, without its escapes; empty where it has none. @param {Node} root @param {string} name */
function wordsIn(root, name) {
  const [value = ""] = root.get(name) ?? [];
  const text = value.replace(/\\(?:\r\n|[\r\n])/g, "").replace(/\\(.)/gs, "$1");
  return text.trim().replace(/\s+/g, " ").slice(0, TABLES.max_name);
}

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
