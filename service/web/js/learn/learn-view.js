/** The view to learn in: the game tree of a position with few empty cells, searched step by step. */

import { Problem, Slot, isDropped } from "../shared/api.js";
import { gameName } from "../shared/catalogue.js";
import { h, icon } from "../shared/dom.js";
import { sideName } from "../shared/notation.js";
import { treeQuestion } from "../shared/request-bodies.js";
import { EMPTY, countEmpty } from "../shared/rules.js";
import { without } from "../shared/state.js";
import { countWords } from "../shared/words.js";
import { EXAMPLES, LESSONS, example } from "./lessons.js";
import { bestLine, growTree, pathTo } from "./tree-model.js";
import { TreeView } from "./tree-view.js";
import { boundWords, moveWords, stepWords, worthWords } from "./tree-words.js";

/** @import { Client } from "../shared/api.js" */
/** @import { Position } from "../shared/rules.js" */
/** @import { PageStore } from "../shared/state.js" */
/** @import { Lesson } from "./lessons.js" */
/** @import { Node, Tree } from "./tree-model.js" */

/** Positions that can be filled in more orders than this (six empty cells: 720) have trees too large to look at. */
const MOST_ORDERS = 720;
const OVERVIEW_PLIES = 2;
const KEYS = "In the tree: arrow keys walk, Enter opens and closes, + and − zoom.";

/** A whole search is played in about this time, if its steps can still be followed. */
const PLAY_MS = 30_000;
const QUICKEST_STEP_MS = 120;
const SLOWEST_STEP_MS = 1100;
/** The choices of how many moves to look ahead. */
const DEPTHS = [1, 2, 3, 4];

export class LearnView {
  #slot = new Slot();
  /** @type {Tree | null} */
  #tree = null;
  #step = 0;
  /** @type {Node | null} a node looked at apart from the steps */
  #selected = null;
  /** @type {Set<Node>} */
  #expanded = new Set();
  /** @type {number | null} the nodes of the search that cuts nothing */
  #plain = null;
  #lesson = LESSONS[0];
  #begun = false;
  #timer = 0;

