/** Keeps an analysis of the position shown under way while the visitor wants to see how the service thinks. */

import { Slot } from "../shared/api.js";
import { announce } from "../shared/dom.js";
import { moveInWords } from "../shared/notation.js";
import { positionFields } from "../shared/request-bodies.js";
import { cellIndex } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { learnt, mover, thinksAlong } from "../shared/state.js";
import { verdictWords } from "../shared/words.js";

/** @param {PageStore} store @param {Client} client */
export function installThinkAlong(store, client) {
  const slot = new Slot();
  /** @type {string | null} the key of the position that is being analysed */
  let asked = null;
  store.listen(() => {
    const key = wanted(store.state);
    if (key === asked) return;
    asked = key;
    slot.drop();
    if (key) analyse(key);
  });

  /** @param {string} key */
  async function analyse(key) {
    const { position, rules } = store.state.game;
    const onProgress = (/** @type {any} */ latest) => asked === key && store.set({ progress: { key, latest } });
    const ask = { path: "analysis", body: positionFields(position), signal: slot.begin(), onProgress };
    const answer = await client.ask(ask);
    if (asked !== key) return;
    asked = null;
    const change = answer ? { known: learnt(store.state.known, key, answer) } : { thinkAlong: false };
    store.set({ ...change, progress: null });
    if (!answer?.moves?.length) return;
    const values = { verdict: verdictWords(answer, rules, position.toMove),
      move: moveInWords(rules, cellIndex(answer.moves[0], rules)) };
    announce(say("thinking.said", values));
  }
}

/** The position to analyse now, or null. @param {State} state */
function wanted(state) {
  const { game, view, known, running, setupOpen, edit } = state;
  // While the computer is about to move, the position will be gone before its analysis has come.
  const passing = running && mover(state) === "computer";
  const idle = !thinksAlong(state) || view !== "play" || game.isOver || passing || setupOpen || edit !== null;
  return idle || known.get(game.key)?.moves ? null : game.key;
}
