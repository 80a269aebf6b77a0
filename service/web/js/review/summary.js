/** The summary of a review as a table: accuracy, mean loss and the number of moves of each grade, by side. */

import { h } from "../shared/dom.js";
import { sideName } from "../shared/notation.js";
import { number, say } from "../shared/say.js";
import { GRADES } from "../shared/words.js";

const SIDES = /** @type {const} */ (["X", "O"]);

/** @param {Review} review that is done @param {Rules} rules */
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
