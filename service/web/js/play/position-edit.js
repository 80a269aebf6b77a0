/** Changes a position that is being set up: what a click does to it, and what is wrong with it. */

import { sideName } from "../shared/notation.js";
import { EMPTY, isComposed, other, unmarked, wrongBoard } from "../shared/rules.js";
import { say } from "../shared/say.js";

/** @param {Position} position @returns {Edit} */
export function editOf(position) {
  return { ...position, tool: position.toMove };
}

/** The position after a click on a cell that `editTarget` names.
 * @param {Edit} edit @param {number} cell @returns {Edit} */
export function editAt(edit, cell) {
  return { ...edit, cells: toggled(edit.cells, cell, edit.tool) };
}

/** The cells with a mark put down or, where it lies already, taken away.
 * @param {string} cells @param {number} cell @param {Mark} mark */
export function toggled(cells, cell, mark) {
  return cells.slice(0, cell) + (cells[cell] === mark ? EMPTY : mark) + cells.slice(cell + 1);
}

/** Without marks; where there are none, without blocked cells. @param {Edit} edit @returns {Edit} */
export function cleared(edit) {
  const marked = /[XO]/.test(edit.cells);
  return { ...edit, cells: marked ? unmarked(edit.cells) : EMPTY.repeat(edit.cells.length) };
}

/** Why a position cannot be played from, in a sentence, or null. @param {Position} position */
export function editProblem(position) {
  const { rules, toMove } = position;
  const [mover, waiting] = [sideName(rules, toMove), sideName(rules, other(toMove))];
  const wrong = wrongBoard(position, !rules.renju);
  return wrong && say(`wrong.${wrong}`, { mover, waiting });
}

/** What is said of a position that no game comes to, but that can be played from. @param {Position} position */
export function editNote(position) {
  return isComposed(position) ? say("edit.composed") : "";
}
