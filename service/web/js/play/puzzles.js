/** Puzzles: positions of a stored list, each with one right move. The address of the position leads to it again. */

import { PRESETS } from "../shared/catalogue.js";
import { button, byId, h } from "../shared/dom.js";
import { Game, fromMoves } from "../shared/game.js";
import { moveInWords, sideName } from "../shared/notation.js";
import { positionKey, rulesKey } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { FULL_STRENGTH } from "../shared/words.js";

/** line: best play, beginning with the right move; level: the lowest that finds it.
 * @typedef {{position: Position, outcome: "win" | "draw", line: number[], level: number}} Puzzle */

const ADDRESS = "web/puzzles.json";

export class Puzzles {
  /** @type {Promise<Puzzle[]> | null} */
  #all = null;
  /** @type {Puzzle | null} the one on the board */
  #current = null;

  /** @param {PageStore} store @param {GameController} controller */
  constructor(store, controller) {
    this.store = store;
    this.controller = controller;
    store.listen((state, before) => this.#follow(state, before));
    this.#recognise(store.state.game.start);
  }

  /** Another puzzle, of the game on the board where there are some. */
  async open() {
    const all = (await this.#load()).filter((each) => each !== this.#current);
    const rules = rulesKey(this.store.state.game.rules);
    const same = all.filter(({ position }) => rulesKey(position.rules) === rules);
    const from = same.length ? same : all;
    const { position } = from[Math.floor(Math.random() * from.length)];
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
    if (!/[XO]/.test(start.cells)) return;
    const key = positionKey(start);
    const found = (await this.#load()).find(({ position }) => positionKey(position) === key);
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
    const { outcome, line, level, position } = this.#current;
    const task = say(`puzzle.${outcome}`, { side: sideName(position.rules, position.toMove), level });
    const made = game.shown ? game.moves[0] : null;
    const isRight = made === line[0];
    const answer = made === null ? task : say(isRight ? "puzzle.right" : "puzzle.wrong",
      { move: moveInWords(position.rules, made) });
    const retry = made === null ? [] : [button(say("puzzle.again"), () => this.controller.restart())];
    byId("puzzle").replaceChildren(h("p", {}, answer), ...retry,
      ...(isRight ? [] : [button(say("puzzle.solution"), () => this.#solve(position, line))]),
      button(say("puzzle.another"), () => this.open()));
  }

  /** Shows the right move; what follows it can be gone through. @param {Position} position @param {number[]} line */
  #solve(position, line) {
    const whole = line.reduce((game, cell) => game.play(cell) ?? game, new Game(position));
    this.controller.begin({ game: whole.at(1) }, false);
  }
}

/** @param {any} stored a line of `kinarow puzzles` @returns {Puzzle} */
function read({ game, moves, outcome, line, level }) {
  const { position } = fromMoves(PRESETS[game], moves);
  return { position, outcome, level, line: line.map((/** @type {{tile: number}} */ cell) => cell.tile - 1) };
}
