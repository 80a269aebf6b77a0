/** A position to take away: as a link, as text, as a picture. */

import { pictureOf } from "../board/picture.js";
import { byId, h, icon } from "../shared/dom.js";
import { writeLink } from "../shared/link.js";
import { movesText } from "../shared/notation.js";
import { isNumbered } from "../shared/read-moves.js";
import { boardText } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { isForked } from "../shared/variations.js";

const SAID_FOR_MS = 1500;
const FILE = "kinarow.png";

/** What can be taken away of a position, each with its button. @param {Setup} setup @returns {HTMLElement} */
export function copies(setup) {
  const { position, moves, shown, start } = setup.game;
  const link = new URL(`./#${writeLink(setup)}`, location.href).href;
  const written = isForked(setup.game.tree)
    ? setup.game.text(isNumbered(setup.game.rules) ? "" : " ") : movesText(setup.game.rules, moves.slice(0, shown));
  const isWhole = shown > 0 && !/[^.]/.test(start.cells);
  const rows = [row("link", link), row("board", boardText(position)), isWhole && row("moves", written)];
  return h("div", { class: "copies" }, ...rows, pictureRow());
}

/** @param {string} key @param {string} text */
function row(key, text) {
  const name = say(`copy.${key}`);
  const field = h("input", { readonly: true, value: text, "aria-label": name, onfocus: () => field.select() });
  const button = sayingButton(say(`copy.${key}.act`), () => copy(text));
  return h("div", { class: "copy-row" }, h("span", { "aria-hidden": "true" }, name), field, button);
}

/** The board as it is seen. */
function pictureRow() {
  const draw = () => pictureOf(/** @type {SVGSVGElement} */ (byId("board").querySelector(".drawing")));
  const write = () => navigator.clipboard.write([new ClipboardItem({ "image/png": draw() })]);
  const button = sayingButton(say("copy.picture.act"), () => attempt(write));
  const onclick = async () => save(await draw());
  const keep = h("button", { type: "button", class: "small", onclick }, say("copy.save"));
  return h("div", { class: "copy-row picture" }, h("span", {}, say("copy.picture")), button, keep);
}

/** A button that says for a moment whether it could do what it names.
 * @param {string} words @param {() => Promise<boolean>} act */
export function sayingButton(words, act) {
  const label = h("span", { "aria-live": "polite" }, words);
  return h("button", { type: "button", class: "small", onclick: async () => {
    label.textContent = say((await act()) ? "copy.done" : "copy.forbidden");
    setTimeout(() => (label.textContent = words), SAID_FOR_MS);
  } }, icon("copy"), label);
}

/** Whether a text could be put on the clipboard. @param {string} text */
export function copy(text) {
  return attempt(() => navigator.clipboard.writeText(text));
}

/** Whether something was allowed. @param {() => Promise<void>} act */
async function attempt(act) {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}

/** @param {Blob} picture */
function save(picture) {
  const href = URL.createObjectURL(picture);
  h("a", { href, download: FILE }).click();
  URL.revokeObjectURL(href);
}
