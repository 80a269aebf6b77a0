/** The games to choose from, as tiles beside a board on which no move has been made, or as a strip above it. */

import { h, s } from "./dom.js";
import { Game } from "./game.js";
import { CUSTOM, GAMES, gameOf } from "./games.js";
import { skinOf } from "./names.js";
import { UNIT, blockedCell, centre, front, piece, surface } from "./pieces.js";
import { BLOCKED, rulesOf } from "./rules.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Side} Side */
/** @typedef {import("./state.js").State} State */

/** What a game of one's own begins with. */
export const DEFAULT_OWN = rulesOf(5, 5, 4);
/** The games that most visitors look for. */
const SHOWN_AT_ONCE = 6;
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
    this.tiles = new Map(GAMES.map((each) => [each.id, tile(each, each, () => onGame(Game.fresh(each.rules, "X", each.cells)))]));
    const all = [...this.tiles.values()];
    const first = [...all.slice(0, SHOWN_AT_ONCE), tile(CUSTOM, { rules: DEFAULT_OWN, cells: "" }, onOwn), tile(EDITOR, null, onEdit)];
    const more = h("details", { class: "more-games" }, h("summary", {}, "More games"), tileList(all.slice(SHOWN_AT_ONCE)));
    root.append(h("h2", { class: "minor", id: "games-title" }, "Choose a game"), tileList(first), more);
  }

  /** @param {State} state */
  render({ game, edit }) {
    this.root.classList.toggle("chosen", game.moves.length > 0 || edit !== null);
    const chosen = gameOf(game.start)?.id;
    for (const [id, element] of this.tiles) element.setAttribute("aria-pressed", String(id === chosen));
  }
}

/** @param {HTMLElement[]} tiles */
function tileList(tiles) {
  return h("ul", { class: "tile-list" }, ...tiles.map((each) => h("li", {}, each)));
}

/** @typedef {{rules: Rules, cells: string}} Board a board before the first move */

/** @param {{name: string, short: string}} words @param {Board | null} board @param {() => void} onclick */
function tile({ name, short }, board, onclick) {
  const picture = board ? thumbnail(board) : h("span", { class: "thumbnail plus", "aria-hidden": "true" }, "+");
  return h("button", { type: "button", class: "tile-button", onclick },
    picture, h("span", { class: "tile-words" }, h("span", { class: "card-name" }, name), h("span", { class: "card-short" }, short)));
}

/** A small board, or a corner of a large one, with a few marks; in misère with the line that nobody wants. @param {Board} board */
export function thumbnail({ rules, cells }) {
  const skin = skinOf(rules);
  const isWhole = Math.max(rules.rows, rules.columns) <= DEFAULT_OWN.rows;
  const corner = isWhole ? rules : { ...rules, rows: CORNER, columns: CORNER };
  const bottom = corner.rows - 1;
  const usual = /** @type {[Side, number, number][]} */ ([["X", 0, bottom], ["O", 1, bottom], ["X", 1, bottom - 1]]);
  const marks = rules.misere ? usual.map((_, at) => /** @type {[Side, number, number]} */ (["X", at, bottom])) : usual;
  const [width, height] = [corner.columns * UNIT + 16, corner.rows * UNIT + 16];
  const blocked = isWhole ? [...cells].flatMap((mark, cell) => (mark === BLOCKED ? [s("g", { transform: `translate(${centre(rules, cell).join(" ")})` }, blockedCell(skin))] : [])) : [];
  return s("svg", { class: `thumbnail ${skin}`, viewBox: `-8 -8 ${width} ${height}`, "aria-hidden": "true" }, surface(corner, skin), ...blocked,
    ...marks.map(([who, column, row]) => s("g", { class: rules.misere ? "faded" : null, transform: `translate(${(column + 0.5) * UNIT} ${(row + 0.5) * UNIT})` }, piece(who, skin))),
    front(corner, skin));
}
