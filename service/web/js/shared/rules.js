/** The rules of a game on the client: what is legal, who has completed a line, when it is over; no server. */

import { judgeBoard, riseOf } from "../../../../browser/judge-board.js";
import { beginner, count, runsOf } from "../../../../browser/lines.js";
import { useTables } from "../../../../browser/read-moves.js";
import { RenjuBoard } from "./renju.js";

/** The rules as the engine declares them; games with a name; where every position is proven within the default budget:
 * in games with so few cells and in those named; fullStrength: the best level; maxNodes: the limit of a search; engine:
 * the folder of the engine in the browser, empty without one; service: whether there is a service to ask.
 * @type {{rules: Record<string, Declaration>, games: object, solved: {cells: number, games: string[]},
 *   fullStrength: number, maxNodes: number, engine: string, service: boolean, reading: Tables}} */
export const WRITTEN = JSON.parse(document.querySelector("meta[name=games]")?.getAttribute("content") ?? "");

useTables(WRITTEN.reading);

export const MAX_SIDE = WRITTEN.reading.max_side;
const MAX_CELLS = MAX_SIDE * MAX_SIDE;
export const EMPTY = ".";

export const BLOCKED = "#";
/** The rules as the engine declares them, by the names of their fields. */
export const RULES = WRITTEN.rules;

/** The directions in which lines may lie. */
export const DIRECTIONS = /** @type {Direction[]} */ (RULES.directions.choices);

const USUAL = Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, rule.default]));

/** Rules that have their default unless said otherwise.
 * @param {number} rows @param {number} columns @param {number} goal @param {Partial<Rules>} [switches]
 * @returns {Rules} */
export function rulesOf(rows, columns, goal, switches = {}) {
  return /** @type {any} */ ({ rows, columns, ...USUAL, goal, layers: 1, ...switches });
}

/** The fields of rules. */
export const RULE_FIELDS = /** @type {(keyof Rules)[]} */ (Object.keys(rulesOf(0, 0, 0)));

/** What is wrong with these rules, or null.
 * @param {Rules} rules
 * @returns {keyof Rules | null} the first field that is out of its range, or does not go together with another */
export function wrongField(rules) {
  const sides = /** @type {const} */ (["rows", "columns", "layers"]);
  const wrong = sides.find((side) => !isBetween(rules[side], 1, MAX_SIDE));
  if (wrong) return wrong;
  if (cellCount(rules) > MAX_CELLS) return "layers";
  if (!isBetween(rules.goal, 1, Math.max(rules.rows, rules.columns, rules.layers))) return "goal";
  const used = RULE_FIELDS.filter((field) => isUsed(rules, field));
  if (used.some((field) => ![undefined, rules.goal].includes(RULES[field]?.needs?.goal))) return "goal";
  return used.find((field) => excludedBy(rules, field)) ?? null;
}

/** @param {number} number @param {number} least @param {number} most */
export function isBetween(number, least, most) {
  return Number.isInteger(number) && number >= least && number <= most;
}

/** The rules that are another than usual; the size of the board and the goal always are. @param {Rules} rules */
export function unusualRules(rules) {
  return Object.fromEntries(RULE_FIELDS.filter((field) => isUsed(rules, field)).map((field) => [field, rules[field]]));
}

/** Whether a rule is another than usual. @param {Rules} rules @param {keyof Rules} field */
function isUsed(rules, field) {
  const usual = rulesOf(0, 0, 0)[field];
  return Array.isArray(usual) ? /** @type {any} */ (rules[field]).length < usual.length : rules[field] !== usual;
}

/** The rule in use that a field does not go together with, or null. @param {Rules} rules @param {keyof Rules} field */
export function excludedBy(rules, field) {
  const clash = (/** @type {keyof Rules} */ each) =>
    RULES[each]?.notWith.includes(field) || RULES[field]?.notWith.includes(each);
  return RULE_FIELDS.find((each) => isUsed(rules, each) && clash(each)) ?? null;
}

/** @param {Rules} rules */
export function cellCount({ rows, columns, layers }) {
  return rows * columns * layers;
}

/** @param {Side} side @returns {Side} */
export function other(side) {
  return side === "X" ? "O" : "X";
}

/** @param {Rules} rules @param {Side} first @returns {Position} */
export function emptyPosition(rules, first) {
  return { rules, cells: EMPTY.repeat(cellCount(rules)), toMove: first };
}

/** Names rules among all. @param {Rules} rules */
export function rulesKey(rules) {
  return RULE_FIELDS.map((field) => rules[field]).join();
}

/** The cells of a board without its marks. @param {string} cells */
export function unmarked(cells) {
  return cells.replace(/[XO]/g, EMPTY);
}

/** Names a position among all games: two positions have the same key only when they are the same.
 * @param {Position} position */
export function positionKey({ rules, cells, toMove }) {
  return `${rulesKey(rules)} ${cells} ${toMove}`;
}

/** A text in parts of this length. @param {string} text @param {number} length */
function chunks(text, length) {
  return Array.from({ length: text.length / length }, (_, at) => text.slice(at * length, (at + 1) * length));
}

