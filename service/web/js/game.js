/** A game as it is played and looked back on: its first position, its moves, and the point that is shown. */

import { emptyPosition, ending, landing, play, positionKey } from "./rules.js";

/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Side} Side */

/** Immutable: every step gives a new game. */
export class Game {
  /**
   * @param {Position} start
   * @param {number[]} [moves] cells, each legal in its turn
   * @param {number} [shown] how many of the moves have been made in the position that is shown
   */
  constructor(start, moves = [], shown = moves.length) {
    this.start = start;
    this.moves = moves;
    this.shown = shown;
    /** @type {Position[]} one before each move and one after the last */
    this.positions = moves.reduce((all, cell) => [...all, play(all[all.length - 1], cell)], [start]);
    this.position = this.positions[shown];
    this.ending = ending(this.position);
    this.key = positionKey(this.position);
  }

  /** @param {Rules} rules @param {Side} first @param {string} [cells] its board, where cells are blocked */
  static fresh(rules, first, cells) {
    return new Game({ ...emptyPosition(rules, first), ...(cells ? { cells } : {}) });
  }

  get rules() {
    return this.start.rules;
  }

  /** The last move that was made in the position shown, or null at the start. */
  get lastMove() {
    return this.shown ? this.moves[this.shown - 1] : null;
  }

  get isOver() {
    return this.ending.state !== "ongoing";
  }

  /** Whether moves follow the position shown. */
  get isLookingBack() {
    return this.shown < this.moves.length;
  }

  /**
   * The game with one more move; what had been taken back is forgotten.
   * @param {number} cell under gravity any cell of the column
   * @returns {Game | null} null where the move is not legal
   */
  play(cell) {
    const at = this.isOver ? null : landing(this.position, cell);
    return at === null ? null : new Game(this.start, [...this.moves.slice(0, this.shown), at]);
  }

  /** The same game shown after so many moves. @param {number} shown */
  at(shown) {
    return new Game(this.start, this.moves, Math.max(0, Math.min(this.moves.length, shown)));
  }

  /** The same start with no moves. */
  again() {
    return new Game(this.start);
  }
}
