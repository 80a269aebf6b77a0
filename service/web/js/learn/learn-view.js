/** The view to learn in: the game tree of a position with few empty cells, searched step by step. */

import { Slot } from "../shared/api.js";
import { gameName } from "../shared/catalogue.js";
import { announce, button, byId, figure, h, icon, isTaken, onClick, times } from "../shared/dom.js";
import { sideName } from "../shared/notation.js";
import { treeQuestion } from "../shared/request-bodies.js";
import { EMPTY, cellsWith, countEmpty } from "../shared/rules.js";
import { capital, say } from "../shared/say.js";
import { countWords } from "../shared/words.js";
import { EXAMPLES, LESSONS, example } from "./lessons.js";
import { bestLine, growTree, pathTo } from "./tree-model.js";
import { TreeView } from "./tree-view.js";
import { boundWords, moveWords, stepWords, worthWords } from "./tree-words.js";

/** Positions that can be filled in more orders than this (six empty cells: 720) have trees too large to look at. */
const MOST_ORDERS = 720;
const OVERVIEW_PLIES = 2;
/** A tree of at most so many boards is shown as a whole before the search begins. */
const SMALL = 20;

/** A whole search is played in about this time, if its steps can still be followed. */
const PLAY_MS = 30_000;
const QUICKEST_STEP_MS = 120;
const SLOWEST_STEP_MS = 1100;
/** The choices of how many moves to look ahead. */
const DEPTHS = [1, 2, 3, 4];
/** What the keys of a presenter's remote, and those of a keyboard, do to the step. @type {Record<string, number>} */
const KEYS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1, Home: -Infinity, End: Infinity };

export class LearnView {
  #slot = new Slot();
  /** @type {Tree | null} */
  #tree = null;
  #step = 0;
  /** @type {TreeNode | null} a node looked at apart from the steps */
  #selected = null;
  /** @type {Set<TreeNode>} */
  #expanded = new Set();
  /** @type {number | null} the nodes of the search that cuts nothing */
  #plain = null;
  #lesson = LESSONS[0];
  /** the lesson and step of the state that are shown, or on their way */
  #told = "";
  /** the step to begin with, from 0 */
  #first = 0;
  #timer = 0;

