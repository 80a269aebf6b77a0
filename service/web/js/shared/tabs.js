/** Tabs by mouse, touch and keyboard. */

import { byId } from "./dom.js";

/** Lets the tabs of a list show their panels. @param {Element} list */
export function installTabs(list) {
  const tabs = /** @type {HTMLElement[]} */ ([...list.children]);
  const select = (/** @type {HTMLElement} */ chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      byId(tab.getAttribute("aria-controls") ?? "").hidden = tab !== chosen;
    }
  };
  tabs.forEach((tab, at) => {
    const beside = { ArrowRight: tabs[at + 1] ?? tabs[0], ArrowLeft: tabs.at(at - 1), Home: tabs[0], End: tabs.at(-1) };
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const next = beside[/** @type {"Home"} */ (event.key)];
      if (!next) return;
      event.preventDefault();
      select(next);
      next.focus();
    });
  });
  select(tabs[0]);
}
