/** A client of kinarow for browsers and Node 20 or newer: one file, no dependencies. */

// @ts-nocheck: its types are in kinarow.d.ts.

/**
 * The service said no, could not be understood, or could not be reached: `status` (0 if there was no answer), and the
 * `problem` that it gave as the reason (RFC 9457).
 */
export class KinarowError extends Error {
  constructor(status, problem, retryAfter, cause) {
    super(problem.detail || problem.title || `the service answered with status ${status}`, { cause });
    this.name = "KinarowError";
    this.status = status;
    this.problem = problem;
    /** What is wrong with the request: `[{pointer, detail}]`, empty where the request is not to blame. */
    this.errors = problem.errors ?? [];
    /** Seconds after which to ask again, or null. */
    this.retryAfter = retryAfter;
  }
}

const BUSY = [429, 503];
const LONGEST_WAIT_S = 30;

/** A kinarow service. `new Kinarow("http://127.0.0.1:8000")` */
export class Kinarow {
  #url;
  #fetch;
  #headers;
  #timeoutMs;
  #retries;

  /**
   * `fetch` and `headers` go into every request. A request that takes longer than `timeoutMs` (until its answer
   * begins) is given up; one that is answered 429 or 503 is sent again after `Retry-After`, at most `retries` times.
   */
  constructor(url, { fetch = globalThis.fetch, headers = {}, timeoutMs = 60_000, retries = 2 } = {}) {
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    this.#url = url.replace(/\/+$/, "");
    // A browser's fetch must be called as a function of the window.
    this.#fetch = (...args) => fetch(...args);
    this.#headers = headers;
  }

  /** The move to make, and how good it is. */
  async move(request, { signal } = {}) {
    return read(await this.#post("/move", request, { signal }));
  }

  /** The same by GET, so that caches may keep the answer; by POST what is not in the documented form. */
  async cachedMove(request, { signal } = {}) {
    if (!fitsQuery(request)) return this.move(request, { signal });
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(request)) {
      if (value != null) query.set(name, name === "board" ? value.join("/") : String(value));
    }
    return read(await this.#send(`/move?${query}`, { method: "GET", signal }));
  }

  /** Every legal move with its value; `onProgress` is called with each finished iteration while the search runs. */
  async analysis(request, { signal, onProgress } = {}) {
    return this.#streamed("/analysis", request, signal, onProgress);
  }

  /**
   * A whole game, every move graded: `{ game: "connect-four", moves: [{ column: 3 }, …] }`; `onMove` is called with
   * each move as soon as it is graded, the last move of the game first.
   */
  async review(request, { signal, onMove } = {}) {
    return this.#streamed("/review", request, signal, onMove);
  }

  /** Many `move` requests at once: an answer for each in their order, a `KinarowError` where one failed. */
  async moves(requests, { signal } = {}) {
    const { answers } = await read(await this.#post("/moves", { requests }, { signal }));
    return answers.map(({ answer, problem }) => answer ?? new KinarowError(problem.status, problem, null));
  }

  /** The search of a small position as a tree: minimax, or with `pruning` (the default) alpha-beta. */
  async tree(request, { signal } = {}) {
    return read(await this.#post("/tree", request, { signal }));
  }

  /** The versions of the service and of its engine. */
  async version({ signal } = {}) {
    return read(await this.#send("/version", { method: "GET", signal }));
  }

  /** The answer; `onEvent`, if there is one, is called with the data of each event before it. */
  async #streamed(path, request, signal, onEvent) {
    if (!onEvent) return read(await this.#post(path, request, { signal }));
    const response = await this.#post(path, request, { signal, accept: "text/event-stream, application/json;q=0.5" });
    const streamed = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (!response.ok || !streamed) return read(response);
    for await (const { event, data } of events(response.body)) {
      if (event === "result") return data;
      if (event === "error") throw new KinarowError(data.status, data, null);
      onEvent(data);
    }
    throw new KinarowError(response.status, { title: "The stream ended without a result." }, null);
  }

  #post(path, body, { signal, accept = "application/json" }) {
    return this.#send(path, {
      method: "POST",
      signal,
      headers: { "content-type": "application/json", accept },
      body: JSON.stringify(body),
    });
  }

  async #send(path, options) {
    for (let left = this.#retries; ; left -= 1) {
      const response = await this.#sendOnce(path, options);
      const seconds = retryAfter(response);
      if (left <= 0 || !BUSY.includes(response.status) || seconds === null || seconds > LONGEST_WAIT_S) return response;
      await response.body?.cancel();
      await pause(seconds * 1000, options.signal);
    }
  }

  async #sendOnce(path, { signal, ...options }) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#timeoutMs);
    const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
    try {
      const headers = { ...this.#headers, ...options.headers };
      return await this.#fetch(this.#url + path, { ...options, headers, signal: either });
    } catch (error) {
      if (signal?.aborted) throw error;
      const title = late.signal.aborted
        ? `No answer from ${this.#url} within ${this.#timeoutMs} ms.`
        : `No service at ${this.#url}.`;
      throw new KinarowError(0, { title }, null, error);
    } finally {
      // Only the wait for the answer is bounded: a stream of events may go on.
      clearTimeout(timer);
    }
  }
}

/** The answer in a response, or the problem thrown. */
async function read(response) {
  const body = await response.text();
  let data;
  try {
    data = JSON.parse(body);
  } catch {
    // Something between us and the service may answer with a page of its own.
    throw new KinarowError(response.status, { title: `No JSON: ${body.slice(0, 100)}` }, null);
  }
  if (response.ok) return data;
  throw new KinarowError(response.status, data, retryAfter(response));
}

/** The seconds after which a response asks to be asked again, given as a number or a date, or null. */
export function retryAfter(response) {
  const header = (response.headers.get("retry-after") ?? "").trim();
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** Wait, unless the signal gives the request up. */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const give = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", give);
      resolve();
    }, milliseconds);
    if (signal?.aborted) give();
    else signal?.addEventListener("abort", give, { once: true });
  });
}

/** Whether query parameters can say the same: moves as text, and a board of one layer and several rows, as documented. */
function fitsQuery({ board = ["..", ".."], moves = ".", only = ".", exclude = ".", layers = 1 }) {
  const rows = Array.isArray(board) && board.length > 1 && layers === 1 ? board : [""];
  const isText = (text) => typeof text === "string" && text !== "";
  return [...rows, moves, only, exclude].every(isText) && rows.every((row) => /^[XO.#]{2,}$/.test(row));
}

/** The server-sent events of a stream: `{event, data}`, data read as JSON. */
export async function* events(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let waiting = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      waiting += decoder.decode(value, { stream: true });
      const blocks = waiting.replaceAll("\r\n", "\n").split("\n\n");
      waiting = blocks.pop();
      for (const block of blocks) {
        const fields = block.split("\n").filter((line) => line && !line.startsWith(":"));
        const of = (name) =>
          fields.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart());
        const data = of("data").join("\n");
        if (data) yield { event: of("event")[0] ?? "message", data: JSON.parse(data) };
      }
    }
  } finally {
    // Leaving early, by a result or an error, must not keep the connection open.
    await reader.cancel().catch(() => {});
  }
}
