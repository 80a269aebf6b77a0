/** Light, dark, or as the system says: chosen by a button and remembered. */

import { icon } from "./dom.js";
import { say } from "./say.js";
import { remember, remembered } from "./storage.js";

const STORED = "theme";
const THEMES = ["auto", "light", "dark"];

/** Applies the remembered theme and lets the button change it. @param {HTMLButtonElement} button */
export function installTheme(button) {
  let at = Math.max(0, THEMES.indexOf(remembered(STORED) ?? ""));
  const apply = () => {
    const [name, words] = [THEMES[at], say(`colours.${THEMES[at]}`)];
    document.documentElement.dataset.theme = name;
    button.replaceChildren(icon(name), words);
  };
  button.addEventListener("click", () => {
    at = (at + 1) % THEMES.length;
    remember(STORED, THEMES[at]);
    apply();
  });
  apply();
}
