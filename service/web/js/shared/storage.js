/** What the browser keeps for this page, between visits or for the tab; where storage is forbidden, nothing. */

/** @typedef {"localStorage" | "sessionStorage"} Where */

/** @param {Where} where @param {string} name @returns {string | null} */
export function remembered(where, name) {
  try {
    return window[where].getItem(name);
  } catch {
    return null;
  }
}

/** @param {Where} where @param {string} name @param {string | null} value null forgets it */
export function remember(where, name, value) {
  try {
    if (value === null) window[where].removeItem(name);
    else window[where].setItem(name, value);
  } catch {
    // It then lasts as long as the page.
  }
}
