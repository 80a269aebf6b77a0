/** Light, dark, or as the system says: chosen by a button and remembered. */

import { icon } from "./dom.js";

const STORED = "kinarow.theme";
const THEMES = /** @type {const} */ ([["auto", "automatic"], ["light", "light"], ["dark", "dark"]]);

/** Applies the remembered theme and lets the button change it. @param {HTMLButtonElement} button */
export function installTheme(button) {
  let at = Math.max(0, THEMES.findIndex(([name]) => name === remembered()));
  const apply = () => {
    const [name, words] = THEMES[at];
    document.documentElement.dataset.theme = name;
    button.replaceChildren(icon(name));
    button.setAttribute("aria-label", `Colours: ${words}`);
    button.title = `Colours: ${words}`;
  };
  button.addEventListener("click", () => {
    at = (at + 1) % THEMES.length;
    remember(THEMES[at][0]);
    apply();
  });
  apply();
}

/** Storage may be forbidden, and then nothing is remembered. */
function remembered() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

/** @param {string} name */
function remember(name) {
  try {
    localStorage.setItem(STORED, name);
  } catch {
    // The choice then lasts as long as the page.
  }
}
