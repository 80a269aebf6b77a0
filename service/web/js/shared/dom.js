/** Making and finding elements, in HTML and SVG. */

import { say } from "./say.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/** An HTML element. Functions among the attributes are listeners (`onclick`), null and false leave an attribute out.
 * @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {Attributes} [attributes]
 * @param {(Node | string | null | undefined | false)[]} children @returns {HTMLElementTagNameMap[Tag]} */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element, made like an HTML one.
 * @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {Attributes} [attributes]
 * @param {(Node | string | null | undefined | false)[]} children @returns {SVGElementTagNameMap[Tag]} */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** @template {Element} E @param {E} element @param {Attributes} attributes
 * @param {(Node | string | null | undefined | false)[]} children @returns {E} */
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

/** An icon of the sprite in index.html. @param {string} name */
export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("use", { href: `#icon-${name}` }));
}

/** A button that shows an icon. @param {string} name of the icon @param {string} words @param {() => void} onclick */
export function iconButton(name, words, onclick) {
  return h("button", { type: "button", "aria-label": words, title: words, onclick }, icon(name));
}

/** What is made of the numbers below this one, from 0.
 * @template T @param {number} count @param {(at: number) => T} make */
export function times(count, make) {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** The contents of a dialog that is read and closed.
 * @param {string} id of its title @param {string} title @param {Node[]} parts */
export function dialogForm(id, title, ...parts) {
  const done = h("p", { class: "dialog-actions" }, h("button", { class: "primary" }, say("say.done")));
  return h("form", { method: "dialog" }, h("h2", { id }, title), ...parts, done);
}

/** A box to switch something on and off. @param {Attributes} attributes of the box @param {string} words */
export function switchBox(attributes, words) {
  const box = h("input", { type: "checkbox", role: "switch", ...attributes });
  return { box, label: h("label", { class: "switch" }, box, h("span", {}, words)) };
}

/** An entry of a list of figures. @param {string} name @param {string} value */
export function figure(name, value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

/** The entries of a legend. @param {string[][]} entries names of swatches, each with its words */
export function legendItems(entries) {
  const swatch = (/** @type {string} */ name) => h("span", { class: `swatch ${name}`, "aria-hidden": "true" });
  return entries.map(([name, words]) => h("li", {}, swatch(name), words));
}

/** Whether the visitor asked for less motion. */
export function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
