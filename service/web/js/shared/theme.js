/** Light, dark, or as the system says: chosen by a button and remembered. */

import { icon } from "./dom.js";
import { remember, remembered } from "./storage.js";

const STORED = "kinarow.theme";
const THEMES = /** @type {const} */ ([["auto", "automatic"], ["light", "light"], ["dark", "dark"]]);

/** Applies the remembered theme and lets the button change it. @param {HTMLButtonElement} button */
export function installTheme(button) {
  let at = Math.max(0, THEMES.findIndex(([name]) => name === remembered("localStorage", STORED)));
  const apply = () => {
    const [name, words] = THEMES[at];
    document.documentElement.dataset.theme = name;
    button.replaceChildren(icon(name));
    button.setAttribute("aria-label", `Colours: ${words}`);
    button.title = `Colours: ${words}`;
  };
  button.addEventListener("click", () => {
    at = (at + 1) % THEMES.length;
    remember("localStorage", STORED, THEMES[at][0]);
    apply();
  });
  apply();
}
