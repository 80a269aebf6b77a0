/** Finds completed lines on a board under any rules, for the page and the engine in the browser. */

/** A step in layer, row and column. @typedef {[number, number, number]} Step */

/** @type {Record<Direction, Step>} */
const STEPS = { horizontal: [0, 0, 1], vertical: [0, 1, 0], diagonal: [0, 1, 1], antidiagonal: [0, 1, -1] };
/** Those that lead from a layer to the next. @type {Step[]} */
const RISING = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => /** @type {Step} */ ([1, down, right])));

/** @param {Side} side @returns {Side} */
export const opponent = (side) => (side === "X" ? "O" : "X");
/** @param {string} cells @param {string} mark */
export const count = (cells, mark) => cells.split(mark).length - 1;

/** A cell as answers name it. @param {number} cell @param {Size} size */
export function placeOf(cell, { rows, columns, layers }) {
  const place = { row: Math.floor(cell / columns) % rows, column: cell % columns, tile: cell + 1 };
  return layers > 1 ? { layer: Math.floor(cell / columns / rows), ...place } : place;
}

/** The side that began: the one with more marks, with equal counts the side to move.
 * @param {Position} position @returns {Side} */
export function beginner({ cells, toMove }) {
  const lead = count(cells, "X") - count(cells, "O");
  return lead === 0 ? toMove : lead > 0 ? "X" : "O";
}

/** The directions in which lines lie. @param {Rules} rules @returns {Step[]} */
const stepsOf = ({ directions, layers }) => [...directions.map((name) => STEPS[name]), ...(layers > 1 ? RISING : [])];

/** The lines of a board, direction by direction, each with the cells beyond its ends.
 * @param {Rules} rules @returns {{line: number[], flanks: number[]}[]} */
export function linesOf(rules) {
  const found = [];
  for (const step of stepsOf(rules)) {
    for (let first = 0; first < rules.rows * rules.columns * rules.layers; first++) {
      const line = [first];
      let at = walk(rules, first, step, 1);
      for (; line.length < rules.goal && at !== null && at !== first; at = walk(rules, at, step, 1)) line.push(at);
      const flanks = [walk(rules, first, step, -1), at].filter((cell) => cell !== null);
      if (line.length === rules.goal) found.push({ line, flanks });
    }
  }
  return found;
}

/** The runs of a side's marks that count as lines; core: the cells that are on all lines of the run.
 * @param {Position} position @param {Side} side @returns {{run: number[], core: number[]}[]} */
export function runsOf(position, side) {
  const { rules, cells } = position;
  const isLine = lineTest(position, side);
  const mark = rules.marks === "shared" ? "X" : side;
  const found = [];
  for (const step of stepsOf(rules)) {
    const seen = new Set();
    for (let cell = 0; cell < cells.length; cell++) {
      if (cells[cell] !== mark || seen.has(cell)) continue;
      const run = runThrough(rules, cells, cell, step);
      for (const each of run) seen.add(each);
      if (isLine(run, step)) found.push({ run, core: coreOf(rules, run, step) });
    }
  }
  return found;
}

/** @param {Rules} rules @param {number[]} run @param {Step} step */
function coreOf(rules, run, step) {
  const { goal } = rules;
  const isRing = run.length > goal && walk(rules, run[run.length - 1], step, 1) === run[0];
  return isRing ? [] : run.slice(run.length - goal, goal);
}

/** Whether a run is a line for a side.
 * @param {Position} position @param {Side} side @returns {(run: number[], step: Step) => boolean} */
function lineTest(position, side) {
  const { rules, cells } = position;
  const isExact = rules.exact_goal || (rules.renju && beginner(position) === side);
  const isClosed = (/** @type {number | null} */ end) => end !== null && cells[end] === opponent(side);
  return (run, step) => {
    if (isExact ? run.length !== rules.goal : run.length < rules.goal) return false;
    if (!rules.caro || run.length > rules.goal) return true;
    return !(isClosed(walk(rules, run[0], step, -1)) && isClosed(walk(rules, run[run.length - 1], step, 1)));
  };
}

/** The cell one step away, or null off the board.
 * @type {(r: Rules, cell: number, step: Step, way: 1 | -1) => number | null} */
function walk({ rows, columns, layers, wrap }, cell, [up, down, right], way) {
  const layer = Math.floor(cell / (rows * columns)) + way * up;
  let row = (Math.floor(cell / columns) % rows) + way * down;
  let column = (cell % columns) + way * right;
  if (wrap === "rows" || wrap === "both") column = (column + columns) % columns;
  if (wrap === "columns" || wrap === "both") row = (row + rows) % rows;
  const isInside = layer >= 0 && layer < layers && row >= 0 && row < rows && column >= 0 && column < columns;
  return isInside ? (layer * rows + row) * columns + column : null;
}

/** The longest run of one mark through a cell, in order; on a ring it begins anywhere.
 * @type {(r: Rules, s: string, cell: number, step: Step) => number[]} */
function runThrough(rules, cells, cell, step) {
  const follow = (/** @type {1 | -1} */ way) => {
    const passed = [];
    let at = walk(rules, cell, step, way);
    for (; at !== null && at !== cell && cells[at] === cells[cell]; at = walk(rules, at, step, way)) passed.push(at);
    return { passed, isRing: at === cell };
  };
  const ahead = follow(1);
  return ahead.isRing ? [cell, ...ahead.passed] : [...follow(-1).passed.reverse(), cell, ...ahead.passed];
}
