/** Plays the game: the visitor's moves, the computer's, undo, hint, review; the one place that changes the game. */

import { Problem, Slot, isDropped } from "./api.js";
import { Game } from "./game.js";
import { cellIndex, moveQuestion, reviewQuestion } from "./questions.js";
import { positionKey } from "./rules.js";
import { ALL_PATHS, afterMove, canReview, gameKey, learnt, mover } from "./state.js";
import { fullCellName, moveAnnouncement } from "./words.js";

/** @typedef {import("./state.js").PageStore} PageStore */
/** @typedef {import("./api.js").Client} Client */
/** @typedef {import("./link.js").Setup} Setup */

/** An answer in a millisecond feels like a slap: the computer takes at least this long. */
const LEAST_THINKING_MS = 420;
const LEAST_BETWEEN_COMPUTERS_MS = 700;
const FULL_STRENGTH = 10;

export class Match {
  #moveSlot = new Slot();
  #hintSlot = new Slot();
  #reviewSlot = new Slot();
  /** @type {string | null} the position and level that the computer is asked about */
  #asked = null;

  /**
   * @param {PageStore} store
   * @param {Client} client
   * @param {(words: string) => void} say announces to screen readers
   */
  constructor(store, client, say) {
    this.store = store;
    this.client = client;
    this.say = say;
    store.listen((state, before) => {
      if (state.game !== before.game) this.#hintSlot.drop();
      this.#follow();
    });
  }

  /** The visitor marks a cell. @param {number} cell */
  play(cell) {
    if (mover(this.store.state) !== "you") return;
    this.#play(cell);
  }

