/** The rules of a game on the client: what is legal, who has completed a line, when it is over; no page, no server. */

/** @typedef {"X" | "O"} Side */
/** @typedef {"." | "#" | Side} Mark */
/** @typedef {"none" | "rows" | "columns" | "both"} Wrap */
/** @typedef {"horizontal" | "vertical" | "diagonal" | "antidiagonal"} Direction */

/**
 * The rules of one game, with the names and meanings of the API.
 * @typedef {object} Rules
 * @property {number} rows 1 to 25
 * @property {number} columns 1 to 25
 * @property {number} goal marks in a row that end the game
 * @property {boolean} gravity marks fall to the lowest empty row of a column
 * @property {boolean} misere completing a line loses
 * @property {boolean} exact_goal only exactly `goal` in a row is a line
 * @property {Wrap} wrap which edges are joined: `rows` makes each row a ring
 * @property {Direction[]} directions those in which lines count, in the order of `DIRECTIONS`
 */

/**
 * A board and whose turn it is; never changed once made.
 * @typedef {object} Position
 * @property {Rules} rules
 * @property {string} cells row by row, one of `X`, `O`, `.` and `#` (blocked) a cell
 * @property {Side} toMove
 */

/**
 * How a game stands.
 * @typedef {object} Ending
 * @property {"ongoing" | "won" | "drawn"} state
 * @property {Side | null} winner by the rules in force
 * @property {number[][]} lines the completed lines, each a run of cells in order
 */

/** A cell as answers name it. @typedef {{row: number, column: number}} Cell */

export const MAX_SIDE = 25;
export const EMPTY = ".";

export const BLOCKED = "#";
/** @type {Wrap[]} */
export const WRAPS = ["none", "rows", "columns", "both"];

/** The steps in row and column. @type {Record<Direction, [number, number]>} */
const STEPS = { horizontal: [0, 1], vertical: [1, 0], diagonal: [1, 1], antidiagonal: [1, -1] };
export const DIRECTIONS = /** @type {Direction[]} */ (Object.keys(STEPS));

/**
 * Rules with every switch off unless said otherwise.
 * @param {number} rows
 * @param {number} columns
 * @param {number} goal
 * @param {Partial<Rules>} [switches]
 * @returns {Rules}
 */
export function rulesOf(rows, columns, goal, switches = {}) {
  return { rows, columns, goal, gravity: false, misere: false, exact_goal: false, wrap: "none", directions: DIRECTIONS, ...switches };
}

/**
 * What is wrong with these rules, or null.
 * @param {Rules} rules
 * @returns {"rows" | "columns" | "goal" | null} the first field that is out of its range
 */
export function wrongField(rules) {
  /** @type {(n: number, most: number) => boolean} */
  const fits = (n, most) => Number.isInteger(n) && n >= 1 && n <= most;
  if (!fits(rules.rows, MAX_SIDE)) return "rows";
  if (!fits(rules.columns, MAX_SIDE)) return "columns";
  return fits(rules.goal, Math.max(rules.rows, rules.columns)) ? null : "goal";
}

/** @param {Side} side @returns {Side} */
export function other(side) {
  return side === "X" ? "O" : "X";
}

/** @param {Rules} rules @param {Side} first @returns {Position} */
export function emptyPosition(rules, first) {
  return { rules, cells: EMPTY.repeat(rules.rows * rules.columns), toMove: first };
}

/** Names rules among all. @param {Rules} rules */
export function rulesKey({ rows, columns, goal, gravity, misere, exact_goal, wrap, directions }) {
  return [rows, columns, goal, gravity, misere, exact_goal, wrap, ...directions].join();
}

/** The cells of a board without its marks. @param {string} cells */
export function unmarked(cells) {
  return cells.replace(/[XO]/g, EMPTY);
}

/**
 * Names a position among all games: two positions have the same key only when they are the same.
 * @param {Position} position
 */
export function positionKey({ rules, cells, toMove }) {
  return `${rulesKey(rules)} ${cells} ${toMove}`;
}

/** The board as the API takes it, a string for each row. @param {Position} position @returns {string[]} */
export function boardRows({ rules, cells }) {
  return Array.from({ length: rules.rows }, (_, row) => cells.slice(row * rules.columns, (row + 1) * rules.columns));
}

/** @param {Position} position */
export function countEmpty({ cells }) {
  return cells.split(EMPTY).length - 1;
}

/**
 * The cell that a choice of this cell marks: itself, or under gravity the lowest empty one of its column.
 * @param {Position} position
 * @param {number} cell
 * @returns {number | null} null where nothing can be marked
 */
export function landing({ rules, cells }, cell) {
  if (!rules.gravity) return cells[cell] === EMPTY ? cell : null;
  let at = cells.length - rules.columns + (cell % rules.columns);
  while (at >= 0 && cells[at] !== EMPTY) at -= rules.columns;
  return at >= 0 ? at : null;
}

