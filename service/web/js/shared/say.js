/** The words of the page in the visitor's language, of which alone the table is loaded: `say(key, values)`. */

// New words: an entry in service/web/words/en.json, "area.name": "{side} plays {move}.", which may have a form for each
// plural of {count}: {"one": "{count} move", "other": "{count} moves"}. A whole sentence is one entry, and numbers are
// passed as numbers. index.html names entries: data-say="key" for the text, data-say="key@title" for an attribute.
// The service fills a table of another language up with English.

import { byId } from "./dom.js";
import { WRITTEN } from "./rules.js";
import { remember, remembered } from "./storage.js";

const STORED = "kinarow.language";
/** The languages that there is a table for, each by its own name. @type {Record<string, string>} */
const LANGUAGES = {
  en: "English", de: "Deutsch", es: "Español", fr: "Français", pt: "Português", vi: "Tiếng Việt", zh: "中文", ja: "日本語",
};

const wanted = [remembered(STORED), ...navigator.languages];
const tag = wanted.find((each) => each && languageOf(each) in LANGUAGES) ?? "en";
export const language = languageOf(tag);
// Someone from Mexico who reads Spanish has Mexico's numbers.
const locale = navigator.languages.find((each) => languageOf(each) === language) ?? language;
const plurals = new Intl.PluralRules(locale);
// The service writes the words of the browser's language into the page; those of another that was chosen are fetched.
const written = document.querySelector(`meta[name=words][lang=${language}]`)?.getAttribute("content");
/** @type {Record<string, string | Record<string, string>>} an entry with several forms has one for each plural */
const table = written ? JSON.parse(written) : await (await fetch(`web/words/${language}.json`)).json();

/** What stands under a key of the table; the key itself where there is nothing.
 * @param {string} key
 * @param {Record<string, string | number>} [values] for the places in braces; count: for the plural */
export function say(key, values = {}) {
  const entry = table[key] ?? key;
  const words = typeof entry === "string" ? entry : entry[plurals.select(Number(values.count))] ?? entry.other;
  const put = (/** @type {string | number} */ value) => (typeof value === "number" ? number(value) : value);
  return words.replace(/\{(\w+)\}/g, (_, name) => put(values[name]));
}

/** @param {number} value @param {Intl.NumberFormatOptions} [options] */
export function number(value, options) {
  return new Intl.NumberFormat(locale, options).format(value);
}

/** A list such as "a, b or c". @param {string[]} words @param {"conjunction" | "disjunction"} type */
export function listed(words, type) {
  return new Intl.ListFormat(locale, { type }).format(words);
}

/** @param {string} words */
export function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Gives the elements of index.html their words. */
export function fillPage() {
  document.documentElement.lang = language;
  document.documentElement.className = "";
  byId("to-atlas").setAttribute("href", `atlas${WRITTEN.service ? `?lang=${language}` : `.${language}.html`}`);
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-say]"))) {
    for (const [key, attribute] of (element.dataset.say ?? "").split(" ").map((each) => each.split("@"))) {
      if (attribute) element.setAttribute(attribute, say(key));
      else element.textContent = say(key);
    }
  }
}

/** Offers the languages; the page comes again in the one that is chosen. @param {HTMLSelectElement} list */
export function installLanguages(list) {
  list.append(...Object.entries(LANGUAGES).map(([name, words]) => new Option(words, name)));
  for (const option of list.options) option.lang = option.value;
  list.value = language;
  list.addEventListener("change", () => {
    remember(STORED, list.value);
    location.reload();
  });
}

/** @param {string} tag such as pt-BR */
function languageOf(tag) {
  return tag.split("-")[0];
}
