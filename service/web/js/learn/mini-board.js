/** A small board as the game tree shows it. */

import { s, times } from "../shared/dom.js";
import { layerOf, skinOf } from "../shared/notation.js";
import { BLOCKED, cellsWith } from "../shared/rules.js";

/** @param {{position: Position, move: number | null, ending: Ending}} node */
export function miniBoard({ position, move, ending }) {
  const { rows, columns, layers } = position.rules;
  // Layers stand side by side, the bottom one first.
  const corner = (/** @type {number} */ layer) => layer * (columns + 1) * 10;
  const at = (/** @type {number} */ cell) =>
    [corner(layerOf(position.rules, cell)) + (cell % columns) * 10, (Math.floor(cell / columns) % rows) * 10];
  const [width, height] = [corner(layers) - 10, rows * 10];
  const size = { y: -1, width: columns * 10 + 2, height: height + 2, rx: 2 };
  const sheets = times(layers, (layer) => s("rect", { class: "sheet-of-paper", x: corner(layer) - 1, ...size }));
  const down = (/** @type {number} */ x) => times(columns - 1, (i) => `M${x + (i + 1) * 10} 0V${height}`).join("");
  const across = (/** @type {number} */ x) => times(rows - 1, (i) => `M${x} ${(i + 1) * 10}h${columns * 10}`).join("");
  const lines = times(layers, (layer) => down(corner(layer)) + across(corner(layer))).join("");
  const tile = (/** @type {string} */ name) => (/** @type {number} */ cell) =>
    s("rect", { class: name, x: at(cell)[0], y: at(cell)[1], width: 10, height: 10 });
  const tinted = [...(move === null ? [] : [tile("moved")(move)]), ...ending.lines.flat().map(tile("won"))];
  const blocked = cellsWith(position, (mark) => mark === BLOCKED).map(tile("blocked"));
  const draw = skinOf(position.rules) === "tiles" ? stroked : disc;
  const marks = cellsWith(position, (mark) => "XO".includes(mark)).map((cell) => draw(position.cells[cell], at(cell)));
  return s("svg", { class: "mini", viewBox: `-1 -1 ${width + 2} ${height + 2}`, "aria-hidden": "true" },
    ...sheets, ...tinted, ...blocked, s("path", { class: "lines", d: lines }), ...marks);
}

/** @param {string} mark @param {number[]} corner */
function disc(mark, [x, y]) {
  return s("circle", { class: `disc ${mark === "X" ? "is-x" : "is-o"}`, cx: x + 5, cy: y + 5, r: 3.9 });
}

/** @param {string} mark @param {number[]} corner */
function stroked(mark, [x, y]) {
  if (mark === "X") return s("path", { class: "mx", d: `M${x + 2.5} ${y + 2.5}l5 5m0 -5l-5 5` });
  return s("path", { class: "mo", d: `M${x + 2.2} ${y + 5}a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0` });
}
