/** What the page offers once a game is over: its review, then the first mistake, and games to play next. */

import { button, h } from "../shared/dom.js";
import { other } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { currentReview } from "../shared/state.js";
import { FULL_STRENGTH } from "../shared/words.js";

/** @param {State} state @param {GameController} controller */
export function afterGame(state, controller) {
  const review = currentReview(state);
  const again = (/** @type {Partial<State>} */ change) => controller.begin({ game: state.game.again(), ...change });
  const wrong = review?.isDone ? firstMistake(state, review.moves) : -1;
  const buttons = [
    wrong >= 0 && button(say("after.mistake"), () => controller.show(wrong), "primary"),
    ...rematches(state).map(({ words, change }) => button(words, () => again(change))),
  ];
  return [h("p", { class: "next" }, ...buttons)];
}

/** The position before the first move that the visitor should not have made, or −1.
 * @param {State} state @param {any[]} moves graded */
function firstMistake({ players }, moves) {
  const isYours = (/** @type {Side} */ side) => players[side] === "you" || players[other(side)] === "computer";
  return moves.findIndex(({ grade, to_move: side }) => ["mistake", "blunder"].includes(grade) && isYours(side));
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
