// The lines of a plain board, its symmetries and the order of its moves, as in kinarow/game/geometry.py.

import { linesOf } from "./lines.js";

/** What the library exports for boards of other shapes.
 * lines: the cells of each; counted: each with its flanks, where these count; order: the cells, those first that are
 * preferred among equal moves; symmetries: the cell that moves to each cell, the identity first. @param {Rules} rules */
export function geometryOf(rules) {
  const directed = linesOf(rules);
  // With goal 1 all directions have the same lines.
  const lines = rules.goal > 1 ? directed.map(({ line }) => line) : [...Array(rules.rows * rules.columns)].map((_, cell) => [cell]);
  const counted = rules.exact_goal || rules.caro || rules.renju
    ? directed.map(({ line, flanks }) => [line, flanks])
    : lines.map((line) => [line, []]);
  return { lines, counted, order: orderOf(lines, rules), symmetries: symmetriesOf(rules) };
}

/** @param {number[][]} lines @param {Rules} rules */
function orderOf(lines, { rows, columns, gravity }) {
  const through = Array(rows * columns).fill(0);
  for (const cell of lines.flat()) through[cell]++;
  const rank = (/** @type {number} */ cell) => {
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    const across = Math.abs(2 * column - columns + 1);
    return gravity ? [across, column, -row] : [-through[cell], Math.abs(2 * row - rows + 1) + across, cell];
  };
  const ranked = through.map((_, cell) => ({ cell, rank: rank(cell) }));
  return ranked.sort(({ rank: a }, { rank: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).map(({ cell }) => cell);
}

/** @param {Rules} rules */
function symmetriesOf({ rows, columns, gravity }) {
  const found = [];
  for (const isTurned of rows === columns && !gravity ? [false, true] : [false])
    for (const isFlipped of gravity ? [false] : [false, true])
      for (const isMirrored of [false, true])
        found.push(Array.from({ length: rows * columns }, (_, cell) => {
          const [row, column] = [Math.floor(cell / columns), cell % columns];
          const [there, across] = [isFlipped ? rows - 1 - row : row, isMirrored ? columns - 1 - column : column];
          return isTurned ? across * columns + there : there * columns + across;
        }));
  return found;
}
