/** The board of a new game as it will be: joined edges are drawn, and a click blocks a cell or frees it. */

import { BoardView } from "../board/board-view.js";
import { BARE } from "../board/scene.js";
import { h } from "../shared/dom.js";
import { BLOCKED, EMPTY, cellCount, editTarget, emptyPosition, wrongBoard } from "../shared/rules.js";
import { say } from "../shared/say.js";
/** @import { Position, Rules } from "../shared/rules.js" */

export class NewGameBoard {
  /** @type {Rules | null} */
  #rules = null;

  /** @param {string} cells the board at first, without marks */
  constructor(cells) {
    this.cells = cells;
    const board = h("div", { class: "board" });
    this.view = new BoardView(board, (cell) => this.#toggle(cell), () => {});
    this.how = h("p", { class: "fine" });
    this.element = h("div", { class: "shape-board" }, this.how, board);
  }

  /** Draws the board of these rules; nothing without rules. @param {Rules | null} rules */
  show(rules) {
    this.element.hidden = rules === null;
    if (!rules) return;
    const sides = /** @type {const} */ (["rows", "columns", "layers"]);
    if (sides.some((side) => rules[side] !== this.#rules?.[side])) this.#resize(rules);
    // Stones fall now, and blocked cells do not float; or it is Renju, which has none.
    else if (wrongBoard({ rules, cells: this.cells, toMove: "X" })) this.cells = emptyPosition(rules, "X").cells;
    this.#rules = rules;
    this.#draw(rules);
  }

  /** @param {Rules} rules */
  #resize(rules) {
    if (this.#rules || this.cells.length !== cellCount(rules)) this.cells = emptyPosition(rules, "X").cells;
  }

  /** @param {number} cell */
  #toggle(cell) {
    const mark = this.cells[cell] === BLOCKED ? EMPTY : BLOCKED;
    this.cells = this.cells.slice(0, cell) + mark + this.cells.slice(cell + 1);
    if (this.#rules) this.#draw(this.#rules);
  }

  /** @param {Rules} rules */
  #draw(rules) {
    const position = /** @type {Position} */ ({ rules, cells: this.cells, toMove: "X" });
    this.how.textContent = say(rules.renju ? "new.noBlock" : "new.block");
    const targetOf = (/** @type {number} */ cell) => (rules.renju ? null : editTarget(position, BLOCKED, cell));
    this.view.show({ ...BARE, position, targetOf, mark: BLOCKED });
  }
}
