/** Makes a large board larger and smaller within its frame, which scrolls. */

import { byId, onClick } from "../shared/dom.js";
import { layoutOf, marginOf, UNIT } from "./pieces.js";

const LARGEST_CELL_PX = 64;
const STEP = 1.4;

export class Zoom {
  /** @type {Rules | null} */
  #rules = null;
  /** How many times larger than what fits the frame. */
  #factor = 1;
  #fittingCell = LARGEST_CELL_PX;
  frame = byId("board-frame");
  board = byId("board");
  controls = byId("zoom");

  constructor() {
    onClick("zoom-smaller", () => this.#step(-1));
    onClick("zoom-larger", () => this.#step(1));
    new ResizeObserver(() => this.#measure()).observe(this.frame);
  }

  /** Fits another board into the frame. @param {Rules} rules */
  show(rules) {
    if (rules === this.#rules) return;
    this.#rules = rules;
    this.#factor = 1;
    this.#measure();
  }

  /** Measures cells with the whole board in sight. */
  #measure() {
    const rules = this.#rules;
    if (!rules || !this.frame.clientWidth) return;
    const { left, right } = marginOf(rules);
    const [x, y] = [this.frame.scrollLeft, this.frame.scrollTop];
    this.board.style.setProperty("--zoom", "1");
    this.#fittingCell = this.board.getBoundingClientRect().width / ((layoutOf(rules).width + left + right) / UNIT);
    this.#apply();
    this.frame.scrollTo(x, y);
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
}
