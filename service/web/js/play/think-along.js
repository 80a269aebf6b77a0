/** Keeps an analysis of the position shown under way while the visitor wants to see how the service thinks. */

import { Problem, Slot, isDropped } from "../shared/api.js";
import { sideName } from "../shared/notation.js";
import { analysisQuestion } from "../shared/request-bodies.js";
import { learnt, mover } from "../shared/state.js";

/** @import { Client } from "../shared/api.js" */
/** @import { PageStore } from "../shared/state.js" */

export class ThinkAlong {
  #slot = new Slot();
  /** @type {string | null} the key of the position that is being analysed */
  #asked = null;

  /** @param {PageStore} store @param {Client} client */
  constructor(store, client) {
    this.store = store;
    this.client = client;
    store.listen(() => this.#follow());
  }

  /** The position to analyse now, or null. */
  #wanted() {
    const { thinkAlong, game, view, known, running, setupOpen, edit } = this.store.state;
    // While the computer is about to move, the position will be gone before its analysis has come.
    const passing = running && mover(this.store.state) === "computer";
    const idle = !thinkAlong || view !== "play" || game.isOver || passing || setupOpen || edit !== null;
    return idle || known.get(game.key)?.moves ? null : game.key;
  }

  #follow() {
    const wanted = this.#wanted();
    if (wanted === this.#asked) return;
    this.#asked = wanted;
    this.#slot.drop();
    if (wanted) this.#analyse(wanted);
  }

  /** @param {string} key */
  async #analyse(key) {
    const { game, streams } = this.store.state;
    const signal = this.#slot.begin();
    const onProgress = streams ? (/** @type {any} */ latest) => this.#tell(key, latest) : undefined;
    const body = analysisQuestion(game.position);
    try {
      const answer = await this.client.ask({ purpose: `Analysis for ${sideName(game.rules, game.position.toMove)}`, path: "analysis", body, signal, onProgress });
      if (this.#asked !== key) return;
      this.#asked = null;
      this.store.set({ known: learnt(this.store.state, key, answer), progress: null });
    } catch (error) {
      if (!isDropped(error)) this.#fail(error);
    }
  }

  /** @param {string} key @param {any} latest */
  #tell(key, latest) {
    if (this.#asked === key) this.store.set({ progress: { key, latest } });
  }

  /** @param {unknown} error */
  #fail(error) {
    if (!(error instanceof Problem)) throw error;
    this.#asked = null;
    const problem = error.isMissing ? null : error.message || `The server answered with status ${error.status}.`;
    this.store.set({ thinkAlong: false, progress: null, problem });
  }
}
