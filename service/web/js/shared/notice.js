/** The bar that says what is wrong: a busy or unreachable server with the time of the next attempt, or a refusal. */

import { announce, byId, onClick } from "./dom.js";
import { say } from "./say.js";
import { troubleWords } from "./words.js";

const GOOD_WORDS_MS = 2500;

export class Notice {
  /** @type {Trouble | null} */
  #trouble = null;
  #timer = 0;
  #act = () => {};
  /** Hears whether the server is out of reach or too busy. @type {(isAway: boolean) => void} */
  onTrouble = () => {};

  constructor() {
    onClick("notice-action", () => this.#act());
  }

  /** @param {Trouble | null} trouble */
  trouble(trouble) {
    const had = this.#trouble;
    if (!had && !trouble) return;
    this.#trouble = trouble;
    this.onTrouble(trouble !== null);
    clearInterval(this.#timer);
    if (!trouble) return this.good(say("trouble.over"));
    if (had?.kind !== trouble.kind) announce(troubleWords(trouble));
    const count = () =>
      this.#show(troubleWords(trouble), "bad", trouble.tryNow && say("trouble.tryNow"), trouble.tryNow);
    count();
    this.#timer = setInterval(count, 1000);
  }

  /** Says something for a moment, unless there is trouble. @param {string} words @param {"good" | "note"} [tone] */
  good(words, tone = "good") {
    if (this.#trouble) return;
    clearInterval(this.#timer);
    announce(words);
    this.#show(words, tone);
    this.#timer = setTimeout(() => this.hide(), GOOD_WORDS_MS);
  }

  /** Says something until it is dismissed, or the visitor does what it offers.
   * @param {string} words @param {string} [action] @param {() => void} [act] */
  say(words, action = say("say.dismiss"), act = () => this.hide()) {
    if (this.#trouble) return;
    clearInterval(this.#timer);
    announce(words);
    this.#show(words, "bad", action, act);
  }

  hide() {
    byId("notice").hidden = true;
  }

  /** @param {string} words @param {"good" | "bad" | "note"} tone @param {string} [action] @param {() => void} [act] */
  #show(words, tone, action = "", act = () => {}) {
    byId("notice").hidden = false;
    byId("notice").dataset.tone = tone;
    if (byId("notice-words").textContent !== words) byId("notice-words").textContent = words;
    byId("notice-action").hidden = !action;
    byId("notice-action").textContent = action;
    this.#act = act;
  }
}
