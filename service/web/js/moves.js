/** The panel with the moves of the game and, once it has been reviewed, a grade for each. */

import { h } from "./dom.js";
import { pieceIcon, skinOf } from "./pieces.js";
import { cellIndex } from "./questions.js";
import { canReview, currentReview, has } from "./state.js";
import { GRADES, cellName, fullCellName, valueWords } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").PageStore} PageStore */

export class MovesView {
  /** @type {unknown[]} what the list was built from */
  #built = [];

  /**
   * @param {HTMLElement} root
   * @param {PageStore} store
   * @param {(shown: number) => void} onShow
   * @param {() => void} onReview
   */
  constructor(root, store, onShow, onReview) {
    this.onShow = onShow;
    this.review = h("button", { type: "button", onclick: onReview }, "Review this game");
    this.summary = h("div", { class: "review-summary" });
    this.note = h("p", { class: "review-note", "aria-live": "polite" });
    this.list = h("ol", { class: "move-list", "aria-label": "Moves" });
    this.empty = h("p", {}, "No move has been made yet.");
    root.append(this.review, this.summary, this.note, this.empty, this.list);
    store.listen((state) => this.#render(state));
  }

  /** @param {State} state */
  #render(state) {
    const { game } = state;
    const review = currentReview(state);
    this.empty.hidden = game.moves.length > 0;
    this.review.hidden = !has(state, "/review") || !canReview(game) || review !== null;
    this.review.disabled = state.reviewing;
    this.review.textContent = state.reviewing ? "Reviewing …" : game.isOver ? "Review this game" : "Review the moves so far";
    this.#build(state, review);
    [...this.list.querySelectorAll("button")].forEach((button, index) => {
      if (index + 1 === game.shown) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    this.summary.replaceChildren(...(review ? [summaryTable(review)] : []));
    this.note.textContent = review && game.shown ? noteWords(game, review.moves[game.shown - 1]) : "";
  }

  /** The list anew where its contents changed; else the focus in it would be lost. @param {State} state @param {any} review */
  #build({ game }, review) {
    if (this.#built[0] === game.moves && this.#built[1] === review) return;
    this.#built = [game.moves, review];
    this.list.replaceChildren(...game.moves.map((_, ply) => this.#item(game, ply, review?.moves[ply])));
  }

  /** @param {import("./game.js").Game} game @param {number} ply @param {any} graded */
  #item(game, ply, graded) {
    const side = game.positions[ply].toMove;
    const grade = graded ? GRADES[graded.grade] : null;
    const mark = grade && h("span", { class: `grade ${grade.name}` }, h("span", { "aria-hidden": "true" }, grade.sign), " ", grade.name);
    return h("li", {}, h("button", { type: "button", class: "quiet move", onclick: () => this.onShow(ply + 1) },
      pieceIcon(side, skinOf(game.rules)), h("span", { class: "visually-hidden" }, `Move ${ply + 1}, ${side} `),
      h("span", { class: "where" }, cellName(game.rules, game.moves[ply])), mark));
  }
}

/** How many moves of each grade a side made. @param {any} review */
function summaryTable(review) {
  const names = Object.keys(GRADES).filter((name) => review.moves.some((/** @type {any} */ move) => move.grade === name));
  const count = (/** @type {string} */ side, /** @type {string} */ name) =>
    review.moves.filter((/** @type {any} */ move) => move.to_move === side && move.grade === name).length;
  const head = h("tr", {}, h("th", { scope: "col" }, "Grade"), h("th", { scope: "col" }, "X"), h("th", { scope: "col" }, "O"));
  const rows = names.map((name) =>
    h("tr", {}, h("th", { scope: "row" }, h("span", { class: `grade ${name}` }, `${GRADES[name].sign} ${name}`), h("span", { class: "meaning" }, GRADES[name].meaning)),
      h("td", {}, String(count("X", name))), h("td", {}, String(count("O", name)))));
  return h("table", {}, h("caption", { class: "visually-hidden" }, "Grades by side"), h("thead", {}, head), h("tbody", {}, ...rows));
}

/** What the review says of one move. @param {import("./game.js").Game} game @param {any} move */
function noteWords(game, move) {
  const where = fullCellName(game.rules, cellIndex(move.move, game.rules));
  const made = `${move.to_move} ${where}: ${move.grade}, ${valueWords(move)}.`;
  const better = move.best_moves.map((/** @type {any} */ cell) => fullCellName(game.rules, cellIndex(cell, game.rules)));
  if (move.grade === "best" || !better.length) return made;
  const best = { outcome: move.best_outcome, score: move.best_score, distance: null, distance_is_bound: false, proven: move.best_outcome !== "unknown" };
  return `${made} Better: ${better.join(", ")}${best.proven ? ` (${move.best_outcome})` : ""}.`;
}
