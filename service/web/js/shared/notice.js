/** The bar that says what is wrong: a busy or unreachable server with the time of the next attempt, or a refusal. */

import { byId } from "./dom.js";
import { say } from "./say.js";
import { troubleWords } from "./words.js";
/** @import { Trouble } from "./api.js" */

const GOOD_WORDS_MS = 2500;

export class Notice {
  /** @type {Trouble | null} */
  #trouble = null;
  #timer = 0;

  /** @param {(words: string) => void} announce says something once, not each second */
  constructor(announce) {
    this.announce = announce;
    this.bar = byId("notice");
    this.words = byId("notice-words");
    this.action = byId("notice-action");
    this.action.addEventListener("click", () => this.act());
    this.act = () => {};
  }

  /** @param {Trouble | null} trouble */
  trouble(trouble) {
    const had = this.#trouble;
    this.#trouble = trouble;
    clearInterval(this.#timer);
    if (trouble) {
      if (had?.kind !== trouble.kind) this.announce(troubleWords(trouble, secondsUntil(trouble)));
      this.#count(trouble);
      this.#timer = setInterval(() => this.#count(trouble), 1000);
    } else if (had) {
      this.good(say("trouble.over"));
    }
  }

  /** Says something for a moment. @param {string} words */
  good(words) {
    clearInterval(this.#timer);
    this.announce(words);
    this.#show(words, "good");
    this.#timer = setTimeout(() => this.hide(), GOOD_WORDS_MS);
  }

  /** Says something until it is dismissed. @param {string} words */
  say(words) {
    if (this.#trouble) return;
    clearInterval(this.#timer);
    this.announce(words);
    this.#show(words, "bad", say("say.dismiss"), () => this.hide());
  }

  hide() {
    this.bar.hidden = true;
  }

  /** @param {Trouble} trouble */
  #count(trouble) {
    const action = trouble.tryNow && say("trouble.tryNow");
    this.#show(troubleWords(trouble, secondsUntil(trouble)), "bad", action, trouble.tryNow);
  }

  /** @param {string} words @param {"good" | "bad"} tone @param {string} [action] @param {() => void} [act] */
  #show(words, tone, action, act = () => {}) {
    this.bar.hidden = false;
    this.bar.dataset.tone = tone;
    if (this.words.textContent !== words) this.words.textContent = words;
    this.action.hidden = !action;
    this.action.textContent = action ?? "";
    this.act = act;
  }
}

/** @param {Trouble} trouble */
function secondsUntil({ until }) {
  return Math.max(0, Math.ceil((until - Date.now()) / 1000));
}
