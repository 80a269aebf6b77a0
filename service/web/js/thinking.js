/** The panel that shows how the service thinks of the position: verdict, search, best line, every move's value. */

import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { pieceIcon, skinOf } from "./pieces.js";
import { cellIndex } from "./questions.js";
import { other } from "./rules.js";
import { has } from "./state.js";
import { STOPPED, certaintyWords, countWords, fullCellName, resultWords, shortValue, timeWords, valueWords, verdictWords } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").PageStore} PageStore */
/** @typedef {import("./state.js").Known} Known */

const FIRST_MOVES = 8;
const LINE_SHOWN = 12;

export class ThinkingView {
  #all = false;

  /**
   * @param {HTMLElement} root
   * @param {PageStore} store
   * @param {(shown: number) => void} onShow
   */
  constructor(root, store, onShow) {
    this.store = store;
    this.chart = new Chart(onShow);
    this.switches = switches(store);
    this.verdict = h("div", { class: "verdict" });
    this.search = h("dl", { class: "figures" });
    this.searchEnd = h("p", { class: "search-end" });
    this.line = h("div", { class: "line" });
    this.moves = h("div", { class: "values" });
    this.searched = h("div", {}, this.search, this.searchEnd);
    root.append(this.switches.element, this.verdict, this.searched, this.line, this.chart.element, this.moves);
    store.listen((state) => this.#render(state));
  }

  /** @param {State} state */
  #render(state) {
    const known = state.known.get(state.game.key) ?? null;
    this.switches.render(state);
    this.chart.render(state);
    this.verdict.replaceChildren(...(verdict(state, known) ?? this.#invitation(state)));
    this.#renderSearch(state, known);
    this.#renderLine(state, known);
    this.#renderMoves(state, known);
  }

  /** What stands here before anything is known. @param {State} state */
  #invitation(state) {
    const learn = h("button", { type: "button", class: "in-text", onclick: () => this.store.set({ view: "learn" }) }, "one board at a time");
    return [h("p", { class: "headline" }, "See how it thinks"),
      h("p", {}, "Switch on Think along: every move gets its value, on the board and in a list, with the line both sides would play and whether it is proven."),
      ...(has(state, "/tree") ? [h("p", {}, "Or learn how a search decides, ", learn, ".")] : [])];
  }

  /** @param {State} state @param {Known | null} known */
  #renderSearch(state, known) {
    const latest = running(state);
    const search = latest ?? known?.search ?? null;
    this.searched.hidden = !search;
    this.search.classList.toggle("growing", latest !== null);
    if (!search) return;
    const time = search.elapsed_ms === undefined ? "…" : timeWords(search.elapsed_ms);
    const end = search.stopped_by ? `The search ${STOPPED[search.stopped_by]}${search.cached ? ", and was remembered" : ""}.` : "Searching …";
    this.search.replaceChildren(figure("Depth", String(search.depth)), figure("Nodes", countWords(search.nodes)), figure("Time", time));
    this.searchEnd.textContent = end;
  }

  /** @param {State} state @param {Known | null} known */
  #renderLine({ game, ...state }, known) {
    const cells = (state.progress?.key === game.key ? state.progress.latest.line : known?.line) ?? [];
    this.line.hidden = cells.length === 0 || game.isOver;
    const skin = skinOf(game.rules);
    const sides = [game.position.toMove, other(game.position.toMove)];
    const items = cells.slice(0, LINE_SHOWN).map((cell, ply) =>
      h("li", {}, pieceIcon(sides[ply % 2], skin), h("span", { class: "visually-hidden" }, `${sides[ply % 2]} `), fullCellName(game.rules, cellIndex(cell, game.rules))));
    const more = cells.length > LINE_SHOWN ? h("li", {}, `… ${cells.length - LINE_SHOWN} more`) : null;
    this.line.replaceChildren(h("h2", { class: "minor" }, "Best line"), h("ol", { class: "line-moves" }, ...items, more));
  }

  /** @param {State} state @param {Known | null} known */
  #renderMoves({ game, insight }, known) {
    const moves = insight ? known?.moves ?? [] : [];
    this.moves.hidden = moves.length === 0;
    const shown = this.#all ? moves : moves.slice(0, FIRST_MOVES);
    const items = shown.map((move) =>
      h("li", {}, h("span", { class: "where" }, fullCellName(game.rules, cellIndex(move, game.rules))),
        h("span", { class: `chip ${toneOf(move)}`, "aria-hidden": "true" }, shortValue(move)), h("span", {}, valueWords(move))));
    const toggle = moves.length > FIRST_MOVES && h("button", { type: "button", class: "quiet", onclick: () => this.#toggleAll() }, this.#all ? "Show fewer" : `Show all ${moves.length}`);
    this.moves.replaceChildren(h("h2", { class: "minor" }, "Every move's value"), h("ul", { class: "value-list" }, ...items), ...(toggle ? [toggle] : []));
  }

  #toggleAll() {
    this.#all = !this.#all;
    this.#render(this.store.state);
    this.moves.querySelector("button")?.focus();
  }
}

/** @param {import("./words.js").Value} value */
export function toneOf({ outcome }) {
  return outcome === "unknown" ? "estimate" : outcome;
}

/** The running search of the position shown. @param {State} state */
function running({ progress, game }) {
  return progress?.key === game.key ? progress.latest : null;
}

/** What is known in words, or null where nothing is and nothing is asked. @param {State} state @param {Known | null} known */
function verdict(state, known) {
  const { game } = state;
  if (game.isOver) return [h("p", { class: "headline" }, resultWords(game, state.players)), h("p", {}, "The game is over. Look back on it under Moves.")];
  const latest = running(state);
  if (known) return [h("p", { class: "headline" }, verdictWords(known, game.position.toMove)), certainty(known)];
  if (latest) return [h("p", { class: "headline" }, "Looking deeper …"), h("p", {}, `So far: ${latest.line.length ? `${game.position.toMove} prefers ${fullCellName(game.rules, cellIndex(latest.line[0], game.rules))}` : "nothing yet"}.`)];
  return state.insight ? [h("p", { class: "headline" }, "Thinking …")] : null;
}

/** @param {Known} known */
function certainty(known) {
  const name = known.proven ? "Proven" : "Estimate";
  return h("p", {}, h("strong", { class: `chip ${known.proven ? "sure" : "estimate"}` }, name), " ", certaintyWords(known));
}

/** @param {string} name @param {string} value */
function figure(name, value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

/** @param {PageStore} store */
function switches(store) {
  const rows = /** @type {const} */ ([
    ["insight", "Think along", "main-switch"], ["showHeat", "Values on the board", ""], ["showLine", "Best line on the board", ""],
  ]);
  const boxes = rows.map(([part, words, name]) => {
    const box = h("input", { type: "checkbox", role: "switch", onchange: () => store.set({ [part]: box.checked }) });
    return { part, box, label: h("label", { class: `switch ${name}` }, box, h("span", {}, words)) };
  });
  const element = h("div", { class: "switches" }, ...boxes.map(({ label }) => label));
  /** @param {State} state */
  const render = (state) => {
    for (const { part, box } of boxes) box.checked = state[part];
    for (const { label, part } of boxes) label.hidden = part !== "insight" && !state.insight;
  };
  return { element, render };
}
