/** Keys for everything one does often, with a list of them under "?", and a switch for those who want none. */

import { TWO_TAPS } from "../board/board-view.js";
import { byId, dialogForm, h, switchBox } from "../shared/dom.js";
import { isNumbered } from "../shared/notation.js";
import { say } from "../shared/say.js";
import { mover } from "../shared/state.js";
import { isSwitchedOn, rememberSwitch } from "../shared/storage.js";
import { SOUND, click } from "./sound.js";
/** @import { PageStore } from "../shared/state.js" */
/** @import { GameController } from "./game-controller.js" */

const STORED = "kinarow.keys";
/** Keys that work without being listed here, for each is the way of its own part of the page. */
const ELSEWHERE = [["arrows", "onBoard"], ["enter", "play"], ["digits", "drop"]];

export class Shortcuts {
  /** @param {PageStore} store @param {GameController} controller
   * @param {{open: () => void}} acts opens the dialog of a new game */
  constructor(store, controller, { open }) {
    this.store = store;
    this.controller = controller;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("keys-dialog"));
    this.enabled = isSwitchedOn(STORED, true);
    this.shortcuts = shortcutsOf(store, controller, open, () => this.help());
    addEventListener("keydown", (event) => this.#press(event));
    this.#build();
  }

  help() {
    this.dialog.showModal();
  }

  #build() {
    const elsewhere = ELSEWHERE.map((pair) => pair.map((key) => say(`keys.${key}`)));
    const list = [...elsewhere, ...this.shortcuts.map(({ shown, words }) => [shown, words])];
    const letters = remembering(STORED, true, say("keys.letters"), (isOn) => (this.enabled = isOn));
    const sound = remembering(SOUND, false, say("keys.sound"), (isOn) => isOn && click());
    const taps = remembering(TWO_TAPS, true, say("keys.taps"));
    const rows = list.map(([keys, words]) => h("div", {}, h("dt", {}, h("kbd", {}, keys)), h("dd", {}, words)));
    this.dialog.replaceChildren(dialogForm("keys-title", say("keys.title"), sound, taps, letters,
      h("dl", { class: "keys" }, ...rows)));
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

/** A switch that is remembered.
 * @param {string} name @param {boolean} usual @param {string} words @param {(isOn: boolean) => void} [onChange] */
function remembering(name, usual, words, onChange) {
  const { box, label } = switchBox({ checked: isSwitchedOn(name, usual), onchange: () => {
    rememberSwitch(name, box.checked);
    onChange?.(box.checked);
  } }, words);
  return label;
}

/** Each with its keys as `KeyboardEvent.key` names them, lower case.
 * @param {PageStore} store @param {GameController} controller @param {() => void} open @param {() => void} help */
function shortcutsOf(store, controller, open, help) {
  const step = (/** @type {number} */ by) => controller.show(store.state.game.shown + by);
  const last = () => controller.show(store.state.game.moves.length);
  const toggle = () => store.set({ thinkAlong: !store.state.thinkAlong });
  return [
    { keys: ["u"], shown: "U", words: say("stage.undo"), act: () => controller.undo() },
    { keys: ["r"], shown: "R", words: say("stage.redo"), act: () => controller.redo() },
    { keys: ["h"], shown: "H", words: say("keys.hint"), act: () => controller.hint() },
    { keys: ["t"], shown: "T", words: say("keys.along"), act: toggle },
    { keys: ["n"], shown: "N", words: say("stage.new"), act: open },
    { keys: ["e"], shown: "E", words: say("game.edit"), act: () => controller.edit() },
    { keys: ["ArrowLeft"], shown: "←", words: say("keys.back"), act: () => step(-1) },
    { keys: ["ArrowRight"], shown: "→", words: say("keys.on"), act: () => step(1) },
    { keys: ["Home"], shown: say("keys.home"), words: say("keys.first"), act: () => controller.show(0) },
    { keys: ["End"], shown: say("keys.end"), words: say("keys.last"), act: last },
    { keys: ["?"], shown: "?", words: say("keys.list"), act: help },
  ];
}

/** Whether a key already means something where the focus is. @param {KeyboardEvent} event */
function isTaken({ target, key }) {
  const takers = `input:not([type=checkbox]), select, textarea, dialog${key.length === 1 ? "" : ", [role=tablist]"}`;
  return target instanceof Element && target.closest(takers) !== null;
}
