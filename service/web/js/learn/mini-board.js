/** A small board as the game tree shows it. */

import { s } from "../shared/dom.js";
import { layerOf, skinOf } from "../shared/notation.js";
import { BLOCKED, EMPTY } from "../shared/rules.js";

/** @import { Ending, Position } from "../shared/rules.js" */

/** @param {{position: Position, move: number | null, ending: Ending}} node */
export function miniBoard({ position, move, ending }) {
  const { rows, columns, layers } = position.rules;
  // Layers stand side by side, the bottom one first.
  const corner = (/** @type {number} */ layer) => layer * (columns + 1) * 10;
  const at = (/** @type {number} */ cell) => [corner(layerOf(position.rules, cell)) + (cell % columns) * 10, (Math.floor(cell / columns) % rows) * 10];
  const [width, height] = [corner(layers) - 10, rows * 10];
  const sheet = (/** @type {number} */ layer) => s("rect", { class: "sheet-of-paper", x: corner(layer) - 1, y: -1, width: columns * 10 + 2, height: height + 2, rx: 2 });
  const grid = (/** @type {number} */ layer) => [...range(1, columns)].map((x) => `M${corner(layer) + x * 10} 0V${height}`).join("") + [...range(1, rows)].map((y) => `M${corner(layer)} ${y * 10}h${columns * 10}`).join("");
  const round = skinOf(position.rules) !== "tiles";
  const blocked = [...position.cells].flatMap((mark, cell) => (mark === BLOCKED ? [s("rect", { class: "blocked", x: at(cell)[0], y: at(cell)[1], width: 10, height: 10 })] : []));
  const marks = [...position.cells].flatMap((mark, cell) => (mark === EMPTY || mark === BLOCKED ? [] : [round ? disc(mark, at(cell)) : s("path", { class: mark === "X" ? "mx" : "mo", d: markPath(mark, at(cell)) })]));
  const tiles = [...(move === null ? [] : [[move, "moved"]]), ...ending.lines.flat().map((cell) => [cell, "won"])];
  const tinted = tiles.map(([cell, name]) => s("rect", { class: String(name), x: at(Number(cell))[0], y: at(Number(cell))[1], width: 10, height: 10 }));
  const each = [...range(0, layers)];
  return s("svg", { class: "mini", viewBox: `-1 -1 ${width + 2} ${height + 2}`, "aria-hidden": "true" },
    ...each.map(sheet), ...tinted, ...blocked, s("path", { class: "lines", d: each.map(grid).join("") }), ...marks);
}

/** @param {string} mark @param {number[]} corner */
function disc(mark, [x, y]) {
  return s("circle", { class: `disc ${mark === "X" ? "is-x" : "is-o"}`, cx: x + 5, cy: y + 5, r: 3.9 });
}

/** @param {string} mark @param {number[]} corner */
function markPath(mark, [x, y]) {
  if (mark === "X") return `M${x + 2.5} ${y + 2.5}l5 5m0 -5l-5 5`;
  return `M${x + 2.2} ${y + 5}a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0`;
}

/** @param {number} from @param {number} to */
function* range(from, to) {
  for (let i = from; i < to; i++) yield i;
}
