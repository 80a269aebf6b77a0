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

/** Whether the visitor has a switch on. @param {string} name @param {boolean} usual what it is until it is changed */
export function isSwitchedOn(name, usual) {
  return (remembered("localStorage", name) ?? (usual ? "on" : "off")) === "on";
}

/** @param {string} name @param {boolean} isOn */
export function rememberSwitch(name, isOn) {
  remember("localStorage", name, isOn ? "on" : "off");
}
