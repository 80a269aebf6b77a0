/** A board of layers as it stands in space, turned by dragging or with the arrow keys. */

import { byId, s, times } from "../shared/dom.js";
import { layerOf, skinOf } from "../shared/notation.js";
import { EMPTY } from "../shared/rules.js";
import { piece } from "./pieces.js";

/** Radians to the side and down that a pixel or a key turns the board. */
const [BY_PIXEL, BY_KEY] = [0.01, 0.15];
/** @type {Record<string, [number, number]>} */
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
/** Half the drawing, and the part of it that the longest diagonal takes. */
const [HALF, FILLED] = [100, 0.86];
/** Of a cell: how large marks are drawn. */
const MARK = 0.006;

export class SpaceView {
  // From here no cell of a cube of four hides another.
  #sideways = 0.25;
  #down = 0.45;
  /** @type {SVGSVGElement} */
  drawing = byId("space");

  /** @param {PageStore} store */
  constructor(store) {
    this.store = store;
    const { drawing } = this;
    drawing.setAttribute("viewBox", [-HALF, -HALF, 2 * HALF, 2 * HALF].join(" "));
    drawing.onpointerdown = (event) => drawing.setPointerCapture(event.pointerId);
    drawing.onpointermove = ({ buttons, movementX, movementY }) => {
      if (buttons) this.#turn(movementX, -movementY, BY_PIXEL);
    };
    drawing.onkeydown = (event) => this.#key(event);
    store.listen((state, before) => this.#render(state, before));
  }

  /** @param {State} state @param {State} before */
  #render(state, before) {
    const isHidden = state.game.rules.layers === 1 || state.edit !== null;
    byId("space-figure").hidden = isHidden;
    if (!isHidden && (state.game !== before.game || !this.drawing.childElementCount)) this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const turn = KEYS[event.key];
    if (!turn || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.#turn(turn[0], turn[1], BY_KEY);
  }

  /** @param {number} sideways @param {number} down @param {number} step */
  #turn(sideways, down, step) {
    this.#sideways += sideways * step;
    this.#down = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.#down - down * step));
    this.#draw();
  }

  #draw() {
    const { position, ending, lastMove, rules } = this.store.state.game;
    const { rows, columns, layers } = rules;
    const size = (2 * HALF * FILLED) / Math.hypot(rows - 1, columns - 1, layers - 1);
    const at = (/** @type {number} */ cell) => this.#place(rules, cell, size);
    const cells = [...position.cells].map((mark, cell) => ({ mark, cell, ...at(cell) })).sort((a, b) => a.z - b.z);
    const marks = cells.map(({ mark, cell, x, y }) => {
      const name = mark === EMPTY ? "spot" : "blocked";
      if (mark !== "X" && mark !== "O") return s("circle", { class: name, cx: x, cy: y, r: mark === EMPTY ? 1.5 : 5 });
      const last = cell === lastMove ? s("circle", { class: "last", r: 52 }) : null;
      return s("g", { transform: `translate(${x} ${y}) scale(${size * MARK})` }, piece(mark, skinOf(rules)), last);
    });
    const strokes = ending.lines.map((line) => s("path", { class: "through", d: pathOf(line.map(at)) }));
    this.drawing.replaceChildren(...this.#frame(rules, at), ...marks, ...strokes);
  }

  /** The edges of each layer, and where stones fall the pegs that they fall onto.
   * @param {Rules} rules @param {(cell: number) => {x: number, y: number}} at */
  #frame({ rows, columns, layers, gravity }, at) {
    const area = rows * columns;
    const corners = [0, columns - 1, area - 1, area - columns, 0];
    const sheets = times(layers, (layer) => pathOf(corners.map((cell) => at(layer * area + cell))));
    const pegs = gravity ? times(area, (cell) => pathOf([at(cell), at(cell + (layers - 1) * area)])) : [];
    return [...sheets.map((d) => s("path", { class: "sheet", d })), s("path", { class: "peg", d: pegs.join("") })];
  }

  /** Where a cell is seen; z grows towards the eye. @param {Rules} rules @param {number} cell @param {number} size */
  #place(rules, cell, size) {
    const { rows, columns, layers } = rules;
    const right = (cell % columns) - (columns - 1) / 2;
    const near = (Math.floor(cell / columns) % rows) - (rows - 1) / 2;
    const up = layerOf(rules, cell) - (layers - 1) / 2;
    const [sin, cos] = [Math.sin(this.#sideways), Math.cos(this.#sideways)];
    const [low, high] = [Math.sin(this.#down), Math.cos(this.#down)];
    const depth = near * cos - right * sin;
    return { x: size * (right * cos + near * sin), y: size * (depth * low - up * high), z: depth * high + up * low };
  }
}

/** @param {{x: number, y: number}[]} places */
function pathOf(places) {
  return places.map(({ x, y }, at) => `${at ? "L" : "M"}${x} ${y}`).join("");
}
