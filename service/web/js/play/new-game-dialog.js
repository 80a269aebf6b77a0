/** The dialog in which a new game is chosen: its rules, who plays, at which level, and who starts. */

import { CUSTOM, GAMES, gameOf } from "../shared/catalogue.js";
import { h, switchBox } from "../shared/dom.js";
import { Game } from "../shared/game.js";
import { sideName } from "../shared/notation.js";
import { DIRECTIONS, MAX_SIDE, SWITCHES, WRAPS, emptyPosition, excludedBy, rulesOf, unmarked,
  wrongField } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { FULL_STRENGTH, capital, levelWords } from "../shared/words.js";
import { DEFAULT_OWN, cardWords, thumbnail } from "./game-tiles.js";
import { NewGameBoard } from "./new-game-board.js";
import { SIDES, playerOptions, playerValue, readPlayerValue } from "./stage.js";
/** @import { Setup } from "../shared/link.js" */
/** @import { Direction, Rules, Side } from "../shared/rules.js" */
/** @import { Board } from "./game-tiles.js" */

const OWN = "custom";
const NUMBERS = /** @type {const} */ (["columns", "rows", "layers", "goal"]);

/** How a direction looks. @type {Record<Direction, string>} */
const ARROWS = { horizontal: "—", vertical: "|", diagonal: "\\", antidiagonal: "/" };

export class NewGameDialog {
  /** @param {HTMLDialogElement} dialog @param {(setup: Partial<Setup>) => void} onBegin
   * @param {(open: boolean) => void} onToggle */
  constructor(dialog, onBegin, onToggle) {
    this.dialog = dialog;
    this.onBegin = onBegin;
    this.onToggle = onToggle;
    this.board = new NewGameBoard("");
    this.form = h("form", { method: "dialog", oninput: () => this.#check() });
    dialog.append(this.form);
    dialog.addEventListener("close", () => onToggle(false));
  }

  /** @param {Setup} setup what the dialog proposes
   * @param {Rules | null} [own] the rules of a game of one's own that it proposes */
  open(setup, own = null) {
    const { rules, start } = setup.game;
    const offer = own ? null : gameOf(start);
    const proposed = offer || own ? emptyPosition(own ?? DEFAULT_OWN, "X") : { rules, cells: unmarked(start.cells) };
    this.board = new NewGameBoard(proposed.cells);
    const onclick = () => this.dialog.close();
    const cancel = h("button", { type: "button", class: "quiet", onclick }, say("say.cancel"));
    this.form.onsubmit = (event) => this.#submit(event, setup.levels);
    this.form.replaceChildren(h("h2", { id: "setup-title" }, say("stage.new")),
      games(offer?.id ?? OWN), ownRules(proposed.rules, this.board.element), players(setup),
      h("p", { class: "dialog-actions" }, cancel, h("button", { class: "primary" }, say("new.start"))));
    this.onToggle(true);
    this.dialog.showModal();
    this.#check();
  }

  /** @param {string} name */
  #value(name) {
    return String(new FormData(this.form).get(name) ?? "");
  }

  /** @param {string} name @returns {HTMLInputElement} */
  #input(name) {
    return /** @type {HTMLInputElement} */ (this.form.elements.namedItem(name));
  }

