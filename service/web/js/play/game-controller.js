/** Plays the game: the visitor's moves, the computer's, undo, hint; the one place that changes the game. */

import { Slot } from "../shared/api.js";
import { announce, byId } from "../shared/dom.js";
import { Game } from "../shared/game.js";
import { moveInWords, sideName } from "../shared/notation.js";
import { moveQuestion } from "../shared/request-bodies.js";
import { cellIndex, landing } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { afterMove, canUndo, isTask, learnt, mover, seated } from "../shared/state.js";
import { FULL_STRENGTH, moveAnnouncement } from "../shared/words.js";
import { editAt, editOf, editProblem } from "./position-edit.js";

/** An answer in a millisecond feels like a slap: the computer takes at least this long. */
const LEAST_THINKING_MS = 420;
const LEAST_BETWEEN_COMPUTERS_MS = 700;

export class GameController {
  #moveSlot = new Slot();
  #hintSlot = new Slot();
  /** @type {string | null} the position and level of the question that runs */
  #asked = null;
  /** @type {Game | null} what Undo led to: another move from there begins no variation */
  #undone = null;

  /** @param {PageStore} store @param {Client} client */
  constructor(store, client) {
    this.store = store;
    this.client = client;
    store.listen((state, before) => {
      if (state.game !== before.game) this.#hintSlot.drop();
      this.#follow();
    });
  }

  /** The visitor marks a cell. @param {number} cell */
  play(cell) {
    const { game, puzzle } = this.store.state;
    if (mover(this.store.state) !== "you") return;
    const at = landing(game.position, cell);
    if (!puzzle || game.shown || at === puzzle.line[0] || at === null) return this.#play(cell);
    // Nothing answers a wrong move of a puzzle: it is tried again.
    const words = say(`puzzle.wrong.${puzzle.outcome}`, { move: moveInWords(game.rules, at) });
    this.store.set({ puzzle: { ...puzzle, words } });
  }

