/** Judges whether a game can come to a board, for the page and the engine in the browser, as the service does. */

import { count, opponent, runsOf } from "./lines.js";

const EMPTY = ".";
const BLOCKED = "#";

/** The step from a cell to the one above it where marks fall. @param {Size} size */
export function riseOf({ rows, columns, layers }) {
  return layers === 1 ? -columns : rows * columns;
}

/** Whose move it is on a board, and what is wrong with it; the first thing counts, in the order of the service.
 * @param {Rules} rules @param {string} cells
 * @param {Side | null} sent the side to move, where it is said
 * @param {boolean} [composed] whether either side may have any number of marks; the side to move is said then
 * @returns {Judged} */
export function judgeBoard(rules, cells, sent, composed = false) {
  const [xs, os] = [count(cells, "X"), count(cells, "O")];
  const isShared = rules.marks === "shared";
  const assumed = sent ?? (isShared && xs % 2 ? "O" : "X");
  if (isShared && os) return { toMove: assumed, wrong: "shared" };
  if (rules.renju && cells.includes(BLOCKED)) return { toMove: assumed, wrong: "blocked" };
  if (!isShared && Math.abs(xs - os) > 1 && !composed) return { toMove: assumed, wrong: "counts" };
  const fallen = rules.gravity ? notFallen(rules, cells) : null;
  if (fallen) return { toMove: assumed, wrong: fallen };
  const linesOf = (/** @type {Side} */ side, /** @type {Side} */ toMove) =>
    runsOf({ rules, cells, toMove }, side).map(({ core }) => core);
  const before = (/** @type {number[][]} */ lines) => (isOneMove(rules, cells, lines) ? null : "before");
  if (isShared) return { toMove: assumed, wrong: before(linesOf("X", assumed)) };
  // Where nothing says who began, neither side did: in Renju more than five in a row are then a line of each.
  const has = { X: linesOf("X", sent ?? "O"), O: linesOf("O", sent ?? "X") };
  if (has.X.length && has.O.length) return { toMove: assumed, wrong: "both" };
  const usual = xs < os || (xs === os && !has.X.length) ? "X" : "O";
  const toMove = sent ?? usual;
  if (xs !== os && toMove !== usual && !composed) return { toMove, wrong: "turn" };
  if (has[toMove].length) return { toMove, wrong: "over" };
  return { toMove, wrong: before(has[opponent(toMove)]) };
}

/** Whether a cell does not rest on anything, or a blocked one on a mark.
 * @param {Size} rules @param {string} cells @returns {"floating" | "propped" | null} */
function notFallen(rules, cells) {
  for (const [cell, mark] of [...cells].entries()) {
    const below = cells[cell - riseOf(rules)] ?? BLOCKED;
    if (mark === BLOCKED && below !== BLOCKED) return "propped";
    if (mark !== EMPTY && below === EMPTY) return "floating";
  }
  return null;
}

/** Whether one mark, under gravity the topmost of its stack, can have completed all lines.
 * @param {Size & {gravity: boolean}} rules @param {string} cells @param {number[][]} lines */
function isOneMove(rules, cells, lines) {
  const isTop = (/** @type {number} */ cell) => !rules.gravity || (cells[cell + riseOf(rules)] ?? EMPTY) === EMPTY;
  return !lines.length || lines[0].some((cell) => isTop(cell) && lines.every((line) => line.includes(cell)));
}