  lessons = h("ol", { class: "lessons", "aria-label": "Lessons" });
  examples = h("div", { class: "examples", role: "group", "aria-label": "More positions" });
  own = h("button", { type: "button", onclick: () => this.#openOwn() }, "The position I am playing");
  play = h("button", { type: "button", class: "primary", onclick: () => this.#togglePlay() });
  pruning = h("input", { type: "checkbox", role: "switch", onchange: () => this.#open({ ...this.#lesson, pruning: this.pruning.checked }) });
  depth = h("select", { onchange: () => this.#open({ ...this.#lesson, depth: Number(this.depth.value) || null }) },
    h("option", { value: "" }, "to the end"), ...DEPTHS.map((plies) => h("option", { value: plies }, plies === 1 ? "1 move" : `${plies} moves`)));
  lead = h("p", { class: "lead" });
  count = h("p", { class: "count" });
  title = h("h2", {});
  text = h("p", {});
  figures = h("dl", { class: "figures" });
  slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Step", oninput: () => this.#go(Number(this.slider.value)) });

  /**
   * @param {HTMLElement} root
   * @param {PageStore} store
   * @param {Client} client
   * @param {(words: string) => void} say
   */
  constructor(root, store, client, say) {
    this.store = store;
    this.client = client;
    this.say = say;
    this.view = new TreeView((node) => this.#select(node), (node) => this.#toggle(node));
    this.#build(root);
    store.listen(() => this.#follow());
  }

  /** @param {HTMLElement} root */
  #build(root) {
    this.lessons.append(...LESSONS.map((lesson) => h("li", {}, this.#lessonButton(lesson))));
    this.examples.append(h("span", {}, "More positions:"), ...EXAMPLES.map((lesson) => this.#lessonButton(lesson)), this.own);
    const options = h("div", { class: "search-options" }, h("label", { class: "switch" }, this.pruning, h("span", {}, "Skip what cannot matter (alpha-beta)")),
      h("label", {}, "Look ahead ", this.depth));
    const explain = h("section", { class: "explain", "aria-label": "What the search does" },
      this.count, h("div", { class: "words" }, this.title, this.text), this.figures, this.play, this.#steps(), this.slider, options);
    const whole = h("button", { type: "button", onclick: () => this.#openAll() }, "Open all");
    const zoom = h("div", { class: "zoom", role: "group", "aria-label": "Drawing" }, whole,
      this.#button("minus", "Smaller", () => this.view.zoom(-1)), this.#button("plus", "Larger", () => this.view.zoom(1)));
    const head = h("div", { class: "learn-head" }, h("h1", {}, "How a search decides"), this.lessons, this.lead);
    const notes = h("div", { class: "tree-notes" }, legend(), h("p", { class: "fine" }, KEYS), this.examples);
    root.append(head, h("div", { class: "tree-frame" }, zoom, this.view.element), explain, notes);
    this.#renderPlay();
  }

  /** @param {Lesson} lesson */
  #lessonButton(lesson) {
    return h("button", { type: "button", "data-name": lesson.name, onclick: () => this.#open(lesson) }, lesson.name);
  }

  #openOwn() {
    const { position } = this.store.state.game;
    const empty = countEmpty(position);
    if (isSmall(position)) this.#open(example("", `${gameName(position)}: ${sideName(position.rules, position.toMove)} to move, ${empty} empty cells.`, position));
    else this.lead.textContent = `That position has ${empty} empty cells, and so too large a tree to look at. Play a little further.`;
  }

  /** Plays the steps one after the other, or stops. */
  #togglePlay() {
    if (this.#timer) return this.#pause();
    if (this.#step === this.#stepCount - 1) this.#go(0);
    const pause = Math.max(QUICKEST_STEP_MS, Math.min(SLOWEST_STEP_MS, PLAY_MS / this.#stepCount));
    this.#timer = setInterval(() => this.#playStep(), pause);
    return this.#renderPlay();
  }

  #playStep() {
    this.#show(this.#step + 1);
    if (this.#step === this.#stepCount - 1 || this.store.state.view !== "learn") this.#pause();
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#renderPlay();
  }

  #renderPlay() {
    this.play.replaceChildren(icon(this.#timer ? "pause" : "go"), this.#timer ? "Pause" : "Play");
  }

  #steps() {
    return h("div", { class: "steps", role: "group", "aria-label": "Steps" },
      this.#button("first", "First step", () => this.#go(0)), this.#button("back", "Back", () => this.#go(this.#step - 1), "Back"),
      this.#button("next", "Next", () => this.#go(this.#step + 1), "Next"), this.#button("last", "Last step", () => this.#go(this.#stepCount - 1)));
  }

  /** @param {string} name @param {string} words @param {() => void} act @param {string} [shown] */
  #button(name, words, act, shown) {
    const parts = name === "next" ? [shown ?? "", icon(name)] : [icon(name), shown ?? ""];
    return h("button", { type: "button", onclick: act, ...(shown ? {} : { "aria-label": words, title: words }) }, ...parts);
  }

  get #stepCount() {
    return this.#tree?.steps.length ?? 0;
  }

  /** Asks once the view is opened for the first time and the service is known to draw trees. */
  #follow() {
    const { game, view, paths } = this.store.state;
    this.own.setAttribute("aria-disabled", String(!isSmall(game.position) || game.isOver));
    if (view !== "learn" || paths === null) return;
    if (!paths.has("/tree")) this.store.set({ view: "play" });
    else if (!this.#begun) this.#open(LESSONS[0]);
  }

  /** @param {Lesson} lesson */
  #open(lesson) {
    this.#begun = true;
    this.#lesson = lesson;
    this.lead.textContent = lesson.text;
    this.pruning.checked = lesson.pruning;
    this.depth.value = String(lesson.depth ?? "");
    for (const list of [this.lessons, this.examples]) {
      for (const button of list.querySelectorAll("[data-name]")) button.setAttribute("aria-pressed", String(button.getAttribute("data-name") === lesson.name));
    }
    this.#pause();
    this.#ask(lesson);
  }

  /** @param {Lesson} lesson */
  async #ask({ position, pruning, depth }) {
    const signal = this.#slot.begin();
    try {
      const answer = await this.client.ask({ purpose: pruning ? "Game tree with pruning" : "Whole game tree", path: "tree", body: treeQuestion(position, pruning, depth), signal });
      this.#plain = null;
      this.#begin(growTree(position, answer));
      if (!pruning) return;
      const whole = await this.client.ask({ purpose: "Whole game tree, to compare", path: "tree", body: treeQuestion(position, false, depth), signal });
      this.#plain = whole.nodes;
      this.#render();
    } catch (error) {
      if (!isDropped(error)) this.#fail(error);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    if (!(error instanceof Problem)) throw error;
    this.store.set(error.isMissing ? { view: "play", ...without(this.store.state, "tree") } : { problem: error.message });
  }

  /** @param {Tree} tree */
  #begin(tree) {
    this.#tree = tree;
    this.#go(0);
    this.view.fit();
  }

  /** Shows every board of the tree, or only the usual ones again. */
  #openAll() {
    if (!this.#tree) return;
    const all = this.#tree.nodes.filter(({ children }) => children.length);
    const isAll = all.every((node) => this.#expanded.has(node));
    this.#expanded = new Set(isAll ? overview(this.#tree) : all);
    this.#render();
    this.view.fit();
  }

  /** The visitor goes to a step. @param {number} step */
  #go(step) {
    if (this.#timer) this.#pause();
    this.#show(step);
    this.say(`${this.title.textContent}. ${this.text.textContent}`);
  }

  /** @param {number} step */
  #show(step) {
    if (!this.#tree) return;
    this.#step = Math.max(0, Math.min(this.#stepCount - 1, step));
    this.#selected = null;
    const { kind, node } = this.#tree.steps[this.#step];
    this.#expanded = new Set(kind === "done" ? overview(this.#tree) : pathTo(node));
    this.#render();
  }

  /** @param {Node} node */
  #select(node) {
    this.#selected = node;
    this.#render();
  }

  /** @param {Node} node */
  #toggle(node) {
    this.#selected = node;
    if (!this.#expanded.delete(node)) this.#expanded.add(node);
    this.#render();
  }

  #render() {
    if (!this.#tree) return;
    const step = this.#tree.steps[this.#step];
    const looked = this.#selected;
    const words = looked && looked !== step.node ? nodeWords(looked) : stepWords(step, this.#tree, this.#lesson.pruning);
    this.title.textContent = words.title;
    this.text.textContent = words.text;
    this.count.textContent = `Step ${this.#step + 1} of ${this.#stepCount}`;
    this.figures.replaceChildren(...figures(this.#step, this.#tree, this.#plain, this.#lesson.pruning));
    this.slider.max = String(this.#stepCount - 1);
    this.slider.value = String(this.#step);
    this.slider.setAttribute("aria-valuetext", `step ${this.#step + 1} of ${this.#stepCount}`);
    this.view.show({ root: this.#tree.root, expanded: this.#expanded, current: looked ?? step.node, step: this.#step });
  }
}

/** The nodes to open at first: two plies and the best line. @param {Tree} tree */
function overview(tree) {
  return [...tree.nodes.filter(({ depth }) => depth < OVERVIEW_PLIES), ...bestLine(tree)];
}

/** @param {Position} position */
function isSmall({ rules, cells }) {
  const stacks = rules.layers > 1 ? rules.rows * rules.columns : rules.columns;
  const height = (/** @type {number} */ stack) => [...cells].filter((mark, cell) => mark === EMPTY && cell % stacks === stack).length;
  const heights = Array.from({ length: stacks }, (_, stack) => height(stack));
  // Under gravity the cells of a stack can be filled in one order only.
  const groups = rules.gravity ? heights : Array(heights.reduce((sum, each) => sum + each)).fill(1);
  let [orders, filled] = [1, 0];
  for (const group of groups) for (let i = 1; i <= group; i++) orders = (orders * ++filled) / i;
  return orders <= MOST_ORDERS;
}

/** What is known of a node that was picked. @param {Node} node */
function nodeWords(node) {
  const title = moveWords(node);
  const window = `Window on entry: ${boundWords(node.alpha, "−∞")} to ${boundWords(node.beta, "+∞")}.`;
  const text = node.isPruned ? "Never looked at: the search knew enough without it." : `It is ${worthWords(node)}. ${window}`;
  return { title: title.charAt(0).toUpperCase() + title.slice(1), text };
}

/** @param {number} at the step @param {Tree} tree @param {number | null} plain @param {boolean} pruning */
function figures(at, { steps, nodes, looked }, plain, pruning) {
  const { alpha, beta } = steps[at];
  const seen = nodes.filter((node) => !node.isPruned && node.entered <= at).length;
  const window = pruning ? [["Alpha", boundWords(alpha, "−∞")], ["Beta", boundWords(beta, "+∞")]] : [];
  const saved = plain === null ? [] : [["Without skipping", countWords(plain)]];
  return [...window, ["Boards so far", `${countWords(seen)} of ${countWords(looked)}`], ...saved]
    .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
}

function legend() {
  const entries = [["win", "good for the side to move first"], ["draw", "even"], ["loss", "bad for it"], ["pruned", "not looked at"], ["best", "best line"]];
  return h("ul", { class: "legend" }, ...entries.map(([name, words]) => h("li", {}, h("span", { class: `swatch ${name}`, "aria-hidden": "true" }), words)));
}
