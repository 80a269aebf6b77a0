/** The panel in which a position is set up: marks, whose move, clear, paste, and copies to take away. */

import { pieceIcon } from "../board/pieces.js";
import { byId, onClick } from "../shared/dom.js";
import { Game, Unreadable } from "../shared/game.js";
import { sideName, skinOf } from "../shared/notation.js";
import { readPasted } from "./pasted-text.js";
import { cleared, editOf, editProblem } from "./position-edit.js";
import { copies } from "./take-away.js";

export class PositionEditor {
  play = byId("edit-play");
  problem = byId("edit-problem");
  pasteProblem = byId("paste-problem");
  takeAway = /** @type {HTMLDetailsElement} */ (byId("take-away"));
  choices = /** @type {NodeListOf<HTMLInputElement>} */ (byId("editor").querySelectorAll("input[type=radio]"));

  /** @param {PageStore} store @param {GameController} controller */
  constructor(store, controller) {
    this.store = store;
    this.controller = controller;
    for (const radio of this.choices) {
      radio.onchange = () => this.#change((edit) => ({ ...edit, [radio.name]: radio.value }));
    }
    onClick("edit-play", () => controller.playEdited());
    onClick("edit-clear", () => this.#change(cleared));
    onClick("edit-cancel", () => store.set({ edit: null }));
    byId("paste-form").onsubmit = (event) => this.#paste(event);
    this.takeAway.ontoggle = () => this.#renderCopies(store.state);
    store.listen((state, before) => this.#render(state, before));
  }

  /** @param {State} state @param {State} before */
  #render(state, before) {
    const { edit } = state;
    byId("editor").hidden = edit === null;
    if (!edit || edit === before.edit) return;
    if (edit.rules !== before.edit?.rules) this.#renderStones(edit.rules);
    for (const radio of this.choices) radio.checked = radio.value === edit[/** @type {"tool"} */ (radio.name)];
    const problem = editProblem(edit);
    this.problem.textContent = problem ?? "";
    this.play.setAttribute("aria-disabled", String(problem !== null));
    this.#renderCopies(state);
  }

  /** @param {Rules} rules */
  #renderStones(rules) {
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (byId("editor").querySelectorAll("[data-stone]"))) {
      const side = /** @type {Side} */ (place.dataset.stone);
      place.replaceChildren(pieceIcon(side, skinOf(rules)), sideName(rules, side));
    }
    byId("edit-block").hidden = rules.renju;
  }

  /** Written out only while someone looks. @param {State} state */
  #renderCopies(state) {
    this.takeAway.querySelector(".copies")?.remove();
    const { edit } = state;
    if (edit && this.takeAway.open) this.takeAway.append(copies({ ...state, game: new Game(edit) }));
  }

  /** @param {(edit: Edit) => Edit} act */
  #change(act) {
    const { edit } = this.store.state;
    if (edit) this.store.set({ edit: act(edit) });
  }

  /** @param {Event} event */
  #paste(event) {
    event.preventDefault();
    const { game } = this.store.state;
    try {
      const pasted = readPasted(/** @type {HTMLTextAreaElement} */ (byId("paste")).value, game.rules);
      this.pasteProblem.textContent = "";
      // Moves are a game to look at and play on from; a board alone is something to go on changing.
      if (pasted.moves.length) this.controller.begin({ game: pasted }, false);
      else this.store.set({ game: new Game(pasted.start), edit: editOf(pasted.start), review: null });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.pasteProblem.textContent = error.message;
    }
  }
}