  lessons = byId("lessons");
  examples = byId("examples");
  own = button(say("learn.own"), () => this.#openOwn());
  play = byId("step-play");
  pruning = /** @type {HTMLInputElement} */ (byId("pruning"));
  depth = /** @type {HTMLSelectElement} */ (byId("depth"));
  lead = byId("lead");
  count = byId("step-count");
  title = byId("step-title");
  text = byId("step-text");
  slider = /** @type {HTMLInputElement} */ (byId("step"));

  /** @param {PageStore} store @param {Client} client */
  constructor(store, client) {
    this.store = store;
    this.client = client;
    this.view = new TreeView((node) => this.#select(node), (node) => this.#toggle(node));
    this.#connect();
    store.listen(() => this.#follow());
    addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const isPress = event.key === " " && event.target instanceof Element && event.target.closest("button, a, input");
    const isOff = this.store.state.view !== "learn" || document.querySelector("dialog[open]");
    if (!(event.key in KEYS) || isTaken(event) || isPress || isOff) return;
    event.preventDefault();
    this.#go(this.#step + KEYS[event.key]);
  }

  #connect() {
    const lessonButton = (/** @type {Lesson} */ lesson) => {
      const element = button(lesson.name, () => this.#open(lesson));
      element.dataset.name = lesson.name;
      return element;
    };
    this.lessons.append(...LESSONS.map((lesson) => h("li", {}, lessonButton(lesson))));
    this.examples.append(...EXAMPLES.map(lessonButton), this.own);
    this.depth.append(...DEPTHS.map((count) => h("option", { value: count }, say("learn.plies", { count }))));
    byId("projector").addEventListener("change", () => this.#show(this.#step));
    for (const option of [this.pruning, this.depth]) option.onchange = () => this.#open(this.#chosen());
    this.slider.oninput = () => this.#go(+this.slider.value);
    onClick("tree-open", () => this.#openAll());
    onClick("tree-smaller", () => this.view.zoom(-1));
    onClick("tree-larger", () => this.view.zoom(1));
    onClick("step-play", () => this.#togglePlay());
    onClick("step-first", () => this.#go(0));
    onClick("step-back", () => this.#go(this.#step - 1));
    onClick("step-next", () => this.#go(this.#step + 1));
    onClick("step-last", () => this.#go(this.#stepCount - 1));
    this.#renderPlay();
  }

  #openOwn() {
    const { position } = this.store.state.game;
    const [count, side] = [countEmpty(position), sideName(position.rules, position.toMove)];
    if (!isSmall(position)) this.lead.textContent = say("learn.tooLarge", { count });
    else this.#open(example("", say("learn.ownText", { game: gameName(position), side, count }), position));
  }

  /** Plays the steps one after the other, or stops. */
  #togglePlay() {
    if (this.#timer) return this.#pause();
    if (this.#step === this.#stepCount - 1) this.#go(0);
    const pause = Math.max(QUICKEST_STEP_MS, Math.min(SLOWEST_STEP_MS, PLAY_MS / this.#stepCount));
    this.#timer = setInterval(() => {
      this.#show(this.#step + 1);
      if (this.#step === this.#stepCount - 1 || this.store.state.view !== "learn") this.#pause();
    }, pause);
    return this.#renderPlay();
  }

  #pause() {
    const isRunning = this.#timer !== 0;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#renderPlay();
    if (isRunning) this.#tell();
  }

  #renderPlay() {
    this.play.replaceChildren(icon(this.#timer ? "pause" : "go"), say(this.#timer ? "stage.pause" : "learn.play"));
  }

  get #stepCount() {
    return this.#tree?.steps.length ?? 0;
  }

  /** Goes where the state leads: to a lesson and a step of it. */
  #follow() {
    const { game, view, lesson, step } = this.store.state;
    this.own.setAttribute("aria-disabled", String(!isSmall(game.position) || game.isOver));
    if (view !== "learn" || this.#told === `${lesson} ${step}`) return;
    const isThere = this.#tree && this.#told.startsWith(`${lesson} `);
    this.#told = `${lesson} ${step}`;
    if (isThere) this.#show(step - 1);
    else this.#open(LESSONS[lesson - 1] ?? LESSONS[0], step - 1);
  }

  /** The address leads to the step shown, but not to each of those that play by themselves. */
  #tell() {
    const lesson = LESSONS.findIndex(({ name }) => name === this.#lesson.name) + 1;
    this.#told = `${lesson} ${this.#step + 1}`;
    this.store.set({ lesson, step: this.#step + 1 });
  }

  /** The lesson with the search that the visitor has chosen. @returns {Lesson} */
  #chosen() {
    return { ...this.#lesson, pruning: this.pruning.checked, depth: Number(this.depth.value) || null };
  }

  /** @param {Lesson} lesson @param {number} [first] the step to begin with */
  #open(lesson, first = 0) {
    this.#first = first;
    this.#lesson = lesson;
    this.lead.textContent = lesson.text;
    this.pruning.checked = lesson.pruning;
    this.depth.value = String(lesson.depth ?? "");
    const buttons = [this.lessons, this.examples].flatMap((list) => [...list.querySelectorAll("[data-name]")]);
    const isOpen = (/** @type {Element} */ each) => String(each.getAttribute("data-name") === lesson.name);
    for (const each of buttons) each.setAttribute("aria-pressed", isOpen(each));
    this.#pause();
    this.#ask(lesson);
  }

  /** @param {Lesson} lesson */
  async #ask({ position, pruning, depth }) {
    const signal = this.#slot.begin();
    const ask = (/** @type {boolean} */ prunes) =>
      this.client.ask({ path: "tree", body: treeQuestion(position, prunes, depth), signal, position });
    const answer = await ask(pruning);
    if (!answer) return;
    this.#plain = null;
    this.#begin(growTree(position, answer));
    const whole = pruning && (await ask(false));
    if (!whole) return;
    this.#plain = whole.nodes;
    this.#render();
  }

  /** @param {Tree} tree */
  #begin(tree) {
    this.#tree = tree;
    // Boards keep their size from step to step.
    const inner = tree.nodes.filter(({ children }) => children.length);
    const end = { at: tree.root, open: overview(tree), part: new Set(bestLine(tree)) };
    this.view.begin([...inner.map((at) => ({ at, open: this.#opened(at) })), end]);
    this.#go(this.#first);
  }

  /** Shows every board of the tree, or only the usual ones again. */
  #openAll() {
    if (!this.#tree) return;
    const all = this.#tree.nodes.filter(({ children }) => children.length);
    const isAll = all.every((node) => this.#expanded.has(node));
    this.#expanded = isAll ? this.#overview() : new Set(all);
    this.#render();
    this.view.fit();
  }

  /** The visitor goes to a step. @param {number} step */
  #go(step) {
    if (this.#timer) this.#pause();
    this.#show(step);
    this.#tell();
    announce(`${this.title.textContent}. ${this.text.textContent}`);
  }

  /** @param {number} step */
  #show(step) {
    if (!this.#tree) return;
    this.#step = Math.max(0, Math.min(this.#stepCount - 1, step));
    this.#selected = null;
    const { kind, node } = this.#tree.steps[this.#step];
    this.#expanded = kind === "done" ? this.#overview() : this.#opened(node);
    this.#render();
  }

  /** What is open while the search is at a node: the way to it, and at the root all of a small game. @param {TreeNode} at */
  #opened(at) {
    const { root, nodes } = /** @type {Tree} */ (this.#tree);
    return new Set(at === root && nodes.length <= SMALL ? nodes.filter(({ children }) => children.length) : pathTo(at));
  }

  /** What is open at the end: where only a few plies fit, the best line. */
  #overview() {
    const tree = /** @type {Tree} */ (this.#tree);
    return this.view.isPart ? new Set(bestLine(tree)) : overview(tree);
  }

  /** @param {TreeNode} node */
  #select(node) {
    this.#selected = node;
    this.#render();
  }

  /** @param {TreeNode} node */
  #toggle(node) {
    this.#selected = node;
    if (!this.#expanded.delete(node)) this.#expanded.add(node);
    this.#render();
  }

  #render() {
    if (!this.#tree) return;
    const step = this.#tree.steps[this.#step];
    const looked = this.#selected;
    const isAside = looked && looked !== step.node;
    const words = isAside ? nodeWords(looked) : stepWords(step, this.#tree, this.#lesson.pruning);
    this.title.textContent = words.title;
    this.text.textContent = words.text;
    this.count.textContent = say("learn.stepOf", { step: this.#step + 1, all: this.#stepCount });
    byId("step-figures").replaceChildren(...figures(this.#step, this.#tree, this.#plain, this.#lesson.pruning));
    this.slider.max = String(this.#stepCount - 1);
    this.slider.value = String(this.#step);
    this.slider.setAttribute("aria-valuetext", this.count.textContent);
    this.view.show({ root: this.#tree.root, expanded: this.#expanded, current: looked ?? step.node, step: this.#step });
  }
}

/** The nodes to open at first: two plies and the best line. @param {Tree} tree */
function overview(tree) {
  return new Set([...tree.nodes.filter(({ depth }) => depth < OVERVIEW_PLIES), ...bestLine(tree)]);
}

/** @param {Position} position */
function isSmall({ rules, cells }) {
  const stacks = rules.layers > 1 ? rules.rows * rules.columns : rules.columns;
  const empty = cellsWith({ cells }, (mark) => mark === EMPTY);
  const heights = times(stacks, (stack) => empty.filter((cell) => cell % stacks === stack).length);
  // Under gravity the cells of a stack can be filled in one order only.
  const groups = rules.gravity ? heights : empty.map(() => 1);
  let [orders, filled] = [1, 0];
  for (const group of groups) for (let i = 1; i <= group; i++) orders = (orders * ++filled) / i;
  return orders <= MOST_ORDERS;
}

/** What is known of a node that was picked. @param {TreeNode} node */
function nodeWords(node) {
  const window = { alpha: boundWords(node, node.alpha, "−∞"), beta: boundWords(node, node.beta, "+∞") };
  const text = node.isPruned ? say("tree.skipped") : say("tree.node", { worth: worthWords(node), ...window });
  return { title: capital(moveWords(node)), text };
}

/** @param {number} at the step @param {Tree} tree @param {number | null} plain @param {boolean} pruning */
function figures(at, { steps, nodes, looked }, plain, pruning) {
  const { node, alpha, beta } = steps[at];
  const seen = nodes.filter(({ isPruned, entered }) => !isPruned && entered <= at).length;
  const window = pruning ? [["Alpha", boundWords(node, alpha, "−∞")], ["Beta", boundWords(node, beta, "+∞")]] : [];
  const saved = plain === null ? [] : [[say("learn.plain"), countWords(plain)]];
  const boards = say("learn.boardsOf", { seen: countWords(seen), all: countWords(looked) });
  return [...window, [say("learn.boards"), boards], ...saved].map(([name, value]) => figure(name, value));
}
