/** The names of those who sit at this board, and the games that each has won here; kept by the browser. */

import { byId, onClick } from "../shared/dom.js";
import { sideName } from "../shared/notation.js";
import { say } from "../shared/say.js";
import { remember, remembered } from "../shared/storage.js";
import { SIDES } from "./stage.js";

const STORED = "kinarow.players";

export class Names {
  /** The names of the visitor and of who sits opposite; their wins against the computer, and here; isSwapped: of two
   * here the visitor plays O. */
  #kept = { names: ["", ""], computer: [0, 0], both: [0, 0], isSwapped: false,
    ...JSON.parse(remembered(STORED) ?? "{}") };
  #isCounted = false;

  /** @param {PageStore} store */
  constructor(store) {
    this.store = store;
    for (const side of SIDES) fieldOf(side).onchange = () => this.#rename(side);
    onClick("swap", () => this.#keep({ isSwapped: this.#kept.isSwapped !== isShared(store.state) }));
    store.listen((state, before) => {
      this.#count(state, before.game);
      this.#render();
    });
  }

  /** @param {Side} side */
  #rename(side) {
    const [at, names] = [this.#seatOf(side), [...this.#kept.names]];
    const isOther = Boolean(names[at]);
    names[at] = fieldOf(side).value.trim();
    // Somebody else begins at nothing.
    this.#keep({ names, ...(isOther && { both: [0, 0] }), ...(isOther && at === 0 && { computer: [0, 0] }) });
  }

  /** Counts a game that ends here, once. @param {State} state @param {Game} before */
  #count({ game, puzzle, mistake }, before) {
    const isPlayed = game.isOver && game.start === before.start && game.moves !== before.moves;
    if (!game.moves.length || game.start !== before.start) this.#isCounted = false;
    const { winner } = game.ending;
    const mode = this.#mode();
    if (isPlayed && winner && mode && !this.#isCounted && !puzzle && !mistake) {
      const seat = this.#seatOf(winner);
      this.#keep({ [mode]: this.#kept[mode].map((/** @type {number} */ wins, /** @type {number} */ at) =>
        wins + Number(at === seat)) });
    }
    this.#isCounted ||= game.isOver;
  }

  /** @param {Record<string, any>} change */
  #keep(change) {
    Object.assign(this.#kept, change);
    remember(STORED, JSON.stringify(this.#kept));
    this.#render();
  }

  /** Whose name and wins belong to a side: 0 for the visitor. @param {Side} side */
  #seatOf(side) {
    const { state } = this.store;
    return Number(isShared(state) ? (side === "O") !== this.#kept.isSwapped : state.players[side] !== "you");
  }

  /** The wins that count now. @returns {"both" | "computer" | null} */
  #mode() {
    const players = SIDES.map((side) => this.store.state.players[side]);
    if (players.every((each) => each === "you")) return "both";
    return players.includes("you") && players.includes("computer") ? "computer" : null;
  }

  #render() {
    const { game } = this.store.state;
    const mode = this.#mode();
    const wins = mode && this.#kept[mode].some(Boolean) ? this.#kept[mode] : null;
    for (const side of SIDES) {
      const [field, at] = [fieldOf(side), this.#seatOf(side)];
      field.ariaLabel = `${say("player.name")}: ${sideName(game.rules, side)}`;
      if (document.activeElement !== field) field.value = this.#kept.names[at];
      byId(`won-${side.toLowerCase()}`).textContent = wins && say("player.won", { count: wins[at] });
    }
  }
}

/** @param {Side} side @returns {HTMLInputElement} */
function fieldOf(side) {
  return byId(`name-${side.toLowerCase()}`);
}

/** Whether two people sit here. @param {State} state */
function isShared({ players }) {
  return players.X === "you" && players.O === "you";
}
