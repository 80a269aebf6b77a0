/** Wires what the first board can do without: the service, the course of the game, the dialogs and the panels. */

import { EvaluationBar } from "./board/evaluation-bar.js";
import { SpaceView } from "./board/space-view.js";
import { LearnView } from "./learn/learn-view.js";
import { GameController } from "./play/game-controller.js";
import { watchReadiness } from "./play/getting-ready.js";
import { NewGameDialog } from "./play/new-game-dialog.js";
import { PositionEditor } from "./play/position-editor.js";
import { Puzzles } from "./play/puzzles.js";
import { RequestsPanel } from "./play/requests-panel.js";
import { Shortcuts } from "./play/shortcuts.js";
import { installSound } from "./play/sound.js";
import { copies } from "./play/take-away.js";
import { ThinkAlong } from "./play/think-along.js";
import { ThinkingPanel } from "./play/thinking-panel.js";
import { afterGame } from "./review/after-game.js";
import { MovesPanel } from "./review/moves-panel.js";
import { Reviewer } from "./review/reviewer.js";
import { ApiKey } from "./shared/api-key.js";
import { Client } from "./shared/api.js";
import { byId, dialogForm } from "./shared/dom.js";
import { say } from "./shared/say.js";
/** @import { Notice } from "./shared/notice.js" */
/** @import { PageStore } from "./shared/state.js" */

/** Brings the page to life, in the state that the store has by then.
 * @param {PageStore} store @param {Notice} notice
 * @param {(words: string) => void} announce says something to screen readers */
export function wire(store, notice, announce) {
  const key = new ApiKey();
  const requests = new RequestsPanel(byId("exchanges"), key);
  const client = new Client((all) => requests.render(all), notice, key);
  const controller = new GameController(store, client, announce);
  const reviewer = new Reviewer(store, client, announce);
  const onToggle = (/** @type {boolean} */ setupOpen) => store.set({ setupOpen });
  const dialog = new NewGameDialog(byId("setup"), (chosen) => controller.begin(chosen), onToggle);
  const keys = new Shortcuts(store, controller, { open: () => dialog.open(store.state) });
  installSound(store);
  new ThinkAlong(store, client);
  new ThinkingPanel(byId("thinking"), store, (state) => afterGame(state, controller, () => {
    byId("tab-moves").click();
    reviewer.review();
  }));
  new EvaluationBar(store);
  new SpaceView(byId("thinking"), store);
  new MovesPanel(byId("moves"), store, (shown) => controller.show(shown), (game) => controller.look(game),
    reviewer);
  new PositionEditor(byId("editor"), store, controller);
  const puzzles = new Puzzles(byId("puzzle"), store, controller);
  new LearnView(byId("learn-view"), store, client, announce);
  watchReadiness();
  store.set({});
  return { controller, dialog, keys, puzzles, share: () => share(store) };
}

/** @param {PageStore} store */
function share({ state }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("share-dialog"));
  dialog.replaceChildren(dialogForm("share-title", say("copy.title"), copies(state)));
  dialog.showModal();
}
