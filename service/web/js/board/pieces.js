/** How boards and marks look: three kinds of board, drawn as SVG in units of a hundred to a cell. */

import { s, times } from "../shared/dom.js";
import { columnName, layerOf, rowName, skinOf } from "../shared/notation.js";
import { isNumbered } from "../../../../browser/read-moves.js";
import { markOf } from "../shared/rules.js";
import { capital, say } from "../shared/say.js";

export const UNIT = 100;
const HOLE = 41;
/** Around boards without coordinates on that side. */
const NARROW_MARGIN = 3;
/** The same where edges are joined, beyond which the other side is seen. */
const JOINED_MARGIN = 58;
/** On wooden boards stones on the edge get a little air. */
const WOODEN_MARGIN = 12;
const STAR_RADIUS = 7;
const CORNER = 28;

/** How the layers of a board lie side by side, nearly in a square, the bottom one first: how many in a row, the steps
 * from one to the next, and the size of all. @param {Rules} rules */
export function layoutOf(rules) {
  const { rows, columns, layers } = rules;
  const across = Math.ceil(Math.sqrt(layers * rows / columns));
  const size = 1.8 * letterSize(rules);
  const [stepX, stepY] = [columns * UNIT + size, rows * UNIT + 2 * size];
  const width = Math.min(across, layers) * stepX - size;
  return { across, stepX, stepY, width, height: Math.ceil(layers / across) * stepY - 2 * size };
}

/** Where a layer begins. @param {Rules} rules @param {number} layer @returns {[number, number]} x and y */
export function cornerOf(rules, layer) {
  const { across, stepX, stepY } = layoutOf(rules);
  return [(layer % across) * stepX, Math.floor(layer / across) * stepY];
}

/** Draws something for each layer in its place.
 * @param {Rules} rules @param {(layer: number) => Element[]} draw @returns {Element[]} */
function eachLayer(rules, draw) {
  if (rules.layers === 1) return draw(0);
  const corner = (/** @type {number} */ layer) => `translate(${cornerOf(rules, layer).join(" ")})`;
  return times(rules.layers, (layer) => s("g", { transform: corner(layer) }, ...draw(layer)));
}

/** The size of coordinates, larger where cells are small so that it looks the same. @param {Rules} rules */
function letterSize({ rows, columns, layers }) {
  return 5 + 2.3 * Math.max(rows, columns) * Math.min(2, layers);
}

/** The size of small notes in cells: much alike on all boards until cells are too small, which values fill.
 * @param {Rules} rules @param {number} [most] */
export function noteSize({ rows, columns, layers }, most = 29) {
  return Math.min(most, 8 + 2.5 * Math.max(rows, columns) * Math.min(2, layers));
}

/** The space around the cells, which holds their coordinates at the left and below.
 * @param {Rules} rules @returns {{top: number, right: number, bottom: number, left: number}} */
export function marginOf(rules) {
  const wide = Math.round(1.6 * letterSize(rules));
  // Lines run through the middle of cells, so labels beside them can come nearer.
  if (isNear(rules)) return { top: WOODEN_MARGIN, right: WOODEN_MARGIN, bottom: 0.8 * wide, left: 0.8 * wide };
  const edge = rules.wrap === "none" ? NARROW_MARGIN : JOINED_MARGIN;
  if (rules.layers > 1) return { top: edge, right: edge, bottom: 2 * wide, left: wide };
  const far = Math.max(edge, wide);
  // The values of columns stand above them.
  return isNumbered(rules) ? { top: far, right: edge, bottom: far, left: edge }
    : { top: edge, right: edge, bottom: far, left: far };
}

/** Where the value of a move stands: in its cell, or above the column of its number.
 * @param {Rules} rules @param {number} cell @returns {[number, number]} x and y */
export function valuePlace(rules, cell) {
  const [x, y] = centre(rules, cell);
  return isNumbered(rules) ? [x, -0.85 * letterSize(rules)] : [x, y];
}

/** Whether coordinates lie near the board: there is nothing between them and the last line. @param {Rules} rules */
function isNear(rules) {
  return skinOf(rules) === "stones" && rules.wrap === "none" && rules.layers === 1;
}

