/** A game as it is played and looked back on: its first position, its moves, and the point that is shown. */

import { emptyPosition, ending, landing, play, positionKey } from "./rules.js";
/** @import { Position, Rules, Side } from "./rules.js" */

/** Immutable: every step gives a new game. */
export class Game {
  /** @param {Position} start @param {number[]} [moves] cells, each legal in its turn
   * @param {number} [shown] how many of the moves have been made in the position that is shown
   * @param {Position[]} [positions] one before each move and one after the last, where they are known */
  constructor(start, moves = [], shown = moves.length, positions = follow(start, moves)) {
    this.start = start;
    this.moves = moves;
    this.shown = shown;
    this.positions = positions;
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

  /** The game with one more move; what had been taken back is forgotten.
   * @param {number} cell under gravity any cell of the column
   * @returns {Game | null} null where the move is not legal */
  play(cell) {
    const at = this.isOver ? null : landing(this.position, cell);
    if (at === null) return null;
    const before = this.positions.slice(0, this.shown + 1);
    const moves = [...this.moves.slice(0, this.shown), at];
    return new Game(this.start, moves, undefined, [...before, play(this.position, at)]);
  }

  /** The same game shown after so many moves. @param {number} shown */
  at(shown) {
    return new Game(this.start, this.moves, Math.max(0, Math.min(this.moves.length, shown)), this.positions);
  }

  /** The same start with no moves. */
  again() {
    return new Game(this.start);
  }
}

/** @param {Position} start @param {number[]} moves */
function follow(start, moves) {
  const positions = [start];
  for (const cell of moves) positions.push(play(positions[positions.length - 1], cell));
  return positions;
}
