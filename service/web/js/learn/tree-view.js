/** Draws a game tree as small boards from left to right, with zoom, and keys as in any tree. */

import { arrange, byId, h, s, times } from "../shared/dom.js";
import { layerOf, sideName, skinOf } from "../shared/notation.js";
import { BLOCKED, cellsWith, other } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { PRUNED, boardHeight, extent, fit, fits, isWide, layOut, partOf } from "./tree-layout.js";
import { moveWords, worthWords } from "./tree-words.js";

/**
 * What is shown of a tree.
 * @typedef {object} TreeScene
 * @property {TreeNode} root
 * @property {Set<TreeNode>} expanded nodes whose children are shown
 * @property {TreeNode} current where the search is, or what is selected
 * @property {number} step what the search has done by then; later values are still hidden
 */

/** The columns of a tree that are drawn, the most that fit the frame. */
const COLUMNS = [Infinity, 3, 2];

/** A node, and the nodes that are open while it is shown; part: those where only a few plies fit.
 * @typedef {{at: TreeNode, open: Set<TreeNode>, part?: Set<TreeNode>}} Shown */

/** @typedef {{open: Set<TreeNode>, isWide: boolean}} Drawing isWide: words have all their room */

/** How much larger or smaller than its frame a drawing can be, and by how much with each press. */
const [MOST_ZOOM, ZOOM] = [4, 1.25];
/** Words may be this small, as a part of the usual size, before a drawing is larger than its frame. */
const LEAST_FONT = 0.86;
/** What is kept free around a board that is brought into view. */
const MARGIN = 24;

export class TreeView {
  /** @type {TreeScene | null} */
  #scene = null;
  /** @type {Map<TreeNode, HTMLElement>} */
  #elements = new Map();
  #zoom = 1;
  /** What all fits the frame: the node shown at each step, and those that are open.
   * @type {Shown[]} */
  #trees = [];
  /** What is drawn now. @type {Drawing} */
  #drawn = { open: new Set(), isWide: true };

