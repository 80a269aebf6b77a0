/** The rules of a game on the client: what is legal, who has completed a line, when it is over; no page, no server. */

/** @typedef {"X" | "O"} Side */
/** @typedef {"." | Side} Mark */

/**
 * The rules of one game, with the names and meanings of the API.
 * @typedef {object} Rules
 * @property {number} rows 1 to 25
 * @property {number} columns 1 to 25
 * @property {number} goal marks in a row that end the game
 * @property {boolean} gravity marks fall to the lowest empty row of a column
 * @property {boolean} misere completing a line loses
 * @property {boolean} exact_goal only exactly `goal` in a row is a line
 */

/**
 * A board and whose turn it is; never changed once made.
 * @typedef {object} Position
 * @property {Rules} rules
 * @property {string} cells row by row, one of `X`, `O` and `.` a cell
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

/** @type {Record<string, Rules>} */
export const PRESETS = {
  "tic-tac-toe": rulesOf(3, 3, 3),
  "misere-tic-tac-toe": rulesOf(3, 3, 3, { misere: true }),
  "four-by-four": rulesOf(4, 4, 4),
  "connect-four": rulesOf(6, 7, 4, { gravity: true }),
  gomoku: rulesOf(15, 15, 5),
  "standard-gomoku": rulesOf(15, 15, 5, { exact_goal: true }),
};

/** Right, down, down-right, down-left: as steps in row and column. */
const DIRECTIONS = [[0, 1], [1, 0], [1, 1], [1, -1]];

/**
 * Rules with every switch off unless said otherwise.
 * @param {number} rows
 * @param {number} columns
 * @param {number} goal
 * @param {Partial<Rules>} [switches]
 * @returns {Rules}
 */
export function rulesOf(rows, columns, goal, switches = {}) {
  return { rows, columns, goal, gravity: false, misere: false, exact_goal: false, ...switches };
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

/**
 * The preset that these rules are, size included, or null for a game of one's own.
 * @param {Rules} rules
 * @returns {string | null}
 */
export function presetOf(rules) {
  const key = rulesKey(rules);
  return Object.keys(PRESETS).find((name) => rulesKey(PRESETS[name]) === key) ?? null;
}

/** @param {Side} side @returns {Side} */
export function other(side) {
  return side === "X" ? "O" : "X";
}

/** @param {Rules} rules @param {Side} first @returns {Position} */
export function emptyPosition(rules, first) {
  return { rules, cells: EMPTY.repeat(rules.rows * rules.columns), toMove: first };
}

/** @param {Rules} rules */
function rulesKey({ rows, columns, goal, gravity, misere, exact_goal }) {
  return [rows, columns, goal, gravity, misere, exact_goal].join();
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
  for (const [down, right] of DIRECTIONS) {
    for (let cell = 0; cell < cells.length; cell++) {
      if (cells[cell] !== side || markAt(rules, cells, cell, -down, -right) === side) continue;
      const run = runFrom(rules, cells, cell, down, right);
      if (rules.exact_goal ? run.length === rules.goal : run.length >= rules.goal) lines.push(run);
    }
  }
  return lines.filter((line, index) => line.length > 1 || index === 0);
}

/** The mark one step from a cell, or undefined off the board. @type {(r: Rules, s: string, c: number, down: number, right: number) => string | undefined} */
function markAt(rules, cells, cell, down, right) {
  const next = step(rules, cell, down, right);
  return next === null ? undefined : cells[next];
}

/** The cell one step away, or null off the board. @type {(r: Rules, cell: number, down: number, right: number) => number | null} */
function step({ rows, columns }, cell, down, right) {
  const row = Math.floor(cell / columns) + down;
  const column = (cell % columns) + right;
  return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : null;
}

/** The longest run of one mark from a cell in one direction. @type {(r: Rules, s: string, start: number, down: number, right: number) => number[]} */
function runFrom(rules, cells, start, down, right) {
  const run = [];
  for (let at = /** @type {number | null} */ (start); at !== null && cells[at] === cells[start]; at = step(rules, at, down, right)) {
    run.push(at);
  }
  return run;
}

/**
 * What is wrong with a board as the start of a game, or null. The server judges more; this keeps a shared link honest.
 * @param {Position} position
 * @returns {"counts" | "turn" | "floating" | "over" | null}
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
  return completedLines(position, toMove).length ? "over" : null;
}

/** The index of a cell of an answer. @param {Cell} cell @param {Rules} rules */
export function cellIndex({ row, column }, { columns }) {
  return row * columns + column;
}
