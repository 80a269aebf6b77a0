/** A game as it is played and looked back on, and moves as people write them: 4453, h8h7i9, tiles, or a list. */

import { isNumbered, moveName } from "./notation.js";
import { RULES, cellCount, cellIndex, emptyPosition, ending, isBetween, landing, play, positionKey,
  wrongField } from "./rules.js";
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

/** A sentence for the visitor: why a text cannot be read. */
export class Unreadable extends Error {}

/** @param {string} why a sentence @returns {never} */
export function unreadable(why) {
  throw new Unreadable(why);
}

/** Rules that are known and go together, with their directions in order.
 * @param {any} rules with all fields @returns {Rules} @throws {Unreadable} */
export function checkedRules(rules) {
  const checked = { ...rules };
  for (const [name, { kind, choices }] of Object.entries(RULES)) {
    if (kind === "list") checked[name] = choices.filter((each) => rules[name].includes(each));
    const isKnown = kind === "list" ? checked[name].length > 0 && checked[name].length === rules[name].length
      : kind !== "choice" || choices.includes(rules[name]);
    if (!isKnown) unreadable(say("wrong.shape"));
  }
  const wrong = wrongField(checked);
  return wrong ? unreadable(say("wrong.field", { field: wrong })) : checked;
}

/** @param {Rules} rules @param {unknown} moves text or a list @param {Game} [start] */
export function fromMoves(rules, moves, start = new Game(emptyPosition(rules, "X"))) {
  let game = start;
  if (typeof moves === "string" && moves.includes("(")) return fromTree(rules, moves, start);
  const list = Array.isArray(moves) ? moves : splitMoves(String(moves), rules);
  list.forEach((move, index) => {
    const cell = cellOf(move, game);
    // A cell under gravity must be the one where the stone comes to rest.
    const next = cell !== null && landing(game.position, cell) === cell ? game.play(cell) : null;
    if (!next) return unreadable(say("wrong.move", { number: index + 1, move: wordsOf(move, rules) }));
    game = next;
  });
  return game;
}

/** Moves with variations in parentheses, each after the move that it replaces.
 * @param {Rules} rules @param {string} text @param {Game} start */
function fromTree(rules, text, start) {
  let game = start;
  /** @type {number[][]} where the lines around go on */
  const outer = [];
  for (const part of text.split(/([()])/)) {
    if (part === "(") {
      outer.push(game.shown ? game.path : unreadable(say("wrong.text")));
      game = game.at(game.shown - 1);
    } else if (part === ")") {
      game = game.on(outer.pop() ?? unreadable(say("wrong.text")));
    } else game = fromMoves(rules, part.replace(/^[\s.,;]+|[\s.,;]+$/g, ""), game);
  }
  return outer.length ? unreadable(say("wrong.text")) : game;
}

/** @param {string} text @param {Rules} rules */
function splitMoves(text, rules) {
  const given = text.trim().toLowerCase();
  if (isNumbered(rules) && /^[1-9\s]*$/.test(given)) return [...given.replace(/\s/g, "")];
  if (/^\d+([\s.,]+\d+)*$/.test(given)) return given.split(/[\s.,]+/).map(Number);
  if (rules.layers > 1 && /^(\d*[a-y]\d+[\s.,;]*)+$/.test(given)) return given.split(/[\s.,;]+/);
  const unnumbered = given.replace(/\d+\.\s/g, " ");
  const moves = unnumbered.match(/[a-y]\d+/g) ?? [];
  if (moves.join("") === unnumbered.replace(/[\s.,;]/g, "")) return moves;
  unreadable(say("wrong.text"));
}

/** The cell that a move names, or null. @param {any} move @param {Game} game @returns {number | null} */
function cellOf(move, { rules, position }) {
  if (typeof move === "number") return isBetween(move, 1, cellCount(rules)) ? move - 1 : null;
  const place = placeOf(move, rules);
  const { layer = 0, row = 0, column } = place;
  const inPlan = isBetween(row, 0, rules.rows - 1) && isBetween(column, 0, rules.columns - 1);
  if (!inPlan || !isBetween(layer, 0, rules.layers - 1)) return null;
  const cell = cellIndex({ layer, row, column }, rules);
  // Under gravity a place without its height is where the mark comes to rest.
  const isWhole = rules.layers > 1 ? place.layer !== undefined : place.row !== undefined;
  return rules.gravity && !isWhole ? landing(position, cell) : cell;
}

/** @param {any} move @param {Rules} rules @returns {{layer?: number, row?: number, column: number}} */
function placeOf(move, rules) {
  if (Array.isArray(move)) return { layer: move.at(-3), row: move.at(-2), column: move.at(-1) };
  if (move && typeof move === "object") return move;
  const text = String(move).toLowerCase();
  if (isNumbered(rules)) return { column: /^[1-9]$/.test(text) ? Number(text) - 1 : -1 };
  const [, layer, letter, row] = text.match(/^(\d*)([a-y])(\d+)$/) ?? [];
  const column = letter ? letter.charCodeAt(0) - 97 : -1;
  return { layer: layer ? Number(layer) - 1 : undefined, row: rules.rows - Number(row), column };
}

/** @param {any} move @param {Rules} rules */
function wordsOf(move, rules) {
  return isBetween(move, 1, cellCount(rules)) ? moveName(rules, move - 1) : JSON.stringify(move).replaceAll('"', "");
}
