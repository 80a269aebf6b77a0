/** Has the moves of a game graded, takes in each grade as it comes, and lets the service think longer about one move. */

import { Problem, Slot, isDropped } from "../shared/api.js";
import { moveReviewQuestion, reviewQuestion } from "../shared/request-bodies.js";
import { positionKey } from "../shared/rules.js";
import { afterMove, canReview, currentReview, gameKey, without } from "../shared/state.js";

/** @import { Ask, Client } from "../shared/api.js" */
/** @import { Game } from "../shared/game.js" */
/** @import { PageStore, Review } from "../shared/state.js" */

/** For each position of one move that is looked at again, many times what a whole review spends on it. */
const LONGER_NODES = 20_000_000;

export class Reviewer {
  #slot = new Slot();
  /** As far as the service has told. */
  #mostNodes = Infinity;
  #longerSlot = new Slot();

  /**
   * @param {PageStore} store
   * @param {Client} client
   * @param {(words: string) => void} say announces to screen readers
   */
  constructor(store, client, say) {
    this.store = store;
    this.client = client;
    this.say = say;
    store.listen(({ game }, before) => {
      if (game.moves !== before.game.moves) this.#drop();
    });
  }

  /** The game has changed: nobody waits for its grades any more. */
  #drop() {
    this.#slot.drop();
    this.#longerSlot.drop();
    if (this.store.state.deepening !== null) this.store.set({ deepening: null });
  }

  /** Has every move graded. */
  async review() {
    const { game } = this.store.state;
    if (!canReview(this.store.state)) return;
    const key = gameKey(game);
    this.store.set({ review: { key, moves: game.moves.map(() => undefined), isDone: false } });
    const answer = await this.#ask({
      purpose: "Review of the game", path: "review", body: reviewQuestion(game), signal: this.#slot.begin(), onProgress: (told) => this.#take(key, told),
    });
    const review = this.#reviewOf(key);
    if (answer && review) this.#keep({ key, moves: answer.moves, isDone: true });
    else if (review && !review.isDone) this.store.set({ review: null });
    if (answer && review) this.say("The review is ready.");
  }

  /** Grades the move that led to the position shown again, with more time for it. */
  async thinkLonger() {
    const { game } = this.store.state;
    const ply = game.shown - 1;
    const key = gameKey(game);
    if (ply < 0 || !currentReview(this.store.state)) return;
    this.store.set({ deepening: ply });
    const answer = await this.#askLonger(game, ply);
    if (this.store.state.deepening === ply) this.store.set({ deepening: null });
    const review = this.#reviewOf(key);
    if (!answer || !review) return;
    this.#keep({ ...review, moves: review.moves.map((move, at) => (at === ply ? answer.moves[0] : move)) });
    this.say(`Move ${ply + 1}: ${answer.moves[0].grade}.`);
  }

  /** A review of one move, with many nodes or as many as the service allows. @param {Game} game @param {number} ply */
  async #askLonger(game, ply) {
    const signal = this.#longerSlot.begin();
    const look = () => ({ purpose: `A longer look at move ${ply + 1}`, path: "review", body: moveReviewQuestion(game, ply, Math.min(LONGER_NODES, this.#mostNodes)), signal });
    return this.#guard(async () => {
      try {
        return await this.client.ask(look());
      } catch (error) {
        if (!(error instanceof Problem) || !error.mostNodes) throw error;
        this.#mostNodes = error.mostNodes;
        return this.client.ask(look());
      }
    });
  }

  /** The review of a game, if the page is still at that game. @param {string} key */
  #reviewOf(key) {
    const review = currentReview(this.store.state);
    return review?.key === key ? review : null;
  }

  /** A grade has come. @param {string} key @param {any} told a graded move with its place in the game, from 0 */
  #take(key, told) {
    const review = this.#reviewOf(key);
    if (review) this.#keep({ ...review, moves: review.moves.map((move, at) => (at === told.index ? told : move)) });
  }

  /** @param {Review} review */
  #keep(review) {
    this.store.set({ review, known: this.#knownFrom(review) });
  }

  /** What a review says of the positions of the game. @param {Review} review */
  #knownFrom({ moves }) {
    const known = new Map(this.store.state.known);
    const { positions } = this.store.state.game;
    moves.forEach((move, ply) => {
      const key = positionKey(positions[ply + 1]);
      const before = known.get(key);
      if (move && !before?.moves && !before?.proven) known.set(key, afterMove(move));
    });
    return known;
  }

  /** @param {Ask} ask */
  #ask(ask) {
    return this.#guard(() => this.client.ask(ask));
  }

  /** The answer, or null where there is none and the page says why. @param {() => Promise<any>} ask */
  async #guard(ask) {
    try {
      return await ask();
    } catch (error) {
      if (isDropped(error)) return null;
      if (!(error instanceof Problem)) throw error;
      const problem = error.message || `The server answered with status ${error.status}.`;
      this.store.set(error.isMissing ? without(this.store.state, "review") : { problem });
      return null;
    }
  }
}
