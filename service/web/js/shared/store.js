/** The state of the page in one place: read it, change it, hear of changes. */

/** A box with a value of named parts. @template {object} State */
export class Store {
  /** @type {Set<(state: State, before: State) => void>} */
  #listeners = new Set();

  /** @param {State} state */
  constructor(state) {
    this.state = state;
  }

  /** Changes some parts and tells all listeners, each seeing the newest state. @param {Partial<State>} change */
  set(change) {
    const before = this.state;
    this.state = { ...before, ...change };
    for (const listener of this.#listeners) listener(this.state, before);
  }

  /** @param {(state: State, before: State) => void} listener */
  listen(listener) {
    this.#listeners.add(listener);
  }
}
