// The engine of kinarow in the browser: passes requests to the driver, in a worker where there are workers.
// kinarow-engine.d.ts says what each function takes and gives.

/** @typedef {import("./kinarow-engine.js").Engine} Engine */

const stopped = () => new DOMException("the search was stopped", "AbortError");

/** @type {typeof import("./kinarow-engine.js").createEngine} */
export async function createEngine({ baseUrl = new URL("dist/", import.meta.url), worker } = {}) {
  const base = String(new URL(baseUrl, globalThis.location?.href ?? import.meta.url)).replace(/\/?$/, "/");
  const here = !(worker ?? typeof Worker !== "undefined");
  const thread = here ? new OwnThread(base) : new WorkerThread(base);
  const games = await thread.ask("games", {});
  /** @param {string} name */
  const question = (name) => async (request, onProgress) => {
    const { signal, ...sent } = request;
    if (signal?.aborted) throw stopped();
    const stop = () => thread.stop();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await thread.ask(name, sent, onProgress);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  };
  return {
    games,
    analyse: question("analyse"),
    move: question("move"),
    stop: () => thread.stop(),
    close: () => thread.stop(),
  };
}

/** Searches in the thread of the caller, as Node does; they cannot be stopped. */
class OwnThread {
  #driver;

  constructor(base) {
    this.#driver = import("./driver.js").then(({ Driver }) => new Driver(base));
  }

  async ask(name, request, onProgress) {
    return (await this.#driver)[name](request, onProgress);
  }

  stop() {}
}

/** Searches in a worker. A search reads no messages, so stopping ends the worker, and the next one begins anew. */
class WorkerThread {
  #base;
  #worker = null;
  #waiting = new Map();
  #last = 0;

  constructor(base) {
    this.#base = base;
  }

  ask(name, request, onProgress) {
    this.#worker ??= this.#begin();
    const id = ++this.#last;
    this.#worker.postMessage({ id, name, request, base: this.#base, listens: onProgress !== undefined });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, onProgress }));
  }

  stop() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(stopped());
    this.#waiting.clear();
  }

  #begin() {
    const worker = new Worker(new URL("driver.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => {
      const asked = this.#waiting.get(data.id);
      if (!asked) return;
      if (data.progress) return asked.onProgress?.(data.progress);
      this.#waiting.delete(data.id);
      if (data.error) asked.reject(Object.assign(new Error(data.error.message), data.error));
      else asked.resolve(data.answer);
    };
    worker.onerror = (event) => {
      const failure = new Error(event.message || "the worker cannot be loaded");
      for (const { reject } of this.#waiting.values()) reject(failure);
      this.#waiting.clear();
      this.#worker = null;
    };
    return worker;
  }
}
