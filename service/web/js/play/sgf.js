/** Games in SGF, the format in which programs for Gomoku keep games: read as the service does, and written. */

import { presetOf } from "../shared/catalogue.js";
import { BLOCKED, MAX_SIDE, WRITTEN, cellsWith, isBetween } from "../shared/rules.js";

/** A property's values with their places. @typedef {Map<string, {value: string, place: number}[]>} Node */

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

/** The main line of the first game in a text.
 * @param {string} text @param {number} begin where it begins @returns {Written} */
export function readSgf(text, begin) {
  const nodes = mainLine(text, begin);
  const root = nodes[0] ?? new Map();
  const [game] = root.get("GM") ?? [{ value: GOMOKU, place: 0 }];
  const { stones, points } = movesOf(nodes);
  const first = firstOf(nodes, points[0]?.side ?? null);
  const rules = TABLES.sgf_rules[wordsIn(root, "RU").toLowerCase()];
  return {
    points, stones,
    fields: { ...sizeOf(root), ...(first && { first }), ...(rules && { game: rules }) },
    otherGame: game.value.trim() === GOMOKU ? undefined : game.place,
    players: { X: wordsIn(root, "PB") || null, O: wordsIn(root, "PW") || null },
    result: wordsIn(root, "RE") || null,
  };
}

/** The nodes of the first game's main line: each variation goes on with its first one.
 * @param {string} text @param {number} begin @returns {Node[]} */
function mainLine(text, begin) {
  const token = /\s*(?:([();])|([A-Za-z]+)|\[([^\\\]]*(?:\\[^][^\\\]]*)*)\])/y;
  /** @type {Node[]} */
  const nodes = [];
  /** @type {{value: string, place: number}[] | null} those of the property that was named last */
  let values = null;
  let [lacksValue, at] = [false, begin];
  for (;;) {
    token.lastIndex = at;
    const [whole, sign, name, value] = token.exec(text) ?? wrong(text.length - text.slice(at).trimStart().length);
    const end = at + whole.length;
    if (value !== undefined) {
      const place = end - value.length - 1;
      (values ?? wrong(place)).push({ value, place });
    } else if (lacksValue) wrong(at);
    else if (name) values = propertyOf(nodes, name, end - name.length);
    else if (sign === ")") return nodes;
    else {
      values = null;
      if (sign === ";") nodes.push(new Map());
      if (nodes.length > TABLES.max_nodes) wrong(at);
    }
    [lacksValue, at] = [Boolean(name), end];
  }
}

/** The list for the values of a property of the last node.
 * @param {Node[]} nodes @param {string} name @param {number} place */
function propertyOf(nodes, name, place) {
  const node = nodes.at(-1) ?? wrong(place);
  // Older files have small letters between, as in GaMe.
  const short = name.replace(/[a-z]/g, "") || wrong(place);
  const values = node.get(short) ?? [];
  node.set(short, values);
  return values;
}

/** @param {Node} root */
function sizeOf(root) {
  const [size] = root.get("SZ") ?? [];
  if (!size) return {};
  const found = size.value.match(/^\s*(\d{1,3})\s*(?::\s*(\d{1,3})\s*)?$/);
  const [, columns, rows = columns] = found ?? wrong(size.place);
  const isSize = [rows, columns].every((side) => isBetween(Number(side), 1, MAX_SIDE));
  return isSize ? { rows: Number(rows), columns: Number(columns) } : wrong(size.place);
}

/** The stones set up before the first move, and the moves.
 * @param {Node[]} nodes @returns {{stones: Stone[], points: Placed[]}} */
function movesOf(nodes) {
  /** @type {Stone[]} */
  const stones = [];
  /** @type {Placed[]} */
  const points = [];
  for (const node of nodes) {
    for (const [name, mark] of Object.entries(TABLES.sgf_stones)) {
      for (const { value, place } of node.get(name) ?? []) {
        if (points.length) wrong(place);
        stones.push(...pointsOf(value, place).map((point) => ({ mark, point, place })));
        if (stones.length > TABLES.max_stones) wrong(place);
      }
    }
    const move = moveOf(node, points);
    if (move) points.push(move);
  }
  const both = [...stones, ...points];
  const last = both.findLast(({ point }) => point.fromBottom !== both[0].point.fromBottom);
  return last ? wrong(last.place) : { stones, points };
}

/** @param {Node} node @param {Placed[]} points of the moves before @returns {Placed | null} */
function moveOf(node, points) {
  const [name, other] = Object.keys(TABLES.sgf_sides).filter((each) => node.has(each));
  const [move, more] = node.get(name) ?? [];
  if (!move) return null;
  const { value, place } = move;
  if (other || more) wrong(place);
  if (points.length === MOST_MOVES) wrong(place);
  if (!value.trim()) wrong(place);
  const side = TABLES.sgf_sides[name];
  if (points.at(-1)?.side === side) wrong(place);
  return { point: pointOf(value, place), place, side };
}

/** A point, or all of a rectangle aa:cc. @param {string} value @param {number} place @returns {BoardPoint[]} */
function pointsOf(value, place) {
  const [one, other = one] = value.split(/:(.*)/s, 2).map((corner) => pointOf(corner, place));
  const between = (/** @type {number} */ a, /** @type {number} */ b) =>
    Array.from({ length: Math.abs(a - b) + 1 }, (_, at) => Math.min(a, b) + at);
  const rows = between(one.row, other.row);
  return between(one.column, other.column).flatMap((column) => rows.map((row) => ({ ...one, column, row })));
}

/** @param {string} value @param {number} place @returns {BoardPoint} */
function pointOf(value, place) {
  const found = value.trim().match(/^([A-Za-z])(?:([A-Za-z])|([1-9]\d?))$/);
  const [, letter, second, number] = found ?? wrong(place);
  const at = (/** @type {string} */ each) => each.toLowerCase().charCodeAt(0) - 97;
  const row = second ? at(second) : Number(number) - 1;
  return { column: at(letter), row, fromBottom: !second };
}

/** The side of the first move, which PL may name too. @param {Node[]} nodes @param {Side | null} first */
function firstOf(nodes, first) {
  for (const { value, place } of nodes.flatMap((node) => node.get("PL") ?? [])) {
    const side = TABLES.sgf_beginners[value.trim().toLowerCase()[0]];
    if (!side) wrong(place);
    if (first && first !== side) wrong(place);
    first = side;
  }
  return first;
}

/** A text of the root without its escapes; empty where it has none. @param {Node} root @param {string} name */
function wordsIn(root, name) {
  const [{ value }] = root.get(name) ?? [{ value: "" }];
  return oneLine(value.replace(/\\(?:\r\n|[\r\n])/g, "").replace(/\\(.)/gs, "$1"));
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

/** Something is wrong at a place of the text. */
export class WrongPlace extends Error {
  /** @param {number} place */
  constructor(place) {
    super("wrong place");
    this.place = place;
  }
}

/** @param {number} place @returns {never} */
export function wrong(place) {
  throw new WrongPlace(place);
}

/** A name on one line. @param {string} text */
function oneLine(text) {
  return text.trim().replace(/\s+/g, " ").slice(0, TABLES.max_name);
}
