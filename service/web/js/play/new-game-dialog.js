/** The dialog in which a new game is chosen: its rules, who plays, at which level, and who starts. */

import { BoardView } from "../board/board-view.js";
import { BARE } from "../board/scene.js";
import { CUSTOM, GAMES, gameOf } from "../shared/catalogue.js";
import { byId, h, onClick } from "../shared/dom.js";
import { Game } from "../shared/game.js";
import { sideName } from "../shared/notation.js";
import { BLOCKED, RULES, cellCount, editTarget, emptyPosition, excludedBy, rulesOf, unmarked,
  wrongBoard, wrongField } from "../shared/rules.js";
import { capital, say } from "../shared/say.js";
import { FULL_STRENGTH } from "../shared/words.js";
import { DEFAULT_OWN, cardWords, thumbnail } from "./game-tiles.js";
import { toggled } from "./position-edit.js";
import { SIDES, levelWords, playerOptions, playerValue, readPlayerValue } from "./stage.js";

const OWN = "custom";
/** @type {Record<string, string>} */
const SIGNS = { horizontal: "—", vertical: "|", diagonal: "\\", antidiagonal: "/" };
/** The rules beside the goal. */
const NAMED = Object.entries(RULES).filter(([, { kind }]) => kind !== "integer");
const NUMBERS = /** @type {const} */ (["columns", "rows", "layers", "goal"]);

export class NewGameDialog {
  /** The board of a game of one's own, without marks. */
  #cells = "";
  /** @type {Rules | null} of which that board is */
  #drawn = null;
  dialog = /** @type {HTMLDialogElement} */ (byId("setup"));
  form = /** @type {HTMLFormElement} */ (byId("setup-form"));

  /** @param {PageStore} store @param {GameController} controller */
  constructor(store, controller) {
    this.store = store;
    this.controller = controller;
    const [how, board] = /** @type {NodeListOf<HTMLElement>} */ (byId("own-board").querySelectorAll("p, .board"));
    this.how = how;
    this.view = new BoardView(board, (cell) => {
      this.#cells = toggled(this.#cells, cell, BLOCKED);
      this.#showBoard(this.#drawn);
    }, () => {});
    const cards = (/** @type {boolean} */ isRare) =>
      GAMES.filter(({ group }) => (group === "gallery") === isRare).map(card);
    byId("cards").append(...cards(false), card({ id: OWN, ...CUSTOM, rules: DEFAULT_OWN, cells: "" }));
    byId("rare-cards").append(...cards(true));
    const switches = NAMED.filter(([, { kind }]) => kind === "switch");
    byId("own-switches").append(...switches.map(([name]) => switchFor(name)));
    const others = NAMED.filter(([, { kind }]) => kind !== "switch");
    const made = others.map(([name, rule]) => (rule.kind === "list" ? boxesFor : choiceFor)(name, rule));
    byId("own-shape").append(...made);
    this.form.oninput = () => this.#check();
    this.form.onsubmit = (event) => this.#submit(event);
    this.dialog.onclose = () => store.set({ setupOpen: false });
    onClick("setup-cancel", () => this.dialog.close());
  }

  /** @param {Rules | null} [own] the rules of a game of one's own that it proposes, else the game on the board */
  open(own = null) {
    const { game, players, levels } = this.store.state;
    const offer = own ? null : gameOf(game.start);
    const isNew = offer || own;
    const rules = isNew ? own ?? DEFAULT_OWN : game.rules;
    this.#cells = isNew ? emptyPosition(rules, "X").cells : unmarked(game.start.cells);
    this.#drawn = null;
    for (const name of NUMBERS) this.#field(name).value = String(rules[name]);
    for (const [name, { kind, choices }] of NAMED) {
      const value = /** @type {any} */ (rules)[name];
      if (kind === "switch") this.#field(name).checked = value;
      if (kind === "choice") this.#field(name).value = value;
      if (kind === "list") for (const each of choices) this.#field(each).checked = value.includes(each);
    }
    for (const side of SIDES) {
      this.#field(side).replaceChildren(...playerOptions(game.rules));
      this.#field(side).value = playerValue(players[side], levels[side]);
    }
    this.#field("game").value = offer?.id ?? OWN;
    this.#field("first").value = game.start.toMove;
    this.store.set({ setupOpen: true });
    this.dialog.showModal();
    this.#check();
    if (!own) return;
    byId("own-rules").scrollIntoView();
    this.#field("columns").focus({ preventScroll: true });
  }

  close() {
    this.dialog.close();
  }