  /** Back to the visitor's last turn, or by one move where there is none. */
  undo() {
    const { game, friend } = this.store.state;
    if (!canUndo(this.store.state)) return;
    const isFree = !friend || friend.game.isOver;
    const before = isFree ? game.at(this.#turnBefore(-1)) : game.remove();
    if (isFree) this.look((this.#undone = before));
    else this.store.set({ game: before, friend: { ...friend, game: before, isSent: true } });
    const side = sideName(before.rules, before.position.toMove);
    announce(say("move.undone", { next: say("move.next", { side }) }));
  }

  redo() {
    this.show(this.#turnBefore(1));
  }

  /** Shows the game after its first `shown` moves. @param {number} shown */
  show(shown) {
    const game = this.store.state.game.at(shown);
    if (game.shown !== this.store.state.game.shown) this.look(game);
  }

  /** Shows another point or line of the game; the computer waits until the visitor lets it go on. @param {Game} game */
  look(game) {
    const yours = game.isOver || this.store.state.players[game.position.toMove] === "you";
    this.store.set({ game, running: yours, hint: null });
    announce(moveAnnouncement(game));
  }

  restart() {
    if (this.store.state.friend) return;
    this.begin({ game: this.store.state.game.again() });
    announce(say("stage.restarted"));
  }

  /** A new game, other levels or other players; the computer waits where moves follow. @param {Partial<Setup>} setup */
  begin(setup) {
    const { game, players } = { ...this.store.state, ...setup };
    const isOther = game.start !== this.store.state.game.start;
    this.store.set({ ...setup, ...(!setup.friend && seated(players, game)), running: !game.isLookingBack,
      edit: null, hint: null, review: null, mistake: null, progress: null, ...(isOther && { puzzle: undefined }) });
  }

  swapSides() {
    const { players, game, friend } = this.store.state;
    if (friend?.game.shown) return;
    this.store.set({ ...seated({ X: players.O, O: players.X }, game), running: true, hint: null });
    announce(say("stage.swapped"));
  }

  /** Points out the best move; the button is busy until it is known. */
  async hint() {
    const { game, known } = this.store.state;
    const button = byId("hint");
    if (mover(this.store.state) !== "you" || isTask(this.store.state) || button.ariaBusy === "true") return;
    const best = known.get(game.key)?.moves?.[0];
    if (best) {
      this.#showHint(game.key, cellIndex(best, game.rules));
      return;
    }
    const ask = { path: "move", body: moveQuestion(game.position), signal: this.#hintSlot.begin() };
    button.ariaBusy = "true";
    const answer = await this.client.ask(ask).finally(() => (button.ariaBusy = "false"));
    if (!answer?.move || this.store.state.game.key !== game.key) return;
    this.store.set({ known: this.#learnt(game, answer, FULL_STRENGTH) });
    this.#showHint(game.key, cellIndex(answer.move, game.rules));
  }

  /** Begins to set up a position, with the one shown. */
  edit() {
    const { edit, game } = this.store.state;
    if (!edit) this.store.set({ edit: editOf(game.position), hint: null, view: "play" });
  }

  /** A cell is chosen while a position is set up. @param {number} cell */
  put(cell) {
    const { edit } = this.store.state;
    if (edit) this.store.set({ edit: editAt(edit, cell) });
  }

  /** Plays from the position that has been set up, where that is possible. */
  playEdited() {
    const { edit } = this.store.state;
    if (edit && !editProblem(edit)) this.begin({ game: new Game({ ...edit }) });
  }

  /** @param {string} key @param {number} cell */
  #showHint(key, cell) {
    const { game } = this.store.state;
    this.store.set({ hint: { key, cell } });
    announce(say("stage.hinted", { move: moveInWords(game.rules, cell) }));
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

  /** @param {number} cell @param {Partial<State>} [change] what changes with the move */
  #play(cell, change = {}) {
    const { friend, game: before, mistake } = this.store.state;
    const game = before.play(cell);
    if (!game) return;
    const own = friend && !friend.game.isOver && { friend: { ...friend, game, isSent: false } };
    this.store.set({ game, running: true, hint: null, ...own, ...change });
    if (mistake) return;
    const isAside = before.isLookingBack && before !== this.#undone && game.lastMove !== before.moves[before.shown];
    if (isAside) this.client.notice.good(say("move.aside"), "note");
    announce(`${moveAnnouncement(game)} ${isAside ? say("move.aside") : ""}`.trim());
  }

  /** The position and level to ask about now, or null. */
  #wanted() {
    const { game, running, levels, view, setupOpen } = this.store.state;
    const due = mover(this.store.state) === "computer" && running && view === "play" && !setupOpen;
    return due ? `${game.key} ${levels[game.position.toMove]}` : null;
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
    const { game, levels, players } = this.store.state;
    const level = levels[game.position.toMove];
    const signal = this.#moveSlot.begin();
    const alone = players.X === "computer" && players.O === "computer";
    const ask = { path: "move", body: moveQuestion(game.position, level), signal };
    const pause = new Promise((resolve) => setTimeout(resolve, alone ? LEAST_BETWEEN_COMPUTERS_MS : LEAST_THINKING_MS));
    const [answer] = await Promise.all([this.client.ask(ask), pause]);
    // The game may have gone elsewhere meanwhile: an answer to another position is never played.
    if (this.#asked !== wanted || this.#wanted() !== wanted) return;
    const isLegal = answer?.move && game.play(cellIndex(answer.move, game.rules)) !== null;
    const known = isLegal && this.#learnt(game, answer, level);
    if (isLegal) this.#play(cellIndex(answer.move, game.rules), { known });
    else this.store.set({ running: false });
  }

  /** What is known with an answer of /move. @param {Game} game @param {any} answer @param {number} level */
  #learnt(game, answer, level) {
    const after = game.play(cellIndex(answer.move, game.rules));
    let { known } = this.store.state;
    // Below full strength the answer values the move that was chosen, which may not be the best.
    if (level === FULL_STRENGTH) known = learnt(known, game.key, { ...answer, moves: null });
    if (!after || after.isOver) return known;
    return learnt(known, after.key, { ...afterMove(answer), line: answer.line.slice(1) });
  }
}
