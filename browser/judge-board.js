/** Judges whether a game can come to a board, for the page and the engine in the browser, as the service does. */

const EMPTY = ".";
const BLOCKED = "#";

/** The step from a cell to the one above it where marks fall. @param {Size} size */
export function riseOf({ rows, columns, layers }) {
  return layers === 1 ? -columns : rows * columns;
}

/** Whose move it is on a board, and what is wrong with it; the first thing counts, in the order of the service.
 * @param {Pick<Rules, "gravity" | "marks" | "renju"> & Size} rules @param {string} cells
 * @param {Side | null} sent the side to move, where it is said
 * @param {(side: Side, toMove: Side) => number[][]} linesOf what a side has completed: of each line at least the
 *   cells that are on all lines of its row; in Renju they depend on who began
 * @param {boolean} [composed] whether either side may have any number of marks; the side to move is said then
 * @returns {Judged} */
export function judgeBoard(rules, cells, sent, linesOf, composed = false) {
  const [xs, os] = ["X", "O"].map((mark) => cells.split(mark).length - 1);
  const blocked = rules.renju ? cells.indexOf(BLOCKED) : -1;
  if (blocked >= 0) return { toMove: "X", wrong: "blocked", cell: blocked };
  if (rules.marks === "shared") return judgeShared(rules, cells, sent, xs, linesOf);
  if (Math.abs(xs - os) > 1 && !composed) return { toMove: "X", wrong: "counts", xs, os };
  const fallen = rules.gravity && notFallen(rules, cells);
  if (fallen) return { toMove: "X", ...fallen };
  // Where nothing says who began, neither side did: in Renju more than five in a row are then a line of each.
  const has = { X: linesOf("X", sent ?? "O"), O: linesOf("O", sent ?? "X") };
  if (has.X.length && has.O.length) return { toMove: "X", wrong: "both" };
  const usual = xs < os || (xs === os && !has.X.length) ? "X" : "O";
  const toMove = sent ?? usual;
  const last = toMove === "X" ? "O" : "X";
  if (xs !== os && toMove !== usual && !composed) return { toMove, wrong: "turn", xs, os };
  if (has[toMove].length) return { toMove, wrong: "over" };
  return { toMove, wrong: isOneMove(rules, cells, has[last]) ? null : "before" };
}

/** The same where both sides mark with X: either may be to move.
 * @param {Size & {gravity: boolean}} rules @param {string} cells @param {Side | null} sent @param {number} xs
 * @param {(side: Side, toMove: Side) => number[][]} linesOf @returns {Judged} */
function judgeShared(rules, cells, sent, xs, linesOf) {
  const toMove = sent ?? (xs % 2 ? "O" : "X");
  const strange = cells.indexOf("O");
  if (strange >= 0) return { toMove, wrong: "shared", cell: strange };
  const fallen = rules.gravity && notFallen(rules, cells);
  if (fallen) return { toMove, ...fallen };
  return { toMove, wrong: isOneMove(rules, cells, linesOf("X", toMove)) ? null : "before" };
}

/** The first cell that does not rest on anything, or a blocked one on a mark.
 * @param {Size} rules @param {string} cells @returns {{wrong: "floating" | "propped", cell: number} | null} */
function notFallen(rules, cells) {
  for (const [cell, mark] of [...cells].entries()) {
    const below = cells[cell - riseOf(rules)] ?? BLOCKED;
    if (mark === BLOCKED && below !== BLOCKED) return { wrong: "propped", cell };
    if (mark !== EMPTY && below === EMPTY) return { wrong: "floating", cell };
  }
  return null;
}

/** Whether one mark, under gravity the topmost of its stack, can have completed all lines.
 * @param {Size & {gravity: boolean}} rules @param {string} cells @param {number[][]} lines */
function isOneMove(rules, cells, lines) {
  const isTop = (/** @type {number} */ cell) => !rules.gravity || (cells[cell + riseOf(rules)] ?? EMPTY) === EMPTY;
  return !lines.length || lines[0].some((cell) => isTop(cell) && lines.every((line) => line.includes(cell)));
}
