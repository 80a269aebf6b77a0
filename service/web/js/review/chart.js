/** The course of a game as bars in the colours of the stones, and the summary of its review as a table. */

import { byId, h, s } from "../shared/dom.js";
import { sideName, skinOf } from "../shared/notation.js";
import { number, say } from "../shared/say.js";
import { currentReview, history, inCommon } from "../shared/state.js";
import { GRADES } from "../shared/words.js";

const HEIGHT = 64;
const LEAST_BAR = 1.5;
const SIDES = /** @type {const} */ (["X", "O"]);

/** A click shows the game at that move.
 * @param {(shown: number) => void} onShow @returns {(state: State) => void} what draws it */
export function chart(onShow) {
  const element = byId("chart");
  const drawing = /** @type {SVGSVGElement} */ (element.querySelector("svg"));
  drawing.onclick = ({ clientX }) => {
    const [{ left, width }, count] = [drawing.getBoundingClientRect(), drawing.viewBox.baseVal.width];
    onShow(Math.min(count - 1, Math.floor(((clientX - left) / width) * count)));
  };
  return (state) => {
    const game = currentReview(state)?.game ?? state.game;
    const values = history(game, state.known);
    element.hidden = values.every((value) => value === null);
    element.dataset.skin = skinOf(game.rules);
    drawing.setAttribute("viewBox", `0 0 ${values.length} ${HEIGHT}`);
    drawing.setAttribute("aria-label", summary(values, game.rules));
    drawing.replaceChildren(
      s("rect", { class: "shown", x: inCommon(game, state.game.path), y: 0, width: 1, height: HEIGHT }),
      s("path", { class: "zero", d: `M0 ${HEIGHT / 2}H${values.length}` }),
      ...values.flatMap((value, ply) => (value ? bar(value, ply) : [])),
    );
    byId("chart-up").textContent = say("chart.up", { side: sideName(game.rules, "X") });
    byId("chart-down").textContent = say("chart.down", { side: sideName(game.rules, "O") });
  };
}

/** @param {{height: number, proven: boolean}} value @param {number} ply */
function bar({ height, proven }, ply) {
  const size = Math.max(LEAST_BAR, (Math.abs(height) * HEIGHT) / 2);
  const top = height >= 0 ? HEIGHT / 2 - size : HEIGHT / 2;
  const side = height > 0 ? "for-x" : height < 0 ? "for-o" : "even";
  const place = { x: ply + 0.12, y: height === 0 ? top + size / 2 : top, width: 0.76, height: size };
  return s("rect", { class: `bar ${side}${proven ? "" : " estimated"}`, ...place });
}

/** @param {({height: number, proven: boolean} | null)[]} values @param {Rules} rules */
function summary(values, rules) {
  const known = values.filter((value) => value !== null);
  const ahead = (/** @type {number} */ sign) => known.filter((value) => Math.sign(value.height) === sign).length;
  const unknown = values.length - known.length;
  const [x, o] = [sideName(rules, "X"), sideName(rules, "O")];
  const all = say("chart.summary", { all: values.length, x, o, xs: ahead(1), os: ahead(-1), even: ahead(0) });
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
  const accuracy = (/** @type {string} */ side) => count(side, "best") / count(side, all.join());
  const grades = all.filter((grade) => moves.some((move) => move.grade === grade)).map((grade) => row(
    [h("span", { class: `grade ${grade}` }, `${GRADES[grade]} ${say(`grade.${grade}`)}`),
      meaning(say(`grade.${grade}.meaning`))],
    (side) => String(count(side, grade))));
  return h("table", {}, h("caption", { class: "visually-hidden" }, say("review.table")), h("thead", {}, head),
    h("tbody", {}, row([say("review.accuracy"), meaning(say("review.accuracy.meaning"))],
      (side) => number(accuracy(side), { style: "percent" })),
      summary && row([say("review.lost"), meaning(say("review.lost.meaning"))],
        (side) => lostWords(summary[side].lost)), ...grades));
}

/** @param {number | null} lost */
function lostWords(lost) {
  return lost === null ? "–" : number(lost, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
