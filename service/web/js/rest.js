/** Wires what no first move needs: reviews, Learn, new games, positions, copies to take away, a game with a friend. */

import { LearnView } from "./learn/learn-view.js";
import { Friend } from "./play/friend.js";
import { NewGameDialog } from "./play/new-game-dialog.js";
import { PositionEditor } from "./play/position-editor.js";
import { copies } from "./play/take-away.js";
import { Mistakes } from "./review/mistakes.js";
import { ReviewPanel } from "./review/review-panel.js";
import { Reviewer } from "./review/reviewer.js";
import { byId, onClick } from "./shared/dom.js";

/** @param {PageStore} store @param {GameController} controller @param {Client} client
 * @param {import("./play/puzzles.js").Puzzles} puzzles */
export function wire(store, controller, client, puzzles) {
  const dialog = new NewGameDialog(store, controller);
  const reviewer = new Reviewer(store, client);
  new ReviewPanel(store, controller, reviewer);
  new Mistakes(store, controller, client);
  new PositionEditor(store, controller);
  new Friend(store);
  new LearnView(store, client);
  onClick("setup-puzzle", () => {
    dialog.close();
    puzzles.open();
  });
  store.set({});
  return { dialog, reviewer, share: () => share(store.state) };
}

/** @param {State} state */
function share(state) {
  byId("copies").replaceChildren(copies(state));
  /** @type {HTMLDialogElement} */ (byId("share-dialog")).showModal();
}
