/** What the page offers once a game is over: games to play next. */

import { button, h } from "../shared/dom.js";
import { say } from "../shared/say.js";
import { FULL_STRENGTH } from "../shared/words.js";

/** @param {State} state @param {GameController} controller */
export function afterGame(state, controller) {
  const again = (/** @type {Partial<State>} */ change) => controller.begin({ game: state.game.again(), ...change });
  const buttons = rematches(state).map(({ words, change }) => button(words, () => again(change)));
  return [h("p", { class: "next" }, ...buttons)];
}

/** Games that suit the result, against one computer. @param {State} state @returns {{words: string, change: any}[]} */
function rematches({ game, players, levels }) {
  if (players.X === players.O) return [];
  const computer = players.X === "computer" ? "X" : "O";
  const { winner } = game.ending;
  const level = levels[computer] + (winner === computer ? -1 : winner ? 1 : 0);
  const isOther = level !== levels[computer] && level >= 1 && level <= FULL_STRENGTH;
  const swapped = { players: { X: players.O, O: players.X }, levels: { X: levels.O, O: levels.X } };
  return [...(isOther ? [{ words: say("after.level", { level }), change: { levels: { X: level, O: level } } }] : []),
    { words: say("after.swap"), change: swapped }];
}
