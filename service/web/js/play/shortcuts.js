/** Keys for everything one does often: each presses what names it in `aria-keyshortcuts`, and digits drop stones. */

import { byId, isTaken } from "../shared/dom.js";
import { isNumbered } from "../../../../browser/read-moves.js";
import { mover } from "../shared/state.js";

/** @param {PageStore} store @param {GameController} controller */
export function installShortcuts(store, controller) {
  const letters = /** @type {HTMLInputElement} */ (byId("letters"));
  addEventListener("keydown", (event) => {
    const isLetter = event.key.length === 1;
    const isOff = (isLetter && !letters.checked) || document.querySelector("dialog[open]");
    if (isTaken(event) || store.state.view !== "play" || isOff) return;
    const key = CSS.escape(isLetter ? event.key.toUpperCase() : event.key);
    /** @type {HTMLElement | null} */
    const element = document.querySelector(`[aria-keyshortcuts="${key}"]:not([hidden])`);
    if (!element && !drop(event.key, store.state, controller)) return;
    element?.click();
    event.preventDefault();
  });
}

/** A digit plays the column of that number where stones fall.
 * @param {string} key @param {State} state @param {GameController} controller */
function drop(key, state, controller) {
  const { rules } = state.game;
  const column = Number(key) - 1;
  const isColumn = /^[1-9]$/.test(key) && isNumbered(rules) && column < rules.columns;
  if (!isColumn || mover(state) !== "you") return false;
  controller.play(column);
  return true;
}
