/** The dialog in which a new game is chosen: its rules, who plays, at which level, and who starts. */

import { CUSTOM, GAMES, gameOf } from "../shared/catalogue.js";
import { h } from "../shared/dom.js";
import { Game } from "../shared/game.js";
import { sideName } from "../shared/notation.js";
import { DIRECTIONS, MAX_SIDE, WRAPS, emptyPosition, excludedBy, rulesOf, unmarked, wrongField } from "../shared/rules.js";
import { DIRECTION_WORDS, WRAP_WORDS } from "../shared/words.js";
import { DEFAULT_OWN, GALLERY_NAME, thumbnail } from "./game-tiles.js";
import { NewGameBoard } from "./new-game-board.js";
import { SIDES, playerOptions, playerValue, readPlayerValue } from "./stage.js";

/** @import { Setup } from "../shared/link.js" */
/** @import { Direction, Rules, Side } from "../shared/rules.js" */
/** @import { Board } from "./game-tiles.js" */

const OWN = "custom";
const SWITCHES = /** @type {const} */ ([
  ["gravity", "Stones fall to the lowest empty cell"], ["misere", "Completing a line loses (misère)"], ["exact_goal", "Longer lines do not count"],
  ["caro", "A line closed at both ends does not count (Caro)"], ["renju", "Some cells are forbidden to the side that begins (Renju)"],
]);
const EXCLUDED = "What is grey does not go together with the rules chosen.";

/** How a direction looks. @type {Record<Direction, string>} */
const ARROWS = { horizontal: "—", vertical: "|", diagonal: "\\", antidiagonal: "/" };

export class NewGameDialog {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {(setup: Partial<Setup>) => void} onBegin
   * @param {(open: boolean) => void} onToggle
   */
  constructor(dialog, onBegin, onToggle) {
    this.dialog = dialog;
    this.onBegin = onBegin;
    this.onToggle = onToggle;
    dialog.addEventListener("close", () => onToggle(false));
  }

  /** @param {Setup} setup what the dialog proposes @param {Rules | null} [own] the rules of a game of one's own that it proposes */
  open(setup, own = null) {
    const current = own ? { rules: own, cells: emptyPosition(own, "X").cells } : { rules: setup.game.rules, cells: unmarked(setup.game.start.cells) };
    const offer = own ? null : gameOf(current);
    const proposed = offer ? { rules: DEFAULT_OWN, cells: emptyPosition(DEFAULT_OWN, "X").cells } : current;
    this.board = new NewGameBoard(proposed.cells);
    this.form = h("form", { method: "dialog", onsubmit: (event) => this.#submit(event, setup.levels), oninput: () => this.#check() },
      h("h2", { id: "setup-title" }, "New game"), games(offer?.id ?? OWN), ownRules(proposed.rules, this.board.element), players(setup),
      h("p", { class: "dialog-actions" }, h("button", { type: "button", class: "quiet", onclick: () => this.dialog.close() }, "Cancel"),
        h("button", { class: "primary" }, "Start")));
    this.dialog.replaceChildren(this.form);
    this.onToggle(true);
    this.dialog.showModal();
    this.#check();
  }

  /** @param {string} name */
  #value(name) {
    return String(new FormData(this.form).get(name) ?? "");
  }

