/** Keeps an analysis of the position shown under way while the visitor wants to see how the service thinks. */

import { Slot } from "../shared/api.js";
import { sideName } from "../shared/notation.js";
import { positionFields } from "../shared/request-bodies.js";
import { say } from "../shared/say.js";
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
    const { position, rules } = this.store.state.game;
    const purpose = say("purpose.analysis", { side: sideName(rules, position.toMove) });
    const signal = this.#slot.begin();
    const onProgress = (/** @type {any} */ latest) => this.#tell(key, latest);
    const ask = { purpose, path: "analysis", body: positionFields(position), signal, onProgress };
    const answer = await this.client.ask(ask);
    if (this.#asked !== key) return;
    this.#asked = null;
    const change = answer ? { known: learnt(this.store.state.known, key, answer) } : { thinkAlong: false };
    this.store.set({ ...change, progress: null });
  }

  /** @param {string} key @param {any} latest */
  #tell(key, latest) {
    if (this.#asked === key) this.store.set({ progress: { key, latest } });
  }
}
