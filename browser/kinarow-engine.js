// The engine of kinarow in the browser: passes requests to the driver, in a worker where there are workers.
// kinarow-engine.d.ts says what each function takes and gives.

/** @typedef {import("./kinarow-engine.js").Engine} Engine */

const stopped = () => new DOMException("the search was stopped", "AbortError");

/** @type {typeof import("./kinarow-engine.js").createEngine} */
export async function createEngine({ baseUrl = new URL("dist/", import.meta.url), worker, modules, load } = {}) {
  const base = String(new URL(baseUrl, globalThis.location?.href ?? import.meta.url)).replace(/\/?$/, "/");
  const here = load || !(worker ?? typeof Worker !== "undefined");
  const thread = here ? new OwnThread(base, modules, load) : new WorkerThread(base, modules);
  const games = await thread.ask("games", {}).catch((error) => {
    thread.stop();
    throw error;
  });
  /** @param {string} name */
  const question = (name) => async (request, onProgress) => {
    const { signal, ...sent } = request;
    if (signal?.aborted) throw stopped();
    return thread.ask(name, sent, onProgress, signal);
  };
  return {
    games,
    rules: (game) => thread.ask("rules", typeof game === "string" ? { game } : game),
    replay: (request) => thread.ask("replay", request),
    analyse: question("analyse"),
    move: question("move"),
    stop: () => thread.stop(),
    close: () => thread.stop(),
  };
}

/** Searches in the thread of the caller, as Node does; they cannot be stopped. */
class OwnThread {
  #driver;

  constructor(...where) {
    this.#driver = import("./driver.js").then(({ Driver }) => new Driver(...where));
  }

  async ask(name, request, onProgress) {
    return (await this.#driver)[name](request, onProgress);
  }

  stop() {}
}

/** Searches in a worker. A search reads no messages, so stopping ends the worker, and the next one begins anew. */
class WorkerThread {
  #base;
  #modules;
  #worker = null;
  #waiting = new Map();
  #last = 0;

  constructor(base, modules) {
    [this.#base, this.#modules] = [base, modules];
  }

  ask(name, request, onProgress, signal) {
    const id = ++this.#last;
    const where = { base: this.#base, modules: this.#modules };
    const message = { id, name, request, ...where, listens: onProgress !== undefined };
    signal?.addEventListener("abort", () => this.#waiting.has(id) && this.#end([id]), { once: true });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { message, resolve, reject, onProgress });
      this.#send(message);
    });
  }

  stop() {
    this.#end([...this.#waiting.keys()]);
  }

  /** Ends the worker; other requests than these begin again in a new one. */
  #end(ids) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const id of ids) {
      this.#waiting.get(id).reject(stopped());
      this.#waiting.delete(id);
    }
    for (const { message } of this.#waiting.values()) this.#send(message);
  }

  #send(message) {
    this.#worker ??= this.#begin();
    this.#worker.postMessage(message);
  }

  #begin() {
    const worker = new Worker(new URL("driver.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data: { id, progress, error, answer } }) => {
      const asked = this.#waiting.get(id);
      if (progress) return asked?.onProgress?.(progress);
      this.#waiting.delete(id);
      if (error) asked?.reject(Object.assign(new Error(error.message), error));
      else asked?.resolve(answer);
    };
    worker.onerror = ({ message }) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(message || "the worker cannot be loaded"));
      this.#waiting.clear();
      this.#worker = null;
    };
    return worker;
  }
}
