/** What a review says beside the list of moves: how far it is, the move shown in words, the graph, the statistics. */

import { attribute, byId, onClick } from "../shared/dom.js";
import { moveInWords, sideName } from "../shared/notation.js";
import { cellIndex } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { currentReview, reviewedMove, thinksAlong } from "../shared/state.js";
import { betterWords, isEstimate, resultWords, valueWords } from "../shared/words.js";
import { chart, summaryTable } from "./chart.js";

/** @typedef {import("./reviewer.js").Reviewer} Reviewer */

/** In a lost position a defence that lasts so many plies longer is told. */
const NOTED = 10;

export class ReviewPanel {
  longer = /** @type {HTMLButtonElement} */ (byId("think-longer"));
  progress = byId("review-progress");

  /** @param {PageStore} store @param {GameController} controller @param {Reviewer} reviewer */
  constructor(store, controller, reviewer) {
    this.store = store;
    this.controller = controller;
    this.chart = chart((shown) => this.#look(shown));
    onClick("think-longer", () => reviewer.thinkLonger());
    store.listen((state) => this.#render(state));
  }

  /** Shows a point of the game that was reviewed, else of the one that is shown. @param {number} shown */
  #look(shown) {
    const { state } = this.store;
    const review = currentReview(state);
    if (review) this.controller.look(state.game.on(review.game.moves.slice(0, shown)));
    else this.controller.show(shown);
  }

  /** @param {State} state */
  #render(state) {
    const review = currentReview(state);
    document.body.classList.toggle("reviewing", review !== null);
    this.#renderProgress(review);
    this.#renderNote(state);
    // The graph tells who is ahead, so it is for those who have asked.
    byId("chart").hidden = true;
    if (review || thinksAlong(state)) this.chart(state);
    byId("statistics").hidden = !review?.isDone;
    byId("review-summary").replaceChildren(...(review?.isDone ? [summaryTable(review, state.game.rules)] : []));
  }

  /** @param {Review | null} review */
  #renderProgress(review) {
    this.progress.hidden = !review || (review.isDone && !review.isCut);
    if (!review || this.progress.hidden) return;
    const [count, all] = [review.moves.filter(Boolean).length, review.moves.length];
    const [bar, words] = this.progress.children;
    bar.toggleAttribute("hidden", review.isDone);
    attribute(bar, "value", count ? count / all : null);
    words.textContent = review.isDone ? say("review.cut")
      : count ? say("review.graded", { count, all }) : say("review.grading", { count: all });
  }

  /** What the review says of the move shown. @param {State} state */
  #renderNote(state) {
    const graded = state.mistake ? null : reviewedMove(state);
    byId("review-note").hidden = !currentReview(state) || state.mistake !== null;
    byId("review-note").textContent = graded ? noteWords(state.game, graded) : "";
    const deepening = state.deepening !== null;
    this.longer.hidden = !graded || (graded.graded_by === "proof" && !deepening);
    this.longer.disabled = deepening;
    this.longer.textContent = say(deepening ? "review.thinking" : "review.longer");
  }
}

/** What the review says of one move. @param {Game} game @param {any} graded */
function noteWords(game, graded) {
  const { rules } = game;
  const where = (/** @type {any} */ cell) => moveInWords(rules, cellIndex(cell, rules));
  const [side, move, value] = [sideName(rules, graded.to_move), where(graded.move),
    game.isOver ? resultWords(game) : valueWords(graded)];
  if (graded.grade === "lost") {
    const isNoted = graded.best_score - graded.score >= NOTED;
    return [say("review.plain", { side, move, value }), isNoted && betterWords(rules, graded)].filter(Boolean).join(" ");
  }
  const word = say(`grade.${graded.grade}`);
  const sure = isEstimate(graded) ? say("grade.estimated", { grade: word }) : word;
  const missed = graded.missed && say(`review.missed.${graded.missed}`);
  const grade = missed ? say("review.missed", { grade: sure, missed }) : sure;
  const made = say("review.note", { side, move, grade, value });
  if (graded.grade === "best" || !graded.best_moves.length) return made;
  return `${made} ${betterWords(rules, graded)}`;
}