/** The centre of a cell. @param {Rules} rules @param {number} cell @returns {[number, number]} x and y */
export function centre(rules, cell) {
  const { rows, columns, layers } = rules;
  const [left, top] = layers === 1 ? [0, 0] : cornerOf(rules, layerOf(rules, cell));
  return [left + ((cell % columns) + 0.5) * UNIT, top + ((Math.floor(cell / columns) % rows) + 0.5) * UNIT];
}

/** A mark at the origin. @param {Side} side @param {Skin} skin */
export function piece(side, skin) {
  const name = `piece ${skin} ${side === "X" ? "is-x" : "is-o"}`;
  const body = (/** @type {number} */ r) => s("circle", { class: "body", r });
  const parts = {
    tiles: () => stroked(side, 24, 26),
    stones: () => [s("circle", { class: "shade", cx: 3, cy: 5, r: 44 }), body(44)],
    discs: () => [body(45), s("circle", { class: "rim", r: 32 }), ...stroked(side, 11, 13)],
  };
  return s("g", { class: name }, ...parts[skin]());
}

/** An X with arms of this reach, or an O of this radius.
 * @param {Side} side @param {number} reach @param {number} radius */
function stroked(side, reach, radius) {
  if (side === "O") return [s("circle", { class: "stroke", r: radius, pathLength: 1, transform: "rotate(-90)" })];
  const [from, to] = [-reach, reach];
  return [
    s("path", { class: "stroke", d: `M${from} ${from}L${to} ${to}`, pathLength: 1 }),
    s("path", { class: "stroke second", d: `M${to} ${from}L${from} ${to}`, pathLength: 1 }),
  ];
}

/** A small mark of a side for use in text and buttons. @param {Rules} rules @param {Side} side */
export function pieceIcon(rules, side) {
  const skin = skinOf(rules);
  return s("svg", { class: `piece-icon ${skin}`, viewBox: "-50 -50 100 100", "aria-hidden": "true" },
    piece(markOf(rules, side), skin));
}

/** What lies under the marks. @param {Rules} rules @param {Skin} skin */
export function surface(rules, skin) {
  return s("g", { class: `surface ${skin}` }, ...eachLayer(rules, () => groundOf({ ...rules, layers: 1 }, skin)));
}

/** What lies under the marks of a layer. @param {Rules} rules @param {Skin} skin @returns {Element[]} */
function groundOf(rules, skin) {
  const [width, height] = [rules.columns * UNIT, rules.rows * UNIT];
  if (skin === "tiles") return [...eachCell(rules, tile), joinedEdges(rules)];
  if (skin === "discs") return [s("rect", { class: "well", x: 0, y: 0, width, height, rx: 30 })];
  const { top, right, bottom, left } = marginOf(rules);
  const wood = { x: -left, y: -top, width: left + width + right, height: top + height + bottom, rx: 24 };
  return [s("rect", { class: "wood", ...wood }), gridLines(rules), ...starPoints(rules), joinedEdges(rules)];
}

/** Broken lines along the edges over which lines go on. @param {Rules} rules */
function joinedEdges({ rows, columns, wrap }) {
  const [width, height] = [columns * UNIT, rows * UNIT];
  // Both stop before the corners, where they would cross.
  const [right, bottom] = [width - CORNER, height - CORNER];
  const sides = wrap === "rows" || wrap === "both" ? `M0 ${CORNER}V${bottom}M${width} ${CORNER}V${bottom}` : "";
  const ends = wrap === "columns" || wrap === "both" ? `M${CORNER} 0H${right}M${CORNER} ${height}H${right}` : "";
  return s("path", { class: "joined-edges", d: sides + ends });
}

/** A cell that is never marked, at the origin. @param {Skin} skin */
export function blockedCell(skin) {
  if (skin === "discs") return s("circle", { class: "blocked", r: HOLE + 1 });
  const half = skin === "tiles" ? 46 : 42;
  return s("rect", { class: "blocked", x: -half, y: -half, width: 2 * half, height: 2 * half, rx: 14 });
}

/** A cross on an empty cell that may not be marked. @param {[number, number]} at */
export function forbiddenMark([x, y]) {
  return s("path", { class: "forbidden", d: `M${x - 17} ${y - 17}l34 34m0 -34l-34 34` });
}

/** What lies over the marks: the front of a board that stones fall into. @param {Rules} rules @param {Skin} skin */
export function front(rules, skin) {
  const plates = skin === "discs" ? eachLayer(rules, () => plate({ ...rules, layers: 1 })) : [];
  return s("g", { class: "front" }, ...plates);
}

