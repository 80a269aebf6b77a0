/** A game as it is played and looked back on, and moves as people write them: 4453, h8h7i9, tiles, or a list. */

import { moveName } from "./notation.js";
import { readMoves, refuse, splitResult } from "../../../../browser/read-moves.js";
import { RULES, emptyPosition, ending, landing, other, play, positionKey, wrongField } from "./rules.js";
import { say } from "./say.js";
import { lineThrough, promoted, treeText, withLine, without } from "./variations.js";

/** Immutable: every step gives a new game. */
export class Game {
  /** @param {Position} start @param {number[]} [moves] cells, each legal in its turn
   * @param {number} [shown] how many of the moves have been made in the position that is shown
   * @param {Position[]} [positions] one before each move and one after the last, where they are known
   * @param {Branch[]} [tree] all that was played, the moves among it */
  constructor(start, moves = [], shown = moves.length, positions = follow(start, moves), tree = withLine([], moves)) {
    this.start = start;
    this.tree = tree;
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

  /** The moves made in the position shown. */
  get path() {
    return this.moves.slice(0, this.shown);
  }

  /** The game with one more move; what had been taken back stays as another line.
   * @param {number} cell under gravity any cell of the column
   * @returns {Game | null} null where the move is not legal */
  play(cell) {
    const at = this.isOver ? null : landing(this.position, cell);
    if (at === null) return null;
    const path = [...this.path, at];
    const tree = withLine(this.tree, path);
    const moves = lineThrough(tree, path);
    const known = this.positions.slice(0, this.shown + 1);
    const positions = [...known, ...follow(play(this.position, at), moves.slice(path.length))];
    return new Game(this.start, moves, path.length, positions, tree);
  }

  /** The game at the end of a path of legal moves, in the line that goes on from there. @param {number[]} path */
  on(path) {
    const tree = withLine(this.tree, path);
    return new Game(this.start, lineThrough(tree, path), path.length, undefined, tree);
  }

  /** The line shown becomes the main line where it last left it. */
  promote() {
    return new Game(this.start, this.moves, this.shown, this.positions, promoted(this.tree, this.path));
  }

  /** Without the last move shown and all that follows it. */
  remove() {
    return new Game(this.start, [], 0, undefined, without(this.tree, this.path)).on(this.path.slice(0, -1));
  }

  /** All lines as text. @param {string} between moves */
  text(between) {
    return treeText(this.tree, (cell) => moveName(this.rules, cell), between);
  }

  /** The same game, shown after its first `shown` moves. @param {number} shown */
  at(shown) {
    return new Game(this.start, this.moves, Math.max(0, Math.min(this.moves.length, shown)), this.positions,
      this.tree);
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

/** Rules that are known and go together, with their directions in order.
 * @param {any} rules with all fields @returns {Rules} @throws {Misread} */
export function checkedRules(rules) {
  const checked = { ...rules };
  for (const [name, { kind, choices }] of Object.entries(RULES)) {
    if (kind === "list") checked[name] = choices.filter((each) => rules[name].includes(each));
    const isKnown = kind === "list" ? checked[name].length > 0 && checked[name].length === rules[name].length
      : kind !== "choice" || choices.includes(rules[name]);
    if (!isKnown) refuse("field", { field: name });
  }
  const wrong = wrongField(checked);
  return wrong ? refuse("field", { field: wrong }) : checked;
}

/** @param {Rules} rules @param {unknown} moves text or a list @param {Game} [start] */
export function fromMoves(rules, moves, start = new Game(emptyPosition(rules, "X"))) {
  if (typeof moves === "string" && moves.includes("(")) return fromTree(rules, moves, start);
  const { text, result } = typeof moves === "string" ? splitResult(moves) : { text: moves, result: undefined };
  let game = start;
  for (const [index, { cell, stack }] of (rules.layers > 1 ? readLayered : readMoves)(text, rules).entries()) {
    // A cell under gravity must be the one where the stone comes to rest.
    const at = landing(game.position, cell ?? stack);
    const next = at !== null && at === (cell ?? at) ? game.play(at) : null;
    game = next ?? refuse("move", { number: index + 1, move: moveName(rules, cell ?? stack) });
  }
  const first = start.position.toMove;
  const winner = result === 0 ? first : result === 1 ? other(first) : null;
  if (result !== undefined && game.isOver && winner !== game.ending.winner) refuse("result");
  return game;
}

/** Why something cannot be read, in the visitor's language.
 * @param {import("../../../../browser/read-moves.js").Misread} misread */
export function misreadWords({ code, values }) {
  return say(`wrong.${code}`, values);
}

/** Moves with layers, where the page has texts of its own, such as 1a1.4d4, or b3 where balls fall.
 * @param {unknown} moves @param {Rules} rules */
function readLayered(moves, rules) {
  const list = Array.isArray(moves) ? moves : String(moves).trim().split(/[\s.,;]+/).filter(Boolean);
  const places = list.map((/** @type {unknown} */ move) => {
    const [, layer, letter, row] = String(move).match(/^(\d*)([a-y])(\d+)$/i) ?? [];
    if (!letter) return move;
    const [column, top] = [letter.toLowerCase().charCodeAt(0) - 97, rules.rows - Number(row)];
    return layer ? [Number(layer) - 1, top, column] : { row: top, column };
  });
  return readMoves(places, rules);
}

/** Moves with variations in parentheses, each after the move that it replaces.
 * @param {Rules} rules @param {string} text @param {Game} start */
function fromTree(rules, text, start) {
  let game = start;
  /** @type {number[][]} where the lines around go on */
  const outer = [];
  for (const part of text.split(/([()])/)) {
    if (part === "(") {
      outer.push(game.shown ? game.path : refuse("text"));
      game = game.at(game.shown - 1);
    } else if (part === ")") {
      game = game.on(outer.pop() ?? refuse("text"));
    } else game = fromMoves(rules, part.replace(/^[\s.,;]+|[\s.,;]+$/g, ""), game);
  }
  return outer.length ? refuse("text") : game;
}
