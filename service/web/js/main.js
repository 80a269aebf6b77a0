/** Draws the first board with as little as that needs, then fetches everything else and connects the controls to it. */

import { BoardView } from "./board.js";
import { byId } from "./dom.js";
import { defaultSetup, readLink, writeLink } from "./link.js";
import { Notice } from "./notice.js";
import { sceneOf } from "./scene.js";
import { SIDES, fillPlayers, playerList, readPlayerValue, renderStage } from "./stage.js";
import { initialState } from "./state.js";
import { Store } from "./store.js";
import { installTabs } from "./tabs.js";
import { installTheme } from "./theme.js";
import { DEFAULT_OWN, Tiles } from "./tiles.js";
import { Zoom } from "./zoom.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {ReturnType<import("./later.js").wire>} Wired */

const BAD_LINK = "This link does not lead to a game, so here is a new one.";
const NOT_LOADED = "Part of this page did not arrive. Reload the page to play.";

const setup = readLink(location.hash);
const store = new Store(initialState(setup ?? defaultSetup()));
const notice = new Notice(announce);
const board = new BoardView(byId("board"), choose, pointAt);
const zoom = new Zoom(byId("board-frame"), byId("board"), byId("zoom"));
const tiles = new Tiles(byId("games"), {
  onGame: (game) => onceWired(({ match }) => beginGame(match, game)),
  onOwn: () => onceWired(({ dialog }) => dialog.open(store.state, DEFAULT_OWN)),
  onEdit: () => onceWired(({ match }) => match.edit()),
});
drawStage();
const later = fetchLater();
begin();

function drawStage() {
  installTheme(byId("theme"));
  installTabs(/** @type {Element} */ (document.querySelector("[role=tablist]")));
  fillPlayers();
  render(store.state);
  performance.mark("first board");
}

/** @param {State} state */
function render(state) {
  renderStage(state);
  tiles.render(state);
  board.show(sceneOf(state));
  zoom.show(state.game.rules);
}

/** Fetching and compiling a module takes time, so those that the first board can do without come after it. */
async function fetchLater() {
  await painted();
  // The page names all of them: without this, each would be asked for only once another that needs it has come.
  document.head.append(/** @type {HTMLTemplateElement} */ (byId("later")).content);
  const { wire } = await import("./later.js");
  return wire(store, notice, announce);
}

/** Settles once the browser has had its chance to paint; a page in the background is not painted, and does not wait. */
function painted() {
  return new Promise((resolve) => (document.hidden ? resolve(null) : requestAnimationFrame(() => setTimeout(resolve))));
}

function begin() {
  store.listen(render);
  store.listen(keepLink);
  store.listen(({ problem }, before) => problem && problem !== before.problem && notice.say(problem, () => store.set({ problem: null })));
  installControls();
  addEventListener("hashchange", followLink);
  if (!setup) notice.say(BAD_LINK);
  onceWired(() => performance.mark("ready"));
}

/** Acts now, or as soon as everything is there: what is clicked early is not lost. @param {(wired: Wired) => void} act */
async function onceWired(act) {
  const wired = await later.catch((reason) => {
    notice.say(NOT_LOADED);
    throw reason;
  });
  act(wired);
}

/** @param {number} cell */
function choose(cell) {
  onceWired(({ match }) => (store.state.edit ? match.put(cell) : match.play(cell)));
}

/** The line of the move under the mouse is shown. @param {number | null} cell */
function pointAt(cell) {
  if (store.state.insight && store.state.pointedAt !== cell) store.set({ pointedAt: cell });
}

/** @param {import("./match.js").Match} match @param {import("./game.js").Game} game */
function beginGame(match, game) {
  match.begin({ game });
  board.focus();
}

function installControls() {
  const on = (/** @type {string} */ id, /** @type {(wired: Wired) => void} */ act) => byId(id).addEventListener("click", () => onceWired(act));
  on("new-game", ({ dialog }) => dialog.open(store.state));
  on("undo", ({ match }) => match.undo());
  on("redo", ({ match }) => match.redo());
  on("hint", ({ match }) => match.hint());
  on("restart", ({ match }) => match.restart());
  on("again", ({ match }) => beginGame(match, store.state.game.again()));
  on("swap", ({ match }) => match.swapSides());
  on("edit", ({ match }) => match.edit());
  on("running", ({ match }) => match.toggleRunning());
  on("share", ({ share }) => share());
  on("keys", ({ keys }) => keys.help());
  for (const view of /** @type {const} */ (["play", "learn"])) {
    byId(`to-${view}`).addEventListener("click", (event) => {
      event.preventDefault();
      store.set({ view });
    });
  }
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    board.focus();
  });
  for (const side of SIDES) playerList(side).addEventListener("change", () => choosePlayer(side));
}

/** @param {import("./rules.js").Side} side */
function choosePlayer(side) {
  const { players, levels } = store.state;
  const { player, level } = readPlayerValue(playerList(side).value);
  store.set({ players: { ...players, [side]: player }, levels: { ...levels, [side]: level ?? levels[side] }, running: true, hint: null });
}

/** The address always leads to the position shown; a new game is a new step of the browser's history. @param {State} state @param {State} before */
function keepLink(state, before) {
  const hash = `#${writeLink(state)}`;
  for (const view of /** @type {const} */ (["play", "learn"])) byId(`to-${view}`).setAttribute("href", `#${writeLink({ ...state, view })}`);
  if (hash === location.hash || (location.hash === "" && hash === `#${writeLink(defaultSetup())}`)) return;
  const isStep = state.game.start !== before.game.start || state.view !== before.view;
  history[isStep ? "pushState" : "replaceState"](null, "", hash);
}

/** The visitor went back, or put another link into the address. */
function followLink() {
  const wanted = readLink(location.hash);
  if (!wanted) notice.say(BAD_LINK);
  else if (writeLink(wanted) !== writeLink(store.state)) onceWired(({ match }) => match.begin(wanted));
}

/** @param {string} words */
function announce(words) {
  byId("announcer").textContent = words;
}