  /** @param {(node: TreeNode) => void} onSelect @param {(node: TreeNode) => void} onToggle */
  constructor(onSelect, onToggle) {
    this.onSelect = onSelect;
    this.onToggle = onToggle;
    this.edges = byId("tree-edges");
    this.sheet = byId("tree-sheet");
    this.heads = byId("tree-heads");
    this.element = byId("tree");
    new ResizeObserver(() => this.#scene && !matchMedia("print").matches && this.show(this.#scene)).observe(this.element);
    this.sheet.addEventListener("click", (event) => this.#click(this.#nodeOf(event)));
    this.sheet.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {TreeScene} scene */
  show(scene) {
    this.#scene = scene;
    const { root, current, expanded } = scene;
    if (!this.element.clientWidth) return;
    const trees = parts([...this.#alike, { at: current, open: expanded }], this.#columns);
    const frame = this.#fit(trees);
    const drawn = trees[trees.length - 1];
    this.#drawn = { open: drawn.open, isWide: isWide(frame) };
    const places = layOut(drawn, frame);
    this.#resize(extent(places, frame), frame);
    this.edges.replaceChildren(...[...places.keys()].flatMap((node) => edge(node, places, scene, frame) ?? []));
    const elements = [...places].map(([node, place]) => this.#place(node, place));
    this.heads.replaceChildren(...heads(root, [...places.keys()], frame));
    const hadFocus = this.sheet.contains(document.activeElement);
    // In the order of the tree, so that reading it in order makes sense.
    arrange(this.sheet, elements);
    for (const node of this.#elements.keys()) if (!places.has(node)) this.#elements.delete(node);
    this.#reveal(hadFocus);
  }

  /** @param {import("./tree-layout.js").Drawn[]} trees */
  #fit(trees) {
    const unit = (this.#zoom * parseFloat(getComputedStyle(document.documentElement).fontSize)) / 16;
    const [width, height] = [this.element.clientWidth * this.#zoom, this.element.clientHeight * this.#zoom - 3 * unit];
    const board = this.#zoom * this.#leastBoard;
    return fit({ width, height, unit, board }, board ? unit : LEAST_FONT * this.#zoom, trees);
  }

  get #leastBoard() {
    return parseFloat(getComputedStyle(this.element).getPropertyValue("--least-board")) || 0;
  }

  /** The trees whose boards have one size: those of all steps; for a projector the last step has its own. */
  get #alike() {
    if (!this.#leastBoard) return this.#trees;
    return this.#now.step < this.#now.root.left ? this.#trees.slice(0, -1) : [];
  }

  get #columns() {
    if (!this.#trees.length || !this.element.clientWidth) return Infinity;
    const isFit = (/** @type {import("./tree-layout.js").Drawn[]} */ trees) => fits(this.#fit(trees), trees);
    return COLUMNS.find((columns) => isFit(parts(this.#trees, columns))) ?? 2;
  }

  /** Whether only a few plies of the tree fit the frame. */
  get isPart() {
    return this.#columns < Infinity;
  }

  /** @param {number} step */
  zoom(step) {
    this.#zoom = Math.max(1 / MOST_ZOOM, Math.min(MOST_ZOOM, this.#zoom * ZOOM ** step));
    if (this.#scene) this.show(this.#scene);
  }

  /** @param {[number, number]} extent @param {import("./tree-layout.js").Frame} frame */
  #resize([width, height], { board, unit, words }) {
    for (const each of [this.edges, this.sheet, this.sheet.parentElement]) {
      each?.style.setProperty("width", `${width}px`);
      each?.style.setProperty("height", `${height}px`);
    }
    const holder = /** @type {HTMLElement} */ (this.sheet.parentElement);
    holder.style.setProperty("--drawn-width", String(width));
    holder.style.setProperty("--drawn-height", String(height));
    holder.style.setProperty("--board", `${board}px`);
    holder.style.setProperty("--unit", `${unit}px`);
    holder.style.setProperty("--words", `${words}px`);
    holder.classList.toggle("narrow", words === 0);
    holder.classList.toggle("slim", !this.#drawn.isWide);
    this.edges.setAttribute("viewBox", `0 0 ${width} ${height}`);
  }

  /** The drawing fits its frame again. */
  fit() {
    this.#zoom = 1;
    if (this.#scene) this.show(this.#scene);
  }

  /** Another tree, with all that its drawings are to fit with. @param {Shown[]} trees */
  begin(trees) {
    this.#trees = trees;
    this.#zoom = 1;
  }

  get #now() {
    return /** @type {TreeScene} */ (this.#scene);
  }

  /** @param {TreeNode} node @param {[number, number]} place */
  #place(node, [x, y]) {
    const element = this.#elements.get(node) ?? h("div", { role: "treeitem", "data-id": node.id }, miniBoard(node),
      h("span", { class: "visually-hidden" }), h("span", { class: "worth", "aria-hidden": "true" }));
    this.#elements.set(node, element);
    element.style.setProperty("left", `${x}px`);
    element.style.setProperty("top", `${y}px`);
    this.#dress(node, element);
    return element;
  }

  /** @param {TreeNode} node @param {HTMLElement} element */
  #dress(node, element) {
    const { current, step } = this.#now;
    const { open, isWide } = this.#drawn;
    const state = stateOf(node, step);
    const isBest = node.isBest && step >= this.#now.root.left;
    const names = [isBest && "best", node === current && "current", node.isPruned && "spare", toneOf(node, state)];
    element.className = ["node", state, node.isMax ? "max" : "min", ...names].filter(Boolean).join(" ");
    element.tabIndex = node === current ? 0 : -1;
    const siblings = node.parent?.children ?? [node];
    const worth = stateWords(node, state);
    const [spoken, shown] = element.querySelectorAll("span");
    const words = `${moveWords(node)}, ${worth.spoken}`;
    spoken.textContent = isBest ? say("tree.onBest", { node: words }) : words;
    shown.textContent = worth.short;
    const attributes = {
      "aria-level": node.depth + 1, "aria-setsize": siblings.length, "aria-posinset": siblings.indexOf(node) + 1,
      "aria-selected": node === current,
    };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    const count = node.children.length;
    if (count) element.setAttribute("aria-expanded", String(open.has(node)));
    element.dataset.more = count && !open.has(node) ? (isWide ? say("tree.more", { count }) : "▸") : "";
  }

  /** Scrolls so that the current node is seen, and takes the focus along if it was in the tree.
   * @param {boolean} hadFocus */
  #reveal(hadFocus) {
    const element = this.#elements.get(this.#now.current);
    if (!element) return;
    const [box, view] = [element.getBoundingClientRect(), this.element.getBoundingClientRect()];
    const isAside = box.left < view.left + MARGIN || box.right > view.right - MARGIN;
    const isAbove = box.top < view.top + MARGIN || box.bottom > view.bottom - MARGIN;
    if (isAside) this.element.scrollLeft += box.left - view.left - view.width / 3;
    if (isAbove) this.element.scrollTop += box.top - view.top - view.height / 2 + box.height / 2;
    if (hadFocus) element.focus({ preventScroll: true });
  }

  /** @param {Event} event @returns {TreeNode | null} */
  #nodeOf(event) {
    const element = /** @type {Element} */ (event.target).closest("[role=treeitem]");
    return [...this.#elements].find(([, each]) => each === element)?.[0] ?? null;
  }

  /** @param {TreeNode | null} node */
  #click(node) {
    if (!node) return;
    this.#elements.get(node)?.focus({ preventScroll: true });
    if (node === this.#now.current) this.onToggle(node);
    else this.onSelect(node);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const zoom = { "+": 1, "=": 1, "-": -1 }[event.key];
    if (zoom) this.zoom(zoom);
    else if (!this.#move(event.key)) return;
    event.preventDefault();
  }

  /** Does what a key means in a tree; whether it means anything. @param {string} key */
  #move(key) {
    const { current, expanded, root } = this.#now;
    const visible = [...this.#elements.keys()].sort((a, b) => this.#order(a) - this.#order(b));
    const at = visible.indexOf(current);
    const open = expanded.has(current);
    /** @type {Record<string, () => TreeNode | null | undefined>} */
    const targets = {
      ArrowDown: () => visible[at + 1], ArrowUp: () => visible[at - 1],
      ArrowRight: () => (open ? current.children[0] : null),
      ArrowLeft: () => (open && current.parent ? null : current.parent),
      Home: () => root, End: () => visible[visible.length - 1],
    };
    const turns = (key === "ArrowRight" && !open) || (key === "ArrowLeft" && open && current !== root);
    const toggles = key === "Enter" || key === " " || turns;
    if (!targets[key] && !toggles) return false;
    const target = targets[key]?.();
    if (target) this.onSelect(target);
    else if (toggles && current.children.length) this.onToggle(current);
    return true;
  }

  /** @param {TreeNode} node */
  #order(node) {
    return [...this.sheet.children].indexOf(/** @type {HTMLElement} */ (this.#elements.get(node)));
  }
}

/** @param {Shown[]} trees @param {number} columns */
function parts(trees, columns) {
  return trees.map(({ at, open, part }) => partOf(at, columns < Infinity ? part ?? open : open, columns));
}

/** How far the search has come with a node.
 * @param {TreeNode} node @param {number} step @returns {"pruned" | "unseen" | "looking" | "valued"} */
function stateOf(node, step) {
  if (step < node.entered) return "unseen";
  if (node.isPruned) return "pruned";
  return step < node.left ? "looking" : "valued";
}

/** @param {TreeNode} node @param {string} state */
function toneOf({ value }, state) {
  if (state !== "valued" || value === null) return "";
  return value > 0 ? "win" : value < 0 ? "loss" : "draw";
}

/** @param {TreeNode} node @param {string} state */
function stateWords(node, state) {
  if (state === "pruned") return { short: "", spoken: say("tree.never") };
  if (state === "unseen") return { short: "", spoken: say("tree.unseen") };
  if (state === "looking") return { short: "…", spoken: say("tree.looking") };
  return { short: worthWords(node), spoken: worthWords(node) };
}

/** Who chooses in each column, and what.
 * @param {TreeNode} root @param {TreeNode[]} nodes @param {import("./tree-layout.js").Frame} frame */
function heads({ position: { rules, toMove } }, nodes, { left, pitch }) {
  const depths = new Set(nodes.filter(({ children }) => children.length).map(({ depth }) => depth));
  return [...depths].sort((a, b) => a - b).map((depth) => {
    const side = sideName(rules, depth % 2 ? other(toMove) : toMove);
    const head = h("p", {}, say(depth % 2 ? "tree.min" : "tree.max", { side }));
    head.style.setProperty("left", `${left + (depth - nodes[0].depth) * pitch}px`);
    head.style.setProperty("width", `${pitch}px`);
    return head;
  });
}

/** @param {TreeNode} node @param {Map<TreeNode, [number, number]>} places @param {TreeScene} scene
 * @param {import("./tree-layout.js").Frame} frame */
function edge(node, places, { step, root }, { board }) {
  const from = node.parent && places.get(node.parent);
  const to = places.get(node);
  if (!from || !to) return null;
  const name = `edge ${stateOf(node, step)}${node.isBest && step >= root.left ? " best" : ""}`;
  const middle = boardHeight(root, board) / 2;
  const [x1, y1, x2, y2] = [from[0] + board, from[1] + middle, to[0], to[1] + middle * (node.isPruned ? PRUNED : 1)];
  const column = [...places].find(([each]) => each.parent === node.parent)?.[1][0] ?? x2;
  if (node.isPruned && node.parent?.children.find(({ isPruned }) => isPruned) !== node) return null;
  const bend = (x1 + column) / 2;
  // What lies beside a board is reached below it.
  const low = to[1] + middle + middle * PRUNED + 3;
  const [y, end] = x2 > column ? [low, `H${x2 - 4}V${y2}h4`] : [y2, ""];
  return s("path", { class: name, d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y} ${column} ${y}${end}` });
}

/** A small board. @param {{position: Position, move: number | null, ending: Ending}} node */
function miniBoard({ position, move, ending }) {
  const { rows, columns, layers } = position.rules;
  // Layers stand side by side, the bottom one first.
  const corner = (/** @type {number} */ layer) => layer * (columns + 1) * 10;
  const at = (/** @type {number} */ cell) =>
    [corner(layerOf(position.rules, cell)) + (cell % columns) * 10, (Math.floor(cell / columns) % rows) * 10];
  const [width, height] = [corner(layers) - 10, rows * 10];
  const size = { y: -1, width: columns * 10 + 2, height: height + 2, rx: 2 };
  const sheets = times(layers, (layer) => s("rect", { class: "sheet-of-paper", x: corner(layer) - 1, ...size }));
  const down = (/** @type {number} */ x) => times(columns - 1, (i) => `M${x + (i + 1) * 10} 0V${height}`).join("");
  const across = (/** @type {number} */ x) => times(rows - 1, (i) => `M${x} ${(i + 1) * 10}h${columns * 10}`).join("");
  const lines = times(layers, (layer) => down(corner(layer)) + across(corner(layer))).join("");
  const tile = (/** @type {string} */ name) => (/** @type {number} */ cell) =>
    s("rect", { class: name, x: at(cell)[0], y: at(cell)[1], width: 10, height: 10 });
  const tinted = [...(move === null ? [] : [tile("moved")(move)]), ...ending.lines.flat().map(tile("won"))];
  const blocked = cellsWith(position, (mark) => mark === BLOCKED).map(tile("blocked"));
  const draw = skinOf(position.rules) === "tiles" ? strokedMark : disc;
  const marks = cellsWith(position, (mark) => "XO".includes(mark)).map((cell) => draw(position.cells[cell], at(cell)));
  return s("svg", { class: "mini", viewBox: `-1 -1 ${width + 2} ${height + 2}`, "aria-hidden": "true" },
    ...sheets, ...tinted, ...blocked, s("path", { class: "lines", d: lines }), ...marks);
}

/** @param {string} mark @param {number[]} corner */
function disc(mark, [x, y]) {
  return s("circle", { class: `disc ${mark === "X" ? "is-x" : "is-o"}`, cx: x + 5, cy: y + 5, r: 3.9 });
}

/** @param {string} mark @param {number[]} corner */
function strokedMark(mark, [x, y]) {
  if (mark === "X") return s("path", { class: "mx", d: `M${x + 2.5} ${y + 2.5}l5 5m0 -5l-5 5` });
  return s("path", { class: "mo", d: `M${x + 2.2} ${y + 5}a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0` });
}
