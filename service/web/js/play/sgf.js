/** Games in SGF, the format in which programs for Gomoku keep games: read as the service does, and written. */

import { presetOf } from "../shared/catalogue.js";
import { BLOCKED, cellsWith } from "../shared/rules.js";
import { MOST_MOVES, oneLine, sizeAt, wrong } from "./record-text.js";

/** A property's values with their places. @typedef {Map<string, {value: string, place: number}[]>} Node */

const MOST_NODES = 10_000;
const MOST_STONES = 4 * MOST_MOVES;
const GOMOKU = "4";
const OTHER_GAMES = /** @type {Record<string, string>} */ ({ 1: "Go", 2: "Othello", 3: "chess", 11: "Hex" });
/** What the property RU calls games of its kind; others have the rules that a reader is told. */
const RULES = /** @type {Record<string, string>} */ ({
  "gomoku": "Gomoku", "standard-gomoku": "Standard", "renju": "Renju", "caro": "Caro",
});
/** The same with the numbers of Piskvork's `INFO rule`. */
const GAMES = /** @type {Record<string, string>} */ ({
  0: "gomoku", freestyle: "gomoku", 1: "standard-gomoku", 4: "renju", 8: "caro",
  ...Object.fromEntries(Object.entries(RULES).map(([game, name]) => [name.toLowerCase(), game])),
});
/** X is black. */
const COLOURS = { X: "B", O: "W" };
const SIDES = /** @type {Record<string, Side>} */ ({ B: "X", W: "O" });
const BEGINNERS = /** @type {Record<string, Side>} */ ({ b: "X", 1: "X", w: "O", 2: "O" });
const STONES = /** @type {Record<string, Mark>} */ ({ AB: "X", AW: "O", AE: "." });

/** The main line of the first game in a text.
 * @param {string} text @param {number} begin where it begins @returns {Written} */
export function readSgf(text, begin) {
  const nodes = mainLine(text, begin);
  const root = nodes[0] ?? new Map();
  const [game] = root.get("GM") ?? [{ value: GOMOKU, place: 0 }];
  const { stones, points } = movesOf(nodes);
  const first = firstOf(nodes, points[0]?.side ?? null);
  const rules = GAMES[wordsIn(root, "RU").toLowerCase()];
  const name = OTHER_GAMES[game.value.trim()] ?? "another game";
  const message = `GM[${game.value}] is ${name}; if its moves are of a game in a row, send game`;
  return {
    format: "sgf", assumed: "gomoku", points, stones,
    fields: { ...sizeOf(root), ...(first && { first }), ...(rules && { game: rules }) },
    otherGame: game.value.trim() === GOMOKU ? undefined : { place: game.place, message },
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
    const [whole, sign, name, value] = token.exec(text) ?? unclosed(text, at);
    const end = at + whole.length;
    if (value !== undefined) {
      const place = end - value.length - 1;
      (values ?? wrong(place, "a value without a property")).push({ value, place });
    } else if (lacksValue) wrong(at, "a property without a value");
    else if (name) values = propertyOf(nodes, name, end - name.length);
    else if (sign === ")") return nodes;
    else {
      values = null;
      if (sign === ";") nodes.push(new Map());
      if (nodes.length > MOST_NODES) wrong(at, `a main line has at most ${MOST_NODES} nodes`);
    }
    [lacksValue, at] = [Boolean(name), end];
  }
}

/** The list for the values of a property of the last node.
 * @param {Node[]} nodes @param {string} name @param {number} place */
function propertyOf(nodes, name, place) {
  const node = nodes.at(-1) ?? wrong(place, "a property before any ;");
  // Older files have small letters between, as in GaMe.
  const short = name.replace(/[a-z]/g, "") || wrong(place, `'${name}' is no property`);
  const values = node.get(short) ?? [];
  node.set(short, values);
  return values;
}

/** @param {string} text @param {number} at @returns {never} */
function unclosed(text, at) {
  const rest = text.slice(at).trimStart();
  const place = text.length - rest.length;
  if (!rest) return wrong(place, "the game is not closed by )");
  return wrong(place, rest[0] === "[" ? "a [ is not closed by ]" : `'${rest[0]}' is no SGF`);
}

/** @param {Node} root */
function sizeOf(root) {
  const [size] = root.get("SZ") ?? [];
  if (!size) return {};
  const found = size.value.match(/^\s*(\d{1,3})\s*(?::\s*(\d{1,3})\s*)?$/);
  const [, columns, rows = columns] = found ?? wrong(size.place, `'${size.value}' is no size, such as 15 or 15:13`);
  return sizeAt(rows, columns, size.place);
}

/** The stones set up before the first move, and the moves.
 * @param {Node[]} nodes @returns {{stones: Stone[], points: Placed[]}} */
function movesOf(nodes) {
  /** @type {Stone[]} */
  const stones = [];
  /** @type {Placed[]} */
  const points = [];
  for (const node of nodes) {
    for (const [name, mark] of Object.entries(STONES)) {
      for (const { value, place } of node.get(name) ?? []) {
        if (points.length) wrong(place, `stones are set up after move ${points.length}`);
        stones.push(...pointsOf(value, place).map((point) => ({ mark, point, place })));
        if (stones.length > MOST_STONES) wrong(place, `more than ${MOST_STONES} stones are set up`);
      }
    }
    const move = moveOf(node, points);
    if (move) points.push(move);
  }
  const both = [...stones, ...points];
  const last = both.findLast(({ point }) => point.fromBottom !== both[0].point.fromBottom);
  return last ? wrong(last.place, "points are written in two ways, such as hh and h8") : { stones, points };
}

/** @param {Node} node @param {Placed[]} points of the moves before @returns {Placed | null} */
function moveOf(node, points) {
  const [name, other] = ["B", "W"].filter((each) => node.has(each));
  const [move, more] = node.get(name) ?? [];
  if (!move) return null;
  const { value, place } = move;
  if (other || more) wrong(place, "a node has one move");
  if (points.length === MOST_MOVES) wrong(place, `a game has at most ${MOST_MOVES} moves`);
  if (!value.trim()) wrong(place, "a side passes, which these games do not allow");
  const side = SIDES[name];
  if (points.at(-1)?.side === side) wrong(place, `${side === "X" ? "Black" : "White"} moves twice in a row`);
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
  const why = `'${value}' is no point: two letters, as hh, or a letter and a number, as h8`;
  const [, letter, second, number] = found ?? wrong(place, why);
  const at = (/** @type {string} */ each) => each.toLowerCase().charCodeAt(0) - 97;
  const row = second ? at(second) : Number(number) - 1;
  return { column: at(letter), row, fromBottom: !second };
}

/** The side of the first move, which PL may name too. @param {Node[]} nodes @param {Side | null} first */
function firstOf(nodes, first) {
  for (const { value, place } of nodes.flatMap((node) => node.get("PL") ?? [])) {
    const side = BEGINNERS[value.trim().toLowerCase()[0]];
    if (!side) wrong(place, "PL is B or W");
    if (first && first !== side) wrong(place, "PL names the other side than the first move");
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
