/** The panel with the moves of the game in pairs and, once they have been reviewed, a grade for each. */

import { pieceIcon } from "../board/pieces.js";
import { attribute, byId, h, onClick, times } from "../shared/dom.js";
import { moveName, sideName } from "../shared/notation.js";
import { other } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { currentReview, inCommon, isTask, reviewedMove } from "../shared/state.js";
import { isForked, lineThrough, promoted } from "../shared/variations.js";
import { GRADES, isEstimate, valueWords } from "../shared/words.js";

export class MovesPanel {
  /** @type {unknown[]} what the list was built from */
  #built = [];
  /** where the list was last scrolled for */
  #seen = "";
  course = byId("course");
  review = byId("review");
  list = byId("move-list");

  /** @param {PageStore} store @param {GameController} controller @param {() => void} review */
  constructor(store, controller, review) {
    this.store = store;
    this.controller = controller;
    onClick("review", review);
    onClick("move-first", () => controller.show(0));
    onClick("move-back", () => controller.show(store.state.game.shown - 1));
    onClick("move-next", () => controller.show(store.state.game.shown + 1));
    onClick("move-last", () => controller.show(store.state.game.moves.length));
    onClick("line-promote", () => controller.look(store.state.game.promote()));
    onClick("line-delete", () => controller.look(store.state.game.remove()));
    store.listen((state) => this.#render(state));
    // The graph of a review takes room from the list.
    new ResizeObserver(() => this.#bringIntoSight(store.state.game)).observe(this.course);
  }

  /** @param {State} state */
  #render(state) {
    const { game } = state;
    const review = currentReview(state);
    for (const id of ["first", "back"]) attribute(byId(`move-${id}`), "aria-disabled", !game.shown && "true");
    for (const id of ["next", "last"]) attribute(byId(`move-${id}`), "aria-disabled", !game.isLookingBack && "true");
    const at = { number: game.shown, all: game.moves.length };
    byId("move-count").textContent = say(game.shown ? "moves.at" : "moves.start", at);
    const isGraded = review !== null && inCommon(review.game, game.moves) === game.moves.length;
    this.review.hidden = game.moves.length === 0 || isGraded || isTask(state);
    this.review.textContent = say(game.isOver ? "review.game" : "review.soFar");
    this.review.className = game.isOver ? "primary" : "small";
    byId("lines").hidden = !isForked(game.tree);
    byId("line-promote").toggleAttribute("disabled", promoted(game.tree, game.path) === game.tree);
    byId("line-delete").toggleAttribute("disabled", game.shown === 0);
    this.#build(state, review);
    for (const button of this.list.querySelectorAll("button")) {
      attribute(button, "aria-current", button.dataset.path === game.path.join() && "step");
    }
    this.#bringIntoSight(game);
  }

  /** The move shown, in a list that scrolls by itself: where it or the room for the list has changed.
   * @param {Game} game */
  #bringIntoSight(game) {
    const seen = `${game.path} ${this.course.clientHeight}`;
    if (seen === this.#seen) return;
    this.#seen = seen;
    const current = this.list.querySelector("[aria-current]");
    if (currentReview(this.store.state)) return void current?.scrollIntoView({ block: "nearest" });
    const box = current?.getBoundingClientRect();
    const view = this.course.getBoundingClientRect();
    if (box) this.course.scrollTop += Math.max(0, box.bottom - view.bottom) - Math.max(0, view.top - box.top);
  }

  /** The list anew where its contents changed; else the focus in it would be lost.
   * @param {State} state @param {Review | null} review */
  #build(state, review) {
    const { game } = state;
    const from = [game.start, review?.moves, game.tree];
    if (from.every((part, at) => part === this.#built[at])) return;
    this.#built = from;
    // Where O begins, the first pair has only its second half.
    const offset = game.start.toMove === "X" ? 0 : 1;
    const main = lineThrough(game.tree, []);
    const pairs = main.length && Math.ceil((main.length + offset) / 2);
    const number = (/** @type {string} */ text) => h("span", { class: "number", "aria-hidden": "true" }, text);
    const item = (/** @type {number} */ ply) =>
      (ply >= 0 && ply < main.length ? this.#item(state, main.slice(0, ply + 1)) : h("span", {}));
    const aside = this.#asides(state, game.tree, [], 0);
    this.list.replaceChildren(...times(pairs, (pair) => {
      const [a, b] = [2 * pair - offset, 2 * pair + 1 - offset];
      const besides = aside.filter(({ ply }) => ply === a || ply === b).map(({ element }) => element);
      return [h("li", {}, number(`${pair + 1}.`), item(a), item(b)), ...besides];
    }).flat());
  }

  /** The variations along a line, each with those along itself; ply: where they leave the line.
   * @param {State} state @param {Branch[]} tree @param {number[]} path @param {number} depth
   * @returns {{ply: number, element: HTMLElement}[]} */
  #asides(state, tree, path, depth) {
    if (!tree.length) return [];
    const [main, ...others] = tree;
    const here = others.flatMap((branch) => {
      const from = [...path, branch.cell];
      const line = [...from, ...lineThrough(branch.next, [])];
      const items = line.slice(path.length).map((_, at) => this.#item(state, line.slice(0, path.length + at + 1)));
      const element = h("li", { class: "variation" }, ...items);
      element.style.setProperty("--depth", String(depth));
      return [element, ...this.#asides(state, branch.next, from, depth + 1).map((each) => each.element)];
    });
    return [...here.map((element) => ({ ply: path.length, element })),
      ...this.#asides(state, main.next, [...path, main.cell], depth)];
  }

  /** @param {State} state @param {number[]} path that ends with the move */
  #item(state, path) {
    const [{ game }, graded] = [state, reviewedMove(state, path)];
    const ply = path.length - 1;
    const side = ply % 2 ? other(game.start.toMove) : game.start.toMove;
    const spoken = say("moves.spoken", { number: ply + 1, side: sideName(game.rules, side) });
    const onclick = () => this.controller.look(this.store.state.game.on(path));
    return h("button", { type: "button", class: "quiet move", "data-path": path.join(), onclick },
      pieceIcon(game.rules, side), h("span", { class: "visually-hidden" }, `${spoken} `),
      h("span", { class: "where" }, moveName(game.rules, path[ply])), GRADES[graded?.grade] && gradeMark(graded));
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
