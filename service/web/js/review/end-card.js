/** The end of a game that was played here: the result on a card, with what to do next. */

import { announce, button, byId } from "../shared/dom.js";
import { sideName } from "../shared/notation.js";
import { other } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { rematches } from "./after-game.js";

export class EndCard {
  /** @type {number[] | null} the moves of the game that has ended here */
  #ended = null;
  #isClosed = false;
  card = byId("end-card");

  /** @param {PageStore} store @param {GameController} controller @param {() => void} review */
  constructor(store, controller, review) {
    this.controller = controller;
    this.review = review;
    store.listen((state, before) => this.#follow(state, before));
    const close = () => {
      this.#isClosed = true;
      store.set({});
    };
    byId("end-close").onclick = close;
    addEventListener("keydown", ({ key, defaultPrevented }) => {
      if (key === "Escape" && !defaultPrevented && this.card.matches(".open")) close();
    });
  }

  /** @param {State} state @param {State} before */
  #follow(state, { game: before }) {
    const { game } = state;
    const isPlayed = game.isOver && game.start === before.start && game.moves !== before.moves;
    if (isPlayed) this.#ended = game.moves;
    if (!game.isOver || isPlayed) this.#isClosed = false;
    const isOpen = this.#isWanted(state);
    const isChanged = this.card.classList.contains("open") !== isOpen;
    this.card.classList.toggle("open", isOpen);
    document.body.classList.toggle("ended", isOpen);
    for (const part of ["end-title", "end-offers", "end-close"]) byId(part).hidden = !isOpen;
    if (!isChanged) return;
    const main = mainAction(state);
    byId("again").classList.toggle("primary", isOpen && main === "again");
    // What is to be sent to a friend comes first on the card.
    byId("course").before(byId("friend"));
    if (!isOpen) return;
    if (main === "send") byId("end-title").after(byId("friend"));
    byId("end-title").textContent = titleOf(state);
    byId("end-offers").replaceChildren(...this.#offers(state, main));
    // After what the move itself says.
    if (isPlayed) queueMicrotask(() => announce(`${byId("announcer").textContent} ${say("end.keys")}`));
  }

  /** @param {State} state */
  #isWanted({ game, players, review, puzzle, mistake, edit }) {
    const isHere = game.isOver && game.moves === this.#ended && !this.#isClosed;
    return isHere && !review && !puzzle && !mistake && !edit && (players.X === "you" || players.O === "you");
  }

  /** @param {State} state @param {string} main */
  #offers(state, main) {
    const again = (/** @type {any} */ change) => this.controller.begin({ game: state.game.again(), ...change });
    return [...rematches(state).map(({ words, change }) => button(words, () => again(change))),
      button(say("review.game"), this.review, main === "review" ? "primary" : "")];
  }
}

/** What comes next: the friend waits for the result, who lost wants to know why, who won goes on. @param {State} state */
function mainAction({ game: { ending: { winner }, position }, players }) {
  if (players[position.toMove] === "friend") return "send";
  return players.X === players.O || (winner && players[winner] === "you") ? "again" : "review";
}

/** @param {State} state */
function titleOf({ game, players }) {
  const { winner } = game.ending;
  if (!winner) return say("end.draw");
  const { value: name } = /** @type {HTMLInputElement} */ (byId(`name-${winner.toLowerCase()}`));
  const side = (players[winner] !== "computer" && name) || sideName(game.rules, winner);
  return players[winner] === "you" && players[other(winner)] !== "you" ? say("end.you") : say("result.wins", { side });
}