  /** Shows the fields that count and says what is wrong with them. */
  #check() {
    const own = this.#value("game") === OWN;
    const fields = /** @type {HTMLFieldSetElement} */ (this.form.querySelector(".own-rules"));
    fields.hidden = fields.disabled = !own;
    const rules = this.#rules();
    const wrong = own ? wrongField(rules) : null;
    const tooLong = say(rules.renju ? "new.five" : "new.tooLong");
    this.#input("goal").setCustomValidity(wrong === "goal" ? tooLong : "");
    this.#input("layers").setCustomValidity(wrong === "layers" ? say("new.tooLarge") : "");
    if (own) this.#greyOut(rules);
    const noWay = own && !rules.directions.length;
    this.#input(DIRECTIONS[0]).setCustomValidity(noWay ? say("new.noWay") : "");
    this.board.show(own && (wrong === null || wrong === "goal") ? rules : null);
    for (const side of SIDES) {
      for (const name of this.form.querySelectorAll(`[data-side=${side}]`)) {
        name.textContent = say(name.getAttribute("data-key") ?? "new.side", { side: sideName(rules, side) });
      }
      const strongest = this.#input(side).querySelectorAll("option")[FULL_STRENGTH];
      strongest.textContent = levelWords(FULL_STRENGTH, rules);
    }
  }

  /** Rules that do not go together with those chosen cannot be chosen. @param {Rules} rules */
  #greyOut(rules) {
    const fields = /** @type {const} */ ([...SWITCHES, "wrap", "layers", "directions"]);
    const off = fields.filter((field) => excludedBy(rules, field));
    for (const field of fields) {
      const names = field === "directions" ? DIRECTIONS : [field];
      for (const name of names) this.#input(name).disabled = off.includes(field);
    }
    /** @type {HTMLElement} */ (this.form.querySelector(".excluded")).hidden = !off.length;
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
    const on = Object.fromEntries(SWITCHES.map((name) => [name, this.#value(name) === "on"]));
    const chosen = DIRECTIONS.filter((name) => this.#value(name) === "on");
    // What is greyed out has no value, and is as usual.
    const directions = this.#input(DIRECTIONS[0]).disabled ? DIRECTIONS : chosen;
    const wrap = /** @type {Rules["wrap"]} */ (this.#value("wrap") || "none");
    const [rows, columns, goal] = ["rows", "columns", "goal"].map((name) => Number(this.#value(name)));
    return rulesOf(rows, columns, goal, { ...on, wrap, directions, layers: Number(this.#value("layers") || 1) });
  }

  /** @param {SubmitEvent} event @param {Setup["levels"]} before the levels of sides that the visitor plays */
  #submit(event, before) {
    event.preventDefault();
    const first = /** @type {Side} */ (this.#value("first"));
    const [x, o] = SIDES.map((side) => readPlayerValue(this.#value(side)));
    const levels = { X: x.level ?? before.X, O: o.level ?? before.O };
    const game = Game.fresh(this.#rules(), first, this.#offer()?.cells ?? this.board.cells);
    this.dialog.close();
    this.onBegin({ game, players: { X: x.player, O: o.player }, levels });
  }
}

/** @param {string} chosen */
function games(chosen) {
  const cards = (/** @type {boolean} */ isRare) =>
    GAMES.filter(({ group }) => (group === "gallery") === isRare).map((each) => card(each.id, each, each, chosen));
  const own = card(OWN, CUSTOM, { rules: DEFAULT_OWN, cells: "" }, chosen);
  return h("fieldset", { class: "games" }, h("legend", {}, say("new.game")),
    h("div", { class: "cards" }, ...cards(false), own),
    h("h3", { class: "minor" }, say("games.rare")), h("div", { class: "cards" }, ...cards(true)));
}

/** @param {string} id @param {{name: string, short: string}} words @param {Board} board @param {string} chosen */
function card(id, words, board, chosen) {
  return h("label", { class: "card" }, h("input", { type: "radio", name: "game", value: id, checked: id === chosen }),
    thumbnail(board), ...cardWords(words.name, words.short));
}

/** @param {Rules} rules @param {HTMLElement} board */
function ownRules(rules, board) {
  const numbers = NUMBERS.map((name) => h("label", {}, say(`new.${name}`), h("input", {
    type: "number", name, min: 1, max: MAX_SIDE, required: true, value: rules[name], inputmode: "numeric",
  })));
  const boxes = SWITCHES.map((name) => switchBox({ name, checked: rules[name] }, say(`new.${name}`)).label);
  return h("fieldset", { class: "own-rules" }, h("legend", {}, say("new.rules")),
    h("div", { class: "numbers" }, ...numbers), ...boxes, shape(rules),
    h("p", { class: "fine excluded", hidden: true }, say("new.excluded")), board);
}

/** Joined edges and directions. @param {Rules} rules */
function shape({ wrap, directions }) {
  const wraps = WRAPS.map((each) => h("option", { value: each }, capital(say(`wrap.${each}`))));
  const list = h("select", { name: "wrap" }, ...wraps);
  list.value = wrap;
  const ways = DIRECTIONS.map((each) => h("label", {},
    h("input", { type: "checkbox", name: each, checked: directions.includes(each) }),
    h("span", {}, ARROWS[each], " ", say(`direction.${each}`))));
  return h("div", { class: "shape" }, h("label", { class: "choice" }, say("new.edges"), list),
    h("div", { class: "choice", role: "group", "aria-label": say("new.directions") },
      h("span", { "aria-hidden": "true" }, say("new.directions")), h("div", { class: "ways" }, ...ways)));
}

/** @param {Setup} setup */
function players({ players: who, levels, game }) {
  const lists = SIDES.map((side) => {
    const list = h("select", { name: side }, ...playerOptions(game.rules));
    list.value = playerValue(who[side], levels[side]);
    return h("label", { class: "choice" }, h("span", { "data-side": side, "data-key": "new.playedBy" }), list);
  });
  return h("fieldset", { class: "who-plays" }, h("legend", {}, say("new.players")), ...lists,
    firstMove(game.start.toMove));
}

/** @param {Side} chosen */
function firstMove(chosen) {
  const options = SIDES.map((side) => h("label", {},
    h("input", { type: "radio", name: "first", value: side, checked: side === chosen }),
    h("span", { "data-side": side })));
  return h("div", { class: "choice", role: "radiogroup", "aria-label": say("new.first") },
    h("span", { "aria-hidden": "true" }, say("new.first")), h("span", { class: "segments" }, ...options));
}
