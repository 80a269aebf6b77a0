/** The bar beside the board that shows who is ahead, while the visitor thinks along. */

import { attribute, byId } from "../shared/dom.js";
import { skinOf } from "../shared/notation.js";
import { say } from "../shared/say.js";
import { thinksAlong } from "../shared/state.js";
import { resultWords, verdictWords } from "../shared/words.js";
import { knownMoves } from "./scene.js";

/** An estimate fills so much of its half at most: only what is proven fills it. */
const MOST_OF_HALF = 0.94;

/** @param {PageStore} store */
export function installEvaluationBar(store) {
  const element = byId("evaluation");
  store.listen((state, before) => {
    const isOn = thinksAlong(state) && !state.edit;
    element.classList.toggle("off", !isOn);
    const bar = barOf(state);
    // Until the value of a new position comes, the last one stays, paler.
    element.classList.toggle("old", bar === undefined);
    if (bar === undefined && isOn && state.game.start === before.game.start) return;
    element.classList.toggle("empty", !bar);
    attribute(element, "aria-label", bar?.spoken ?? say("bar.none"));
    if (!bar) return;
    element.dataset.skin = skinOf(state.game.rules);
    element.style.setProperty("--share", `${100 * bar.share}%`);
  });
}

/** What the bar shows of the position: its share for X, from 0 to 1, and what is sure; null where nothing can be said,
 * undefined while nothing is known.
 * @param {State} state @returns {{share: number, spoken: string} | null | undefined} */
function barOf(state) {
  const { game, known, players } = state;
  const { rules, toMove } = game.position;
  const share = (/** @type {number} */ part, /** @type {string} */ side) => 0.5 + (side === "X" ? part : -part) / 2;
  if (game.isOver) {
    const spoken = resultWords(game, players);
    const { winner } = game.ending;
    return { share: winner ? share(1, winner) : 0.5, spoken };
  }
  const value = known.get(game.key) ?? knownMoves(state)[0];
  if (!value) return undefined;
  const spoken = verdictWords(value, rules, toMove);
  const sure = { win: 1, draw: 0, loss: -1, unknown: null }[value.outcome];
  if (value.proven && sure !== null) return { share: share(sure, toMove), spoken };
  if (typeof value.expected !== "number") return null;
  return { share: share(MOST_OF_HALF * value.expected, toMove), spoken };
}
