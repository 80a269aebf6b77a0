/** The games to choose from, as tiles beside a board on which no move has been made, or as a strip above it. */

import { h, s } from "./dom.js";
import { Game } from "./game.js";
import { skinOf } from "./names.js";
import { UNIT, front, piece, surface } from "./pieces.js";
import { PRESETS, presetOf, rulesOf } from "./rules.js";
import { CUSTOM, GAMES } from "./words.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Side} Side */
/** @typedef {import("./state.js").State} State */

/** What a game of one's own begins with. */
export const DEFAULT_OWN = rulesOf(5, 5, 4);
/** Of larger boards a corner is drawn. */
const CORNER = 3;

const EDITOR = { name: "Set up a position", short: "Put marks where you like, or paste a game" };

export class Tiles {
  /**
   * @param {HTMLElement} root
   * @param {{onGame: (game: Game) => void, onOwn: () => void, onEdit: () => void}} acts
   */
  constructor(root, { onGame, onOwn, onEdit }) {
    this.root = root;
    /** @type {Map<string, HTMLElement>} */
    this.tiles = new Map(Object.entries(GAMES).map(([name, words]) => [name, tile(words, PRESETS[name], () => onGame(Game.fresh(PRESETS[name], "X")))]));
    const list = [...this.tiles.values(), tile(CUSTOM, DEFAULT_OWN, onOwn), tile(EDITOR, null, onEdit)];
    root.append(h("h2", { class: "minor", id: "games-title" }, "Choose a game"), h("ul", { class: "tile-list" }, ...list.map((each) => h("li", {}, each))));
  }

  /** @param {State} state */
  render({ game, edit }) {
    this.root.classList.toggle("chosen", game.moves.length > 0 || edit !== null);
    const preset = presetOf(game.rules);
    for (const [name, element] of this.tiles) element.setAttribute("aria-pressed", String(name === preset));
  }
}

/** @param {{name: string, short: string}} words @param {Rules | null} rules @param {() => void} onclick */
function tile({ name, short }, rules, onclick) {
  const picture = rules ? thumbnail(rules) : h("span", { class: "thumbnail plus", "aria-hidden": "true" }, "+");
  return h("button", { type: "button", class: "tile-button", onclick },
    picture, h("span", { class: "tile-words" }, h("span", { class: "card-name" }, name), h("span", { class: "card-short" }, short)));
}

/** A small board, or a corner of a large one, with a few marks; in misère with the line that nobody wants. @param {Rules} rules */
export function thumbnail(rules) {
  const skin = skinOf(rules);
  const side = rules.rows <= DEFAULT_OWN.rows ? rules.rows : CORNER;
  const corner = { ...rules, rows: side, columns: side };
  const usual = /** @type {[Side, number, number][]} */ ([["X", 0, side - 1], ["O", 1, side - 1], ["X", 1, side - 2]]);
  const marks = rules.misere ? usual.map((_, at) => /** @type {[Side, number, number]} */ (["X", at, side - 1])) : usual;
  const size = side * UNIT + 16;
  return s("svg", { class: `thumbnail ${skin}`, viewBox: `-8 -8 ${size} ${size}`, "aria-hidden": "true" }, surface(corner, skin),
    ...marks.map(([who, column, row]) => s("g", { class: rules.misere ? "faded" : null, transform: `translate(${(column + 0.5) * UNIT} ${(row + 0.5) * UNIT})` }, piece(who, skin))),
    front(corner, skin));
}
