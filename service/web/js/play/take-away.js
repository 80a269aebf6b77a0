/** A position and its game to take away: as a link, as text, as SGF, as a picture. */

import { pictureOf } from "../board/picture.js";
import { attempt, copy, sayingButton } from "../shared/clipboard.js";
import { byId, h } from "../shared/dom.js";
import { writeLink } from "../shared/link.js";
import { movesText } from "../shared/notation.js";
import { isNumbered } from "../../../../browser/read-moves.js";
import { boardText } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { isForked } from "../shared/variations.js";
import { isSgf, sgfText } from "./sgf.js";

const FILE = "kinarow.png";

/** What can be taken away of a position, each with its button. @param {Setup} setup @returns {HTMLElement} */
export function copies(setup) {
  const { game, friend } = setup;
  // Who else looks at a friend's game plays no side of it.
  const link = friend ? { ...setup, friend: null, players: /** @type {const} */ ({ X: "you", O: "you" }) } : setup;
  const { rules, position, moves, tree, start } = game;
  const isWhole = moves.length > 0 && !/[^.]/.test(start.cells);
  return h("div", { class: "copies" },
    row("link", new URL(`./#${writeLink(link)}`, location.href).href),
    row("board", boardText(position)),
    isWhole && row("moves", movesText(rules, moves)),
    isForked(tree) && row("variations", game.text(isNumbered(rules) ? "" : " ")),
    isSgf(start) && row("sgf", sgfText(game.at(moves.length))),
    pictureRow());
}

/** @param {string} key @param {string} text */
function row(key, text) {
  return copyRow(say(`copy.${key}`), say(`copy.${key}.act`), text);
}

/** A text in a field, with a button that copies it.
 * @param {string} name @param {string} act @param {string} text @param {() => void} [onCopied] */
export function copyRow(name, act, text, onCopied = () => {}) {
  const field = h("input", { readonly: true, value: text, "aria-label": name, onfocus: () => field.select(),
    oncopy: onCopied });
  const button = sayingButton(act, async () => {
    const isDone = await copy(text);
    if (isDone) onCopied();
    return isDone;
  });
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

/** @param {Blob} picture */
function save(picture) {
  const href = URL.createObjectURL(picture);
  h("a", { href, download: FILE }).click();
  URL.revokeObjectURL(href);
}
