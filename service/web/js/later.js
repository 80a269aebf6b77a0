/** Wires what the first board can do without: the service, the course of the game, the dialogs and the panels. */

import { installEvaluationBar } from "./board/evaluation-bar.js";
import { SpaceView } from "./board/space-view.js";
import { GameController } from "./play/game-controller.js";
import { Puzzles } from "./play/puzzles.js";
import { Names } from "./play/names.js";
import { installShortcuts } from "./play/shortcuts.js";
import { installSound } from "./play/sound.js";
import { installThinkAlong } from "./play/think-along.js";
import { ThinkingPanel } from "./play/thinking-panel.js";
import { afterGame } from "./review/after-game.js";
import { EndCard } from "./review/end-card.js";
import { MovesPanel } from "./review/moves-panel.js";
import { Client } from "./shared/api.js";
import { WRITTEN } from "./shared/rules.js";
import { say } from "./shared/say.js";
import { thinksAlong } from "./shared/state.js";

/** @typedef {typeof import("./rest.js")} RestScript @typedef {ReturnType<RestScript["wire"]>} Rest */

/** Brings the page to life, in the state that the store has by then.
 * @param {PageStore} store @param {Notice} notice */
export function wire(store, notice) {
  const client = new Client(notice);
  notice.onTrouble = (isAway) => store.set({ isAway });
  const controller = new GameController(store, client);
  const puzzles = new Puzzles(store, controller, client);
  const rest = restOf(client, (script) => script.wire(store, controller, client, puzzles));
  const review = async () => (await rest()).reviewer.review();
  installShortcuts(store, controller);
  installSound(store);
  new Names(store);
  installEvaluationBar(store);
  installThinkAlong(store, client);
  new SpaceView(store);
  new ThinkingPanel(store, (state) => afterGame(state, controller), (game) => controller.look(game));
  new MovesPanel(store, controller, review);
  new EndCard(store, controller, review);
  store.listen((state) => void (isWanted(state) && rest()));
  store.set({});
  // A page without a service can be installed, and works offline.
  if (!WRITTEN.service) keepOffline(notice);
  return { controller, puzzles, rest };
}

/** Installs the service worker, and offers to reload when a newer version of the page waits. @param {Notice} notice */
async function keepOffline(notice) {
  const worker = navigator.serviceWorker;
  const registration = await worker?.register("service-worker.js").catch(() => null);
  if (!registration) return;
  const reload = () => {
    worker.addEventListener("controllerchange", () => location.reload(), { once: true });
    registration.waiting?.postMessage("take over");
  };
  const tell = () => registration.waiting && worker.controller && notice.say(say("page.new"), say("page.reload"), reload);
  tell();
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", tell));
}

/** Gives what the first move can do without: its script comes when that is first wanted, or the browser is idle.
 * @param {Client} client @param {(script: RestScript) => Rest} wire */
function restOf(client, wire) {
  /** @type {Promise<RestScript> | null} */
  let script = null;
  /** @type {Promise<Rest> | null} */
  let wired = null;
  let attempts = 0;
  const fetched = () => (script ??= fetchRest(attempts++).catch((reason) => {
    script = null;
    throw reason;
  }));
  const rest = () => (wired ??= client.load(fetched).then(wire));
  (window.requestIdleCallback ?? setTimeout)(() => fetched().then(rest, () => {}));
  return rest;
}

/** Browsers remember that an address failed. @param {number} attempts @returns {Promise<RestScript>} */
function fetchRest(attempts) {
  return attempts ? import(`./rest.js?${attempts}`) : import("./rest.js");
}

/** Whether the rest has something to show. @param {State} state */
function isWanted(state) {
  return state.view === "learn" || state.friend !== null || state.edit !== null || thinksAlong(state);
}
