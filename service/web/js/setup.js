/** The dialog in which a new game is chosen: its rules, who plays, at which level, and who starts. */

import { Game } from "./game.js";
import { h } from "./dom.js";
import { sideName } from "./names.js";
import { MAX_SIDE, PRESETS, presetOf, rulesOf, wrongField } from "./rules.js";
import { SIDES, playerOptions, playerValue, readPlayerValue } from "./stage.js";
import { DEFAULT_OWN, thumbnail } from "./tiles.js";
import { CUSTOM, GAMES } from "./words.js";

/** @typedef {import("./link.js").Setup} Setup */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Side} Side */

const OWN = "custom";
const SWITCHES = /** @type {const} */ ([
  ["gravity", "Stones fall to the lowest empty cell"], ["misere", "Completing a line loses (misère)"], ["exact_goal", "Longer lines do not count"],
]);

export class SetupDialog {
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

  /** @param {Setup} setup what the dialog proposes @param {Rules} [rules] the game it proposes */
  open(setup, rules = setup.game.rules) {
    this.form = h("form", { method: "dialog", onsubmit: (event) => this.#submit(event, setup.levels), oninput: () => this.#check() },
      h("h2", { id: "setup-title" }, "New game"), games(rules), ownRules(rules), players(setup),
      h("p", { class: "dialog-actions" }, h("button", { type: "button", class: "quiet", onclick: () => this.dialog.close() }, "Cancel"),
        h("button", { class: "primary" }, "Start")));
    this.dialog.replaceChildren(this.form);
    this.#check();
    this.onToggle(true);
    this.dialog.showModal();
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
    const goal = /** @type {HTMLInputElement} */ (form.elements.namedItem("goal"));
    goal.setCustomValidity(own && wrongField(this.#rules()) === "goal" ? "The line cannot be longer than the longest side." : "");
    for (const name of form.querySelectorAll("[data-side]")) name.textContent = sideName(this.#rules(), /** @type {Side} */ (/** @type {HTMLElement} */ (name).dataset.side));
  }

  /** @returns {Rules} */
  #rules() {
    const chosen = this.#value("game");
    if (chosen !== OWN) return PRESETS[chosen];
    const on = Object.fromEntries(SWITCHES.map(([name]) => [name, this.#value(name) === "on"]));
    return rulesOf(Number(this.#value("rows")), Number(this.#value("columns")), Number(this.#value("goal")), on);
  }

  /** @param {SubmitEvent} event @param {Setup["levels"]} before the levels of sides that the visitor plays */
  #submit(event, before) {
    event.preventDefault();
    const first = /** @type {Side} */ (this.#value("first"));
    const [x, o] = SIDES.map((side) => readPlayerValue(this.#value(side)));
    const levels = { X: x.level ?? before.X, O: o.level ?? before.O };
    const setup = { game: Game.fresh(this.#rules(), first), players: { X: x.player, O: o.player }, levels };
    this.dialog.close();
    this.onBegin(setup);
  }
}

/** @param {Rules} current */
function games(current) {
  const chosen = presetOf(current) ?? OWN;
  const cards = [...Object.entries(GAMES).map(([name, words]) => card(name, words, PRESETS[name], chosen)), card(OWN, CUSTOM, DEFAULT_OWN, chosen)];
  return h("fieldset", { class: "games" }, h("legend", {}, "Game"), h("div", { class: "cards" }, ...cards));
}

/** @param {string} name @param {{name: string, short: string}} words @param {Rules} rules @param {string} chosen */
function card(name, words, rules, chosen) {
  return h("label", { class: "card" }, h("input", { type: "radio", name: "game", value: name, checked: name === chosen }),
    thumbnail(rules), h("span", { class: "card-name" }, words.name), h("span", { class: "card-short" }, words.short));
}

/** @param {Rules} current */
function ownRules(current) {
  const rules = presetOf(current) ? DEFAULT_OWN : current;
  /** @type {(name: "rows" | "columns" | "goal", words: string) => HTMLElement} */
  const number = (name, words) => h("label", {}, words, h("input", { type: "number", name, min: 1, max: MAX_SIDE, step: 1, required: true, value: rules[name], inputmode: "numeric" }));
  const boxes = SWITCHES.map(([name, words]) => h("label", { class: "switch" }, h("input", { type: "checkbox", role: "switch", name, checked: rules[name] }), h("span", {}, words)));
  return h("fieldset", { class: "own-rules" }, h("legend", {}, "Rules"),
    h("div", { class: "numbers" }, number("columns", "Columns"), number("rows", "Rows"), number("goal", "In a row")), ...boxes);
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
