/** The engine in the browser: it answers what it can, at once where its files have come, else where no service does. */

import { byId } from "./dom.js";
import { pause } from "../../../../clients/javascript/kinarow.js";
import { RULE_FIELDS, WRITTEN, ending, legalMoves, play } from "./rules.js";
import { say } from "./say.js";

/** The requests that it answers. */
const PATHS = ["move", "analysis", "review", "tree"];
/** A small board, whose files are loaded for questions about any. */
const SMALL = { game: "tic-tac-toe" };
/** The longest that it thinks about a move, far longer than most take. */
const MOVE_MS = 3000;
/** How long it waits for files: where there is a service, that may be in reach again before they come. */
const PATIENCE_MS = WRITTEN.service ? 3000 : 2 ** 31 - 1;

export class Engine {
  /** @type {Promise<any> | null} */
  #answers = null;
  /** @type {Map<string, Promise<any>>} what answers about a game, by its rules, once its files have come */
  #games = new Map();
  /** @type {Map<string, any>} */
  #ready = new Map();
  choice = /** @type {HTMLSelectElement} */ (byId("engine"));

  constructor() {
    byId("engine-choice").hidden = !WRITTEN.engine;
    this.choice.disabled = !WRITTEN.service;
  }

  /** The answer of this browser; null where it has none, and where the service is quicker since files have yet to come.
   * @param {Ask} ask @param {boolean} [isAway] whether the service is out of reach @returns {Promise<any>} */
  async answer({ path, body, signal, onProgress, position }, isAway = !WRITTEN.service) {
    const rules = position ? SMALL : rulesIn(/** @type {Record<string, any>} */ (body));
    const game = JSON.stringify(rules);
    const isWanted = WRITTEN.engine && (this.choice.value === "browser" || !WRITTEN.service);
    const isThrifty = !isAway && /** @type {any} */ (navigator).connection?.saveData;
    if (!isWanted || isThrifty || !PATHS.includes(path)) return null;
    const loading = this.#games.get(game) ?? this.#open(game, rules);
    this.#games.set(game, loading);
    const wait = () => pause(PATIENCE_MS, signal).then(() => null);
    const answers = isAway ? await Promise.race([loading, wait()]) : this.#ready.get(game);
    if (!answers) return null;
    try {
      const limited = path === "move" ? { time_limit_ms: MOVE_MS, .../** @type {object} */ (body) } : body;
      const answer = await answers[path](limited, { signal, onProgress, position, legalMoves, play, ending });
      this.tell("browser");
      return answer;
    } catch {
      signal.throwIfAborted();
      return null;
    }
  }

  /** @param {string} game @param {Record<string, any>} rules
   * @returns {Promise<any>} null where it does not come, or does not play by these rules */
  async #open(game, rules) {
    try {
      const folder = new URL(`web/engine/${WRITTEN.engine}/`, document.baseURI);
      this.#answers ??= import(`${folder}kinarow-answers.js`).then((own) => own.createAnswers({ baseUrl: folder }));
      this.#answers.catch(() => (this.#answers = null)); // the next question tries again
      const answers = await this.#answers;
      await answers.move({ ...rules, moves: [], max_nodes: 1 });
      this.#ready.set(game, answers);
      return answers;
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "RangeError") this.#games.delete(game);
      return null;
    }
  }

  /** Who has answered. @param {"browser" | "service"} who */
  tell(who) {
    byId("engine-now").textContent = say(`engine.now.${who}`);
  }
}

/** The part of a question that says which game it is about. @param {Record<string, any>} body */
function rulesIn(body) {
  const fields = ["game", ...RULE_FIELDS].filter((field) => body[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, body[field]]));
}