  /** @param {string} name */
  #value(name) {
    return String(new FormData(this.form).get(name) ?? "");
  }

  /** The input, the list or the group of radios of this name. @param {string} name @returns {any} */
  #field(name) {
    return this.form.elements.namedItem(name);
  }

  /** Shows the fields that count and says what is wrong with them. */
  #check() {
    const own = this.#value("game") === OWN;
    const fields = /** @type {HTMLFieldSetElement} */ (byId("own-rules"));
    fields.hidden = fields.disabled = !own;
    const rules = this.#rules();
    const wrong = own ? wrongField(rules) : null;
    const tooLong = say(rules.renju ? "new.five" : "new.tooLong");
    this.#field("goal").setCustomValidity(wrong === "goal" ? tooLong : "");
    this.#field("layers").setCustomValidity(wrong === "layers" ? say("new.tooLarge") : "");
    if (own) this.#greyOut(rules);
    const noWay = own && !rules.directions.length;
    this.#field(RULES.directions.choices[0]).setCustomValidity(noWay ? say("new.noWay") : "");
    this.#showBoard(own && (wrong === null || wrong === "goal") ? rules : null);
    for (const side of SIDES) {
      for (const name of this.form.querySelectorAll(`[data-side=${side}]`)) {
        const key = name.parentElement?.matches(".choice") ? "new.playedBy" : "new.side";
        name.textContent = say(key, { side: sideName(rules, side) });
      }
      this.#field(side).options[FULL_STRENGTH].text = levelWords(FULL_STRENGTH, rules);
    }
  }

  /** Rules that do not go together with those chosen cannot be chosen. @param {Rules} rules */
  #greyOut(rules) {
    const fields = /** @type {(keyof Rules)[]} */ ([...NAMED.map(([name]) => name), "layers"]);
    const off = fields.filter((field) => excludedBy(rules, field));
    for (const field of fields) {
      const names = RULES[field]?.kind === "list" ? RULES[field].choices : [field];
      for (const name of names) this.#field(name).disabled = off.includes(field);
    }
    byId("excluded").hidden = !off.length;
  }

  /** Draws the board of these rules, whose cells a click blocks; nothing without rules. @param {Rules | null} rules */
  #showBoard(rules) {
    byId("own-board").hidden = rules === null;
    if (!rules) return;
    const position = { rules, cells: this.#cells, toMove: /** @type {Side} */ ("X") };
    const sides = /** @type {const} */ (["rows", "columns", "layers"]);
    const isOther = this.#drawn ? sides.some((side) => rules[side] !== this.#drawn?.[side])
      : this.#cells.length !== cellCount(rules);
    // Or stones fall now, and blocked cells do not float; or it is Renju, which has none.
    if (isOther || wrongBoard(position)) position.cells = this.#cells = emptyPosition(rules, "X").cells;
    this.#drawn = rules;
    this.how.textContent = say(rules.renju ? "new.noBlock" : "new.block");
    const targetOf = (/** @type {number} */ cell) => (rules.renju ? null : editTarget(position, BLOCKED, cell));
    this.view.show({ ...BARE, position, targetOf, mark: BLOCKED });
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
    const [rows, columns, goal] = ["rows", "columns", "goal"].map((name) => Number(this.#value(name)));
    const others = Object.fromEntries(NAMED.map(([name, rule]) => [name, this.#chosen(name, rule)]));
    return rulesOf(rows, columns, goal, { ...others, layers: Number(this.#value("layers") || 1) });
  }

  /** The value of a rule; what is greyed out has none, and is as usual.
   * @param {string} name @param {Declaration} rule */
  #chosen(name, { kind, choices, default: usual }) {
    if (kind === "switch") return this.#value(name) === "on";
    if (kind === "choice") return this.#value(name) || usual;
    return this.#field(choices[0]).disabled ? usual : choices.filter((each) => this.#value(each) === "on");
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const { levels: before } = this.store.state;
    const [x, o] = SIDES.map((side) => readPlayerValue(this.#value(side)));
    // The levels of sides that the visitor plays stay.
    const levels = { X: x.level ?? before.X, O: o.level ?? before.O };
    const first = /** @type {Side} */ (this.#value("first"));
    const game = Game.fresh(this.#rules(), first, this.#offer()?.cells ?? this.#cells);
    this.dialog.close();
    this.controller.begin({ game, players: { X: x.player, O: o.player }, levels });
  }
}

/** @param {string} name */
function switchFor(name) {
  return h("label", { class: "switch" }, h("input", { type: "checkbox", role: "switch", name }), say(`new.${name}`));
}

/** @param {string} name @param {Declaration} rule */
function choiceFor(name, { choices }) {
  const options = choices.map((value) => h("option", { value }, capital(say(`${name}.${value}`))));
  return h("label", { class: "choice" }, h("span", {}, say(`new.${name}`)), h("select", { name }, ...options));
}

/** @param {string} name @param {Declaration} rule */
function boxesFor(name, { choices }) {
  const boxes = choices.map((each) => (
    h("label", {}, h("input", { type: "checkbox", name: each }), `${SIGNS[each] ?? ""} ${say(`${name}.${each}`)}`)));
  return h("div", { class: "choice", role: "group", "aria-label": say(`new.${name}`) },
    h("span", { "aria-hidden": true }, say(`new.${name}`)), h("div", { class: "ways" }, ...boxes));
}

/** @param {Board & {id: string, name: string, short: string}} offer */
function card({ id, name, short, ...board }) {
  return h("label", { class: "card" }, h("input", { type: "radio", name: "game", value: id }),
    thumbnail(board), ...cardWords(name, short));
}