/**
 * The cell that a click changes while a position is set up: a mark is put down or, where it lies already, taken away.
 * @param {Position} position
 * @param {Mark} tool
 * @param {number} cell
 * @returns {number | null} under gravity the lowest free cell of the column, or for taking away its topmost mark
 */
export function editTarget(position, tool, cell) {
  const { rules, cells } = position;
  const top = topMark(position, cell);
  if (!rules.gravity) return tool === EMPTY && cells[cell] === EMPTY ? null : cell;
  return tool === EMPTY || cell === top ? top : landing(position, cell);
}

/** @param {Position} position @param {number} cell @returns {number | null} */
function topMark({ rules, cells }, cell) {
  let at = cell % rules.columns;
  while (at < cells.length && cells[at] === EMPTY) at += rules.columns;
  return at < cells.length ? at : null;
}

/** The cells that may be marked, in tile order. @param {Position} position @returns {number[]} */
export function legalMoves(position) {
  if (ending(position).state !== "ongoing") return [];
  return [...position.cells].flatMap((_, cell) => (landing(position, cell) === cell ? [cell] : []));
}

/**
 * The position after the side to move marks a cell that is legal.
 * @param {Position} position
 * @param {number} cell
 * @returns {Position}
 */
export function play({ rules, cells, toMove }, cell) {
  return { rules, cells: cells.slice(0, cell) + toMove + cells.slice(cell + 1), toMove: other(toMove) };
}

/**
 * Whether the game is over, who won and by which lines.
 * @param {Position} position
 * @returns {Ending}
 */
export function ending(position) {
  const mover = other(position.toMove);
  const lines = completedLines(position, mover);
  if (lines.length) return { state: "won", winner: position.rules.misere ? position.toMove : mover, lines };
  return { state: position.cells.includes(EMPTY) ? "ongoing" : "drawn", winner: null, lines };
}

/**
 * The runs of a side's marks that count as lines.
 * @param {Position} position
 * @param {Side} side
 * @returns {number[][]}
 */
function completedLines({ rules, cells }, side) {
  const lines = [];
  for (const direction of rules.directions) {
    const seen = new Set();
    for (let cell = 0; cell < cells.length; cell++) {
      if (cells[cell] !== side || seen.has(cell)) continue;
      const run = runThrough(rules, cells, cell, STEPS[direction]);
      for (const each of run) seen.add(each);
      if (rules.exact_goal ? run.length === rules.goal : run.length >= rules.goal) lines.push(run);
    }
  }
  return lines.filter((line, index) => line.length > 1 || index === 0);
}

/** The cell one step away, or null off the board. @type {(r: Rules, cell: number, down: number, right: number) => number | null} */
function step({ rows, columns, wrap }, cell, down, right) {
  let row = Math.floor(cell / columns) + down;
  let column = (cell % columns) + right;
  if (wrap === "rows" || wrap === "both") column = (column + columns) % columns;
  if (wrap === "columns" || wrap === "both") row = (row + rows) % rows;
  return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : null;
}

/** The longest run of one mark through a cell, in order; on a ring it begins anywhere. @type {(r: Rules, s: string, cell: number, step: [number, number]) => number[]} */
function runThrough(rules, cells, cell, [down, right]) {
  const walk = (/** @type {1 | -1} */ way) => {
    const passed = [];
    let at = step(rules, cell, way * down, way * right);
    for (; at !== null && at !== cell && cells[at] === cells[cell]; at = step(rules, at, way * down, way * right)) passed.push(at);
    return { passed, isRing: at === cell };
  };
  const ahead = walk(1);
  return ahead.isRing ? [cell, ...ahead.passed] : [...walk(-1).passed.reverse(), cell, ...ahead.passed];
}

/**
 * What is wrong with a board as the start of a game, or null. The server judges more; this keeps a shared link honest.
 * @param {Position} position
 * @returns {"counts" | "turn" | "floating" | "propped" | "over" | null} propped: a blocked cell lies on a mark
 */
export function wrongBoard(position) {
  const { rules, cells, toMove } = position;
  const xs = cells.split("X").length - 1;
  const os = cells.split("O").length - 1;
  if (Math.abs(xs - os) > 1) return "counts";
  if (xs !== os && toMove !== (xs < os ? "X" : "O")) return "turn";
  if (rules.gravity && [...cells].some((mark, cell) => mark !== EMPTY && cells[cell + rules.columns] === EMPTY)) {
    return "floating";
  }
  if (rules.gravity && [...cells].some((mark, cell) => mark === BLOCKED && (cells[cell + rules.columns] ?? BLOCKED) !== BLOCKED)) return "propped";
  return completedLines(position, toMove).length ? "over" : null;
}

/** The index of a cell of an answer. @param {Cell} cell @param {Rules} rules */
export function cellIndex({ row, column }, { columns }) {
  return row * columns + column;
}
