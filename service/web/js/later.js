/** Wires what the first board can do without: the service, the course of the game, the dialogs and the panels. */

import { installEvaluationBar } from "./board/evaluation-bar.js";
import { SpaceView } from "./board/space-view.js";
import { GameController } from "./play/game-controller.js";
import { NewGameDialog } from "./play/new-game-dialog.js";
import { PositionEditor } from "./play/position-editor.js";
import { Puzzles } from "./play/puzzles.js";
import { Names } from "./play/names.js";
import { installClock, requestsPanel } from "./play/requests-panel.js";
import { installShortcuts } from "./play/shortcuts.js";
import { installSound } from "./play/sound.js";
import { installThinkAlong } from "./play/think-along.js";
import { ThinkingPanel } from "./play/thinking-panel.js";
import { afterGame } from "./review/after-game.js";
import { EndCard } from "./review/end-card.js";
import { Mistakes } from "./review/mistakes.js";
import { MovesPanel } from "./review/moves-panel.js";
import { Reviewer } from "./review/reviewer.js";
import { ApiKey } from "./shared/api-key.js";
import { Client } from "./shared/api.js";
import { byId, onClick } from "./shared/dom.js";
import { WRITTEN } from "./shared/rules.js";
import { say } from "./shared/say.js";

/** Brings the page to life, in the state that the store has by then.
 * @param {PageStore} store @param {Notice} notice */
export function wire(store, notice) {
  const key = new ApiKey();
  const client = new Client(requestsPanel(key), notice, key);
  notice.onTrouble = (isAway) => store.set({ isAway });
  const controller = new GameController(store, client);
  const reviewer = new Reviewer(store, client);
  const dialog = new NewGameDialog(store, controller);
  installShortcuts(store, controller);
  installSound(store);
  installClock(store);
  new Names(store);
  installEvaluationBar(store);
  installThinkAlong(store, client);
  new SpaceView(store);
  new ThinkingPanel(store, (state) => afterGame(state, controller), (game) => controller.look(game));
  new MovesPanel(store, controller, reviewer);
  new EndCard(store, controller, reviewer);
  new Mistakes(store, controller, client);
  new PositionEditor(store, controller, fetchExchange);
  const puzzles = new Puzzles(store, controller, client);
  onClick("setup-puzzle", () => {
    dialog.close();
    puzzles.open();
  });
  installLearn(store, client, notice);
  store.set({});
  // A page without a service can be installed, and works offline.
  if (!WRITTEN.service) navigator.serviceWorker?.register("service-worker.js").catch(() => {});
  return { controller, dialog, puzzles, share: () => share(store, notice) };
}

/** Fetches the view to learn in when it is opened, or when the browser is idle.
 * @param {PageStore} store @param {Client} client @param {Notice} notice */
function installLearn(store, client, notice) {
  let isAsked = false;
  store.listen(async ({ view }) => {
    if (view !== "learn" || isAsked) return;
    isAsked = true;
    try {
      const { View } = await import("./learn.js");
      new View(store, client);
      store.set({});
    } catch {
      isAsked = false;
      notice.say(say("page.lost"));
    }
  });
  (window.requestIdleCallback ?? setTimeout)(() => import("./learn.js").catch(() => {}));
}

/** What reads pasted text and writes copies. */
function fetchExchange() {
  return import("./exchange.js");
}

/** @param {PageStore} store @param {Notice} notice */
async function share({ state }, notice) {
  try {
    const { write } = await fetchExchange();
    byId("copies").replaceChildren(write(state));
    /** @type {HTMLDialogElement} */ (byId("share-dialog")).showModal();
  } catch {
    notice.say(say("page.lost"));
  }
}
