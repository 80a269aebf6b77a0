/** Puzzles: positions of a stored list, each with one right move. The address of the position leads to it again. */

import { PRESETS } from "../shared/catalogue.js";
import { button, byId, h } from "../shared/dom.js";
import { Game, fromMoves } from "../shared/game.js";
import { moveInWords, sideName } from "../shared/notation.js";
import { positionKey, rulesKey } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { remember, remembered } from "../shared/storage.js";
import { FULL_STRENGTH } from "../shared/words.js";

/** line: best play, beginning with the right move; level: the lowest that finds it; number: its place in the list.
 * @typedef {{position: Position, outcome: "win" | "draw", line: number[], level: number, number: number}} Puzzle */
/** What the browser keeps: numbers of solved puzzles, the last day whose puzzle was solved, how many days in a row.
 * @typedef {{solved: number[], day: number, streak: number}} Progress */

const ADDRESS = "web/puzzles.json";
const STORED = "kinarow.puzzles";
const DAY_MS = 86_400_000;
/** The levels up to which a puzzle is easy or medium, by the names of those levels. */
const [EASY, MEDIUM] = [3, 5];

export class Puzzles {
  /** @type {Promise<Puzzle[]> | null} */
  #all = null;
  /** @type {Puzzle | null} the one on the board */
  #current = null;
  #count = 0;
  #isShown = false;
  /** @type {Progress} */
  #progress = { solved: [], day: 0, streak: 0, ...JSON.parse(remembered(STORED) ?? "{}") };

  /** @param {PageStore} store @param {GameController} controller */
  constructor(store, controller) {
    this.store = store;
    this.controller = controller;
    store.listen((state, before) => this.#follow(state, before));
    this.#recognise(store.state.game.start);
  }

  /** The puzzle of the day, unless it is solved; then another. */
  async openDaily() {
    const all = await this.#load();
    if (this.#progress.day === today()) await this.open();
    else this.#begin(all[today() % all.length]);
  }

  /** Another puzzle, not solved yet and of the game on the board where there are some. */
  async open() {
    const all = (await this.#load()).filter((each) => each !== this.#current);
    const rules = rulesKey(this.store.state.game.rules);
    const same = orAll(all, ({ position }) => rulesKey(position.rules) === rules);
    const from = orAll(same, ({ number }) => !this.#progress.solved.includes(number));
    this.#begin(from[Math.floor(Math.random() * from.length)]);
  }

  /** @param {Puzzle} puzzle */
  #begin({ position }) {
    const who = (/** @type {string} */ side) => (side === position.toMove ? "you" : "computer");
    const levels = { X: FULL_STRENGTH, O: FULL_STRENGTH };
    this.controller.begin({ game: new Game(position), players: { X: who("X"), O: who("O") }, levels, view: "play" });
  }

  #load() {
    this.#all ??= fetch(ADDRESS).then((answer) => answer.json()).then((list) => list.map(read));
    return this.#all;
  }

  /** Only a board with marks can be a puzzle: for others the list is not fetched. @param {Position} start */
  async #recognise(start) {
    this.#current = null;
    this.#isShown = false;
    if (!/[XO]/.test(start.cells)) return;
    const key = positionKey(start);
    const all = await this.#load();
    this.#count = all.length;
    const found = all.find(({ position }) => positionKey(position) === key);
    if (this.store.state.game.start !== start) return;
    this.#current = found ?? null;
    this.#render(this.store.state);
  }

  /** @param {State} state @param {State} before */
  #follow(state, before) {
    if (state.game.start !== before.game.start) this.#recognise(state.game.start);
    this.#render(state);
  }

  /** @param {State} state */
  #render({ game, edit }) {
    byId("puzzle").hidden = !this.#current || edit !== null;
    if (!this.#current) return;
    const { outcome, line, level, position, number } = this.#current;
    const difficulty = say(`level.${level <= EASY ? 2 : level <= MEDIUM ? 5 : 8}`);
    const task = say(`puzzle.${outcome}`, { side: sideName(position.rules, position.toMove), difficulty });
    const made = game.shown ? game.moves[0] : null;
    const isRight = made === line[0];
    if (isRight && !this.#isShown) this.#solved(number);
    const key = isRight ? (this.#isShown ? "puzzle.shown" : "puzzle.right") : "puzzle.wrong";
    const answer = made === null ? task : say(key, { move: moveInWords(position.rules, made) });
    const retry = made === null ? [] : [button(say("puzzle.again"), () => this.controller.restart())];
    byId("puzzle").replaceChildren(h("p", {}, answer), ...retry,
      ...(isRight ? [] : [button(say("puzzle.solution"), () => this.#solve(position, line))]),
      button(say("puzzle.another"), () => this.open()), ...this.#today(), this.#soFar());
  }

  /** The way to the puzzle of the day, until it is solved. @returns {Node[]} */
  #today() {
    const isDone = this.#progress.day === today() || this.#current?.number === today() % this.#count;
    return isDone ? [] : [button(say("puzzle.daily"), () => this.openDaily())];
  }

  #soFar() {
    const { solved, streak, day } = this.#progress;
    const words = [say("puzzle.solved", { count: solved.length, all: this.#count })];
    if (streak && today() - day <= 1) words.push(say("puzzle.streak", { count: streak }));
    return h("small", {}, words.join(" · "));
  }

  /** @param {number} number */
  #solved(number) {
    const { solved, day, streak } = this.#progress;
    const isDaily = number === today() % this.#count && day !== today();
    if (solved.includes(number) && !isDaily) return;
    this.#progress = { solved: [...new Set([...solved, number])], day: isDaily ? today() : day,
      streak: isDaily ? (day === today() - 1 ? streak + 1 : 1) : streak };
    remember(STORED, JSON.stringify(this.#progress));
  }

  /** Shows the right move; what follows it can be gone through. @param {Position} position @param {number[]} line */
  #solve(position, line) {
    const whole = line.reduce((game, cell) => game.play(cell) ?? game, new Game(position));
    this.controller.begin({ game: whole.at(1) }, false);
    this.#isShown = true;
  }
}

/** The number of the local day. */
function today() {
  const now = new Date();
  return Math.floor((now.getTime() - now.getTimezoneOffset() * 60_000) / DAY_MS);
}

/** Those that are wanted, or all if none is. @param {Puzzle[]} all @param {(puzzle: Puzzle) => boolean} isWanted */
function orAll(all, isWanted) {
  const wanted = all.filter(isWanted);
  return wanted.length ? wanted : all;
}

/** @param {any} stored a line of `kinarow puzzles` @param {number} number @returns {Puzzle} */
function read({ game, moves, outcome, line, level }, number) {
  const { position } = fromMoves(PRESETS[game], moves);
  return { position, outcome, level, number, line: line.map((/** @type {{tile: number}} */ cell) => cell.tile - 1) };
}
