/** What the browser keeps for this page, between visits or for the tab; where storage is forbidden, nothing. */

/** @param {string} name @param {"localStorage" | "sessionStorage"} where @returns {string | null} */
export function remembered(name, where = "localStorage") {
  try {
    return window[where].getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string | null} value null forgets it
 * @param {"localStorage" | "sessionStorage"} where */
export function remember(name, value, where = "localStorage") {
  try {
    if (value === null) window[where].removeItem(name);
    else window[where].setItem(name, value);
  } catch {
    // It then lasts as long as the page.
  }
}

/** A button that goes on to the next of some ways, which is kept.
 * @param {HTMLElement} button @param {string} name it is kept under @param {string[]} ways the first is the usual one
 * @param {(way: string) => void} apply */
export function installWays(button, name, ways, apply) {
  let at = Math.max(0, ways.indexOf(remembered(name) ?? ""));
  button.addEventListener("click", () => {
    at = (at + 1) % ways.length;
    remember(name, ways[at]);
    apply(ways[at]);
  });
  apply(ways[at]);
}

/** The switches and lists of index.html that name what they are remembered under stay as the visitor leaves them. */
export function installSwitches() {
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-remember]"))) {
    const [name, isSwitch] = [field.dataset.remember ?? "", field.type === "checkbox"];
    const kept = remembered(name);
    if (kept !== null && isSwitch) field.checked = kept === "on";
    else field.value = kept ?? field.value;
    field.addEventListener("change", () => remember(name, !isSwitch ? field.value : field.checked ? "on" : "off"));
  }
}
