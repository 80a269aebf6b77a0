/** The panel with the moves of the game in pairs and, once they have been reviewed, a grade for each and a graph. */

import { pieceIcon } from "../board/pieces.js";
import { h, icon } from "../shared/dom.js";
import { moveInWords, moveName, sideName, skinOf } from "../shared/notation.js";
import { cellIndex } from "../shared/rules.js";
import { canReview, currentReview, reviewedMove } from "../shared/state.js";
import { GRADES, valueWords } from "../shared/words.js";
import { Chart } from "./chart.js";

/** @import { Game } from "../shared/game.js" */
/** @import { Rules } from "../shared/rules.js" */
/** @import { PageStore, Review, State } from "../shared/state.js" */
/** @import { Reviewer } from "./reviewer.js" */

export class MovesPanel {
  /** @type {unknown[]} what the list was built from */
  #built = [];

  /**
   * @param {HTMLElement} root
   * @param {PageStore} store
   * @param {(shown: number) => void} onShow
   * @param {Reviewer} reviewer
   */
  constructor(root, store, onShow, reviewer) {
    this.store = store;
    this.onShow = onShow;
    this.chart = new Chart(onShow);
    this.review = h("button", { type: "button", onclick: () => reviewer.review() }, "Review this game");
    this.bar = h("progress", { "aria-label": "Moves graded" });
    this.progressWords = h("span", {});
    this.progress = h("div", { class: "review-progress" }, this.bar, this.progressWords);
    this.note = h("p", { class: "review-note", "aria-live": "polite" });
    this.longer = h("button", { type: "button", class: "small", onclick: () => reviewer.thinkLonger() }, "Think longer");
    this.summary = h("div", { class: "review-summary" });
    this.list = h("ol", { class: "move-list", "aria-label": "Moves" });
    this.empty = h("p", {}, "No move has been made yet.");
    this.where = h("span", { class: "count" });
    this.steps = this.#steps();
    root.append(this.review, this.progress, this.empty, this.steps, this.note, this.longer, this.chart.element, this.list, this.summary);
    store.listen((state) => this.#render(state));
  }

  /** First, previous, next and last. */
  #steps() {
    const step = (/** @type {string} */ name, /** @type {string} */ words, /** @type {(game: Game) => number} */ to) =>
      h("button", { type: "button", "aria-label": words, title: words, onclick: () => this.onShow(to(this.store.state.game)) }, icon(name));
    return h("div", { class: "steps", role: "group", "aria-label": "Steps through the game" },
      step("first", "First position", () => 0), step("back", "Previous move", ({ shown }) => shown - 1), this.where,
      step("next", "Next move", ({ shown }) => shown + 1), step("last", "Last position", ({ moves }) => moves.length));
  }

  /** @param {State} state */
  #render(state) {
    const { game } = state;
    const review = currentReview(state);
    this.empty.hidden = game.moves.length > 0;
    this.steps.hidden = game.moves.length === 0;
    this.where.textContent = game.shown ? `Move ${game.shown} of ${game.moves.length}` : "Start";
    this.review.hidden = !canReview(state) || review !== null;
    this.review.textContent = game.isOver ? "Review this game" : "Review the moves so far";
    this.#renderProgress(review);
    this.#renderNote(state);
    this.#build(state, review);
    for (const button of this.list.querySelectorAll("button")) {
      if (Number(button.dataset.shown) === game.shown) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    // The graph tells who is ahead, so it is for those who have asked.
    this.chart.element.hidden = true;
    if (review || state.thinkAlong) this.chart.render(state);
    this.summary.replaceChildren(...(review?.isDone ? [summaryTable(review, game.rules)] : []));
  }

