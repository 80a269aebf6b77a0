/** The panel with the moves of the game in pairs and, once they have been reviewed, a grade for each and a graph. */

import { pieceIcon } from "../board/pieces.js";
import { attribute, h, iconButton, times } from "../shared/dom.js";
import { moveInWords, moveName, sideName, skinOf } from "../shared/notation.js";
import { cellIndex, other } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { currentReview, reviewedMove } from "../shared/state.js";
import { isForked, lineThrough, promoted } from "../shared/variations.js";
import { GRADES, valueWords } from "../shared/words.js";
import { Chart } from "./chart.js";
import { summaryTable } from "./summary.js";
/** @import { Game } from "../shared/game.js" */
/** @import { PageStore, Review, State } from "../shared/state.js" */
/** @import { Branch } from "../shared/variations.js" */
/** @import { Reviewer } from "./reviewer.js" */

export class MovesPanel {
  /** @type {unknown[]} what the list was built from */
  #built = [];

  /** @param {HTMLElement} root @param {PageStore} store @param {(shown: number) => void} onShow
   * @param {(game: Game) => void} onLook shows another line @param {Reviewer} reviewer */
  constructor(root, store, onShow, onLook, reviewer) {
    this.store = store;
    this.onLook = onLook;
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
    this.lines = this.#lineActs();
    root.append(this.review, this.progress, this.empty, this.steps, this.note, this.longer);
    root.append(this.chart.element, this.summary, this.lines, this.list);
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

  /** What can be done to the line shown, where there are several. */
  #lineActs() {
    const act = (/** @type {string} */ key, /** @type {(game: Game) => Game} */ change) => h("button",
      { type: "button", class: "small", onclick: () => this.onLook(change(this.store.state.game)) }, say(key));
    return h("div", { class: "next" }, act("lines.promote", (game) => game.promote()),
      act("lines.delete", (game) => game.remove()));
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
    this.lines.hidden = !isForked(game.tree);
    this.lines.children[0].toggleAttribute("disabled", promoted(game.tree, game.path) === game.tree);
    this.lines.children[1].toggleAttribute("disabled", game.shown === 0);
    this.#renderNote(state);
    this.#build(state, review);
    for (const button of this.list.querySelectorAll("button")) {
      attribute(button, "aria-current", button.dataset.path === game.path.join() && "step");
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
    const from = [game.moves, review?.moves, game.tree];
    if (from.every((part, at) => part === this.#built[at])) return;
    this.#built = from;
    // Where O begins, the first pair has only its second half.
    const offset = game.start.toMove === "X" ? 0 : 1;
    const main = lineThrough(game.tree, []);
    const pairs = Math.ceil((main.length + offset) / 2);
    const isGraded = (/** @type {number} */ ply) => main.slice(0, ply + 1).every((cell, at) => cell === game.moves[at]);
    const number = (/** @type {string} */ text) => h("span", { class: "number", "aria-hidden": "true" }, text);
    const item = (/** @type {number} */ ply) =>
      (ply >= 0 && ply < main.length
        ? this.#item(game, main.slice(0, ply + 1), isGraded(ply) && review?.moves[ply]) : h("span", {}));
    const aside = this.#asides(game, game.tree, [], 0);
    this.list.replaceChildren(...times(pairs, (pair) => {
      const [a, b] = [2 * pair - offset, 2 * pair + 1 - offset];
      const besides = aside.filter(({ ply }) => ply === a || ply === b).map(({ element }) => element);
      return [h("li", {}, number(`${pair + 1}.`), item(a), item(b)), ...besides];
    }).flat());
  }

  /** The variations along a line, each with those along itself; ply: where they leave the line.
   * @param {Game} game @param {Branch[]} tree @param {number[]} path @param {number} depth
   * @returns {{ply: number, element: HTMLElement}[]} */
  #asides(game, tree, path, depth) {
    if (!tree.length) return [];
    const [main, ...others] = tree;
    const here = others.flatMap((branch) => {
      const from = [...path, branch.cell];
      const line = [...from, ...lineThrough(branch.next, [])];
      const items = line.slice(path.length).map((_, at) => this.#item(game, line.slice(0, path.length + at + 1), null));
      const element = h("li", { class: "variation" }, ...items);
      element.style.setProperty("--depth", String(depth));
      return [element, ...this.#asides(game, branch.next, from, depth + 1).map((each) => each.element)];
    });
    return [...here.map((element) => ({ ply: path.length, element })),
      ...this.#asides(game, main.next, [...path, main.cell], depth)];
  }

  /** @param {Game} game @param {number[]} path that ends with the move @param {any} graded */
  #item(game, path, graded) {
    const ply = path.length - 1;
    const side = ply % 2 ? other(game.start.toMove) : game.start.toMove;
    const spoken = say("moves.spoken", { number: ply + 1, side: sideName(game.rules, side) });
    const onclick = () => this.onLook(this.store.state.game.on(path));
    return h("button", { type: "button", class: "quiet move", "data-path": path.join(), onclick },
      pieceIcon(side, skinOf(game.rules)), h("span", { class: "visually-hidden" }, `${spoken} `),
      h("span", { class: "where" }, moveName(game.rules, path[ply])), graded && gradeMark(graded));
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