/** The board in the form of the API: the rows, with layers those of the bottom one first.
 * @param {Position} position */
export function boardOf({ rules, cells }) {
  return chunks(cells, rules.columns);
}

/** The same as text, with `/` between rows and `//` between layers. @param {Position} position */
export function boardText({ rules, cells }) {
  const layers = chunks(cells, rules.rows * rules.columns);
  return layers.map((layer) => chunks(layer, rules.columns).join("/")).join("//");
}

/** The cells whose mark is as it should be.
 * @param {{cells: string}} position @param {(mark: string, cell: number) => boolean} isWanted @returns {number[]} */
export function cellsWith({ cells }, isWanted) {
  return [...cells].flatMap((mark, cell) => (isWanted(mark, cell) ? [cell] : []));
}

/** @param {Position} position */
export function countEmpty({ cells }) {
  return count(cells, EMPTY);
}

/** The cells in which marks fall onto each other, from the lowest up. @param {Rules} rules @param {number} cell */
function stackOf(rules, cell) {
  const rise = riseOf(rules);
  const [size, count] = [Math.abs(rise), cellCount(rules)];
  const lowest = rise > 0 ? cell % size : count - size + (cell % size);
  return Array.from({ length: count / size }, (_, height) => lowest + height * rise);
}

/** The cell that a choice of this cell marks: itself, or under gravity the lowest empty one of its stack.
 * @param {Position} position @param {number} cell @returns {number | null} null where nothing can be marked */
export function landing(position, cell) {
  const { rules, cells } = position;
  if (rules.gravity) return stackOf(rules, cell).find((each) => cells[each] === EMPTY) ?? null;
  return cells[cell] === EMPTY && !forbiddenCells(position).has(cell) ? cell : null;
}

/** @type {WeakMap<Position, Set<number>>} */
const forbidden = new WeakMap();

/** The empty cells that Renju forbids to the side to move. @param {Position} position @returns {Set<number>} */
export function forbiddenCells(position) {
  const { rules, cells, toMove } = position;
  const known = forbidden.get(position);
  if (known || !rules.renju || beginner(position) !== toMove) return known ?? new Set();
  const board = new RenjuBoard(rules, cells, toMove);
  const barred = new Set(cellsWith(position, (mark, cell) => mark === EMPTY && board.isForbidden(cell)));
  forbidden.set(position, barred);
  return barred;
}

/** The cell that a click changes while a position is set up: a mark is put down or, where it lies already, taken away.
 * @param {Position} position @param {Mark} tool @param {number} cell
 * @returns {number | null} under gravity the lowest free cell of the column, or for taking away its topmost mark */
export function editTarget(position, tool, cell) {
  const { rules, cells } = position;
  if (!rules.gravity) return tool === EMPTY && cells[cell] === EMPTY ? null : cell;
  const top = stackOf(rules, cell).findLast((each) => cells[each] !== EMPTY) ?? null;
  return tool === EMPTY || cell === top ? top : landing(position, cell);
}

/** The cells that may be marked, in tile order. @param {Position} position @returns {number[]} */
export function legalMoves(position) {
  if (ending(position).state !== "ongoing") return [];
  return cellsWith(position, (_, cell) => landing(position, cell) === cell);
}

/** The position after the side to move marks a cell that is legal.
 * @param {Position} position @param {number} cell @returns {Position} */
export function play({ rules, cells, toMove }, cell) {
  return { rules, cells: cells.slice(0, cell) + markOf(rules, toMove) + cells.slice(cell + 1), toMove: other(toMove) };
}

/** The mark that a side makes. @param {Rules} rules @param {Side} side @returns {Side} */
export function markOf({ marks }, side) {
  return marks === "shared" ? "X" : side;
}

/** Whether the game is over, who won and by which lines. @param {Position} position @returns {Ending} */
export function ending(position) {
  const mover = other(position.toMove);
  // With goal 1 a mark alone is a line in each direction.
  const lines = runsOf(position, mover).map(({ run }) => run).filter((run, index) => run.length > 1 || index === 0);
  if (lines.length) return { state: "won", winner: position.rules.misere ? position.toMove : mover, lines };
  const isStuck = countEmpty(position) === forbiddenCells(position).size; // on a full board none is forbidden
  return { state: isStuck ? "drawn" : "ongoing", winner: null, lines };
}

/** What is wrong with a board as the start of a game, or null.
 * @param {Position} position @param {boolean} [composed] whether either side may have any number of marks */
export function wrongBoard({ rules, cells, toMove }, composed) {
  return judgeBoard(rules, cells, toMove, composed).wrong;
}

/** Whether the numbers of marks are those of no game with this side to move. @param {Position} position */
export function isComposed({ rules, cells, toMove }) {
  const lead = count(cells, "X") - count(cells, "O");
  return rules.marks === "own" && lead !== 0 && (Math.abs(lead) > 1 || (toMove === "X") === lead > 0);
}

/** The index of a cell of an answer. @param {Cell} cell @param {Rules} rules */
export function cellIndex({ layer = 0, row, column }, { rows, columns }) {
  return (layer * rows + row) * columns + column;
}
