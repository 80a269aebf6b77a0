/** Puzzles: positions of a stored list, each with one right move. The address of the position leads to it again. */

import { PRESETS, gameName } from "../shared/catalogue.js";
import { button, byId, h } from "../shared/dom.js";
import { Game, fromMoves } from "../shared/game.js";
import { moveInWords, sideName } from "../shared/notation.js";
import { positionKey } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { remember, remembered } from "../shared/storage.js";
import { FULL_STRENGTH } from "../shared/words.js";

/** What the browser keeps: numbers of solved puzzles, the last day whose puzzle was solved, how many days in a row.
 * @typedef {{solved: number[], day: number, streak: number}} Progress */

const ADDRESS = "web/puzzles.json";
const STORED = "kinarow.puzzles";
const DAY_MS = 86_400_000;
/** The levels up to which a puzzle is easy or medium, by the names of those levels. */
const [EASY, MEDIUM] = [3, 5];

export class Puzzles {
  /** @type {Puzzle[]} none until they have come */
  #list = [];
  #isShown = false;
  /** whether the one on the board has been solved, or given up */
  #isDone = false;
  /** @type {Progress} */
  #progress = { solved: [], day: 0, streak: 0, ...JSON.parse(remembered(STORED) ?? "{}") };
  root = byId("puzzle");

  /** @param {PageStore} store @param {GameController} controller @param {Client} client */
  constructor(store, controller, client) {
    this.store = store;
    this.controller = controller;
    this.client = client;
    store.listen((state, before) => this.#follow(state, before));
    this.#recognise(store.state.game.start);
  }

  /** The puzzle of the day, unless it is solved; then another. */
  async openDaily() {
    if (this.#progress.day === today()) return this.open();
    return this.#begin((all) => all[today() % all.length]);
  }

  /** Another puzzle of a game, not solved yet where there are some. @param {string} [name] of the game */
  open(name = gameName(this.store.state.game.start)) {
    return this.#begin((all) => {
      const others = all.filter(({ number }) => number !== this.store.state.puzzle?.number);
      const same = orAll(others, ({ position }) => gameName(position) === name);
      const from = orAll(same, ({ number }) => !this.#progress.solved.includes(number));
      return from[Math.floor(Math.random() * from.length)];
    });
  }

  /** Begins one as soon as the list is there, unless another game has begun by then.
   * @param {(all: Puzzle[]) => Puzzle} choose */
  async #begin(choose) {
    const { game } = this.store.state;
    const { position } = choose(await this.#load(() => this.client.load(fetchList)));
    if (this.store.state.game.start !== game.start) return;
    const who = (/** @type {string} */ side) => (side === position.toMove ? "you" : "computer");
    const levels = { X: FULL_STRENGTH, O: FULL_STRENGTH };
    this.controller.begin({ game: new Game(position), players: { X: who("X"), O: who("O") }, levels, view: "play" });
  }

  /** @param {() => Promise<any[]>} get what fetches the list */
  async #load(get) {
    if (!this.#list.length) this.#list = (await get()).map(read);
    return this.#list;
  }

  /** Only a board with marks can be a puzzle: for others the list is not fetched. Until it is there, nobody knows.
   * @param {Position} start */
  async #recognise(start) {
    this.#isShown = this.#isDone = false;
    if (/[XO]/.test(start.cells) && !this.#list.length) {
      this.store.set({ puzzle: undefined });
      await this.#load(fetchList).catch(() => []);
      if (this.store.state.game.start !== start) return;
    }
    const key = positionKey(start);
    const found = this.#list.find(({ position }) => positionKey(position) === key);
    if (found) this.#show(found);
    else if (this.store.state.puzzle !== null) this.store.set({ puzzle: null });
  }

