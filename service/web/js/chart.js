/** The score over the game's history as bars, with a slider that shows the game at any of its moves. */

import { h, s } from "./dom.js";
import { history } from "./state.js";
import { fullCellName } from "./words.js";

/** @typedef {import("./state.js").State} State */

const HEIGHT = 64;
const LEAST_BAR = 1.5;

export class Chart {
  /** @param {(shown: number) => void} onShow */
  constructor(onShow) {
    this.drawing = s("svg", { class: "bars", preserveAspectRatio: "none", role: "img" });
    this.slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Move shown", oninput: () => onShow(Number(this.slider.value)) });
    this.key = h("p", { class: "chart-key", "aria-hidden": "true" }, h("span", {}, "X ahead ↑"), h("span", {}, "↓ O ahead"));
    this.element = h("section", { class: "chart", "aria-label": "Score over the game" }, h("h2", { class: "minor" }, "The game so far"), this.drawing, this.slider, this.key);
  }

  /** @param {State} state */
  render(state) {
    const { game } = state;
    const scores = history(state);
    this.element.hidden = game.moves.length === 0;
    // Bars of nothing say nothing; the slider is of use without them.
    const isEmpty = scores.every((score) => score === null);
    this.drawing.toggleAttribute("hidden", isEmpty);
    this.key.hidden = isEmpty;
    this.drawing.setAttribute("viewBox", `0 0 ${scores.length} ${HEIGHT}`);
    this.drawing.setAttribute("aria-label", summary(scores));
    this.drawing.replaceChildren(
      s("rect", { class: "shown", x: game.shown, y: 0, width: 1, height: HEIGHT }),
      s("path", { class: "zero", d: `M0 ${HEIGHT / 2}H${scores.length}` }),
      ...scores.map((score, ply) => score && bar(score, ply)).filter((drawn) => drawn !== null),
    );
    this.slider.max = String(game.moves.length);
    this.slider.value = String(game.shown);
    this.slider.setAttribute("aria-valuetext", shownWords(game));
  }
}

/** @param {{height: number, proven: boolean}} score @param {number} ply */
function bar({ height, proven }, ply) {
  const size = Math.max(LEAST_BAR, (Math.abs(height) * HEIGHT) / 2);
  const y = height >= 0 ? HEIGHT / 2 - size : HEIGHT / 2;
  const side = height > 0 ? "for-x" : height < 0 ? "for-o" : "even";
  return s("rect", { class: `${side}${proven ? "" : " estimated"}`, x: ply + 0.12, y: height === 0 ? y + size / 2 : y, width: 0.76, height: size });
}

/** @param {({height: number, proven: boolean} | null)[]} scores */
function summary(scores) {
  const known = scores.filter((score) => score !== null);
  const ahead = (/** @type {number} */ sign) => known.filter((score) => Math.sign(score.height) === sign).length;
  return `Of ${scores.length} positions, X is ahead in ${ahead(1)}, O in ${ahead(-1)}, ${ahead(0)} are even, ${scores.length - known.length} not valued yet.`;
}

/** @param {import("./game.js").Game} game */
function shownWords(game) {
  return game.lastMove === null ? "start" : `after move ${game.shown}, ${fullCellName(game.rules, game.lastMove)}`;
}
