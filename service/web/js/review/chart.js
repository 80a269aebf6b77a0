/** The course of a game as a graph in the colours of its sides, and the summary of its review as a table. */

import { byId, h, s } from "../shared/dom.js";
import { moveInWords, sideName, skinOf } from "../shared/notation.js";
import { number, say } from "../shared/say.js";
import { currentReview, history, inCommon, reviewedMove } from "../shared/state.js";
import { GRADES, valueWords } from "../shared/words.js";

const HEIGHT = 96;
const HALF = HEIGHT / 2;
/** How far the ends of the scale are from the edge. */
const AIR = 6;
const SIDES = /** @type {const} */ (["X", "O"]);
/** The signs of moves that were not best: a disc, a triangle, a square. @type {Record<string, string>} */
const SHAPES = {
  inaccuracy: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", mistake: "M0 -5.5L6 5H-6z", blunder: "M-5 -5H5V5H-5z",
};

/** The height of a position for X, from −1 to 1, or null where nothing is known of it.
 * @typedef {{height: number, proven: boolean} | null} Point */

/** A click shows the game at that move, and a mouse over one says what it was.
 * @param {(shown: number) => void} onShow @returns {(state: State) => void} what draws it */
export function chart(onShow) {
  const element = byId("chart");
  const drawing = /** @type {SVGSVGElement} */ (element.querySelector("svg"));
  const words = /** @type {HTMLElement} */ (element.querySelector("p"));
  /** @type {State | null} */
  let seen = null;
  const plyAt = (/** @type {MouseEvent} */ { clientX }) => {
    const { left, width } = drawing.getBoundingClientRect();
    const last = seen ? reviewed(seen).moves.length : 0;
    return Math.max(0, Math.min(last, Math.round(((clientX - left) / width) * last)));
  };
  drawing.onclick = (event) => onShow(plyAt(event));
  drawing.onpointermove = (event) => seen && (words.textContent = pointWords(seen, plyAt(event)));
  drawing.onpointerleave = () => seen && (words.textContent = shownWords(seen));
  return (state) => {
    seen = state;
    const game = reviewed(state);
    const values = history(game, state.known);
    element.hidden = values.filter(Boolean).length < 2;
    byId("details").dataset.skin = skinOf(game.rules);
    drawing.setAttribute("aria-label", summary(values, game.rules));
    drawing.replaceChildren(...area(values), ...marks(state, values), cursor(inCommon(game, state.game.path), values));
    words.textContent = shownWords(state);
    byId("chart-up").textContent = say("chart.up", { side: sideName(game.rules, "X") });
    byId("chart-down").textContent = say("chart.down", { side: sideName(game.rules, "O") });
  };
}

/** The game of the graph. @param {State} state */
function reviewed(state) {
  return currentReview(state)?.game ?? state.game;
}

/** @param {number} height from −1 to 1 */
function top(height) {
  return HALF - height * (HALF - AIR);
}

/** @param {number} ply @param {Point[]} values */
function left(ply, values) {
  return `${(100 * ply) / Math.max(1, values.length - 1)}%`;
}

/** What is above the middle in the colour of one side, what is below it in that of the other, with the outline of both.
 * @param {Point[]} values */
function area(values) {
  const [last, at] = [Math.max(1, values.length - 1), (/** @type {number} */ ply) => top(values[ply]?.height ?? 0)];
  const runs = runsOf(values);
  const outline = runs.map((run) => run.map((ply, i) => `${i ? "L" : "M"}${ply} ${at(ply)}`).join("")).join("");
  const filled = runs.map((run) => `M${run[0]} ${HALF}${run.map((ply) => `L${ply} ${at(ply)}`).join("")}V${HALF}z`);
  const stretched = (/** @type {number} */ y, /** @type {number} */ height, /** @type {string} */ name,
    /** @type {string} */ d) => s("svg", { y, height, width: "100%", viewBox: `0 ${y} ${last} ${height}`,
    preserveAspectRatio: "none" }, s("path", { class: name, d }));
  return [stretched(0, HALF, "for-x", filled.join("")), stretched(HALF, HALF, "for-o", filled.join("")),
    stretched(0, HEIGHT, "zero", `M0 ${HALF}H${last}`), stretched(0, HEIGHT, "outline", outline)];
}

