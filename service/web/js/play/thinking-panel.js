/** The panel that shows how the service thinks of the position: verdict, search, best line, values of moves. */

import { pieceIcon } from "../board/pieces.js";
import { bestLineOf, bestOf, knownMoves } from "../board/scene.js";
import { h } from "../shared/dom.js";
import { moveInWords, moveName, sideName, skinOf } from "../shared/notation.js";
import { cellIndex, other } from "../shared/rules.js";
import { expectedBefore, has } from "../shared/state.js";
import { STOPPED, VALUES_EXPLAINED, certaintyWords, countWords, reasonWords, resultWords, shortValue, timeWords, valueWords, verdictWords } from "../shared/words.js";

/** @import { Game } from "../shared/game.js" */
/** @import { Cell, Rules } from "../shared/rules.js" */
/** @import { Known, MoveValue, PageStore, State } from "../shared/state.js" */
/** @import { Value } from "../shared/words.js" */

const FIRST_MOVES = 5;
const LINE_SHOWN = 12;

export class ThinkingPanel {
  #all = false;
  /** @type {Map<number, HTMLElement>} the moves that are listed */
  #items = new Map();

  /** @param {HTMLElement} root @param {PageStore} store */
  constructor(root, store) {
    this.store = store;
    this.switches = switches(store);
    this.verdict = h("div", { class: "verdict" });
    this.search = h("dl", { class: "figures" });
    this.searchEnd = h("p", { class: "search-end" });
    this.line = h("div", { class: "line" });
    this.title = h("h2", { class: "minor" });
    this.list = h("ul", { class: "value-list" });
    this.more = h("button", { type: "button", class: "quiet", onclick: () => this.#toggleAll() });
    this.moves = h("div", { class: "values" }, this.title, this.list, this.more, h("p", { class: "fine" }, VALUES_EXPLAINED));
    this.searched = h("div", {}, this.search, this.searchEnd);
    root.append(this.switches.element, this.verdict, this.line, this.moves, this.searched);
    store.listen((state) => this.#render(state));
  }

  /** @param {State} state */
  #render(state) {
    const known = state.thinkAlong ? state.known.get(state.game.key) ?? null : null;
    this.switches.render(state);
    this.verdict.replaceChildren(...(verdict(state, known) ?? this.#invitation(state)));
    this.#renderSearch(state, known);
    this.#renderLine(state);
    this.#renderMoves(state, known);
  }

  /** What stands here while nothing may be told. @param {State} state */
  #invitation(state) {
    const learn = h("button", { type: "button", class: "in-text", onclick: () => this.store.set({ view: "learn" }) }, "one board at a time");
    return [h("p", { class: "headline" }, "See how it thinks"),
      h("p", {}, "Switch on Think along: the best moves get their values, on the board and in a list, with the line both sides would play and whether it is proven. Until then nothing here tells who is ahead."),
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

  /** The best line, or until there is one that which was expected before. @param {State} state */
  #renderLine(state) {
    const { game, thinkAlong } = state;
    const best = bestLineOf(state);
    const before = best.length ? null : expectedBefore(state);
    const cells = best.length ? best : before?.cells ?? [];
    this.line.hidden = !thinkAlong || cells.length === 0 || game.isOver;
    if (this.line.hidden) return;
    const title = before ? (before.holds ? "Expected before this move (old)" : "Expected before another move was made (old)") : "Best line";
    this.line.classList.toggle("old", before !== null);
    this.line.replaceChildren(h("h2", { class: "minor" }, title), lineList(game, cells));
  }

  /** @param {State} state @param {Known | null} known */
  #renderMoves(state, known) {
    const { rules } = state.game;
    const moves = knownMoves(state);
    this.moves.hidden = moves.length === 0;
    if (!moves.length) return;
    const isFinal = Boolean(known?.moves);
    const shown = this.#all && isFinal ? moves : bestOf(moves, FIRST_MOVES);
    this.title.textContent = isFinal ? (this.#all ? "Every move's value" : "The best moves") : "The best moves so far";
    // Items stay where they are, so that a mouse over one keeps its line while values come in.
    const items = shown.map((move) => this.#item(move, cellIndex(move, rules), rules));
    items.forEach((item, at) => this.list.children[at] !== item && this.list.insertBefore(item, this.list.children[at] ?? null));
    while (this.list.children.length > items.length) this.list.lastElementChild?.remove();
    this.more.hidden = !isFinal || moves.length <= FIRST_MOVES;
    this.more.textContent = this.#all ? "Show fewer" : `Show all ${moves.length}`;
  }

  /** @param {MoveValue} move @param {number} cell @param {Rules} rules */
  #item(move, cell, rules) {
    const item = this.#items.get(cell) ?? this.#newItem(cell);
    this.#items.set(cell, item);
    item.replaceChildren(h("span", { class: "where" }, moveName(rules, cell)),
      h("span", { class: `chip ${toneOf(move)}`, "aria-hidden": "true" }, shortValue(move)), h("span", {}, valueWords(move)));
    return item;
  }

  /** A mouse over a move shows its line on the board. @param {number} cell */
  #newItem(cell) {
    return h("li", { onpointerenter: () => this.store.set({ pointedAt: cell }), onpointerleave: () => this.store.set({ pointedAt: null }) });
  }

  #toggleAll() {
    this.#all = !this.#all;
    this.#render(this.store.state);
  }
}

/** @param {Value} value */
function toneOf({ outcome }) {
  return outcome === "unknown" ? "estimate" : outcome;
}

/** The running search of the position shown. @param {State} state */
function running({ thinkAlong, progress, game }) {
  return thinkAlong && progress?.key === game.key ? progress.latest : null;
}

/** What is known in words, or null where nothing may be told. @param {State} state @param {Known | null} known */
function verdict(state, known) {
  const { game, thinkAlong } = state;
  const side = game.position.toMove;
  if (game.isOver) return [h("p", { class: "headline" }, resultWords(game, state.players)), h("p", {}, "The game is over. Look back on it under Moves.")];
  if (known) return [h("p", { class: "headline" }, verdictWords(known, game.rules, side)), ...why(known, game.rules), certainty(known)];
  const latest = running(state);
  if (!latest) return thinkAlong ? [h("p", { class: "headline" }, "Thinking …")] : null;
  const prefers = latest.line.length ? `${sideName(game.rules, side)} prefers ${moveInWords(game.rules, cellIndex(latest.line[0], game.rules))}` : "nothing yet";
  return [h("p", { class: "headline" }, "Looking deeper …"), h("p", {}, `So far: ${prefers}.`)];
}

/** @param {Game} game @param {Cell[]} cells */
function lineList({ rules, position }, cells) {
  const sides = [position.toMove, other(position.toMove)];
  const items = cells.slice(0, LINE_SHOWN).map((cell, ply) =>
    h("li", {}, pieceIcon(sides[ply % 2], skinOf(rules)), h("span", { class: "visually-hidden" }, `${sideName(rules, sides[ply % 2])} `), moveName(rules, cellIndex(cell, rules))));
  return h("ol", { class: "line-moves" }, ...items, cells.length > LINE_SHOWN ? h("li", {}, `… ${cells.length - LINE_SHOWN} more`) : null);
}

/** What the service says of its move, where it does. @param {Known} known @param {Rules} rules */
function why({ text }, rules) {
  return text ? [h("p", { class: "why" }, reasonWords(text, rules))] : [];
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
    ["thinkAlong", "Think along", "main-switch"], ["showHeat", "Values on the board", ""], ["showLine", "Best line on the board", ""],
  ]);
  const boxes = rows.map(([part, words, name]) => {
    const box = h("input", { type: "checkbox", role: "switch", onchange: () => store.set({ [part]: box.checked }) });
    return { part, box, label: h("label", { class: `switch ${name}` }, box, h("span", {}, words)) };
  });
  const element = h("div", { class: "switches" }, ...boxes.map(({ label }) => label));
  /** @param {State} state */
  const render = (state) => {
    for (const { part, box } of boxes) box.checked = state[part];
    for (const { label, part } of boxes) label.hidden = part !== "thinkAlong" && !state.thinkAlong;
  };
  return { element, render };
}
