/** The games to choose from, as tiles beside a board on which no move has been made, or as a strip above it. */

import { UNIT, blockedCell, centre, forbiddenMark, front, piece, surface } from "../board/pieces.js";
import { CUSTOM, GAMES, gameOf } from "../shared/catalogue.js";
import { h, s, times } from "../shared/dom.js";
import { Game } from "../shared/game.js";
import { skinOf } from "../shared/notation.js";
import { BLOCKED, cellsWith, rulesOf } from "../shared/rules.js";
import { say } from "../shared/say.js";

/** What a game of one's own begins with. */
export const DEFAULT_OWN = rulesOf(5, 5, 4);
/** Of larger boards a corner is drawn, in which a line and one cell more fit, and of several layers this many cells. */
const CORNER = 3;
const WHOLE_UP_TO = 6;
/** How many boards are drawn one above the other, and how far apart. */
const STACKED = 3;
const RISE = 120;

const PUZZLE = { name: say("puzzle.name"), short: say("puzzle.rules") };
const EDITOR = { name: say("game.edit"), short: say("game.edit.rules") };

export class GameTiles {
  /** @param {HTMLElement} root @param {{onGame: (game: Game) => void, onOwn: () => void, onEdit: () => void,
   *   onPuzzle: () => void}} acts */
  constructor(root, { onGame, onOwn, onEdit, onPuzzle }) {
    this.root = root;
    /** @type {Map<string, HTMLElement>} */
    this.tiles = new Map();
    for (const each of GAMES) {
      const element = tile(each, each, () => onGame(Game.fresh(each.rules, "X", each.cells)));
      element.dataset.game = each.id;
      this.tiles.set(each.id, element);
    }
    const of = (/** @type {string} */ group) =>
      GAMES.filter((each) => each.group === group).flatMap(({ id }) => this.tiles.get(id) ?? []);
    const own = tile(CUSTOM, { rules: DEFAULT_OWN, cells: "" }, onOwn);
    const first = [...of("first"), tile(PUZZLE, "?", onPuzzle), own, tile(EDITOR, "+", onEdit)];
    const more = h("details", { class: "more-games" }, h("summary", {}, say("games.more")), tileList(of("more")),
      h("h3", { class: "minor" }, say("games.rare")), tileList(of("gallery")));
    root.append(h("div", { class: "who", id: "who" }),
      h("h2", { class: "minor", id: "games-title" }, say("games.title")), tileList(first), more);
  }

  /** @param {State} state */
  render({ game, edit, puzzle }) {
    this.root.hidden = game.moves.length > 0 || edit !== null || puzzle !== null;
    const chosen = gameOf(game.start)?.id;
    for (const [id, element] of this.tiles) {
      if (id === chosen && element.ariaPressed !== "true") bringIntoSight(element);
      element.setAttribute("aria-pressed", String(id === chosen));
    }
  }
}

/** In the strip of a narrow screen, to its middle; the page itself stays where it is. @param {HTMLElement} tile */
function bringIntoSight(tile) {
  const strip = tile.closest("ul");
  if (strip) strip.scrollLeft = tile.offsetLeft - strip.offsetLeft - (strip.clientWidth - tile.offsetWidth) / 2;
}

/** @param {HTMLElement[]} tiles */
function tileList(tiles) {
  return h("ul", { class: "tile-list" }, ...tiles.map((each) => h("li", {}, each)));
}

/** @param {{name: string, short: string}} words @param {Board | string} board or a sign @param {() => void} onclick */
function tile({ name, short }, board, onclick) {
  const picture = typeof board === "string"
    ? h("span", { class: "thumbnail plus", "aria-hidden": "true" }, board) : thumbnail(board);
  const words = h("span", { class: "tile-words" }, ...cardWords(name, short));
  return h("button", { type: "button", class: "tile-button", onclick }, picture, words);
}

/** The name of a game over its rules in short. @param {string} name @param {string} short */
export function cardWords(name, short) {
  return [h("span", { class: "card-name" }, name), h("span", { class: "card-short" }, short)];
}

/** A small board, or a corner of a large one, with a few marks; in misère with the line that nobody wants.
 * @param {Board} board */
