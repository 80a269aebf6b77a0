/** Has the moves of a game graded, takes in each grade as it comes, and has one move looked at for longer. */

import { Slot } from "../shared/api.js";
import { announce } from "../shared/dom.js";
import { moveReviewQuestion, reviewQuestion } from "../shared/request-bodies.js";
import { WRITTEN, positionKey } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { GRADES, judged, valueWords } from "../shared/words.js";
import { afterMove, currentReview } from "../shared/state.js";

/** For each position of one move that is looked at again, many times what a whole review spends on it. */
const LONGER_NODES = 20_000_000;

export class Reviewer {
  #slot = new Slot();
  #longerSlot = new Slot();

  /** @param {PageStore} store @param {Client} client */
  constructor(store, client) {
    this.store = store;
    this.client = client;
    store.listen(({ game }, before) => {
      if (game.start !== before.game.start) this.#drop();
    });
  }

  /** Another game: nobody waits for the grades of this one any more. */
  #drop() {
    this.#slot.drop();
    this.#longerSlot.drop();
    const { review, deepening } = this.store.state;
    if (review || deepening !== null) this.store.set({ review: null, deepening: null });
  }

  /** Has every move of the line shown graded. */
  async review() {
    const { game: shown } = this.store.state;
    const game = shown.at(shown.moves.length);
    this.store.set({ review: { game, moves: game.moves.map(() => undefined), isDone: false } });
    const signal = this.#slot.begin();
    const onProgress = (/** @type {any} */ grade) => this.#take(game, grade);
    const ask = { path: "review", body: reviewQuestion(game), signal, onProgress };
    const answer = await this.client.ask(ask);
    const review = this.#reviewOf(game);
    const { moves, summary } = answer ?? {};
    if (answer && review) this.#keep({ game, moves: moves.map(judged), isDone: true, isCut: summary.cut_by_time > 0, summary });
    else if (review && !review.isDone) this.store.set({ review: null });
    if (answer && review) announce(say("review.ready"));
  }

  /** Grades the move that led to the position shown again, with more time for it. */
  async thinkLonger() {
    const game = currentReview(this.store.state)?.game;
    const ply = this.store.state.game.shown - 1;
    if (ply < 0 || !game) return;
    this.store.set({ deepening: ply });
    const body = moveReviewQuestion(game, ply, Math.min(LONGER_NODES, WRITTEN.maxNodes));
    const answer = await this.client.ask({ path: "review", body, signal: this.#longerSlot.begin() });
    if (this.store.state.deepening === ply) this.store.set({ deepening: null });
    const review = this.#reviewOf(game);
    if (!answer || !review) return;
    const graded = judged(answer.moves[0]);
    this.#keep({ ...review, moves: review.moves.with(ply, graded), summary: undefined });
    const grade = GRADES[graded.grade] ? say(`grade.${graded.grade}`) : valueWords(graded);
    announce(say("review.again", { number: ply + 1, grade }));
  }

  /** The review of a game, if the page is still at that game. @param {Game} game */
  #reviewOf(game) {
    const review = currentReview(this.store.state);
    return review?.game === game ? review : null;
  }

  /** A grade has come. @param {Game} game @param {any} grade of a move, with its place in the game from 0 */
  #take(game, grade) {
    const review = this.#reviewOf(game);
    if (review) this.#keep({ ...review, moves: review.moves.with(grade.index, judged(grade)) });
  }

  /** @param {Review} review */
  #keep(review) {
    this.store.set({ review, known: this.#knownFrom(review) });
  }

  /** What a review says of the positions of the game. @param {Review} review */
  #knownFrom({ game: { positions }, moves }) {
    const known = new Map(this.store.state.known);
    moves.forEach((move, ply) => {
      const key = positionKey(positions[ply + 1]);
      const before = known.get(key);
      if (move && !before?.moves && !before?.proven) known.set(key, afterMove(move));
    });
    return known;
  }
}