  /** Shows the fields that count and says what is wrong with them. */
  #check() {
    const form = /** @type {HTMLFormElement} */ (this.form);
    const own = this.#value("game") === OWN;
    const fields = /** @type {HTMLFieldSetElement} */ (form.querySelector(".own-rules"));
    fields.hidden = fields.disabled = !own;
    const rules = this.#rules();
    const wrong = own ? wrongField(rules) : null;
    const goal = /** @type {HTMLInputElement} */ (form.elements.namedItem("goal"));
    goal.setCustomValidity(wrong === "goal" ? (rules.renju ? "Renju is five in a row." : "The line cannot be longer than the longest side.") : "");
    const layers = /** @type {HTMLInputElement} */ (form.elements.namedItem("layers"));
    layers.setCustomValidity(wrong === "layers" ? "All layers together have at most 625 cells." : "");
    if (own) this.#greyOut(rules);
    const across = /** @type {HTMLInputElement} */ (form.elements.namedItem(DIRECTIONS[0]));
    across.setCustomValidity(own && !rules.directions.length ? "Lines need at least one direction." : "");
    this.board.show(own && (wrong === null || wrong === "goal") ? rules : null);
    for (const name of form.querySelectorAll("[data-side]")) name.textContent = sideName(rules, /** @type {Side} */ (/** @type {HTMLElement} */ (name).dataset.side));
  }

  /** Rules that do not go together with those chosen cannot be chosen. @param {Rules} rules */
  #greyOut(rules) {
    const form = /** @type {HTMLFormElement} */ (this.form);
    let any = false;
    const set = (/** @type {keyof Rules} */ field, /** @type {string[]} */ names) => {
      const off = excludedBy(rules, field) !== null;
      any ||= off;
      for (const name of names) /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).disabled = off;
    };
    for (const [name] of SWITCHES) set(name, [name]);
    for (const name of /** @type {const} */ (["wrap", "layers"])) set(name, [name]);
    set("directions", DIRECTIONS);
    /** @type {HTMLElement} */ (form.querySelector(".excluded")).hidden = !any;
  }

  /** The game that is chosen, or null for one of one's own. */
  #offer() {
    const chosen = this.#value("game");
    return GAMES.find(({ id }) => id === chosen) ?? null;
  }

  /** @returns {Rules} */
  #rules() {
    const offer = this.#offer();
    if (offer) return offer.rules;
    const on = Object.fromEntries(SWITCHES.map(([name]) => [name, this.#value(name) === "on"]));
    const chosen = DIRECTIONS.filter((name) => this.#value(name) === "on");
    // What is greyed out has no value, and is as usual.
    const isOpen = !(/** @type {HTMLInputElement} */ (this.form.elements.namedItem(DIRECTIONS[0])).disabled);
    const shape = { wrap: /** @type {Rules["wrap"]} */ (this.#value("wrap") || "none"), directions: isOpen ? chosen : DIRECTIONS, layers: Number(this.#value("layers") || 1) };
    return rulesOf(Number(this.#value("rows")), Number(this.#value("columns")), Number(this.#value("goal")), { ...on, ...shape });
  }

  /** @param {SubmitEvent} event @param {Setup["levels"]} before the levels of sides that the visitor plays */
  #submit(event, before) {
    event.preventDefault();
    const first = /** @type {Side} */ (this.#value("first"));
    const [x, o] = SIDES.map((side) => readPlayerValue(this.#value(side)));
    const levels = { X: x.level ?? before.X, O: o.level ?? before.O };
    const setup = { game: Game.fresh(this.#rules(), first, this.#offer()?.cells ?? this.board.cells), players: { X: x.player, O: o.player }, levels };
    this.dialog.close();
    this.onBegin(setup);
  }
}

/** @param {string} chosen */
function games(chosen) {
  const of = (/** @type {string[]} */ ...groups) => GAMES.filter(({ group }) => groups.includes(group)).map((each) => card(each.id, each, each, chosen));
  return h("fieldset", { class: "games" }, h("legend", {}, "Game"), h("div", { class: "cards" }, ...of("first", "more"), card(OWN, CUSTOM, { rules: DEFAULT_OWN, cells: "" }, chosen)),
    h("h3", { class: "minor" }, GALLERY_NAME), h("div", { class: "cards" }, ...of("gallery")));
}

/** @param {string} id @param {{name: string, short: string}} words @param {Board} board @param {string} chosen */
function card(id, words, board, chosen) {
  return h("label", { class: "card" }, h("input", { type: "radio", name: "game", value: id, checked: id === chosen }),
    thumbnail(board), h("span", { class: "card-name" }, words.name), h("span", { class: "card-short" }, words.short));
}

/** @param {Rules} rules @param {HTMLElement} board */
function ownRules(rules, board) {
  /** @type {(name: "rows" | "columns" | "layers" | "goal", words: string) => HTMLElement} */
  const number = (name, words) => h("label", {}, words, h("input", { type: "number", name, min: 1, max: MAX_SIDE, step: 1, required: true, value: rules[name], inputmode: "numeric" }));
  const boxes = SWITCHES.map(([name, words]) => h("label", { class: "switch" }, h("input", { type: "checkbox", role: "switch", name, checked: rules[name] }), h("span", {}, words)));
  return h("fieldset", { class: "own-rules" }, h("legend", {}, "Rules"),
    h("div", { class: "numbers" }, number("columns", "Columns"), number("rows", "Rows"), number("layers", "Layers"), number("goal", "In a row")), ...boxes, shape(rules),
    h("p", { class: "fine excluded", hidden: true }, EXCLUDED), board);
}

/** Joined edges and directions. @param {Rules} rules */
function shape({ wrap, directions }) {
  const list = h("select", { name: "wrap" }, ...WRAPS.map((each) => h("option", { value: each }, sentence(WRAP_WORDS[each]))));
  list.value = wrap;
  const ways = DIRECTIONS.map((each) => h("label", {}, h("input", { type: "checkbox", name: each, checked: directions.includes(each) }), h("span", {}, ARROWS[each], " ", DIRECTION_WORDS[each])));
  return h("div", { class: "shape" }, h("label", { class: "choice" }, "Edges", list),
    h("div", { class: "choice", role: "group", "aria-label": "Lines count" }, h("span", { "aria-hidden": "true" }, "Lines count"), h("div", { class: "ways" }, ...ways)));
}

/** @param {string} words */
function sentence(words) {
  return words[0].toUpperCase() + words.slice(1);
}

/** @param {Setup} setup */
function players({ players: who, levels, game }) {
  const lists = SIDES.map((side) => {
    const list = h("select", { name: side }, ...playerOptions());
    list.value = playerValue(who[side], levels[side]);
    return h("label", { class: "choice" }, h("span", {}, h("span", { "data-side": side }), " is played by"), list);
  });
  return h("fieldset", { class: "who-plays" }, h("legend", {}, "Players"), ...lists, firstMove(game.start.toMove));
}

/** @param {Side} chosen */
function firstMove(chosen) {
  const options = SIDES.map((side) => h("label", {}, h("input", { type: "radio", name: "first", value: side, checked: side === chosen }), h("span", { "data-side": side })));
  return h("div", { class: "choice", role: "radiogroup", "aria-label": "First move" }, h("span", { "aria-hidden": "true" }, "First move"), h("span", { class: "segments" }, ...options));
}
