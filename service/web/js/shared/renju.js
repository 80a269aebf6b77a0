/** The cells that Renju forbids to the side that began, by the definitions of the Renju International Federation. */

const GOAL = 5;
/** Cells each way that matter: one stone more than a five has to its end may make it an overline. */
const REACH = 5;
/** @type {[number, number][]} */
const STEPS = [[0, 1], [1, 0], [1, 1], [1, -1]];
const [EMPTY, OWN, STOP] = [0, 1, 2];

/**
 * What a stone makes in one direction.
 * @typedef {object} Made
 * @property {number} stones those in an unbroken row with it
 * @property {number} fours that it is part of
 * @property {number[]} straightening the steps from it to the cells where one more stone makes a straight four
 */

/** What was worked out for a row before: few rows occur. @type {Map<string, Made>} */
const known = new Map();

/** A board on which stones are tried, from the view of the side that began. */
export class RenjuBoard {
  /** @param {{rows: number, columns: number}} rules @param {string} cells
   * @param {string} black the mark of the side that began */
  constructor({ rows, columns }, cells, black) {
    this.rows = rows;
    this.columns = columns;
    this.cells = [...cells].map((mark) => (mark === "." ? EMPTY : mark === black ? OWN : STOP));
  }

  /** Whether the side that began may not mark an empty cell. @param {number} cell @returns {boolean} */
  isForbidden(cell) {
    return this.#tried(cell, (made) => this.#isFault(cell, made));
  }

  /** Tries a stone, and takes it back. @param {number} cell @param {(made: Made[]) => boolean} judge */
  #tried(cell, judge) {
    this.cells[cell] = OWN;
    const verdict = judge(STEPS.map((_, at) => readRow(this.#row(cell, at))));
    this.cells[cell] = EMPTY;
    return verdict;
  }

  /** Whether the stone that stands on a cell and makes this is forbidden. @param {number} cell @param {Made[]} made */
  #isFault(cell, made) {
    if (made.some(({ stones }) => stones === GOAL)) return false;
    if (made.some(({ stones }) => stones > GOAL)) return true;
    if (made.reduce((sum, { fours }) => sum + fours, 0) >= 2) return true;
    if (made.filter(({ straightening }) => straightening.length).length < 2) return false;
    // A three counts where it can become a straight four by a stone that is not forbidden in its turn.
    const isThree = (/** @type {Made} */ { straightening }, /** @type {number} */ at) =>
      straightening.some((steps) => this.#mayStraighten(this.#cellAt(cell, at, steps)));
    return made.filter(isThree).length >= 2;
  }

  /** @param {number} cell @returns {boolean} */
  #mayStraighten(cell) {
    return this.#tried(cell, (made) => !made.some(({ stones }) => stones === GOAL) && !this.#isFault(cell, made));
  }

  /** The cell `steps` steps away in a direction; the number of cells beyond the edge.
   * @param {number} cell @param {number} direction @param {number} steps */
  #cellAt(cell, direction, steps) {
    const [down, right] = STEPS[direction];
    const [row, column] = [Math.floor(cell / this.columns) + steps * down, (cell % this.columns) + steps * right];
    const isInside = row >= 0 && row < this.rows && column >= 0 && column < this.columns;
    return isInside ? row * this.columns + column : this.cells.length;
  }

  /** The cells within reach in a direction, the stone in the middle. @param {number} cell @param {number} direction */
  #row(cell, direction) {
    const mark = (/** @type {number} */ steps) => this.cells[this.#cellAt(cell, direction, steps)] ?? STOP;
    return Array.from({ length: 2 * REACH + 1 }, (_, at) => mark(at - REACH));
  }
}

/** What the middle stone of a row makes. @param {number[]} row @returns {Made} */
function readRow(row) {
  const key = row.join("");
  const made = known.get(key) ?? makesInRow(row);
  known.set(key, made);
  return made;
}

/** @param {number[]} row @returns {Made} */
function makesInRow(row) {
  const stones = run(row);
  if (stones >= GOAL) return { stones, fours: 0, straightening: [] };
  const fives = empties(row).filter((place) => run(withStone(row, place)) === GOAL);
  const isStraight = stones === GOAL - 1 && fives.length === 2;
  if (fives.length) return { stones, fours: isStraight ? 1 : fives.length, straightening: [] };
  const places = empties(row).filter((place) => isStraightFour(withStone(row, place)));
  return { stones, fours: 0, straightening: places.map((place) => place - REACH) };
}

/** Whether the middle stone is part of an unbroken four that becomes a five in two ways. @param {number[]} row */
function isStraightFour(row) {
  return run(row) === GOAL - 1 && empties(row).filter((place) => run(withStone(row, place)) === GOAL).length === 2;
}

/** Own stones in an unbroken row with the middle one. @param {number[]} row */
function run(row) {
  let [from, to] = [REACH, REACH];
  while (row[from - 1] === OWN) from--;
  while (row[to + 1] === OWN) to++;
  return to - from + 1;
}

/** @param {number[]} row */
function empties(row) {
  return row.flatMap((mark, place) => (mark === EMPTY ? [place] : []));
}

/** @param {number[]} row @param {number} place */
function withStone(row, place) {
  return row.map((mark, at) => (at === place ? OWN : mark));
}
