/** The board to play on: drawn as SVG, operated as a grid by mouse, touch and keyboard. */

import { gameName } from "../shared/catalogue.js";
import { announce, attribute, byId, h, s } from "../shared/dom.js";
import { cellName, layerOf, markName, sideName, skinOf } from "../shared/notation.js";
import { BLOCKED, EMPTY, cellIndex, cellsWith, markOf, other } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { UNIT, blockedCell, centre, coordinates, cornerOf, forbiddenMark, front, isBeside, label, layoutOf, marginOf,
  noteSize, piece, surface, valuePlace } from "./pieces.js";

/** On boards of more cells the first tap by touch only shows the place, unless the visitor wants it otherwise. */
const EASY_TO_HIT = 100;
const DENSE_BELOW_PX = 20;
const POINTER_DASHES = 14;
/** How far outside of the board its other side is seen. */
const BEYOND = 36;
/** The most that a value takes of the height of its cell, and a single letter of its width. */
const [VALUE_SIZE, VALUE_WIDTH] = [40, 90];
/** The ring around a mark of a completed line. */
const RING = 38;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class BoardView {
  /** @type {Scene | null} */
  #scene = null;
  /** @type {HTMLElement[]} */
  #cells = [];
  /** @type {Map<number, SVGElement>} the marks that are drawn */
  #pieces = new Map();
  #focused = 0;
  #isTouch = false;
  /** @type {number | null} what a first tap has shown, which a second plays */
  #tapped = null;
  #layers = { heat: s("g"), under: s("g"), pieces: s("g"), ghosts: s("g"), preview: s("g"), over: s("g") };

  /** @param {HTMLElement} root @param {(cell: number) => void} onChoose
   * @param {(cell: number | null) => void} onPoint a mouse is over this cell
   * @param {(cell: number) => void} [onRefuse] a cell was chosen that cannot be */
  constructor(root, onChoose, onPoint, onRefuse = () => {}) {
    this.onRefuse = onRefuse;
    this.root = root;
    this.onChoose = onChoose;
    this.onPoint = onPoint;
    root.addEventListener("pointerdown", ({ pointerType }) => (this.#isTouch = pointerType === "touch"));
    root.addEventListener("click", (event) => this.#tap(this.#cellOf(event)));
    root.addEventListener("keydown", (event) => this.#key(event));
    const under = (/** @type {PointerEvent} */ event) => (event.pointerType === "mouse" ? this.#cellOf(event) : null);
    root.addEventListener("pointerover", (event) => this.#hover(under(event)));
    root.addEventListener("pointerleave", () => this.#hover(null));
    root.addEventListener("focusin", (event) => this.#focusIn(this.#cellOf(event)));
    root.addEventListener("focusout", () => this.#preview(null));
    new ResizeObserver(() => this.#measure()).observe(root);
  }

  /** @param {Scene} scene */
  show(scene) {
    const before = this.#scene;
    this.#scene = scene;
    if (before?.position !== scene.position) this.#tapped = null;
    if (before?.position.rules !== scene.position.rules) this.#build();
    this.#drawPieces();
    this.#drawUnder();
    this.#drawOver();
    this.#layers.heat.replaceChildren(...scene.heat.map((heat) => this.#drawHeat(heat)));
    this.#describe();
    this.#preview(null);
  }

  /** Moves the keyboard's focus to the board. */
  focus() {
    this.#cells[this.#focused]?.focus();
  }

  get #now() {
    return /** @type {Scene} */ (this.#scene);
  }

  get #rules() {
    return this.#now.position.rules;
  }

  /** Everything anew, for another board. */
  #build() {
    const rules = this.#rules;
    const skin = skinOf(rules);
    const margin = marginOf(rules);
    const layout = layoutOf(rules);
    const [width, height] = [layout.width + margin.left + margin.right, layout.height + margin.top + margin.bottom];
    for (const layer of Object.values(this.#layers)) layer.replaceChildren();
    this.#pieces.clear();
    const middle = { row: Math.floor(rules.rows / 2), column: Math.floor(rules.columns / 2) };
    this.#focused = cellIndex({ layer: Math.floor((rules.layers - 1) / 2), ...middle }, rules);
    const { heat, under, pieces, ghosts, preview, over } = this.#layers;
    const view = `${-margin.left} ${-margin.top} ${width} ${height}`;
    const drawing = s("svg", { class: "drawing", viewBox: view, "aria-hidden": "true" },
      surface(rules, skin), under, heat, pieces, ghosts, preview, front(rules, skin), over, coordinates(rules));
    const grid = this.#buildGrid();
    place(grid, margin, width, height);
    this.root.dataset.skin = skin;
    this.root.classList.toggle("layered", rules.layers > 1);
    // All around the board is laid out by its shape.
    const around = this.root.closest("main") ?? this.root;
    around.style.setProperty("--columns", String(width / UNIT));
    around.style.setProperty("--rows", String(height / UNIT));
    this.root.replaceChildren(drawing, grid);
    this.#measure();
  }

  #buildGrid() {
    const { rows, columns, layers } = this.#rules;
    this.#cells = [...this.#now.position.cells].map((_, cell) =>
      h("div", { class: "cell", role: "gridcell", tabindex: -1, "data-cell": cell }));
    const inRows = Array.from({ length: rows * layers }, (_, row) =>
      h("div", { class: "row", role: "row" }, ...this.#cells.slice(row * columns, (row + 1) * columns)));
    this.#cells[this.#focused].tabIndex = 0;
    const size = { rows: say("board.rows", { count: rows }), columns: say("board.columns", { count: columns }) };
    const about = { game: gameName(this.#now.position), layers, ...size };
    const name = say(layers > 1 ? "board.layers" : "board.name", about);
    return h("div", { class: "grid", role: "grid", "aria-label": name, "aria-describedby": "board-help" },
      ...(layers > 1 ? this.#inLayers(inRows) : inRows));
  }

  /** The rows of each layer, over where it is drawn. @param {HTMLElement[]} inRows */
  #inLayers(inRows) {
    const rules = this.#rules;
    const { rows, columns, layers } = rules;
    const { width, height } = layoutOf(rules);
    return Array.from({ length: layers }, (_, layer) => {
      const group = h("div", { class: "layer", role: "rowgroup", "aria-label": say("cell.layer", { number: layer + 1 }) },
        ...inRows.slice(layer * rows, (layer + 1) * rows));
      const [left, top] = cornerOf(rules, layer);
      const [right, bottom] = [width - left - columns * UNIT, height - top - rows * UNIT];
      place(group, { top, left, right, bottom }, width, height);
      return group;
    });
  }

  /** Whether values still fit into the cells. */
  #measure() {
    if (!this.#cells.length) return;
    const width = this.#cells[0].getBoundingClientRect().width;
    this.root.classList.toggle("dense", width > 0 && width < DENSE_BELOW_PX);
  }

  #drawPieces() {
    const { position, lastMove } = this.#now;
    for (const [cell, mark] of this.#pieces) {
      if (mark.dataset.side === position.cells[cell]) continue;
      mark.remove();
      this.#pieces.delete(cell);
    }
    const missing = cellsWith(position, (mark, cell) => mark !== EMPTY && !this.#pieces.has(cell));
    // One new mark is a move and is seen to be made; many are another position and are just there.
    const moved = missing.length === 1 && missing[0] === lastMove;
    for (const cell of missing) this.#addPiece(cell, moved);
    this.#markLastDisc();
    const won = new Set(this.#now.lines.flat());
    this.root.classList.toggle("celebrated", this.#now.isCelebrated);
    for (const [cell, mark] of this.#pieces) {
      mark.classList.toggle("winning", won.has(cell));
    }
  }

  /** @param {number} cell @param {boolean} moved */
  #addPiece(cell, moved) {
    const { position } = this.#now;
    const side = /** @type {Side | "#"} */ (position.cells[cell]);
    const [x, y] = centre(position.rules, cell);
    const mark = side === BLOCKED ? blockedCell(skinOf(position.rules)) : piece(side, skinOf(position.rules));
    const holder = s("g", { transform: `translate(${x} ${y})`, "data-side": side }, mark);
    if (moved) mark.classList.add("arriving");
    if (position.rules.layers === 1) mark.style.setProperty("--fall", `${-y - UNIT / 2}px`);
    mark.style.setProperty("--fall-time", `${Math.round(140 * Math.sqrt(y / UNIT + 1))}ms`);
    this.#pieces.set(cell, holder);
    this.#layers.pieces.append(holder);
  }

  /** On the disc itself, so that it falls with it. */
  #markLastDisc() {
    const { lastMove, position } = this.#now;
    this.root.querySelector(".last-disc")?.remove();
    if (lastMove === null || skinOf(position.rules) !== "discs") return;
    this.#pieces.get(lastMove)?.firstElementChild?.append(s("circle", { class: "last-disc", r: 37 }));
  }

  /** What is marked below the pieces: the last move, and cells that may not be marked. */
  #drawUnder() {
    const { lastMove, position, forbidden } = this.#now;
    const at = (/** @type {number} */ cell) => centre(position.rules, cell);
    const last = lastMove !== null && skinOf(position.rules) === "tiles" ? [s("g", { class: "last-tile" }, this.#outline(lastMove))] : [];
    this.#layers.under.replaceChildren(...last, ...[...forbidden].map((cell) => forbiddenMark(at(cell))));
  }

  /** What is marked above the pieces: last move, completed lines, the best line, pointers. */
  #drawOver() {
    const { lastMove, numbers, position, lines, ghosts, better, played, pointers, heat } = this.#now;
    const rules = position.rules;
    const at = (/** @type {number} */ cell) => centre(rules, cell);
    const isDotted = lastMove !== null && skinOf(rules) === "stones" && !numbers.has(lastMove);
    const dot = isDotted ? [lastDot(at(lastMove), position.cells[lastMove])] : [];
    const strokes = lines.map((line) => lineStroke(line.map(at)));
    const sides = [position.toMove, other(position.toMove)].map((side) => markOf(rules, side));
    const values = heat.map((each) => this.#drawValue(each));
    const valued = new Set(heat.map(({ cell }) => cell));
    this.#layers.ghosts.classList.toggle("old", ghosts.isOld);
    this.#layers.ghosts.replaceChildren(...ghosts.cells.map((cell, ply) =>
      ghost(at(cell), sides[ply % 2], skinOf(rules), valued.has(cell))),
    ...better.cells.map(at).map(([cx, cy]) => s("g", { class: "better-ring" },
      s("circle", { cx, cy, r: RING - 2 }), label(cx, cy, 1.2 * RING, "✓"))));
    const size = 0.62 * noteSize(rules);
    const badges = ghosts.cells.map((cell, ply) => badge(at(cell), String(ply + 1), size, ghosts.isOld ? "old" : ""));
    if (played) badges.push(badge(at(played.cell), played.sign, 1.3 * size, `grade ${played.grade}`));
    const pointed = pointers.map((cell) => pointer(at(cell)));
    const ordered = [...numbers].map(([cell, number]) => this.#drawNumber(cell, number));
    this.#layers.over.replaceChildren(...values, ...ordered, ...pointed, ...badges, ...dot, ...strokes);
  }

  /** @param {Heat} heat */
  #drawHeat({ cell, tone, strength }) {
    const shape = this.#outline(cell);
    shape.style.setProperty("--strength", String(strength));
    return s("g", { class: `heat ${tone}` }, shape);
  }

  /** The shape of a cell. @param {number} cell */
  #outline(cell) {
    const [x, y] = centre(this.#rules, cell);
    return skinOf(this.#rules) === "tiles"
      ? s("rect", { x: x - 46, y: y - 46, width: 92, height: 92, rx: 14 })
      : s("circle", { cx: x, cy: y, r: 41 });
  }

  /** The value, in its cell over everything else or above its column, and a ring around the best. @param {Heat} heat */
  #drawValue({ cell, text, best }) {
    const [x, y] = valuePlace(this.#rules, cell);
    const ring = best ? s("g", { class: "best-ring" }, this.#outline(cell)) : null;
    const size = Math.min(noteSize(this.#rules, VALUE_SIZE), VALUE_WIDTH / text.length);
    return s("g", { class: "value" }, ring, label(x, y, size, text));
  }

  /** The number of a move: on a stone, else below or beside its mark. @param {number} cell @param {number} number */
  #drawNumber(cell, number) {
    const { position, lastMove } = this.#now;
    const [x, y] = centre(position.rules, cell);
    const skin = skinOf(position.rules);
    const stones = [number > 99 ? 34 : 42, 0, 2];
    const [size, right, down] = { stones, discs: [22, 0, 24], tiles: [20, 34, 34] }[skin];
    const name = `number ${position.cells[cell] === "X" ? "on-x" : "on-o"}${cell === lastMove ? " last" : ""}`;
    return s("g", { class: name }, label(x + right, y + down, size, String(number)));
  }

  /** Tells assistive technology what each cell is and whether it can be played. */
  #describe() {
    const { position, targetOf, lastMove, numbers, lines, heat, ghosts, better, played, pointers,
      forbidden } = this.#now;
    const spoken = new Map(heat.map(({ cell, spoken: words }) => [cell, words]));
    const won = new Set(lines.flat());
    const inGhosts = ghosts.isOld ? "board.numberedOld" : "board.numbered";
    const { rules } = position;
    /** @type {Record<string, string>} */
    const names = { X: markName(rules, "X"), O: markName(rules, "O"),
      [EMPTY]: say("board.empty"), [BLOCKED]: say("board.blocked") };
    this.#cells.forEach((element, cell) => {
      const mark = position.cells[cell];
      const open = targetOf(cell) !== null;
      const ply = ghosts.cells.indexOf(cell);
      const notes = [
        numbers.has(cell) && say("board.move", { number: numbers.get(cell) ?? 0 }),
        forbidden.has(cell) && say("board.forbidden"), cell === lastMove && say("board.last"),
        cell === played?.cell && played.words, won.has(cell) && say("board.inLine"), spoken.get(cell),
        ply >= 0 && say(inGhosts, { number: ply + 1 }),
        pointers.includes(cell) && say("board.recommended"),
        better.cells.includes(cell) && say("board.better", { side: sideName(rules, better.side) }),
      ];
      const name = [cellName(position.rules, cell), names[mark], ...notes.filter(Boolean)].join(", ");
      // Most cells are as they were, and while values come in they are described often.
      if (element.ariaLabel !== name) element.setAttribute("aria-label", name);
      if (element.classList.contains("open") === open && element.hasAttribute("aria-disabled") !== open) return;
      element.classList.toggle("open", open);
      attribute(element, "aria-disabled", open ? null : "true");
    });
  }

  /** @param {Event} event @returns {number | null} */
  #cellOf(event) {
    const cell = /** @type {Element} */ (event.target).closest?.("[data-cell]");
    return cell instanceof HTMLElement ? Number(cell.dataset.cell) : null;
  }

  /** By touch on boards of many cells the first tap shows where the mark would go. @param {number | null} cell */
  #tap(cell) {
    const at = cell === null ? null : this.#now.targetOf(cell);
    const isSmall = this.#cells.length <= EASY_TO_HIT || "tool" in this.#now.position;
    const { checked: byTwo } = /** @type {HTMLInputElement} */ (byId("two-taps"));
    const isSure = !this.#isTouch || isSmall || at === this.#tapped || !byTwo;
    if (isSure) return this.#choose(cell);
    this.#tapped = at;
    if (at !== null) {
      const words = say("cell.tapped", { move: cellName(this.#now.position.rules, at) });
      for (const each of document.querySelectorAll("#status, .to-move .turn")) each.textContent = words;
      announce(words);
    }
    return this.#preview(at);
  }

  /** @param {number | null} cell */
  #choose(cell) {
    if (cell === null) return;
    this.#rove(cell);
    const at = this.#now.targetOf(cell);
    if (at === null) this.onRefuse(cell);
    else this.onChoose(at);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.metaKey) return;
    const next = this.#target(event);
    if (next !== null) {
      this.#rove(next);
      this.#cells[next].focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.#choose(this.#focused);
    } else return;
    event.preventDefault();
  }

  /** Where a key leads, or null if it leads nowhere. @param {KeyboardEvent} event */
  #target({ key, ctrlKey }) {
    const { columns } = this.#rules;
    const column = this.#focused % columns;
    if (key === "Home") return ctrlKey ? 0 : this.#focused - column;
    if (key === "End") return ctrlKey ? this.#cells.length - 1 : this.#focused - column + columns - 1;
    if (!ARROWS[key] || ctrlKey) return null;
    const [down, right] = ARROWS[key];
    return this.#beside(this.#focused, down, right) ?? this.#focused;
  }

  /** The next cell as it is seen, over the gap between layers too, or null.
   * @param {number} cell @param {number} down @param {number} right */
  #beside(cell, down, right) {
    const { rows, columns, layers } = this.#rules;
    const { across } = layoutOf(this.#rules);
    const layer = layerOf(this.#rules, cell);
    const row = Math.floor(layer / across) * rows + (Math.floor(cell / columns) % rows) + down;
    const column = (layer % across) * columns + (cell % columns) + right;
    const to = Math.floor(row / rows) * across + Math.floor(column / columns);
    if (row < 0 || column < 0 || column >= Math.min(across, layers) * columns || to >= layers) return null;
    return cellIndex({ layer: to, row: row % rows, column: column % columns }, this.#rules);
  }

  /** The cell that the Tab key reaches. @param {number} cell */
  #rove(cell) {
    this.#cells[this.#focused].tabIndex = -1;
    this.#focused = cell;
    this.#cells[cell].tabIndex = 0;
  }

  /** @param {number | null} cell */
  #focusIn(cell) {
    if (cell === null) return;
    this.#rove(cell);
    this.#preview(this.#cells[cell].matches(":focus-visible") ? cell : null);
  }

  /** @param {number | null} cell */
  #hover(cell) {
    // Whoever hears of it may show another scene, without a preview.
    this.onPoint(cell);
    this.#preview(cell);
  }

  /** Shows where a mark would go. @param {number | null} cell */
  #preview(cell) {
    const { position, targetOf, mark } = this.#now;
    const seen = cell ?? this.#tapped;
    const at = seen === null ? null : targetOf(seen);
    const beyond = this.#beyond(at);
    if (at === null || mark === EMPTY || position.cells[at] !== EMPTY) {
      return this.#layers.preview.replaceChildren(...beyond);
    }
    const [x, y] = centre(position.rules, at);
    const skin = skinOf(position.rules);
    const shown = mark === BLOCKED ? blockedCell(skin) : piece(mark, skin);
    const ring = at === this.#tapped ? [pointer([x, y])] : [];
    const faint = s("g", { class: "preview", transform: `translate(${x} ${y})` }, shown);
    return this.#layers.preview.replaceChildren(faint, ...ring, ...beyond);
  }

  /** The neighbours of a cell beyond joined edges, small and outside of the board. @param {number | null} cell */
  #beyond(cell) {
    const { rules, cells } = this.#now.position;
    const { rows, columns, wrap } = rules;
    if (cell === null || wrap === "none") return [];
    return [-1, 0, 1].flatMap((down) => [-1, 0, 1].flatMap((right) => {
      const [row, column] = [Math.floor(cell / columns) + down, (cell % columns) + right];
      const [isOver, isBeside] = [row < 0 || row >= rows, column < 0 || column >= columns];
      if (!(isOver || isBeside) || (isOver && wrap === "rows") || (isBeside && wrap === "columns")) return [];
      const mark = cells[((row + rows) % rows) * columns + ((column + columns) % columns)];
      const x = Math.max(-BEYOND, Math.min(columns * UNIT + BEYOND, (column + 0.5) * UNIT));
      const y = Math.max(-BEYOND, Math.min(rows * UNIT + BEYOND, (row + 0.5) * UNIT));
      const drawn = mark === "X" || mark === "O" ? piece(mark, skinOf(rules)) : s("circle", { class: "empty", r: 30 });
      return [s("g", { class: "beyond", transform: `translate(${x} ${y}) scale(0.4)` }, drawn)];
    }));
  }
}

/** Puts the grid exactly over the drawn cells.
 * @param {HTMLElement} grid @param {ReturnType<typeof marginOf>} margin @param {number} width @param {number} height */
function place(grid, { top, right, bottom, left }, width, height) {
  const sides = [top / height, right / width, bottom / height, left / width];
  grid.style.setProperty("inset", sides.map((part) => `${100 * part}%`).join(" "));
}

/** @param {[number, number]} at @param {string} mark */
function lastDot([cx, cy], mark) {
  return s("circle", { class: `last-dot ${mark === "X" ? "on-x" : "on-o"}`, cx, cy, r: 9 });
}

/** A completed line: strokes between its marks and a ring on each of them, seen on light and dark ones.
 * @param {[number, number][]} places */
function lineStroke(places) {
  const pairs = places.slice(1).map((place, at) => /** @type {const} */ ([places[at], place]));
  const d = pairs.map(([from, to]) => (isBeside(from, to) ? between(from, to) : "")).join("");
  const ring = (/** @type {string} */ name) => places.map(([cx, cy]) => s("circle", { class: name, cx, cy, r: RING }));
  const stroke = (/** @type {string} */ name) => s("path", { class: name, d, pathLength: 1 });
  return s("g", { class: "won-line" }, stroke("halo"), ...ring("halo"), ...ring("ring"), stroke("core"));
}

/** From the ring around one mark to that around the next, so that neither is crossed.
 * @param {[number, number]} from @param {[number, number]} to */
function between([x, y], [toX, toY]) {
  const part = RING / Math.hypot(toX - x, toY - y);
  const [right, down] = [part * (toX - x), part * (toY - y)];
  return `M${x + right} ${y + down}L${toX - right} ${toY - down}`;
}

/** A mark that might be played, fainter under a value.
 * @param {[number, number]} at @param {Side} side @param {Skin} skin @param {boolean} isValued */
function ghost([x, y], side, skin, isValued) {
  return s("g", { class: isValued ? "ghost valued" : "ghost", transform: `translate(${x} ${y})` }, piece(side, skin));
}

/** The number of a move of a line, or the sign of a grade, in the corner of its cell.
 * @param {[number, number]} at @param {string} text @param {number} r @param {string} kind */
function badge([x, y], text, r, kind) {
  return s("g", { class: `badge ${kind}`, transform: `translate(${x + 30} ${y - 30})` },
    s("circle", { r }), label(0, 1, 1.35 * r, text));
}

/** @param {[number, number]} at */
function pointer([cx, cy]) {
  return s("circle", { class: "pointer", cx, cy, r: 40, pathLength: POINTER_DASHES });
}
