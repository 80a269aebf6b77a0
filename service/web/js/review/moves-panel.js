/** The panel with the moves of the game in pairs and, once they have been reviewed, a grade for each and a graph. */

import { pieceIcon } from "../board/pieces.js";
import { attribute, h, iconButton, times } from "../shared/dom.js";
import { moveInWords, moveName, sideName, skinOf } from "../shared/notation.js";
import { cellIndex } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { currentReview, reviewedMove } from "../shared/state.js";
import { GRADES, valueWords } from "../shared/words.js";
import { Chart } from "./chart.js";
import { summaryTable } from "./summary.js";
/** @import { Game } from "../shared/game.js" */
/** @import { PageStore, Review, State } from "../shared/state.js" */
/** @import { Reviewer } from "./reviewer.js" */

export class MovesPanel {
  /** @type {unknown[]} what the list was built from */
  #built = [];

  /** @param {HTMLElement} root @param {PageStore} store @param {(shown: number) => void} onShow
   * @param {Reviewer} reviewer */
  constructor(root, store, onShow, reviewer) {
    this.store = store;
    this.onShow = onShow;
    this.chart = new Chart(onShow);
    this.review = h("button", { type: "button", onclick: () => reviewer.review() });
    this.bar = h("progress", { "aria-label": say("review.bar") });
    this.progressWords = h("span", {});
    this.progress = h("div", { class: "review-progress" }, this.bar, this.progressWords);
    this.note = h("p", { class: "review-note", "aria-live": "polite" });
    this.longer = h("button", { type: "button", class: "small", onclick: () => reviewer.thinkLonger() });
    this.summary = h("div", { class: "review-summary" });
    this.list = h("ol", { class: "move-list", "aria-label": say("moves.title") });
    this.empty = h("p", {}, say("moves.none"));
    this.where = h("span", { class: "count" });
    this.steps = this.#steps();
    root.append(this.review, this.progress, this.empty, this.steps, this.note, this.longer);
    root.append(this.chart.element, this.summary, this.list);
    store.listen((state) => this.#render(state));
  }

  /** First, previous, next and last. */
  #steps() {
    const step = (/** @type {string} */ name, /** @type {string} */ key, /** @type {(game: Game) => number} */ to) =>
      iconButton(name, say(key), () => this.onShow(to(this.store.state.game)));
    return h("div", { class: "steps", role: "group", "aria-label": say("moves.steps") },
      step("first", "moves.first", () => 0), step("back", "moves.previous", ({ shown }) => shown - 1), this.where,
      step("next", "moves.next", ({ shown }) => shown + 1), step("last", "moves.last", ({ moves }) => moves.length));
  }

  /** @param {State} state */
  #render(state) {
    const { game } = state;
    const review = currentReview(state);
    this.empty.hidden = game.moves.length > 0;
    this.steps.hidden = game.moves.length === 0;
    const at = { number: game.shown, all: game.moves.length };
    this.where.textContent = say(game.shown ? "moves.at" : "moves.start", at);
    this.review.hidden = game.moves.length === 0 || review !== null;
    this.review.textContent = say(game.isOver ? "review.game" : "review.soFar");
    this.#renderProgress(review);
    this.#renderNote(state);
    this.#build(state, review);
    for (const button of this.list.querySelectorAll("button")) {
      attribute(button, "aria-current", Number(button.dataset.shown) === game.shown && "step");
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
    const [count, all] = [review.moves.filter(Boolean).length, review.moves.length];
    attribute(this.bar, "value", count ? count / all : null);
    this.progressWords.textContent = say(count ? "review.graded" : "review.grading", { count, all });
  }

  /** What the review says of the move shown. @param {State} state */
  #renderNote(state) {
    const graded = reviewedMove(state);
    this.note.textContent = graded ? noteWords(state.game, graded) : "";
    const deepening = state.deepening !== null;
    this.longer.hidden = !graded || (graded.graded_by === "proof" && !deepening);
    this.longer.disabled = deepening;
    this.longer.textContent = say(deepening ? "review.thinking" : "review.longer");
  }

  /** The list anew where its contents changed; else the focus in it would be lost.
   * @param {State} state @param {Review | null} review */
  #build({ game }, review) {
    if (this.#built[0] === game.moves && this.#built[1] === review?.moves) return;
    this.#built = [game.moves, review?.moves];
    // Where O begins, the first pair has only its second half.
    const offset = game.start.toMove === "X" ? 0 : 1;
    const pairs = Math.ceil((game.moves.length + offset) / 2);
    const number = (/** @type {string} */ text) => h("span", { class: "number", "aria-hidden": "true" }, text);
    const item = (/** @type {number} */ ply) =>
      (ply >= 0 && ply < game.moves.length ? this.#item(game, ply, review?.moves[ply]) : h("span", {}));
    this.list.replaceChildren(...times(pairs, (pair) =>
      h("li", {}, number(`${pair + 1}.`), item(2 * pair - offset), item(2 * pair + 1 - offset))));
  }

  /** @param {Game} game @param {number} ply @param {any} graded */
  #item(game, ply, graded) {
    const side = game.positions[ply].toMove;
    const spoken = say("moves.spoken", { number: ply + 1, side: sideName(game.rules, side) });
    const onclick = () => this.onShow(ply + 1);
    return h("button", { type: "button", class: "quiet move", "data-shown": ply + 1, onclick },
      pieceIcon(side, skinOf(game.rules)), h("span", { class: "visually-hidden" }, `${spoken} `),
      h("span", { class: "where" }, moveName(game.rules, game.moves[ply])), graded && gradeMark(graded));
  }
}

/** A grade with a sign that it is an estimate, where it is one. @param {any} graded */
function gradeMark(graded) {
  const key = `grade.${graded.grade}`;
  const mark = [h("span", { "aria-hidden": "true" }, GRADES[graded.grade]), " ", say(key)];
  const spoken = h("span", { class: "visually-hidden" }, say("grade.byEstimate"));
  if (isEstimate(graded)) mark.push(h("span", { class: "estimated", title: say("grade.byEstimate") }, " ≈", spoken));
  const title = `${say(`${key}.meaning`)}: ${valueWords(graded)}`;
  return h("span", { class: `grade ${graded.grade}`, title }, ...mark);
}

/** @param {any} graded */
function isEstimate({ graded_by: by, grade }) {
  return by === "estimate" && grade !== "unclear";
}

/** What the review says of one move. @param {Game} game @param {any} graded */
function noteWords({ rules }, graded) {
  const where = (/** @type {any} */ cell) => moveInWords(rules, cellIndex(cell, rules));
  const [side, move, value] = [sideName(rules, graded.to_move), where(graded.move), valueWords(graded)];
  const word = say(`grade.${graded.grade}`);
  const grade = isEstimate(graded) ? say("grade.estimated", { grade: word }) : word;
  const made = say("review.note", { side, move, grade, value });
  if (graded.grade === "best" || !graded.best_moves.length) return made;
  // What is not proven to be better is only what the search likes most.
  const key = graded.best_outcome === "unknown" ? "review.prefers" : "review.better";
  const outcome = say(`outcome.${graded.best_outcome}`);
  return `${made} ${say(key, { moves: graded.best_moves.map(where).join(", "), outcome })}`;
}
