/** Texts for the clipboard, and buttons that say whether it took them. */

import { h, icon } from "./dom.js";
import { say } from "./say.js";

const SAID_FOR_MS = 1500;

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
export async function attempt(act) {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}
