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
  installParts(store, client, notice);
  store.set({});
  // A page without a service can be installed, and works offline.
  if (!WRITTEN.service) navigator.serviceWorker?.register("service-worker.js").catch(() => {});
  return { controller, dialog, puzzles, share: () => share(store, notice) };
}

/** Makes a part of the page when it is first wanted.
 * @param {PageStore} store @param {Notice} notice @param {(state: State) => boolean} isWanted
 * @param {() => Promise<unknown>} make */
function installPart(store, notice, isWanted, make) {
  let isAsked = false;
  store.listen(async (state) => {
    if (isAsked || !isWanted(state)) return;
    isAsked = true;
    try {
      await make();
      store.set({});
    } catch {
      isAsked = false;
      notice.say(say("page.lost"));
    }
  });
}

/** What a game with a friend needs, and the view to learn in, whose script comes when the browser is idle at the latest.
 * @param {PageStore} store @param {Client} client @param {Notice} notice */
function installParts(store, client, notice) {
  installPart(store, notice, ({ friend }) => friend !== null, async () => new (await fetchExchange()).Friend(store));
  installPart(store, notice, ({ view }) => view === "learn",
    async () => new (await import("./learn.js")).View(store, client));
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
