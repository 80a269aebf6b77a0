/** For developers: the request and the response behind each step, ready to copy, and the clock. */

import { copy, sayingButton } from "../shared/clipboard.js";
import { arrange, byId, figure, h } from "../shared/dom.js";
import { sideName } from "../shared/notation.js";
import { say } from "../shared/say.js";
import { timeWords } from "../shared/words.js";

/** Stands in commands for the visitor's key, which is a secret. */
const KEY_VARIABLE = "$API_KEY";
const TICK_MS = 100;

/** What shows all requests that are kept, newest first. @param {ApiKey} key */
export function requestsPanel(key) {
  const note = byId("key-note");
  const [words, forget] = note.children;
  words.textContent = say("requests.key", { variable: KEY_VARIABLE });
  forget.addEventListener("click", () => {
    key.forget();
    note.hidden = true;
  });
  /** @type {Map<number, {element: HTMLElement, state: string}>} */
  let shown = new Map();
  /** @param {Exchange} exchange */
  const item = (exchange) => {
    const before = shown.get(exchange.id);
    const state = `${exchange.state} ${exchange.status}`;
    if (before?.state === state) return before;
    const open = before?.element instanceof HTMLDetailsElement && before.element.open;
    return { element: build(exchange, open), state };
  };
  const show = (/** @type {Exchange[]} */ exchanges) => {
    note.hidden = key.value === null;
    byId("no-exchanges").hidden = exchanges.length > 0;
    shown = new Map(exchanges.map((exchange) => [exchange.id, item(exchange)]));
    arrange(byId("exchange-list"), [...shown.values()].map(({ element }) => element));
  };
  show([]);
  return show;
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
    const response = sayingButton(say("requests.copy"), () => copy(pretty(answer)));
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

/** @param {unknown} value */
function pretty(value) {
  return JSON.stringify(value, null, 2);
}

/** The clock of the computer's thinking: its last move, which grows while it thinks, and the whole game.
 * @param {PageStore} store */
export function installClock(store) {
  let since = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let ticking;
  store.listen((state, before) => {
    const parts = /** @type {const} */ (["thinking", "spent", "players", "game"]);
    if (parts.every((part) => state[part] === before[part])) return;
    clearInterval(ticking);
    since = performance.now();
    if (state.thinking) ticking = setInterval(tick, TICK_MS, state);
    renderClock(state, since);
  });

  /** Nobody thinks while the service cannot be reached. @param {State} state */
  function tick(state) {
    if (store.state.isAway) since += TICK_MS;
    else renderClock(state, since);
  }
}

/** @param {State} state @param {number} since when the computer began to think, if it does */
function renderClock({ game, spent, players, thinking }, since) {
  const now = thinking ? [performance.now() - since] : [];
  byId("clock").replaceChildren(...(/** @type {const} */ (["X", "O"])).flatMap((side) => {
    const times = [...spent[side], ...(side === game.position.toMove ? now : [])];
    if (players[side] === "you" || !times.length) return [];
    const all = times.reduce((sum, time) => sum + time);
    return [figure(say("clock.last", { side: sideName(game.rules, side) }), timeWords(times[times.length - 1])),
      figure(say("clock.all"), timeWords(all))];
  }));
}