  /** @param {Review | null} review */
  #renderProgress(review) {
    this.progress.hidden = !review || review.isDone;
    if (!review || review.isDone) return;
    const [graded, all] = [review.moves.filter(Boolean).length, review.moves.length];
    if (graded) this.bar.value = graded / all;
    else this.bar.removeAttribute("value");
    this.progressWords.textContent = graded ? `${graded} of ${all} moves graded` : `Grading ${all} moves …`;
  }

  /** What the review says of the move shown. @param {State} state */
  #renderNote(state) {
    const graded = reviewedMove(state);
    this.note.textContent = graded ? noteWords(state.game, graded) : "";
    const deepening = state.deepening !== null;
    this.longer.hidden = !graded || !state.reviewsBoards || (isCertain(graded) && !deepening);
    this.longer.disabled = deepening;
    this.longer.textContent = deepening ? "Thinking longer …" : "Think longer";
  }

  /** The list anew where its contents changed; else the focus in it would be lost. @param {State} state @param {Review | null} review */
  #build({ game }, review) {
    if (this.#built[0] === game.moves && this.#built[1] === review?.moves) return;
    this.#built = [game.moves, review?.moves];
    // Where O begins, the first pair has only its second half.
    const offset = game.start.toMove === "X" ? 0 : 1;
    const pairs = Math.ceil((game.moves.length + offset) / 2);
    const item = (/** @type {number} */ ply) => (ply >= 0 && ply < game.moves.length ? this.#item(game, ply, review?.moves[ply]) : h("span", {}));
    this.list.replaceChildren(...Array.from({ length: pairs }, (_, pair) =>
      h("li", {}, h("span", { class: "number", "aria-hidden": "true" }, `${pair + 1}.`), item(2 * pair - offset), item(2 * pair + 1 - offset))));
  }

  /** @param {Game} game @param {number} ply @param {any} graded */
  #item(game, ply, graded) {
    const side = game.positions[ply].toMove;
    const name = sideName(game.rules, side);
    return h("button", { type: "button", class: "quiet move", "data-shown": ply + 1, onclick: () => this.onShow(ply + 1) },
      pieceIcon(side, skinOf(game.rules)), h("span", { class: "visually-hidden" }, `Move ${ply + 1}, ${name} `),
      h("span", { class: "where" }, moveName(game.rules, game.moves[ply])), graded && gradeMark(graded));
  }
}

/** A grade with a sign that it is an estimate, where it is one. @param {any} graded */
function gradeMark(graded) {
  const { sign, name } = GRADES[graded.grade];
  const title = `${GRADES[graded.grade].meaning}: ${valueWords(graded)}`;
  return h("span", { class: `grade ${name}`, title }, h("span", { "aria-hidden": "true" }, sign), " ", name, isEstimate(graded) ? h("span", { class: "estimated", title: "by estimate" }, " ≈", h("span", { class: "visually-hidden" }, "by estimate")) : null);
}

/** @param {any} graded */
function isEstimate({ graded_by: by, grade }) {
  return by === "estimate" && grade !== "unclear";
}

/** Whether thinking longer cannot change a grade. @param {any} graded */
function isCertain({ graded_by: by, grade, proven }) {
  return by ? by === "proof" : grade !== "unclear" && proven;
}

/** How many moves of each grade a side made. @param {Review} review @param {Rules} rules */
function summaryTable({ moves }, rules) {
  const names = Object.keys(GRADES).filter((name) => moves.some((move) => move.grade === name));
  const count = (/** @type {string} */ side, /** @type {string} */ name) => moves.filter((move) => move.to_move === side && move.grade === name).length;
  const head = h("tr", {}, h("th", { scope: "col" }, "Grade"), h("th", { scope: "col" }, sideName(rules, "X")), h("th", { scope: "col" }, sideName(rules, "O")));
  const rows = names.map((name) =>
    h("tr", {}, h("th", { scope: "row" }, h("span", { class: `grade ${name}` }, `${GRADES[name].sign} ${name}`), h("span", { class: "meaning" }, GRADES[name].meaning)),
      h("td", {}, String(count("X", name))), h("td", {}, String(count("O", name)))));
  return h("table", {}, h("caption", { class: "visually-hidden" }, "Grades by side"), h("thead", {}, head), h("tbody", {}, ...rows));
}

/** What the review says of one move. @param {Game} game @param {any} graded */
function noteWords({ rules }, graded) {
  const where = (/** @type {any} */ cell) => moveInWords(rules, cellIndex(cell, rules));
  const made = `${sideName(rules, graded.to_move)} plays ${where(graded.move)}: ${graded.grade}${isEstimate(graded) ? " (by estimate)" : ""}, ${valueWords(graded)}.`;
  if (graded.grade === "best" || !graded.best_moves.length) return made;
  const best = graded.best_outcome === "unknown" ? "" : ` (${graded.best_outcome})`;
  // What is not proven to be better is only what the search likes most.
  const told = graded.best_outcome === "unknown" ? "The search prefers" : "Better:";
  return `${made} ${told} ${graded.best_moves.map(where).join(", ")}${best}.`;
}