  /** Back to the visitor's last turn, or by one move where there is none. */
  undo() {
    this.show(this.#turnBefore(-1));
  }

  redo() {
    this.show(this.#turnBefore(1));
  }

  /** Shows the game after so many moves; the computer waits to be told to go on. @param {number} shown */
  show(shown) {
    const game = this.store.state.game.at(shown);
    if (game.shown === this.store.state.game.shown) return;
    const yours = game.isOver || this.store.state.players[game.position.toMove] === "you";
    this.store.set({ game, running: yours, hint: null });
    this.say(moveAnnouncement(game));
  }

  /** Stops the computer, or lets it go on from the position shown. */
  toggleRunning() {
    this.store.set({ running: !this.store.state.running, problem: null });
  }

  restart() {
    this.begin({ game: this.store.state.game.again() });
    this.say("The game starts again.");
  }

  /** A new game, another level or other players. @param {Partial<Setup>} setup */
  begin(setup) {
    this.store.set({ ...setup, running: true, hint: null, review: null, problem: null, progress: null });
  }

  swapSides() {
    const { players } = this.store.state;
    this.store.set({ players: { X: players.O, O: players.X }, running: true, hint: null });
    this.say("Sides swapped.");
  }

  /** Points out the best move. */
  async hint() {
    const { game, known } = this.store.state;
    if (mover(this.store.state) !== "you") return;
    const best = known.get(game.key)?.moves?.[0];
    if (best) {
      this.#showHint(game.key, cellIndex(best, game.rules));
      return;
    }
    const body = moveQuestion(game.position);
    const answer = await this.#ask({ purpose: `Hint for ${game.position.toMove}`, path: "move", body, signal: this.#hintSlot.begin() });
    if (!answer?.move || this.store.state.game.key !== game.key) return;
    this.store.set({ known: this.#learnt(game, answer, FULL_STRENGTH) });
    this.#showHint(game.key, cellIndex(answer.move, game.rules));
  }

  /** Has every move of the game graded. */
  async review() {
    const { game } = this.store.state;
    if (!canReview(game)) return;
    this.store.set({ reviewing: true });
    const ask = { purpose: "Review of the game", path: "review", body: reviewQuestion(game), signal: this.#reviewSlot.begin() };
    const answer = await this.#ask(ask);
    this.store.set({ reviewing: false });
    if (!answer || gameKey(this.store.state.game) !== gameKey(game)) return;
    this.store.set({ review: { key: gameKey(game), answer }, known: this.#knownFrom(game, answer) });
    this.say("The review is ready.");
  }

  /** @param {string} key @param {number} cell */
  #showHint(key, cell) {
    const { game } = this.store.state;
    this.store.set({ hint: { key, cell } });
    this.say(`Hint: ${fullCellName(game.rules, cell)}.`);
  }

  /** Where undo (−1) or redo (+1) leads: on past the computer's own moves. @param {1 | -1} step */
  #turnBefore(step) {
    const { game, players } = this.store.state;
    const isYours = (/** @type {number} */ ply) => players[game.positions[ply].toMove] === "you";
    const [first, last] = [0, game.moves.length];
    let ply = game.shown + step;
    while (ply > first && ply < last && (players.X === "you" || players.O === "you") && !isYours(ply)) ply += step;
    return Math.max(first, Math.min(last, ply));
  }

  /** @param {number} cell @param {Partial<import("./state.js").State>} [change] what changes with the move */
  #play(cell, change = {}) {
    const game = this.store.state.game.play(cell);
    if (!game) return;
    this.store.set({ game, running: true, hint: null, problem: null, ...change });
    this.say(moveAnnouncement(game));
  }

  /** What the computer should be asked now, or null. */
  #wanted() {
    const { game, running, level, view, setupOpen } = this.store.state;
    const due = mover(this.store.state) === "computer" && running && view === "play" && !setupOpen;
    return due ? `${game.key} ${level}` : null;
  }

  /** Keeps the question to the computer in step with the game. */
  #follow() {
    const wanted = this.#wanted();
    if (wanted === this.#asked) return;
    this.#asked = wanted;
    this.#moveSlot.drop();
    this.store.set({ thinking: wanted !== null });
    if (wanted) this.#computerMoves(wanted);
  }

  /** @param {string} wanted */
  async #computerMoves(wanted) {
    const { game, level, players } = this.store.state;
    const signal = this.#moveSlot.begin();
    const alone = players.X === "computer" && players.O === "computer";
    const body = moveQuestion(game.position, level);
    const ask = { purpose: `The computer's move for ${game.position.toMove}`, path: "move", body, signal };
    const pause = new Promise((resolve) => setTimeout(resolve, alone ? LEAST_BETWEEN_COMPUTERS_MS : LEAST_THINKING_MS));
    const [answer] = await Promise.all([this.#ask(ask), pause]);
    // The game may have gone elsewhere meanwhile: an answer to another position is never played.
    if (this.#asked !== wanted || this.#wanted() !== wanted) return;
    if (answer?.move) this.#play(cellIndex(answer.move, game.rules), { known: this.#learnt(game, answer, level) });
    else this.store.set({ running: false });
  }

  /** The answer, or null where there is none and the page says why. @param {import("./api.js").Ask} ask */
  async #ask(ask) {
    try {
      return await this.client.ask(ask);
    } catch (error) {
      if (isDropped(error)) return null;
      if (!(error instanceof Problem)) throw error;
      if (error.isMissing) this.#forget(ask.path);
      else this.store.set({ problem: error.message || `The server answered with status ${error.status}.` });
      return null;
    }
  }

  /** The service does not have this after all. @param {string} path */
  #forget(path) {
    const all = this.store.state.paths ?? ALL_PATHS;
    this.store.set({ paths: new Set([...all].filter((known) => known !== `/${path}`)) });
  }

  /** What is known with an answer of /move. @param {Game} game @param {any} answer @param {number} level */
  #learnt(game, answer, level) {
    const { state } = this.store;
    const after = game.play(cellIndex(answer.move, game.rules));
    let known = state.known;
    // Below full strength the answer values the move that was chosen, which may not be the best.
    if (level === FULL_STRENGTH) known = learnt({ ...state, known }, game.key, { ...answer, moves: null });
    if (after && !after.isOver) known = learnt({ ...state, known }, after.key, { ...afterMove(answer), line: answer.line.slice(1) });
    return known;
  }

  /** What a review says of the positions of a game. @param {Game} game @param {any} review */
  #knownFrom(game, review) {
    const known = new Map(this.store.state.known);
    review.moves.forEach((/** @type {any} */ move, /** @type {number} */ ply) => {
      const key = positionKey(game.positions[ply + 1]);
      if (!known.has(key)) known.set(key, afterMove(move));
    });
    return known;
  }
}

