/** What the page says and offers once a game is over: where a loss became certain, and games to play next. */

import { button, h } from "../shared/dom.js";
import { moveInWords, sideName } from "../shared/notation.js";
import { other, positionKey } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { FULL_STRENGTH } from "../shared/words.js";

/** @param {State} state @param {GameController} controller */
export function afterGame(state, controller) {
  const again = (/** @type {Partial<State>} */ change) => controller.begin({ game: state.game.again(), ...change });
  const buttons = rematches(state).map(({ words, change }) => button(words, () => again(change)));
  return [...turn(state), h("p", { class: "next" }, ...buttons)];
}

/** After a loss the visitor's move after which answers that came during the game prove it, if they do.
 * @param {State} state @returns {Node[]} */
function turn({ game, known, players }) {
  const { winner } = game.ending;
  if (!winner || players[winner] !== "computer" || players[other(winner)] !== "you") return [];
  const isLost = (/** @type {Position} */ position) => {
    const value = known.get(positionKey(position));
    return value?.proven && value.outcome === (position.toMove === winner ? "win" : "loss");
  };
  const ply = game.positions.findIndex(isLost);
  // A reply that wins proves the position before it too.
  const at = ply - (game.positions[ply]?.toMove === winner ? 1 : 2);
  if (at < 0) return [];
  const move = moveInWords(game.rules, game.moves[at]);
  return [h("p", {}, say("after.turned", { number: at + 1, move, side: sideName(game.rules, winner) }))];
}

/** Games that suit the result, against one computer or a friend.
 * @param {State} state @returns {{words: string, change: any}[]} */
export function rematches({ game, players, levels }) {
  if (players.X === players.O) return [];
  const computer = players.X === "computer" ? "X" : "O";
  const { winner } = game.ending;
  const level = levels[computer] + (winner === computer ? -1 : winner ? 1 : 0);
  const isOther = players[computer] === "computer" && level !== levels[computer];
  const isLevel = isOther && level >= 1 && level <= FULL_STRENGTH;
  const swapped = { players: { X: players.O, O: players.X }, levels: { X: levels.O, O: levels.X } };
  return [...(isLevel ? [{ words: say("after.level", { level }), change: { levels: { X: level, O: level } } }] : []),
    { words: say("after.swap"), change: swapped }];
}