/** A plate with a hole for each cell. @param {Rules} rules @returns {Element[]} */
function plate(rules) {
  const { rows, columns } = rules;
  const half = (/** @type {number} */ way) => `a${HOLE} ${HOLE} 0 1 0 ${way * HOLE} 0`;
  const holes = eachCell(rules, (x, y) => `M${x - HOLE} ${y}${half(2)}${half(-2)}z`).join("");
  const arc = "a30 30 0 0 1";
  const [right, bottom] = [columns * UNIT - 30, rows * UNIT - 30];
  const outline = `M30 0H${right}${arc} 30 30V${bottom}${arc} -30 30H30${arc} -30 -30V30${arc} 30 -30z`;
  const rims = eachCell(rules, (cx, cy) => s("circle", { class: "hole-rim", cx, cy, r: HOLE }));
  return [s("path", { class: "plate", "fill-rule": "evenodd", d: outline + holes }), ...rims, joinedEdges(rules)];
}

/** The names of columns below them, and of rows beside them; below a layer its name. @param {Rules} rules */
export function coordinates(rules) {
  const { rows, columns, layers } = rules;
  const size = letterSize(rules);
  const away = (isNear(rules) ? 0.35 : 0.85) * size;
  const bottom = rows * UNIT;
  const below = () => times(columns, (i) => label((i + 0.5) * UNIT, bottom + away, size, columnName(rules, i)));
  const beside = () => times(rows, (i) => label(-away, (i + 0.5) * UNIT, size, rowName(rules, i)));
  const title = (/** @type {number} */ layer) =>
    layers > 1 ? [label((columns / 2) * UNIT, bottom + 2.1 * size, size, layerTitle(layer, layers))] : [];
  const around = (/** @type {number} */ layer) => [...below(), ...(isNumbered(rules) ? [] : beside()), ...title(layer)];
  return s("g", { class: "coordinates" }, ...eachLayer(rules, around));
}

/** @param {number} layer @param {number} layers */
function layerTitle(layer, layers) {
  const key = layer === 0 ? "cell.bottom" : layer === layers - 1 ? "cell.top" : "cell.layer";
  return capital(say(key, { number: layer + 1 }));
}

/** @param {number} x @param {number} y @param {number} size @param {string} text */
export function label(x, y, size, text) {
  return s("text", { x, y, "font-size": size, "text-anchor": "middle", "dominant-baseline": "central" }, text);
}

/** @template T @param {Rules} rules @param {(x: number, y: number) => T} make @returns {T[]} */
function eachCell(rules, make) {
  return times(rules.rows * rules.columns, (cell) => make(...centre(rules, cell)));
}

/** Whether the stroke of a line leads from one centre to the next: over joined edges it goes on at the other side, and
 * through layers on the next board. @param {[number, number]} from @param {[number, number]} to */
export function isBeside([x, y], [toX, toY]) {
  return Math.max(Math.abs(x - toX), Math.abs(y - toY)) <= UNIT;
}

/** @param {number} x @param {number} y */
function tile(x, y) {
  return s("rect", { class: "tile", x: x - 46, y: y - 46, width: 92, height: 92, rx: 14 });
}

/** @param {Rules} rules */
function gridLines({ rows, columns }) {
  const half = UNIT / 2;
  const across = times(rows, (i) => `M${half} ${half + i * UNIT}H${columns * UNIT - half}`);
  const down = times(columns, (i) => `M${half + i * UNIT} ${half}V${rows * UNIT - half}`);
  return s("path", { class: "grid-lines", d: [...across, ...down].join("") });
}

/** The points that help the eye on a large board with odd sides. @param {Rules} rules */
function starPoints(rules) {
  const { rows, columns } = rules;
  if (rows < 13 || columns < 13 || rows % 2 === 0 || columns % 2 === 0) return [];
  const spots = [[3, 3], [3, columns - 4], [(rows - 1) / 2, (columns - 1) / 2], [rows - 4, 3], [rows - 4, columns - 4]];
  return spots.map(([row, column]) => row * columns + column).map((cell) => {
    const [cx, cy] = centre(rules, cell);
    return s("circle", { class: "star", cx, cy, r: STAR_RADIUS });
  });
}
