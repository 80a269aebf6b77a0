/** Light, dark, or as the system says: chosen by a button and remembered. */

import { icon } from "./dom.js";
import { say } from "./say.js";
import { installWays } from "./storage.js";

/** Applies the remembered theme and lets the button change it. @param {HTMLButtonElement} button */
export function installTheme(button) {
  installWays(button, "theme", ["auto", "light", "dark"], (name) => {
    document.documentElement.dataset.theme = name;
    button.replaceChildren(icon(name), say(`colours.${name}`));
  });
}
