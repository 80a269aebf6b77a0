/** The dialog in which a new game is chosen: its rules, who plays, who starts and how strong the computer is. */

import { Game } from "./game.js";
import { h, s } from "./dom.js";
import { FULL_STRENGTH } from "./link.js";
import { UNIT, front, piece, skinOf, surface } from "./pieces.js";
import { MAX_SIDE, PRESETS, presetOf, rulesOf, wrongField } from "./rules.js";
import { CUSTOM, GAMES } from "./words.js";

/** @typedef {import("./link.js").Setup} Setup */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Side} Side */

const OWN = "custom";
const DEFAULT_OWN = rulesOf(5, 5, 4);
const SWITCHES = /** @type {const} */ ([
  ["gravity", "Marks fall to the lowest empty cell"], ["misere", "Completing a line loses (misère)"], ["exact_goal", "Longer lines do not count"],
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

  /** @param {Setup} setup what the dialog proposes */
  open(setup) {
    this.form = h("form", { method: "dialog", onsubmit: (event) => this.#submit(event), oninput: () => this.#check() },
      h("h2", { id: "setup-title" }, "New game"), games(setup.game.rules), ownRules(setup.game.rules), players(setup),
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
  }

  /** @returns {Rules} */
  #rules() {
    const chosen = this.#value("game");
    if (chosen !== OWN) return PRESETS[chosen];
    const on = Object.fromEntries(SWITCHES.map(([name]) => [name, this.#value(name) === "on"]));
    return rulesOf(Number(this.#value("rows")), Number(this.#value("columns")), Number(this.#value("goal")), on);
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const player = (/** @type {string} */ side) => (this.#value(side) === "you" ? "you" : "computer");
    const first = /** @type {Side} */ (this.#value("first"));
    const setup = { game: Game.fresh(this.#rules(), first), players: /** @type {Setup["players"]} */ ({ X: player("X"), O: player("O") }), level: Number(this.#value("level")) };
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

/** A small board, or a corner of a large one, with a few marks; in misère with the line that nobody wants. @param {Rules} rules */
function thumbnail(rules) {
  const skin = skinOf(rules);
  const side = rules.rows <= DEFAULT_OWN.rows ? rules.rows : 3;
  const corner = { ...rules, rows: side, columns: side };
  const usual = /** @type {[Side, number, number][]} */ ([["X", 0, side - 1], ["O", 1, side - 1], ["X", 1, side - 2]]);
  const marks = rules.misere ? usual.map((_, at) => /** @type {[Side, number, number]} */ (["X", at, side - 1])) : usual;
  const size = side * UNIT + 16;
  return s("svg", { class: `thumbnail ${skin}`, viewBox: `-8 -8 ${size} ${size}`, "aria-hidden": "true" }, surface(corner, skin),
    ...marks.map(([who, column, row]) => s("g", { class: rules.misere ? "faded" : null, transform: `translate(${(column + 0.5) * UNIT} ${(row + 0.5) * UNIT})` }, piece(who, skin))),
    front(corner, skin));
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
function players({ players: who, level, game }) {
  const level_ = h("output", {}, levelWords(level));
  const slider = h("input", { type: "range", name: "level", min: 1, max: FULL_STRENGTH, value: level, oninput: () => (level_.textContent = levelWords(Number(slider.value))) });
  return h("fieldset", { class: "who-plays" }, h("legend", {}, "Players"),
    choice("X is played by", "X", who.X, [["you", "You"], ["computer", "Computer"]]), choice("O is played by", "O", who.O, [["you", "You"], ["computer", "Computer"]]),
    choice("First move", "first", game.start.toMove, [["X", "X"], ["O", "O"]]), h("label", { class: "strength" }, h("span", {}, "Computer's level ", level_), slider));
}

/** @param {number} level */
function levelWords(level) {
  return level === FULL_STRENGTH ? `${level}, full strength` : String(level);
}

/** A choice of two. @param {string} words @param {string} name @param {string} chosen @param {[string, string][]} options */
function choice(words, name, chosen, options) {
  return h("div", { class: "choice", role: "radiogroup", "aria-label": words }, h("span", { "aria-hidden": "true" }, words),
    h("span", { class: "segments" }, ...options.map(([value, label]) => h("label", {}, h("input", { type: "radio", name, value, checked: value === chosen }), h("span", {}, label)))));
}