/** The runs of plies whose values are known. @param {Point[]} values */
function runsOf(values) {
  /** @type {number[][]} */
  const runs = [];
  values.forEach((value, ply) => {
    if (value && values[ply - 1]) runs[runs.length - 1].push(ply);
    else if (value) runs.push([ply]);
  });
  return runs;
}

/** A point for each position, and a sign where the move was not best. @param {State} state @param {Point[]} values */
function marks(state, values) {
  const moves = currentReview(state)?.moves ?? [];
  return values.flatMap((value, ply) => {
    if (!value) return [];
    const shape = SHAPES[moves[ply - 1]?.grade];
    const drawn = shape ? s("path", { class: `sign ${moves[ply - 1].grade}`, d: shape }) : s("circle", { class: "point", r: 1.5 });
    return [s("svg", { class: "at", x: left(ply, values), y: top(value.height) }, drawn)];
  });
}

/** @param {number} ply @param {Point[]} values */
function cursor(ply, values) {
  const x = left(ply, values);
  return s("line", { class: "shown", x1: x, x2: x, y1: 0, y2: HEIGHT });
}

/** A move of the game in words: 24. h8 ?? −0.57. @param {State} state @param {number} ply how many moves were made */
function pointWords(state, ply) {
  const game = reviewed(state);
  if (!ply) return say("moves.start");
  const path = game.moves.slice(0, ply);
  const graded = reviewedMove(state, path);
  const sign = graded ? [GRADES[graded.grade] ?? "", valueWords(graded)] : [];
  return [`${number(ply)}.`, moveInWords(game.rules, game.moves[ply - 1]), ...sign].filter(Boolean).join(" ");
}

/** The same of the move shown, as far as the game of the graph goes along. @param {State} state */
function shownWords(state) {
  return pointWords(state, inCommon(reviewed(state), state.game.path));
}

/** @param {Point[]} values @param {Rules} rules */
function summary(values, rules) {
  const known = values.filter((value) => value !== null);
  const ahead = (/** @type {number} */ sign) => known.filter((value) => Math.sign(value.height) === sign).length;
  const unknown = values.length - known.length;
  const [x, o] = [sideName(rules, "X"), sideName(rules, "O")];
  const counts = { all: values.length, xs: ahead(1), os: ahead(-1), even: ahead(0), count: ahead(0) };
  const all = say("chart.summary", { x, o, ...counts });
  return unknown ? `${all} ${say("chart.unknown", { count: unknown })}` : all;
}

/** Accuracy, mean loss and the number of moves of each grade, by side.
 * @param {Review} review that is done @param {Rules} rules */
export function summaryTable({ moves, summary }, rules) {
  const titles = [say("review.grade"), sideName(rules, "X"), sideName(rules, "O")];
  const head = h("tr", {}, ...titles.map((title) => h("th", { scope: "col" }, title)));
  const row = (/** @type {(Node | string)[]} */ name, /** @type {(side: "X" | "O") => string} */ of) =>
    h("tr", {}, h("th", { scope: "row" }, ...name), ...SIDES.map((side) => h("td", {}, of(side))));
  const count = (/** @type {string} */ side, /** @type {string} */ grade) =>
    moves.filter((move) => move.to_move === side && grade.includes(move.grade)).length;
  const meaning = (/** @type {string} */ words) => h("span", { class: "meaning" }, words);
  const all = Object.keys(GRADES);
  const hundredths = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const accuracy = (/** @type {string} */ side) => count(side, "best") / count(side, all.join());
  const share = (/** @type {number} */ part) => (Number.isNaN(part) ? "–" : number(part, { style: "percent" }));
  const grades = all.filter((grade) => moves.some((move) => move.grade === grade)).map((grade) => row(
    [h("span", { class: `grade ${grade}` }, `${GRADES[grade]} ${say(`grade.${grade}`)}`),
      meaning(say(`grade.${grade}.meaning`))],
    (side) => String(count(side, grade))));
  return h("table", {}, h("caption", { class: "visually-hidden" }, say("review.table")), h("thead", {}, head),
    h("tbody", {}, row([say("review.accuracy"), meaning(say("review.accuracy.meaning"))],
      (side) => share(accuracy(side))),
      summary && row([say("review.lost"), meaning(say("review.lost.meaning"))],
        (side) => (summary[side].lost === null ? "–" : number(summary[side].lost, hundredths))), ...grades));
}
