/** Makes a large board larger and smaller within its frame, which scrolls. */

import { byId, onClick } from "../shared/dom.js";
import { layoutOf, marginOf, UNIT } from "./pieces.js";

/** Smaller cells are hard to hit (WCAG 2.5.8), so at first a board is at least so large. */
const SMALLEST_CELL_PX = 24;
const LARGEST_CELL_PX = 64;
const STEP = 1.4;
/** Up to this factor most of a board is seen. */
const NEARLY = 1.4;

export class Zoom {
  /** @type {Rules | null} */
  #rules = null;
  /** How many times larger than what fits the frame. */
  #factor = 1;
  #fittingCell = SMALLEST_CELL_PX;
  frame = byId("board-frame");
  board = byId("board");
  controls = byId("zoom");

  constructor() {
    onClick("zoom-smaller", () => this.#step(-1));
    onClick("zoom-larger", () => this.#step(1));
    this.frame.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    new ResizeObserver(() => this.#measure(false)).observe(this.frame);
  }

  /** @param {Rules} rules */
  show(rules) {
    if (rules === this.#rules) return;
    this.#rules = rules;
    this.#measure(true);
  }

  /** Finds out how large cells are when all of the board is seen. @param {boolean} isNew */
  #measure(isNew) {
    const rules = this.#rules;
    if (!rules || !this.frame.clientWidth) return;
    const { left, right } = marginOf(rules);
    const [x, y] = [this.frame.scrollLeft, this.frame.scrollTop];
    this.board.style.setProperty("--zoom", "1");
    this.#fittingCell = this.board.getBoundingClientRect().width / ((layoutOf(rules).width + left + right) / UNIT);
    if (isNew) this.#factor = Math.max(1, SMALLEST_CELL_PX / this.#fittingCell);
    this.#apply();
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = this.frame;
    const [across, down] = [scrollWidth - clientWidth, scrollHeight - clientHeight];
    // Of a board that nearly fits the corner with the coordinates is seen, of a larger one the middle.
    const begin = this.#factor < NEARLY ? [0, down] : [across / 2, down / 2];
    this.frame.scrollTo(isNew ? begin[0] : x, isNew ? begin[1] : y);
  }

  #apply() {
    const largest = Math.max(1, LARGEST_CELL_PX / this.#fittingCell);
    this.#factor = Math.min(largest, Math.max(1, this.#factor));
    this.board.style.setProperty("--zoom", String(this.#factor));
    this.frame.classList.toggle("zoomed", this.#factor > 1);
    this.controls.hidden = this.#fittingCell > LARGEST_CELL_PX / STEP ** 2;
    byId("zoom-smaller").setAttribute("aria-disabled", String(this.#factor === 1));
    byId("zoom-larger").setAttribute("aria-disabled", String(this.#factor === largest));
  }

  /** What is in the middle stays there. @param {1 | -1} direction */
  #step(direction) {
    const { frame } = this;
    const [x, y] = [frame.clientWidth / 2, frame.clientHeight / 2];
    const middle = [(frame.scrollLeft + x) / frame.scrollWidth, (frame.scrollTop + y) / frame.scrollHeight];
    this.#factor *= STEP ** direction;
    this.#apply();
    frame.scrollTo(middle[0] * frame.scrollWidth - x, middle[1] * frame.scrollHeight - y);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    if (!event.ctrlKey || this.controls.hidden) return;
    event.preventDefault();
    this.#step(event.deltaY < 0 ? 1 : -1);
  }
}
