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
  /** @type {NodeListOf<HTMLSelectElement>} */
  const lists = document.querySelectorAll("select[data-remember]");
  for (const list of lists) {
    const name = list.dataset.remember ?? "";
    list.value = remembered(name) ?? list.value;
    list.addEventListener("change", () => remember(name, list.value));
  }
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[data-remember]"))) {
    const name = box.dataset.remember ?? "";
    box.checked = (remembered(name) ?? (box.checked ? "on" : "off")) === "on";
    box.addEventListener("change", () => remember(name, box.checked ? "on" : "off"));
  }
}
