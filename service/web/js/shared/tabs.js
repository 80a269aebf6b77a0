/** Tabs by mouse, touch and keyboard. */

/** Lets the tabs of a list show their panels. @param {Element} list */
export function installTabs(list) {
  const tabs = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[role=tab]")]);
  /** @param {number} at */
  const select = (at) => {
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(index === at));
      tab.tabIndex = index === at ? 0 : -1;
      panelOf(tab).hidden = index !== at;
    });
  };
  list.addEventListener("click", (event) => {
    const tab = /** @type {Element} */ (event.target).closest("[role=tab]");
    if (tab instanceof HTMLElement) select(tabs.indexOf(tab));
  });
  list.addEventListener("keydown", (event) => {
    const next = target(/** @type {KeyboardEvent} */ (event).key, tabs);
    if (next === null) return;
    event.preventDefault();
    select(next);
    tabs[next].focus();
  });
  select(0);
}

/** @param {HTMLElement} tab */
function panelOf(tab) {
  return /** @type {HTMLElement} */ (document.getElementById(tab.getAttribute("aria-controls") ?? ""));
}

/** @param {string} key @param {HTMLElement[]} tabs @returns {number | null} */
function target(key, tabs) {
  const at = tabs.findIndex((tab) => tab.tabIndex === 0);
  if (key === "ArrowRight") return (at + 1) % tabs.length;
  if (key === "ArrowLeft") return (at + tabs.length - 1) % tabs.length;
  if (key === "Home") return 0;
  return key === "End" ? tabs.length - 1 : null;
}
