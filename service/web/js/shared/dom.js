/** Making and finding elements, in HTML and SVG. */

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {Attributes} [attributes]
 * @param {Child[]} children @returns {HTMLElementTagNameMap[Tag]} */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element, made like an HTML one.
 * @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {Attributes} [attributes]
 * @param {Child[]} children @returns {SVGElementTagNameMap[Tag]} */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** @template {Element} E @param {E} element @param {Attributes} attributes @param {Child[]} children @returns {E} */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) attribute(element, name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Sets an attribute or takes it away.
 * @param {Element} element @param {string} name @param {Attributes[string]} value */
export function attribute(element, name, value) {
  if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
  else if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** Gives an element these children, and leaves alone those that are in place: one with the focus keeps it.
 * @param {Element} parent @param {Element[]} children */
export function arrange(parent, children) {
  for (const child of [...parent.children]) if (!children.includes(child)) child.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

/** The element of index.html with this id. @template {Element} [E=HTMLElement] @param {string} id @returns {E} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no #${id}`);
  return /** @type {E} */ (/** @type {unknown} */ (element));
}

/** What a click on an element of index.html does. @param {string} id @param {() => void} act */
export function onClick(id, act) {
  byId(id).addEventListener("click", act);
}

/** An icon of the sprite in index.html. @param {string} name */
export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("use", { href: `#icon-${name}` }));
}

/** @param {string} words @param {() => void} onclick @param {string} [name] its class */
export function button(words, onclick, name) {
  return h("button", { type: "button", class: name, onclick }, words);
}

/** What is made of the numbers below this one, from 0.
 * @template T @param {number} count @param {(at: number) => T} make */
export function times(count, make) {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** An entry of a list of figures. @param {string} name @param {string} value */
export function figure(name, value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

/** Says something to screen readers. @param {string} words */
export function announce(words) {
  byId("announcer").textContent = words;
}

/** Whether a key already means something, or does so where the focus is. @param {KeyboardEvent} event */
export function isTaken({ target, defaultPrevented, ctrlKey, altKey, metaKey }) {
  const takers = "input:not([type=checkbox]), select, textarea, dialog";
  const isTyped = target instanceof Element && target.closest(takers) !== null;
  return isTyped || defaultPrevented || ctrlKey || altKey || metaKey;
}
