/** The board of a new game as it will be: joined edges are drawn, and a click blocks a cell or frees it. */

import { BoardView } from "./board.js";
import { h } from "./dom.js";
import { BLOCKED, EMPTY, editTarget, emptyPosition, wrongBoard } from "./rules.js";

/** @typedef {import("./rules.js").Rules} Rules */

const HOW = "Click cells to block them: a blocked cell is never played.";

export class ShapeBoard {
  /** @type {Rules | null} */
  #rules = null;

  /** @param {string} cells the board at first, without marks */
  constructor(cells) {
    this.cells = cells;
    const board = h("div", { class: "board" });
    this.view = new BoardView(board, (cell) => this.#toggle(cell), () => {});
    this.element = h("div", { class: "shape-board" }, h("p", { class: "fine" }, HOW), board);
  }

  /** Draws the board of these rules; nothing without rules. @param {Rules | null} rules */
  show(rules) {
    this.element.hidden = rules === null;
    if (!rules) return;
    if (!this.#rules || rules.rows !== this.#rules.rows || rules.columns !== this.#rules.columns) this.#resize(rules);
    // Stones fall now, and blocked cells do not float.
    else if (wrongBoard({ rules, cells: this.cells, toMove: "X" })) this.cells = emptyPosition(rules, "X").cells;
    this.#rules = rules;
    this.#draw(rules);
  }

  /** @param {Rules} rules */
  #resize(rules) {
    if (this.#rules || this.cells.length !== rules.rows * rules.columns) this.cells = emptyPosition(rules, "X").cells;
  }

  /** @param {number} cell */
  #toggle(cell) {
    const mark = this.cells[cell] === BLOCKED ? EMPTY : BLOCKED;
    this.cells = this.cells.slice(0, cell) + mark + this.cells.slice(cell + 1);
    if (this.#rules) this.#draw(this.#rules);
  }

  /** @param {Rules} rules */
  #draw(rules) {
    const position = /** @type {import("./rules.js").Position} */ ({ rules, cells: this.cells, toMove: "X" });
    this.view.show({
      position, lastMove: null, lines: [], heat: [], pointers: [], ghosts: { cells: [], isOld: false },
      targetOf: (cell) => editTarget(position, BLOCKED, cell), mark: BLOCKED,
    });
  }
}
