/** The view to learn in: the game tree of a position with few empty cells, searched step by step. */

import { Problem, Slot, isDropped } from "./api.js";
import { h, icon } from "./dom.js";
import { treeQuestion } from "./questions.js";
import { EMPTY, PRESETS, countEmpty, rulesOf } from "./rules.js";
import { TreeView } from "./tree-view.js";
import { bestLine, growTree, pathTo } from "./tree-model.js";
import { boundWords, moveWords, stepWords, worthWords } from "./tree-words.js";
import { countWords, gameName } from "./words.js";

/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./state.js").PageStore} PageStore */
/** @typedef {import("./tree-model.js").Tree} Tree */
/** @typedef {import("./tree-model.js").Node} Node */

/** Positions that can be filled in more orders than this (six empty cells: 720) have trees too large to look at. */
const MOST_ORDERS = 720;
const OVERVIEW_PLIES = 2;
const KEYS = "In the tree: arrow keys walk, Enter opens and closes, + and − zoom.";

/** @type {{name: string, text: string, position: Position}[]} */
const EXAMPLES = [
  example("The fastest win", "X can win in several ways. Depth in the score makes the win at once worth more than a win later.", "tic-tac-toe", "..O/X../XO.", "X"),
  example("The doomed player", "X loses whatever it does. Four moves lose at once; the fifth makes O work for it, and is worth more.", "tic-tac-toe", "O.O/..X/..X", "X"),
  example("Holding the draw", "One move of five does not lose. See how many boards need not be looked at to know it.", "tic-tac-toe", "X../.O./.OX", "X"),
  example("Upside down", "In misère, three in a row loses: one move wins, by leaving the other side no other way.", "misere-tic-tac-toe", "X.O/.O./.X.", "X"),
  example("Marks that fall", "Three in a row on a board where marks fall: few moves, each opening another.", rulesOf(4, 4, 3, { gravity: true }), "X.../O.../XXO./OXOX", "O"),
];

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
  #position = EXAMPLES[0].position;
  #pruning = true;
  #begun = false;

  examples = h("div", { class: "examples", role: "group", "aria-label": "Examples" });
  own = h("button", { type: "button", onclick: () => this.#open(this.store.state.game.position) }, "The position I am playing");
  lead = h("p", { class: "lead" });
  count = h("p", { class: "count" });
  title = h("h2", {});
  text = h("p", {});
  figures = h("dl", { class: "figures" });
  slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Step", oninput: () => this.#go(Number(this.slider.value)) });

  /**
   * @param {HTMLElement} root
   * @param {PageStore} store
   * @param {import("./api.js").Client} client
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
    this.examples.append(...EXAMPLES.map((each) => this.#exampleButton(each)), this.own);
    const pruning = h("input", { type: "checkbox", role: "switch", checked: true, onchange: () => this.#prune(pruning.checked) });
    const explain = h("section", { class: "explain", "aria-label": "What the search does" },
      this.count, h("div", { class: "words" }, this.title, this.text), this.figures, this.#steps(), this.slider);
    const whole = h("button", { type: "button", onclick: () => this.#openAll() }, "Open all");
    const zoom = h("div", { class: "zoom", role: "group", "aria-label": "Drawing" }, whole,
      this.#button("minus", "Smaller", () => this.view.zoom(-1)), this.#button("plus", "Larger", () => this.view.zoom(1)));
    const head = h("div", { class: "learn-head" }, h("h1", {}, "How a search decides"), this.examples, this.lead,
      h("label", { class: "switch" }, pruning, h("span", {}, "Cut off what cannot matter (alpha-beta)")));
    const notes = h("div", { class: "tree-notes" }, legend(), h("p", { class: "fine" }, KEYS));
    root.append(head, h("div", { class: "tree-frame" }, zoom, this.view.element), explain, notes);
  }

  /** @param {boolean} pruning */
  #prune(pruning) {
    this.#pruning = pruning;
    this.#ask();
  }

  /** @param {typeof EXAMPLES[number]} each */
  #exampleButton(each) {
    return h("button", { type: "button", onclick: () => this.#open(each.position) }, each.name);
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
    else if (!this.#begun) this.#open(isSmall(game.position) && !game.isOver ? game.position : this.#position);
  }

  /** @param {Position} position */
  #open(position) {
    if (!isSmall(position)) {
      this.lead.textContent = `That position has ${countEmpty(position)} empty cells, and so too large a tree to look at. Play a little further.`;
      return;
    }
    this.#begun = true;
    this.#position = position;
    const chosen = EXAMPLES.find((each) => each.position === position);
    this.lead.textContent = chosen?.text ?? `${gameName(position.rules)}: ${position.toMove} to move, ${countEmpty(position)} empty cells.`;
    [...this.examples.children].forEach((button, index) => button.setAttribute("aria-pressed", String(EXAMPLES[index] === chosen)));
    this.#ask();
  }

  async #ask() {
    const [position, pruning] = [this.#position, this.#pruning];
    const signal = this.#slot.begin();
    try {
      const answer = await this.client.ask({ purpose: pruning ? "Game tree with pruning" : "Whole game tree", path: "tree", body: treeQuestion(position, pruning), signal });
      this.#plain = null;
      this.#show(growTree(position, answer));
      if (!pruning) return;
      const whole = await this.client.ask({ purpose: "Whole game tree, to compare", path: "tree", body: treeQuestion(position, false), signal });
      this.#plain = whole.nodes;
      this.#render();
    } catch (error) {
      if (!isDropped(error)) this.#fail(error);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    if (!(error instanceof Problem)) throw error;
    this.store.set(error.isMissing ? { view: "play", paths: new Set([...(this.store.state.paths ?? [])].filter((path) => path !== "/tree")) } : { problem: error.message });
  }

  /** @param {Tree} tree */
  #show(tree) {
    this.#tree = tree;
    this.#go(tree.steps.length - 1);
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

  /** @param {number} step */
  #go(step) {
    if (!this.#tree) return;
    this.#step = Math.max(0, Math.min(this.#stepCount - 1, step));
    this.#selected = null;
    const { kind, node } = this.#tree.steps[this.#step];
    this.#expanded = new Set(kind === "done" ? overview(this.#tree) : pathTo(node));
    this.#render();
    this.say(`${this.title.textContent}. ${this.text.textContent}`);
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
    const words = looked && looked !== step.node ? nodeWords(looked) : stepWords(step, this.#tree, this.#pruning);
    this.title.textContent = words.title;
    this.text.textContent = words.text;
    this.count.textContent = `Step ${this.#step + 1} of ${this.#stepCount}`;
    this.figures.replaceChildren(...figures(step, this.#tree, this.#plain, this.#pruning));
    this.slider.max = String(this.#stepCount - 1);
    this.slider.value = String(this.#step);
    this.slider.setAttribute("aria-valuetext", `step ${this.#step + 1} of ${this.#stepCount}`);
    this.view.show({ root: this.#tree.root, expanded: this.#expanded, current: looked ?? step.node, step: this.#step });
  }
}

/** @param {string} name @param {string} text @param {string | import("./rules.js").Rules} game @param {string} board @param {import("./rules.js").Side} toMove */
function example(name, text, game, board, toMove) {
  const rules = typeof game === "string" ? PRESETS[game] : game;
  return { name, text, position: { rules, cells: board.replaceAll("/", ""), toMove } };
}

/** The nodes to open at first: two plies and the best line. @param {Tree} tree */
function overview(tree) {
  return [...tree.nodes.filter(({ depth }) => depth < OVERVIEW_PLIES), ...bestLine(tree)];
}

/** @param {Position} position */
function isSmall({ rules, cells }) {
  const height = (/** @type {number} */ column) => [...cells].filter((mark, cell) => mark === EMPTY && cell % rules.columns === column).length;
  const columns = Array.from({ length: rules.columns }, (_, column) => height(column));
  // Under gravity the cells of a column can be filled in one order only.
  const groups = rules.gravity ? columns : Array(columns.reduce((sum, each) => sum + each)).fill(1);
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

/** @param {import("./tree-model.js").Step} step @param {Tree} tree @param {number | null} plain @param {boolean} pruning */
function figures({ alpha, beta }, { looked }, plain, pruning) {
  const saved = plain === null ? countWords(looked) : `${countWords(looked)} of ${countWords(plain)}`;
  const window = pruning ? [["Alpha", boundWords(alpha, "−∞")], ["Beta", boundWords(beta, "+∞")]] : [];
  return [...window, ["Boards seen", saved]]
    .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
}

function legend() {
  const entries = [["win", "good for the side to move first"], ["draw", "even"], ["loss", "bad for it"], ["pruned", "not looked at"], ["best", "best line"]];
  return h("ul", { class: "legend" }, ...entries.map(([name, words]) => h("li", {}, h("span", { class: `swatch ${name}`, "aria-hidden": "true" }), words)));
}
