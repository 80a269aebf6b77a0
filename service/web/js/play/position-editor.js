/** The panel in which a position is set up: marks, whose move, clear, paste, and copies to take away. */

import { pieceIcon } from "../board/pieces.js";
import { h } from "../shared/dom.js";
import { Game, Unreadable } from "../shared/game.js";
import { sideName, skinOf } from "../shared/notation.js";
import { BLOCKED, EMPTY } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { readPasted } from "./pasted-text.js";
import { cleared, editOf, editProblem } from "./position-edit.js";
import { copies } from "./take-away.js";
/** @import { Mark, Rules, Side } from "../shared/rules.js" */
/** @import { Edit, PageStore, State } from "../shared/state.js" */
/** @import { GameController } from "./game-controller.js" */

export class PositionEditor {
  /** @param {HTMLElement} root @param {PageStore} store @param {GameController} controller */
  constructor(root, store, controller) {
    this.root = root;
    this.store = store;
    this.controller = controller;
    this.tools = h("div", { class: "segments", role: "radiogroup", "aria-label": say("edit.tools") });
    this.toMove = h("div", { class: "segments", role: "radiogroup", "aria-label": say("edit.side") });
    this.problem = h("p", { class: "edit-problem", "aria-live": "polite" });
    const onclick = () => controller.playEdited();
    this.play = h("button", { type: "button", class: "primary", onclick }, say("edit.play"));
    const described = { "aria-describedby": "paste-help paste-problem" };
    this.text = h("textarea", { rows: 3, id: "paste", spellcheck: "false", ...described });
    this.pasteProblem = h("p", { class: "edit-problem", id: "paste-problem", "aria-live": "polite" });
    this.takeAway = h("details", { class: "take-away" }, h("summary", {}, say("edit.copy")));
    this.#build();
    store.listen((state, before) => this.#render(state, before));
  }

  #build() {
    const clear = h("button", { type: "button", onclick: () => this.#change(cleared) }, say("edit.clear"));
    const onclick = () => this.store.set({ edit: null });
    const cancel = h("button", { type: "button", class: "quiet", onclick }, say("say.cancel"));
    const paste = h("form", { class: "paste", onsubmit: (event) => this.#paste(event) },
      h("label", { for: "paste" }, say("edit.paste")), this.text,
      h("p", { class: "fine", id: "paste-help" }, say("edit.pasteHelp")), this.pasteProblem,
      h("button", {}, say("edit.read")));
    this.takeAway.addEventListener("toggle", () => this.#renderCopies(this.store.state));
    this.root.append(h("h2", { id: "editor-title" }, say("game.edit")), h("p", { class: "fine" }, say("edit.how")),
      field(say("edit.mark"), this.tools), field(say("edit.toMove"), this.toMove), this.problem,
      h("p", { class: "edit-actions" }, this.play, clear, cancel), paste, this.takeAway);
  }

  /** @param {State} state @param {State} before */
  #render(state, before) {
    const { edit } = state;
    this.root.hidden = edit === null;
    if (!edit || edit === before.edit) return;
    if (edit.rules !== before.edit?.rules) this.#renderChoices(edit.rules);
    for (const input of this.root.querySelectorAll("input[type=radio]")) {
      const radio = /** @type {HTMLInputElement} */ (input);
      radio.checked = radio.value === (radio.name === "tool" ? edit.tool : edit.toMove);
    }
    const problem = editProblem(edit);
    this.problem.textContent = problem ?? "";
    this.play.setAttribute("aria-disabled", String(problem !== null));
    this.#renderCopies(state);
  }

  /** The stones of the game to choose from. @param {Rules} rules */
  #renderChoices(rules) {
    const side = (/** @type {Side} */ each) => [pieceIcon(each, skinOf(rules)), sideName(rules, each)];
    const tool = (/** @type {Mark} */ value, /** @type {(Node | string)[]} */ words) =>
      choice("tool", value, words, () => this.#change((edit) => ({ ...edit, tool: value })));
    const turn = (/** @type {Side} */ value) =>
      choice("to-move", value, side(value), () => this.#change((edit) => ({ ...edit, toMove: value })));
    const block = rules.renju ? [] : [tool(BLOCKED, [say("edit.blocked")])];
    this.tools.replaceChildren(tool("X", side("X")), tool("O", side("O")), ...block,
      tool(EMPTY, [say("edit.takeAway")]));
    this.toMove.replaceChildren(turn("X"), turn("O"));
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
      const pasted = readPasted(this.text.value, game.rules);
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

/** @param {string} words @param {HTMLElement} control */
function field(words, control) {
  return h("div", { class: "choice" }, h("span", { "aria-hidden": "true" }, words), control);
}

/** @param {string} name @param {string} value @param {(Node | string)[]} words @param {() => void} onchange */
function choice(name, value, words, onchange) {
  return h("label", {}, h("input", { type: "radio", name, value, onchange }), h("span", {}, ...words));
}
