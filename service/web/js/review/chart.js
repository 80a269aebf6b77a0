/** The course of a game as bars in the colours of the stones: a click shows the game at that move. */

import { h, legendItems, s } from "../shared/dom.js";
import { sideName, skinOf } from "../shared/notation.js";
import { say } from "../shared/say.js";
import { history } from "../shared/state.js";
/** @import { Rules } from "../shared/rules.js" */
/** @import { State } from "../shared/state.js" */

const HEIGHT = 64;
const LEAST_BAR = 1.5;

export class Chart {
  /** @param {(shown: number) => void} onShow */
  constructor(onShow) {
    this.onShow = onShow;
    const onclick = (/** @type {MouseEvent} */ event) => this.#click(event);
    this.drawing = s("svg", { class: "bars", preserveAspectRatio: "none", role: "img", onclick });
    this.legend = h("ul", { class: "legend", "aria-hidden": "true" });
    this.element = h("section", { class: "chart", "aria-label": say("chart.title") }, this.drawing, this.legend);
    this.count = 1;
  }

  /** @param {State} state */
  render(state) {
    const { game } = state;
    const values = history(state);
    const isEmpty = values.every((value) => value === null);
    this.element.hidden = isEmpty;
    if (isEmpty) return;
    this.count = values.length;
    this.element.dataset.skin = skinOf(game.rules);
    this.drawing.setAttribute("viewBox", `0 0 ${values.length} ${HEIGHT}`);
    this.drawing.setAttribute("aria-label", summary(values, game.rules));
    this.drawing.replaceChildren(
      s("rect", { class: "shown", x: game.shown, y: 0, width: 1, height: HEIGHT }),
      s("path", { class: "zero", d: `M0 ${HEIGHT / 2}H${values.length}` }),
      ...values.map((value, ply) => value && bar(value, ply)).filter((drawn) => drawn !== null),
    );
    const [x, o] = [{ side: sideName(game.rules, "X") }, { side: sideName(game.rules, "O") }];
    this.legend.replaceChildren(...legendItems([["for-x", say("chart.up", x)], ["for-o", say("chart.down", o)],
      ["even", say("chart.even")], ["estimated", say("chart.estimated")]]));
  }

  /** @param {MouseEvent} event */
  #click({ clientX }) {
    const { left, width } = this.drawing.getBoundingClientRect();
    this.onShow(Math.min(this.count - 1, Math.floor(((clientX - left) / width) * this.count)));
  }
}

/** @param {{height: number, proven: boolean}} value @param {number} ply */
function bar({ height, proven }, ply) {
  const size = Math.max(LEAST_BAR, (Math.abs(height) * HEIGHT) / 2);
  const top = height >= 0 ? HEIGHT / 2 - size : HEIGHT / 2;
  const side = height > 0 ? "for-x" : height < 0 ? "for-o" : "even";
  const place = { x: ply + 0.12, y: height === 0 ? top + size / 2 : top, width: 0.76, height: size };
  return s("rect", { class: `bar ${side}${proven ? "" : " estimated"}`, ...place });
}

/** @param {({height: number, proven: boolean} | null)[]} values @param {Rules} rules */
function summary(values, rules) {
  const known = values.filter((value) => value !== null);
  const ahead = (/** @type {number} */ sign) => known.filter((value) => Math.sign(value.height) === sign).length;
  const unknown = values.length - known.length;
  const [x, o] = [sideName(rules, "X"), sideName(rules, "O")];
  const all = say("chart.summary", { all: values.length, x, o, xs: ahead(1), os: ahead(-1), even: ahead(0) });
  return unknown ? `${all} ${say("chart.unknown", { count: unknown })}` : all;
}
