/** The clock of the computer's thinking: its last move, which grows while it thinks, and the whole game. */

import { figure, h } from "../shared/dom.js";
import { sideName } from "../shared/notation.js";
import { say } from "../shared/say.js";
import { timeWords } from "../shared/words.js";
/** @import { PageStore, State } from "../shared/state.js" */

const TICK_MS = 100;

export class Clock {
  #since = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #ticking;

  /** @param {PageStore} store */
  constructor(store) {
    this.store = store;
    this.element = h("dl", { class: "figures clock" });
    store.listen((state, before) => this.#follow(state, before));
  }

  /** @param {State} state @param {State} before */
  #follow(state, before) {
    const { thinking, spent, players, game } = state;
    if (thinking === before.thinking && spent === before.spent && players === before.players
      && game === before.game) return;
    clearInterval(this.#ticking);
    this.#since = performance.now();
    if (thinking) this.#ticking = setInterval(() => this.#render(), TICK_MS);
    this.#render();
  }

  #render() {
    const { game, spent, players, thinking } = this.store.state;
    const now = thinking ? [performance.now() - this.#since] : [];
    this.element.replaceChildren(...(/** @type {const} */ (["X", "O"])).flatMap((side) => {
      const times = [...spent[side], ...(side === game.position.toMove ? now : [])];
      if (players[side] === "you" || !times.length) return [];
      const name = sideName(game.rules, side);
      return [figure(say("clock.last", { side: name }), timeWords(times[times.length - 1])),
        figure(say("clock.all"), timeWords(times.reduce((sum, time) => sum + time)))];
    }));
  }
}
