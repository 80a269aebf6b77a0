/** Keys for everything one does often, with a list of them under "?", and a switch for those who want none. */

import { byId, dialogForm, h, switchBox } from "../shared/dom.js";
import { isNumbered } from "../shared/notation.js";
import { mover } from "../shared/state.js";
import { remember, remembered } from "../shared/storage.js";
/** @import { PageStore } from "../shared/state.js" */
/** @import { GameController } from "./game-controller.js" */

const STORED = "kinarow.keys";
const OFF = "off";
/** Keys that work without being listed here, for each is the way of its own part of the page. */
const ELSEWHERE = [
  ["Arrow keys", "On the board: move between cells"],
  ["Enter or space", "Play on the cell"],
  ["1 to 9", "Drop a stone into that column, where stones fall"],
];

export class Shortcuts {
  /** @param {PageStore} store @param {GameController} controller
   * @param {{open: () => void}} acts opens the dialog of a new game */
  constructor(store, controller, { open }) {
    this.store = store;
    this.controller = controller;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("keys-dialog"));
    this.enabled = remembered("localStorage", STORED) !== OFF;
    this.shortcuts = shortcutsOf(store, controller, open, () => this.help());
    addEventListener("keydown", (event) => this.#press(event));
    this.#build();
  }

  help() {
    this.dialog.showModal();
  }

  #build() {
    const list = [...ELSEWHERE, ...this.shortcuts.map(({ shown, words }) => [shown, words])];
    const onchange = () => this.#enable(box.checked);
    const { box, label } = switchBox({ checked: this.enabled, onchange }, "Letters and digits work as keys");
    const rows = list.map(([keys, words]) => h("div", {}, h("dt", {}, h("kbd", {}, keys)), h("dd", {}, words)));
    this.dialog.replaceChildren(dialogForm("keys-title", "Keys", h("dl", { class: "keys" }, ...rows), label));
  }

  /** @param {boolean} enabled */
  #enable(enabled) {
    this.enabled = enabled;
    remember("localStorage", STORED, enabled ? null : OFF);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const isLetter = event.key.length === 1;
    const isOff = (isLetter && !this.enabled) || document.querySelector("dialog[open]");
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isTaken(event)) return;
    if (this.store.state.view !== "play" || isOff) return;
    const key = isLetter ? event.key.toLowerCase() : event.key;
    const shortcut = this.shortcuts.find(({ keys }) => keys.includes(key));
    if (!shortcut && !this.#drop(key)) return;
    shortcut?.act();
    event.preventDefault();
  }

  /** A digit plays the column of that number where stones fall. @param {string} key */
  #drop(key) {
    const { rules } = this.store.state.game;
    const column = Number(key) - 1;
    const isColumn = /^[1-9]$/.test(key) && isNumbered(rules) && column < rules.columns;
    if (!isColumn || mover(this.store.state) !== "you") return false;
    this.controller.play(column);
    return true;
  }
}

/** Each with its keys as `KeyboardEvent.key` names them, lower case.
 * @param {PageStore} store @param {GameController} controller @param {() => void} open @param {() => void} help */
function shortcutsOf(store, controller, open, help) {
  const step = (/** @type {number} */ by) => controller.show(store.state.game.shown + by);
  const last = () => controller.show(store.state.game.moves.length);
  const toggle = () => store.set({ thinkAlong: !store.state.thinkAlong });
  return [
    { keys: ["u"], shown: "U", words: "Undo", act: () => controller.undo() },
    { keys: ["r"], shown: "R", words: "Redo", act: () => controller.redo() },
    { keys: ["h"], shown: "H", words: "Hint: show one good move", act: () => controller.hint() },
    { keys: ["t"], shown: "T", words: "Think along, on and off", act: toggle },
    { keys: ["n"], shown: "N", words: "New game", act: open },
    { keys: ["e"], shown: "E", words: "Set up a position", act: () => controller.edit() },
    { keys: ["ArrowLeft"], shown: "←", words: "Elsewhere: one move back", act: () => step(-1) },
    { keys: ["ArrowRight"], shown: "→", words: "Elsewhere: one move on", act: () => step(1) },
    { keys: ["Home"], shown: "Home", words: "To the first position", act: () => controller.show(0) },
    { keys: ["End"], shown: "End", words: "To the last position", act: last },
    { keys: ["?"], shown: "?", words: "This list", act: help },
  ];
}

/** Whether a key already means something where the focus is. @param {KeyboardEvent} event */
function isTaken({ target, key }) {
  const takers = `input:not([type=checkbox]), select, textarea, dialog${key.length === 1 ? "" : ", [role=tablist]"}`;
  return target instanceof Element && target.closest(takers) !== null;
}
