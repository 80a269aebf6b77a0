/** A small board as the game tree shows it. */

import { s } from "./dom.js";
import { skinOf } from "./names.js";
import { BLOCKED, EMPTY } from "./rules.js";

/** @typedef {import("./rules.js").Position} Position */

/** @param {{position: Position, move: number | null, ending: import("./rules.js").Ending}} node */
export function miniBoard({ position, move, ending }) {
  const { rows, columns } = position.rules;
  const at = (/** @type {number} */ cell) => [(cell % columns) * 10, Math.floor(cell / columns) * 10];
  const lines = [...range(1, columns)].map((x) => `M${x * 10} 0V${rows * 10}`).join("") + [...range(1, rows)].map((y) => `M0 ${y * 10}H${columns * 10}`).join("");
  const round = skinOf(position.rules) !== "tiles";
  const blocked = [...position.cells].flatMap((mark, cell) => (mark === BLOCKED ? [s("rect", { class: "blocked", x: at(cell)[0], y: at(cell)[1], width: 10, height: 10 })] : []));
  const marks = [...position.cells].flatMap((mark, cell) => (mark === EMPTY || mark === BLOCKED ? [] : [round ? disc(mark, at(cell)) : s("path", { class: mark === "X" ? "mx" : "mo", d: markPath(mark, at(cell)) })]));
  const tiles = [...(move === null ? [] : [[move, "moved"]]), ...ending.lines.flat().map((cell) => [cell, "won"])];
  const tinted = tiles.map(([cell, name]) => s("rect", { class: String(name), x: at(Number(cell))[0], y: at(Number(cell))[1], width: 10, height: 10 }));
  return s("svg", { class: "mini", viewBox: `-1 -1 ${columns * 10 + 2} ${rows * 10 + 2}`, "aria-hidden": "true" },
    s("rect", { class: "sheet-of-paper", x: -1, y: -1, width: columns * 10 + 2, height: rows * 10 + 2, rx: 2 }), ...tinted, ...blocked, s("path", { class: "lines", d: lines }), ...marks);
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
