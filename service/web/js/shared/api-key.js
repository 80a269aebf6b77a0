/** The key of a service that asks for one: entered by the visitor, kept until the tab is closed, never shown. */

import { byId } from "./dom.js";
import { say } from "./say.js";
import { remember, remembered } from "./storage.js";

const STORED = "kinarow.key";
const GIVEN = "given";

export class ApiKey {
  /** @type {string | null} */
  #value = remembered(STORED, "sessionStorage");
  /** @type {Promise<string | null> | null} what everyone who needs a key waits for */
  #asking = null;

  constructor() {
    this.note = byId("key-note");
    this.note.hidden = this.#value === null;
    byId("key-forget").addEventListener("click", () => this.#keep(null));
    this.dialog = /** @type {HTMLDialogElement} */ (byId("key-dialog"));
    this.field = /** @type {HTMLInputElement} */ (byId("key"));
    byId("key-cancel").addEventListener("click", () => this.dialog.close());
    byId("key-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.dialog.close(GIVEN);
    });
  }

  get value() {
    return this.#value;
  }

  /** A key to try in the place of one that was refused.
   * @param {string | null} refused null where none was sent
   * @returns {Promise<string | null>} null where the visitor gives none */
  async another(refused) {
    // Another question may have asked the visitor meanwhile.
    if (this.#value !== null && this.#value !== refused) return this.#value;
    this.#asking ??= this.#ask(refused).finally(() => (this.#asking = null));
    return this.#asking;
  }

  /** @param {string | null} refused @returns {Promise<string | null>} */
  #ask(refused) {
    byId("key-why").textContent = say(refused === null ? "apiKey.asked" : "apiKey.refused");
    this.dialog.returnValue = "";
    this.dialog.showModal();
    return new Promise((resolve) => {
      this.dialog.addEventListener("close", () => resolve(this.#given()), { once: true });
    });
  }

  /** What was entered, which stays nowhere else. */
  #given() {
    const given = this.dialog.returnValue === GIVEN ? this.field.value.trim() : "";
    this.field.value = "";
    if (given) this.#keep(given);
    return given || null;
  }

  /** @param {string | null} value */
  #keep(value) {
    this.#value = value;
    this.note.hidden = value === null;
    remember(STORED, value, "sessionStorage");
  }
}
