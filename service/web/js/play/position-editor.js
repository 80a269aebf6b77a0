/** The panel in which a position is set up: marks, whose move, clear, paste, and copies to take away. */

import { pieceIcon } from "../board/pieces.js";
import { gameName } from "../shared/catalogue.js";
import { byId, h, onClick } from "../shared/dom.js";
import { Misread } from "../../../../browser/read-moves.js";
import { Game, misreadWords } from "../shared/game.js";
import { movesText, sideName } from "../shared/notation.js";
import { boardText } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { readPasted } from "./pasted-text.js";
import { cleared, editNote, editOf, editProblem } from "./position-edit.js";
import { isCollection } from "./records.js";
import { copies } from "./take-away.js";

/** So much of a reading is shown where there is a choice. */
const SHOWN = 24;

export class PositionEditor {
  play = byId("edit-play");
  problem = byId("edit-problem");
  pasteProblem = byId("paste-problem");
  takeAway = /** @type {HTMLDetailsElement} */ (byId("take-away"));
  choices = /** @type {NodeListOf<HTMLInputElement>} */ (byId("editor").querySelectorAll("input[type=radio]"));
  /** @type {State["edit"]} what is on the screen; a position may be edited before this script has come */
  shown = null;

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
    store.listen((state) => this.#render(state));
  }

  /** @param {State} state */
  #render(state) {
    const [{ edit }, before] = [state, this.shown];
    this.shown = edit;
    byId("editor").hidden = edit === null;
    if (!edit || edit === before) return;
    if (edit.rules !== before?.rules) this.#renderStones(edit.rules);
    for (const radio of this.choices) radio.checked = radio.value === edit[/** @type {"tool"} */ (radio.name)];
    const problem = editProblem(edit);
    this.problem.textContent = problem ?? editNote(edit);
    this.problem.classList.toggle("note", !problem);
    this.play.setAttribute("aria-disabled", String(problem !== null));
    this.#renderCopies(state);
  }

  /** @param {Rules} rules */
  #renderStones(rules) {
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (byId("editor").querySelectorAll("[data-stone]"))) {
      const side = /** @type {Side} */ (place.dataset.stone);
      place.replaceChildren(pieceIcon(rules, side), sideName(rules, side));
    }
    byId("edit-block").hidden = rules.renju;
  }

  /** Written out only while someone looks. @param {State} state */
  #renderCopies(state) {
    if (!state.edit || !this.takeAway.open) return;
    this.takeAway.querySelector(".copies")?.remove();
    this.takeAway.append(copies({ ...state, game: new Game(state.edit) }));
  }

  /** @param {(edit: Edit) => Edit} act */
  #change(act) {
    const { edit } = this.store.state;
    if (edit) this.store.set({ edit: act(edit) });
  }

  /** @param {Event} event */
  #paste(event) {
    event.preventDefault();
    const text = /** @type {HTMLTextAreaElement} */ (byId("paste")).value;
    try {
      const readings = readPasted(text, this.store.state.game.rules);
      this.#answer("");
      if (readings.length === 1 && readings[0].isSure) this.#take(readings[0].game);
      else this.#answer(say("edit.which"), ...readings.map(({ game }) => this.#choice(game)));
      if (isCollection(text)) this.controller.client.notice.good(say("edit.first"), "note");
    } catch (error) {
      if (!(error instanceof Misread)) throw error;
      this.#answer(misreadWords(error));
    }
  }

  /** What is said below the text. @param {string} words @param {HTMLElement[]} choices */
  #answer(words, ...choices) {
    this.pasteProblem.replaceChildren(words, ...choices);
  }

  /** A button for one of the games that a text may stand for. @param {Game} game */
  #choice(game) {
    const { rules, start, moves } = game;
    const written = moves.length ? movesText(rules, moves) : boardText(start);
    const part = written.length > SHOWN ? `${written.slice(0, SHOWN)}…` : written;
    const onclick = () => {
      this.#answer("");
      this.#take(game);
    };
    return h("button", { type: "button", class: "small", onclick }, `${gameName(start)}: ${part}`);
  }

  /** Moves are a game to look at and play on from, by both sides; a board alone is something to go on changing.
   * @param {Game} game */
  #take(game) {
    const players = /** @type {const} */ ({ X: "you", O: "you" });
    if (game.moves.length) this.controller.begin({ game, players });
    else this.store.set({ game: new Game(game.start), edit: editOf(game.start), review: null });
  }
}
