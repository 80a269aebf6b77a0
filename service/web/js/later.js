/** Wires what the first board can do without: the service, the course of the game, the dialogs and the panels. */

import { Client } from "./api.js";
import { byId } from "./dom.js";
import { ExchangesView, copy } from "./exchanges.js";
import { Insight } from "./insight.js";
import { Key } from "./key.js";
import { LearnView } from "./learn.js";
import { writeLink } from "./link.js";
import { Match } from "./match.js";
import { MovesView } from "./moves.js";
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
  const dialog = new SetupDialog(byId("setup"), (chosen) => match.begin(chosen), (setupOpen) => store.set({ setupOpen }));
  new Insight(store, client);
  new ThinkingView(byId("thinking"), store, (shown) => match.show(shown));
  new MovesView(byId("moves"), store, (shown) => match.show(shown), () => match.review());
  new LearnView(byId("learn-view"), store, client, announce);
  store.set({});
  learnFeatures(store, client);
  return { match, dialog, share: () => share(store, notice) };
}

/** Features the service does not have are hidden. @param {PageStore} store @param {Client} client */
async function learnFeatures(store, client) {
  // Without a description everything is tried, and hidden once it turns out to be missing.
  store.set((await client.features()) ?? { paths: new Set(ALL_PATHS) });
}

/** @param {PageStore} store @param {Notice} notice */
async function share(store, notice) {
  const link = new URL(`#${writeLink(store.state)}`, location.href).href;
  if (await copy(link)) return notice.good("Link copied: it leads to this position.");
  const field = /** @type {HTMLInputElement} */ (byId("share-link"));
  field.value = link;
  /** @type {HTMLDialogElement} */ (byId("share-dialog")).showModal();
  return field.select();
}