  /** @param {State} state @param {State} before */
  #follow({ game, puzzle }, before) {
    if (game.start !== before.game.start) this.#recognise(game.start);
    else if (puzzle && game !== before.game) this.#show(puzzle);
    const [spoken, words] = [this.root.children[0], this.store.state.puzzle?.words ?? ""];
    if (spoken.textContent !== words) spoken.textContent = words;
    this.root.hidden = !this.store.state.puzzle || this.store.state.edit !== null;
  }

  /** Says what there is to do, or what came of it. @param {Puzzle} puzzle */
  #show(puzzle) {
    const { game } = this.store.state;
    const { outcome, line, level, position, number } = puzzle;
    const made = game.shown ? game.moves[0] : null;
    const isRight = made === line[0];
    this.#isDone ||= isRight || this.#isShown;
    if (isRight && !this.#isShown) this.#solved(number);
    const { rules, toMove } = position;
    const difficulty = say(`level.${level <= EASY ? 2 : level <= MEDIUM ? 5 : 8}`);
    const key = made === null ? outcome : !isRight ? `wrong.${outcome}` : this.#isShown ? "shown" : "right";
    const move = made === null ? "" : moveInWords(rules, made);
    const words = say(`puzzle.${key}`, { side: sideName(rules, toMove), difficulty, move });
    const [, acts, games] = this.root.children;
    acts.replaceChildren(...(made === null ? [] : [button(say("puzzle.again"), () => this.controller.restart())]),
      ...(isRight ? [] : [button(say("puzzle.solution"), () => this.#solve(line))]),
      button(say("puzzle.another"), () => this.open()), ...this.#today(number), this.#soFar());
    games.replaceChildren(...(made === null ? this.#games() : []));
    this.store.set({ puzzle: { ...puzzle, words, isDone: this.#isDone } });
  }

  /** The games that have puzzles, each with the progress in it. */
  #games() {
    const names = [...new Set(this.#list.map(({ position }) => gameName(position)))];
    return names.map((name) => {
      const own = this.#list.filter(({ position }) => gameName(position) === name);
      const element = button(name, () => this.open(name));
      element.append(h("small", {}, this.#count(own)));
      return h("li", {}, element);
    });
  }

  /** @param {Puzzle[]} list */
  #count(list) {
    const count = list.filter(({ number }) => this.#progress.solved.includes(number)).length;
    return say("puzzle.solved", { count, all: list.length });
  }

  /** The way to the puzzle of the day, until it is solved. @param {number} number @returns {Node[]} */
  #today(number) {
    const isDone = this.#progress.day === today() || number === today() % this.#list.length;
    return isDone ? [] : [button(say("puzzle.daily"), () => this.openDaily())];
  }

  #soFar() {
    const { streak, day } = this.#progress;
    const words = [this.#count(this.#list)];
    if (streak && today() - day <= 1) words.push(say("puzzle.streak", { count: streak }));
    return h("small", {}, words.join(" · "));
  }

  /** @param {number} number */
  #solved(number) {
    const { solved, day, streak } = this.#progress;
    const isDaily = number === today() % this.#list.length && day !== today();
    if (solved.includes(number) && !isDaily) return;
    this.#progress = { solved: [...new Set([...solved, number])], day: isDaily ? today() : day,
      streak: isDaily ? (day === today() - 1 ? streak + 1 : 1) : streak };
    remember(STORED, JSON.stringify(this.#progress));
  }

  /** Shows the right move; what follows it can be gone through. @param {number[]} line */
  #solve(line) {
    this.#isShown = true;
    const whole = line.reduce((game, cell) => game.play(cell) ?? game, this.store.state.game.again());
    this.controller.begin({ game: whole.at(1) });
  }
}

async function fetchList() {
  const answer = await fetch(ADDRESS);
  return answer.ok ? answer.json() : Promise.reject(answer);
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
  const cells = line.map((/** @type {{tile: number}} */ cell) => cell.tile - 1);
  return { position, outcome, level, number, line: cells, words: "", isDone: false };
}
