/** Wires what the first board can do without: the service, the course of the game, the dialogs and the panels. */

import { Client } from "./api.js";
import { copies } from "./copies.js";
import { byId, h } from "./dom.js";
import { Editor } from "./editor.js";
import { ExchangesView } from "./exchanges.js";
import { Insight } from "./insight.js";
import { Key } from "./key.js";
import { Keys } from "./keys.js";
import { LearnView } from "./learn.js";
import { Match } from "./match.js";
import { MovesView } from "./moves.js";
import { Reviewer } from "./reviewer.js";
import { SetupDialog } from "./setup.js";
import { ALL_PATHS } from "./state.js";
import { ThinkingView } from "./thinking.js";

/** @typedef {import("./notice.js").Notice} Notice */
/** @typedef {import("./state.js").PageStore} PageStore */

/**
 * Brings the page to life, in the state that the store has by then.
 * @param {PageStore} store
 * @param {Notice} notice
 * @param {(words: string) => void} announce says something to screen readers
 */
export function wire(store, notice, announce) {
  const key = new Key();
  const exchanges = new ExchangesView(byId("exchanges"), key);
  const client = new Client((all) => exchanges.render(all), (trouble) => notice.trouble(trouble), key);
  const match = new Match(store, client, announce);
  const reviewer = new Reviewer(store, client, announce);
  const dialog = new SetupDialog(byId("setup"), (chosen) => match.begin(chosen), (setupOpen) => store.set({ setupOpen }));
  const keys = new Keys(store, match, { open: () => dialog.open(store.state) });
  new Insight(store, client);
  new ThinkingView(byId("thinking"), store);
  new MovesView(byId("moves"), store, (shown) => match.show(shown), reviewer);
  new Editor(byId("editor"), store, match);
  new LearnView(byId("learn-view"), store, client, announce);
  store.set({});
  learnFeatures(store, client);
  return { match, dialog, keys, share: () => share(store) };
}

/** Features the service does not have are hidden. @param {PageStore} store @param {Client} client */
async function learnFeatures(store, client) {
  // Without a description everything is tried, and hidden once it turns out to be missing.
  store.set((await client.features()) ?? { paths: new Set(ALL_PATHS) });
}

/** @param {PageStore} store */
function share({ state }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("share-dialog"));
  dialog.replaceChildren(h("form", { method: "dialog" }, h("h2", { id: "share-title" }, "Take this position with you"), copies(state),
    h("p", { class: "dialog-actions" }, h("button", { class: "primary" }, "Done"))));
  dialog.showModal();
}
