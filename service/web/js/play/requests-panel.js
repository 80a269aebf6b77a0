/** The panel with the request and the response behind each step, ready to copy. */

import { arrange, h } from "../shared/dom.js";
import { say } from "../shared/say.js";
import { timeWords } from "../shared/words.js";
import { copy, sayingButton } from "./take-away.js";
/** @import { ApiKey } from "../shared/api-key.js" */
/** @import { Exchange } from "../shared/api.js" */

/** A part of JSON that is at most this long stays on one line. */
const INLINE = 72;
/** Stands in commands for the visitor's key, which is a secret. */
const KEY_VARIABLE = "$API_KEY";

export class RequestsPanel {
  /** @type {Map<number, {element: HTMLElement, state: string}>} */
  #shown = new Map();

  /** @param {HTMLElement} root @param {ApiKey} key */
  constructor(root, key) {
    this.key = key;
    this.keyNote = h("p", { class: "key-note" },
      h("span", {}, say("requests.key", { variable: KEY_VARIABLE })),
      h("button", { type: "button", class: "small", onclick: () => this.#forgetKey() }, say("requests.forget")));
    this.empty = h("p", {}, say("requests.none"));
    this.list = h("div", { class: "exchanges" });
    root.append(this.keyNote, this.empty, this.list);
    this.render([]);
  }

  /** @param {Exchange[]} exchanges newest first */
  render(exchanges) {
    this.keyNote.hidden = this.key.value === null;
    this.empty.hidden = exchanges.length > 0;
    this.#shown = new Map(exchanges.map((exchange) => [exchange.id, this.#item(exchange)]));
    arrange(this.list, [...this.#shown.values()].map(({ element }) => element));
  }

  #forgetKey() {
    this.key.forget();
    this.keyNote.hidden = true;
  }

  /** @param {Exchange} exchange */
  #item(exchange) {
    const before = this.#shown.get(exchange.id);
    const state = `${exchange.state} ${exchange.status}`;
    if (before?.state === state) return before;
    const open = before?.element instanceof HTMLDetailsElement && before.element.open;
    return { element: build(exchange, open), state };
  }
}

/** @param {Exchange} exchange @param {boolean} open */
function build(exchange, open) {
  const { method, path, status, ms, state, purpose, body, answer } = exchange;
  const unanswered = say(state === "dropped" ? "requests.dropped" : "requests.noAnswer");
  const result = state === "waiting" ? "…" : (state === "dropped" ? null : status) ?? unanswered;
  const summary = h("summary", {}, h("span", { class: "purpose" }, purpose),
    h("span", { class: "call" }, h("code", {}, `${method} /${path}`), " ",
      h("span", { class: `result ${state}` }, String(result)), " ",
      h("span", { class: "took" }, ms === null ? "" : timeWords(ms))));
  const details = h("details", { open }, summary);
  // Answers can be long: they are written out when someone looks.
  const write = () => {
    const command = sayingButton(say("requests.curl"), () => copy(curl(exchange)));
    details.append(part(say("requests.request"), pretty(body), command));
    const response = sayingButton(say("requests.copy"), () => copy(JSON.stringify(answer, null, 2)));
    if (answer) details.append(part(say("requests.response"), pretty(answer), response));
  };
  if (open) write();
  else details.addEventListener("toggle", write, { once: true });
  return details;
}

/** @param {string} name @param {string} text @param {HTMLElement} button */
function part(name, text, button) {
  return h("div", { class: "exchange-part" },
    h("div", { class: "part-head" }, h("p", { class: "minor" }, name), button),
    h("pre", { tabindex: 0, role: "region", "aria-label": name }, h("code", {}, text)));
}

/** The command that asks the same. @param {Exchange} exchange */
function curl({ path, body, streamed, keyed }) {
  const url = new URL(path, document.baseURI).href;
  const data = JSON.stringify(body).replaceAll("'", "'\\''");
  const accept = streamed ? " -N -H 'Accept: text/event-stream'" : "";
  const authorization = keyed ? ` -H "Authorization: Bearer ${KEY_VARIABLE}"` : "";
  return `curl -s${accept} '${url}'${authorization} -H 'Content-Type: application/json' -d '${data}'`;
}

/** JSON with short parts on one line. @param {unknown} value @param {string} [indent] @returns {string} */
function pretty(value, indent = "") {
  const flat = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, " ") ?? "";
  const isList = Array.isArray(value);
  // A board looks like one only with its rows below each other.
  const isBoard = isList && value.length > 1 && value.every((item) => typeof item === "string");
  if (value === null || typeof value !== "object" || (!isBoard && flat.length + indent.length <= INLINE)) return flat;
  const deeper = `${indent}  `;
  const label = (/** @type {string} */ name) => (isList ? "" : `${JSON.stringify(name)}: `);
  const parts = Object.entries(value).map(([name, item]) => deeper + label(name) + pretty(item, deeper));
  return `${isList ? "[" : "{"}\n${parts.join(",\n")}\n${indent}${isList ? "]" : "}"}`;
}
