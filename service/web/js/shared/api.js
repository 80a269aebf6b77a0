/** Talking to the service: requests, waiting, trying again, streams. */

import { ApiKey } from "./api-key.js";
import { Engine } from "./engine.js";
import { events, pause, retryAfter } from "../../../../clients/javascript/kinarow.js";
import { WRITTEN } from "./rules.js";
import { say } from "./say.js";

/** What an attempt came to: an answer, a time to wait (null: no server answered), or a refused key (null: none sent).
 * @typedef {{answer: any} | {retryAfter: number | null} | {refusedKey: string | null}} Outcome */

const STREAM = "text/event-stream";
const FIRST_WAIT_S = 1;
const LONGEST_WAIT_S = 15;
/** Waits for a server that sheds load but does not say for how long, and least wait whatever it says. */
const UNSAID_WAIT_S = 2;
const SHORTEST_WAIT_S = 0.5;
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;

/** An answer that is a failure and stays one however often one asks. */
class Problem extends Error {
  /** @param {number} status @param {any} answer */
  constructor(status, answer) {
    super(answer?.detail ?? answer?.title ?? "");
    this.status = status;
  }
}

/** Asks the service that the page came from. */
export class Client {
  /** @param {Notice} notice says what is wrong */
  constructor(notice) {
    this.key = new ApiKey();
    this.engine = new Engine();
    this.notice = notice;
    /** @type {Set<AbortSignal>} questions that are waiting for their next attempt */
    this.waiting = new Set();
  }

  /** The answer, or null where it is no longer wanted or the service refuses, which the page then says.
   * @param {Ask} ask @returns {Promise<any>} */
  async ask(ask) {
    try {
      return await this.#answer(ask);
    } catch (error) {
      if (ask.signal.aborted) return null;
      if (!(error instanceof Problem)) throw error;
      this.notice.say(error.message || say("trouble.status", { status: error.status }));
      return null;
    }
  }

  /** What a file of the page gives, however many attempts it takes. @template T @param {() => Promise<T>} get */
  async load(get) {
    const { signal } = new AbortController();
    for (let attempt = 0; ; attempt++) {
      try {
        const contents = await get();
        this.#calm(signal);
        return contents;
      } catch {
        await this.#pause(signal, { retryAfter: null }, attempt);
      }
    }
  }

  /** The answer, however many attempts it takes while the server is busy, out of reach or in want of a key.
   * @param {Ask} ask @throws {Problem} where trying again is of no use @throws {DOMException} AbortError */
  async #answer(ask) {
    let instead = await this.engine.answer(ask);
    if (!instead && !WRITTEN.service) throw new Problem(NOT_FOUND, { detail: say("engine.cannot") });
    for (let attempt = 0; !instead; attempt++) {
      const outcome = await this.#attempt(ask);
      if ("answer" in outcome) {
        this.#calm(ask.signal);
        this.engine.tell("service");
        return outcome.answer;
      }
      if ("refusedKey" in outcome) await this.#newKey(ask.signal, outcome.refusedKey);
      else {
        if (outcome.retryAfter === null) instead = await this.engine.answer(ask, true);
        if (!instead) await this.#pause(ask.signal, outcome, attempt);
      }
    }
    this.#calm(ask.signal);
    return instead;
  }

  /** @param {Ask} ask @returns {Promise<Outcome>} */
  async #attempt(ask) {
    const key = this.key.value;
    try {
      const response = await send(ask, key);
      const answer = await read(response, ask.onProgress);
      return response.status === UNAUTHORIZED ? { refusedKey: key } : judge(response, answer);
    } catch (error) {
      if (error instanceof Problem || ask.signal.aborted) {
        this.#calm(ask.signal);
        throw error;
      }
      return { retryAfter: null };
    }
  }

  /** Waits for a key.
   * @param {AbortSignal} signal @param {string | null} refused @throws {Problem} where there is none */
  async #newKey(signal, refused) {
    this.#calm(signal);
    const key = await this.key.another(refused);
    signal.throwIfAborted();
    if (key === null) throw new Problem(UNAUTHORIZED, { detail: say("apiKey.none") });
  }

  /** Waits before the next attempt.
   * @param {AbortSignal} signal @param {{retryAfter: number | null}} outcome @param {number} attempt */
  async #pause(signal, { retryAfter: asked }, attempt) {
    const seconds = asked ?? Math.min(FIRST_WAIT_S * 2 ** attempt, LONGEST_WAIT_S);
    const until = Date.now() + seconds * 1000;
    this.waiting.add(signal);
    try {
      const sooner = new Promise((resolve) => {
        const tryNow = asked === null ? () => resolve(null) : undefined;
        this.notice.trouble({ kind: tryNow ? "unreachable" : "busy", until, tryNow });
        if (tryNow) addEventListener("online", tryNow, { once: true, signal });
      });
      await Promise.race([pause(seconds * 1000, signal), sooner]);
    } catch (error) {
      this.#calm(signal);
      throw error;
    }
  }

  /** A question is settled; once none waits, there is no trouble. @param {AbortSignal} signal */
  #calm(signal) {
    this.waiting.delete(signal);
    if (!this.waiting.size) this.notice.trouble(null);
  }
}

/** @param {Ask} ask @param {string | null} key */
function send({ path, body, signal, onProgress }, key) {
  const headers = {
    "Content-Type": "application/json", Accept: onProgress ? `${STREAM}, application/json;q=0.5` : "application/json",
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
  };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** The body of a response; of a stream the last event.
 * @param {Response} response @param {Ask["onProgress"]} onProgress */
async function read(response, onProgress) {
  const type = response.headers.get("Content-Type") ?? "";
  if (type.startsWith(STREAM)) return readStream(response, onProgress ?? (() => {}));
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's own error page is no JSON, and a good answer that is none has been cut off on its way.
    if (response.ok) throw new TypeError("the answer was cut off");
    return { title: text.slice(0, 200) };
  }
}

/** @param {Response} response @param {(progress: any) => void} onProgress @returns {Promise<any>} */
async function readStream(response, onProgress) {
  if (!response.body) throw new TypeError("the stream has no body");
  for await (const { event, data } of events(response.body)) {
    if (event === "result") return data;
    if (event === "error") return failInStream(data);
    onProgress(data);
  }
  throw new TypeError("the stream ended without a result");
}

/** A problem that came as an event becomes what it would have been as a response. @param {any} problem */
function failInStream(problem) {
  if (isPassing(problem.status)) throw new TypeError(problem.detail);
  throw new Problem(problem.status, problem);
}

/** @param {Response} response @param {any} answer @returns {{answer: any} | {retryAfter: number | null}} */
function judge(response, answer) {
  if (response.ok) return { answer };
  if (isPassing(response.status)) return { retryAfter: waitOf(response) };
  throw new Problem(response.status, answer);
}

/** Whether a failure says nothing of the question. 502 and 504 are a proxy's words for a server out of reach.
 * @param {number} status */
function isPassing(status) {
  return [429, 502, 503, 504].includes(status);
}

/** Seconds to wait, or null where the server is out of reach. @param {Response} response */
function waitOf(response) {
  if (response.status === 502 || response.status === 504) return null;
  return Math.max(SHORTEST_WAIT_S, retryAfter(response) ?? UNSAID_WAIT_S);
}

/** One question at a time: a new one drops the one before. */
export class Slot {
  /** @type {AbortController | null} */
  #current = null;

  /** The signal of a new question. */
  begin() {
    this.drop();
    this.#current = new AbortController();
    return this.#current.signal;
  }

  /** The question is of no interest any more. */
  drop() {
    this.#current?.abort();
    this.#current = null;
  }
}
