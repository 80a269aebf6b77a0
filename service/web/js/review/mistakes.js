/** Learning from mistakes: the position before each, from the side of who made it, with nothing marked until asked. */

import { Slot } from "../shared/api.js";
import { announce, button, byId } from "../shared/dom.js";
import { moveInWords, sideName } from "../shared/notation.js";
import { moveReviewQuestion } from "../shared/request-bodies.js";
import { cellIndex, other } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { currentReview } from "../shared/state.js";
import { betterWords } from "../shared/words.js";

/** What is as good as the best move, or nearly so. */
const RIGHT = ["best", "inaccuracy"];

export class Mistakes {
  #slot = new Slot();

  /** @param {PageStore} store @param {GameController} controller @param {Client} client */
  constructor(store, controller, client) {
    this.store = store;
    this.controller = controller;
    this.client = client;
    store.listen((state, before) => this.#follow(state, before));
  }

  /** @param {State} state @param {State} before */
  #follow(state, before) {
    const { mistake, game } = state;
    const parts = /** @type {const} */ (["mistake", "review", "players", "game"]);
    // Else a button would lose the focus while values come in.
    if (parts.some((part) => state[part] !== before[part])) byId("mistake").replaceChildren(...this.#buttons(state));
    if (!mistake || game === before.game) return;
    const { ply } = mistake;
    const line = currentReview(state)?.game.moves.slice(0, ply);
    const isThere = line?.every((cell, at) => cell === game.moves[at]) && [ply, ply + 1].includes(game.shown);
    if (!isThere) this.store.set({ mistake: null });
    else if (game.shown > ply && mistake === before.mistake && !mistake.isTried) this.#judge(mistake, game);
  }

  /** @param {State} state @returns {Node[]} */
  #buttons({ mistake, ...state }) {
    const next = nextMistake({ ...state, mistake });
    const begin = (/** @type {string} */ key) => next >= 0 && button(say(key), () => this.#begin(next), "primary");
    if (!mistake) return [begin("after.mistake")].filter((each) => each !== false);
    const retry = mistake.isTried && button(say("puzzle.again"), () => this.#begin(mistake.ply));
    const show = !mistake.isShown && button(say("mistake.show"), () => this.#show(mistake));
    const done = button(say("say.done"), () => this.#leave());
    return [retry, show, begin("mistake.next"), done].filter((each) => each !== false);
  }

  /** Shows the position before a move of the review. @param {number} ply */
  #begin(ply) {
    const { review, game, players } = this.store.state;
    if (!review) return;
    const { to_move: side, outcome } = review.moves[ply];
    const who = players[/** @type {Side} */ (side)] === "you" && players[other(side)] !== "you" ? "you" : "side";
    const kind = outcome === "loss" || outcome === "draw" ? outcome : "unknown";
    const move = moveInWords(game.rules, review.game.moves[ply]);
    const words = say(`mistake.${who}.${kind}`, { side: sideName(game.rules, side), move });
    this.store.set({ game: game.on(review.game.moves.slice(0, ply)), hint: null, running: false,
      mistake: { ply, words, isTried: false, isShown: false } });
    announce(words);
    // The button is gone, and the board is where it goes on.
    /** @type {HTMLElement | null} */ (byId("board").querySelector("[tabindex='0']"))?.focus();
  }

  /** Says whether the move just made is better. @param {Mistake} mistake @param {Game} game */
  async #judge(mistake, game) {
    const { review } = this.store.state;
    const [cell, graded] = [game.moves[mistake.ply], review?.moves[mistake.ply]];
    const move = moveInWords(game.rules, cell);
    const tried = { ...mistake, isTried: true, words: say("mistake.checking", { move }) };
    this.store.set({ mistake: tried });
    const isBest = graded.best_moves.some((/** @type {any} */ each) => cellIndex(each, game.rules) === cell);
    const grade = isBest ? "best" : cell === review?.game.moves[mistake.ply] ? graded.grade
      : await this.#grade(game, mistake.ply);
    if (this.store.state.mistake !== tried) return;
    const key = RIGHT.includes(grade) ? "mistake.right"
      : grade === "unclear" || !grade ? "mistake.unclear" : "puzzle.wrong";
    this.#say({ ...tried, words: say(key, { move }) });
  }

  /** @param {Game} game @param {number} ply */
  async #grade(game, ply) {
    const ask = { path: "review", body: moveReviewQuestion(game, ply), signal: this.#slot.begin() };
    return (await this.client.ask(ask))?.moves[0].grade;
  }

  /** Marks what would have been better. @param {Mistake} mistake */
  #show(mistake) {
    const { review, game } = this.store.state;
    if (!review) return;
    const words = betterWords(game.rules, review.moves[mistake.ply]);
    this.store.set({ game: game.on(review.game.moves.slice(0, mistake.ply)) });
    this.#say({ ...mistake, words, isTried: false, isShown: true });
  }

  /** @param {Mistake} mistake */
  #say(mistake) {
    this.store.set({ mistake });
    announce(mistake.words);
  }

  /** Back to the end of the game that was reviewed. */
  #leave() {
    const { review, game } = this.store.state;
    this.store.set({ mistake: null });
    this.controller.look(review ? game.on(review.game.moves) : game);
  }
}

/** The place of the next mistake of the visitor, or of anyone where both sides are played alike; −1 without one.
 * @param {State} state */
function nextMistake(state) {
  const review = currentReview(state);
  if (!review?.isDone) return -1;
  const { players, mistake } = state;
  const isYours = (/** @type {Side} */ side) => players[side] === "you" || players[other(side)] === "computer";
  const isOne = (/** @type {any} */ { grade, to_move: side }) =>
    ["mistake", "blunder"].includes(grade) && isYours(side);
  const from = (mistake?.ply ?? -1) + 1;
  return review.moves.findIndex((move, ply) => ply >= from && isOne(move));
}