export function thumbnail({ rules, cells }) {
  const skin = skinOf(rules);
  const isWhole = Math.max(rules.rows, rules.columns) <= WHOLE_UP_TO;
  const isPart = !isWhole || rules.layers > 1;
  const side = rules.layers > 1 ? CORNER : rules.goal + 1;
  const part = { rows: Math.min(side, rules.rows), columns: Math.min(side, rules.columns) };
  const corner = { ...rules, layers: 1, ...(isPart ? part : {}) };
  const [width, height] = [corner.columns * UNIT, corner.rows * UNIT];
  const draw = (/** @type {number | null} */ layer) =>
    sheet(corner, skin, isWhole ? cells.slice((layer ?? 0) * corner.rows * corner.columns) : "", layer);
  if (rules.layers === 1) return picture(skin, `-8 -8 ${width + 16} ${height + 16}`, draw(null));
  const shown = Math.min(rules.layers, STACKED);
  // Seen from the side, the lowest layer is drawn first.
  const lie = `matrix(0.75 0 -0.3 0.4 ${0.3 * height} 0)`;
  const rise = (/** @type {number} */ layer) => `translate(0 ${(shown - 1 - layer) * RISE})`;
  const sheets = times(shown, (layer) => s("g", { transform: `${rise(layer)} ${lie}` }, ...draw(layer)));
  const size = `${0.75 * width + 0.3 * height + 16} ${0.4 * height + (shown - 1) * RISE + 16}`;
  return picture(`${skin} stacked`, `-8 -8 ${size}`, sheets);
}

/** @param {string} name of its kind @param {string} viewBox @param {Element[]} parts */
function picture(name, viewBox, parts) {
  return s("svg", { class: `thumbnail ${name}`, viewBox, "aria-hidden": "true" }, ...parts);
}

/** One board of a thumbnail.
 * @param {Rules} rules @param {Skin} skin of the whole board @param {string} cells
 * @param {number | null} layer of several, through which a line goes up */
function sheet(rules, skin, cells, layer) {
  const blocked = cellsWith({ cells: cells.slice(0, rules.rows * rules.columns) }, (mark) => mark === BLOCKED);
  /** @type {[Side, number][]} */
  const marks = layer === null ? marksOf(rules) : [["X", (2 - layer) * rules.columns + layer]];
  // Marks of several layers are few and small, so they are drawn larger.
  const large = layer === null ? "" : "scale(1.8)";
  const at = (/** @type {number} */ cell) => `translate(${centre(rules, cell).join(" ")})${large}`;
  // A line that nobody wants.
  const faded = rules.misere || (rules.exact_goal && layer === null) ? "faded" : null;
  const put = (/** @type {[Side, number]} */ [who, cell]) =>
    s("g", { class: faded, transform: at(cell) }, piece(who, skin));
  const holes = blocked.map((cell) => s("g", { transform: at(cell) }, blockedCell(skin)));
  const cross = rules.renju ? [forbiddenMark(centre(rules, 2 * rules.columns + 2))] : [];
  return [surface(rules, skin), ...holes, ...marks.map(put), ...cross, front(rules, skin)];
}

/** What a game is about: its line, or the first marks.
 * @param {Rules} rules @returns {[Side, number][]} side and cell */
function marksOf({ rows, columns, goal, misere, exact_goal: isExact, caro, renju, marks, directions }) {
  const corner = (rows - 1) * columns;
  const isShared = marks === "shared";
  const line = (/** @type {number} */ from, /** @type {number} */ step, length = goal) =>
    times(length, (at) => /** @type {[Side, number]} */ (["X", from + step * at]));
  // Two threes that would cross where that is forbidden.
  if (renju) return [...line(2 * columns + 3, 1, 2), ...line(3 * columns + 2, columns, 2)];
  if (caro) return [["O", corner], ...line(corner + 1, 1)];
  if (isExact) return line(corner, 1, goal + 1);
  if (directions[0] === "diagonal" || (isShared && misere)) return line(0, columns + 1);
  if (directions.length === 2) return [...line(corner, 1), ...line(corner, -columns)];
  if (misere || isShared || goal > 4) return line(corner, misere || isShared ? 1 : 1 - columns);
  return [["X", corner], ["O", corner + 1], ["X", corner + 1 - columns]];
}
