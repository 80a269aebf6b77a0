/** The clock of the computer's thinking: its last move, which grows while it thinks, and the whole game. */

import { byId, figure } from "../shared/dom.js";
import { sideName } from "../shared/notation.js";
import { say } from "../shared/say.js";
import { timeWords } from "../shared/words.js";

const TICK_MS = 100;

/** @param {PageStore} store */
export function installClock(store) {
  let since = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let ticking;
  store.listen((state, before) => {
    const parts = /** @type {const} */ (["thinking", "spent", "players", "game"]);
    if (parts.every((part) => state[part] === before[part])) return;
    clearInterval(ticking);
    since = performance.now();
    if (state.thinking) ticking = setInterval(tick, TICK_MS, state);
    render(state, since);
  });

  /** Nobody thinks while the service cannot be reached. @param {State} state */
  function tick(state) {
    if (byId("notice").dataset.tone === "bad" && !byId("notice").hidden) since += TICK_MS;
    else render(state, since);
  }
}

/** @param {State} state @param {number} since when the computer began to think, if it does */
function render({ game, spent, players, thinking }, since) {
  const now = thinking ? [performance.now() - since] : [];
  byId("clock").replaceChildren(...(/** @type {const} */ (["X", "O"])).flatMap((side) => {
    const times = [...spent[side], ...(side === game.position.toMove ? now : [])];
    if (players[side] === "you" || !times.length) return [];
    const all = times.reduce((sum, time) => sum + time);
    return [figure(say("clock.last", { side: sideName(game.rules, side) }), timeWords(times[times.length - 1])),
      figure(say("clock.all"), timeWords(all))];
  }));
}
