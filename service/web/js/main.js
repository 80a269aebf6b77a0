/** Draws the first board with as little as that needs, then fetches everything else and connects the controls to it. */

import { BoardView } from "./board/board-view.js";
import { sceneOf } from "./board/scene.js";
import { Zoom } from "./board/zoom.js";
import { DEFAULT_OWN, GameTiles } from "./play/game-tiles.js";
import { whoPlays } from "./play/who-plays.js";
import { SIDES, VIEWS, playerList, readPlayerValue, renderStage } from "./play/stage.js";
import { byId, icon, onClick } from "./shared/dom.js";
import { Misread, isNumbered } from "../../../browser/read-moves.js";
import { defaultSetup, readLink, writeLink } from "./shared/link.js";
import { misreadWords } from "./shared/game.js";
import { cellName, moveName, sideName } from "./shared/notation.js";
import { Notice } from "./shared/notice.js";
import { EMPTY } from "./shared/rules.js";
import { capital, fillPage, installLanguages, say } from "./shared/say.js";
import { Store, initialState, mover, seated, thinksAlong } from "./shared/state.js";
import { installSwitches, installWays } from "./shared/storage.js";

/** @typedef {ReturnType<typeof import("./later.js").wire>} Wired */
/** @typedef {ReturnType<typeof import("./rest.js").wire>} Rest */

/** A link from other pages, to any puzzle. */
const PUZZLES = "#view=puzzles";
/** How long something may take before it is said that it is loading, in milliseconds. */
const SLOW_MS = 400;

fillPage();
installSwitches();
const notice = new Notice();
/** @type {NodeListOf<HTMLInputElement>} what is thought along, and how it is shown */
const along = byId("panel").querySelectorAll(".switch input");
const store = new Store(initialState({ thinkAlong: along[0].checked, ...(linked() ?? defaultSetup()) }));
const board = new BoardView(byId("board"), choose, pointAt, refuse);
const zoom = new Zoom();
const tiles = new GameTiles(byId("games"), {
  onGame: (game) => onceWired(({ controller }) => beginGame(controller, game)),
  onOwn: () => onceRest(({ dialog }) => dialog.open(DEFAULT_OWN)),
  onPuzzle: () => onceWired(({ puzzles }) => puzzles.open()),
  onEdit: () => onceWired(({ controller }) => controller.edit()),
});
const showWho = whoPlays((choice) => seat(choice), () => store.state);
drawStage();
const later = fetchLater();
begin();

function drawStage() {
  installLanguages(byId("language"));
  installWays(byId("theme"), "theme", ["auto", "light", "dark"], (name) => {
    document.documentElement.dataset.theme = name;
    byId("theme").replaceChildren(icon(name), say(`colours.${name}`));
  });
  installWays(byId("numbers"), "kinarow.numbers", ["off", "last", "all"], (numbers) => {
    byId("numbers-words").textContent = say(`numbers.${numbers}`);
    store.set({ numbers });
  });
  render(store.state);
  performance.mark("first board");
}

/** @param {State} state */
function render(state) {
  renderStage(state);
  tiles.render(state);
  showWho(state);
  board.show(sceneOf(state));
  zoom.show(state.game.rules);
}

/** Fetching and compiling scripts takes time, so those that the first board can do without come after it. */
async function fetchLater() {
  await painted();
  const { wire } = await import("./later.js");
  return wire(store, notice);
}

/** Settles once the browser has had its chance to paint; a page in the background is not painted, and does not wait. */
function painted() {
  return new Promise((resolve) => (document.hidden ? resolve(null) : requestAnimationFrame(() => setTimeout(resolve))));
}

function begin() {
  installControls(); // what it sets is no step: the address still says where the visitor wants to go
  store.listen(render);
  store.listen(keepLink);
  addEventListener("hashchange", followLink);
  if (location.hash === PUZZLES) followLink();
  onceWired(() => performance.mark("ready"));
}

/** Acts now, or as soon as everything is there: what is clicked early is not lost.
 * @param {(wired: Wired) => unknown} act */
async function onceWired(act) {
  const wired = await later.catch((reason) => {
    notice.say(say("page.lost"));
    throw reason;
  });
  return act(wired);
}

/** The same with what the first move can do without; says that it is loading where that takes a while.
 * @param {(rest: Rest) => void} act */
async function onceRest(act) {
  const slow = setTimeout(() => notice.good(say("page.loading"), "note"), SLOW_MS);
  try {
    await onceWired(async ({ rest }) => {
      const there = await rest();
      clearTimeout(slow);
      act(there);
    });
  } finally {
    clearTimeout(slow);
  }
}

/** @param {number} cell */
function choose(cell) {
  onceWired(({ controller }) => (store.state.edit ? controller.put(cell) : controller.play(cell)));
}

/** Says why a cell cannot be chosen, to whoever is to move. @param {number} cell */
function refuse(cell) {
  const { game: { position, rules }, edit } = store.state;
  if (edit || mover(store.state) !== "you") return;
  const key = isNumbered(rules) ? "full" : position.cells[cell] === EMPTY ? "barred" : "taken";
  const side = sideName(rules, position.toMove);
  const names = { cell: capital(cellName(rules, cell)), column: moveName(rules, cell), side };
  notice.good(say(`cell.${key}`, key === "barred" ? { ...names, cell: cellName(rules, cell) } : names), "note");
}

/** The line of the move under the mouse is shown. @param {number | null} cell */
function pointAt(cell) {
  if (thinksAlong(store.state) && store.state.pointedAt !== cell) store.set({ pointedAt: cell });
}

/** @param {GameController} controller @param {Game} game */
function beginGame(controller, game) {
  controller.begin({ game });
  board.focus();
}

function installControls() {
  const columns = /** @type {HTMLSelectElement} */ (byId("column-values"));
  const count = () => store.set({ stones: columns.value === "stones" });
  columns.addEventListener("change", count);
  count();
  for (const box of along) box.onchange = () => store.set({ [box.name]: box.checked });
  const on = (/** @type {string} */ id, /** @type {(wired: Wired) => void} */ act) => onClick(id, () => onceWired(act));
  onClick("new-game", () => onceRest(({ dialog }) => dialog.open()));
  onClick("share", () => onceRest(({ share }) => share()));
  for (const act of /** @type {const} */ (["undo", "redo", "hint", "restart", "edit"])) {
    on(act, ({ controller }) => controller[act]());
  }
  on("again", ({ controller }) => beginGame(controller, store.state.game.again()));
  on("swap", ({ controller }) => controller.swapSides());
  on("running", () => store.set({ running: !store.state.running }));
  onClick("keys", () => /** @type {HTMLDialogElement} */ (byId("keys-dialog")).showModal());
  const follow = (/** @type {string} */ id, /** @type {() => void} */ act) =>
    byId(id).addEventListener("click", (event) => {
      event.preventDefault();
      act();
    });
  for (const view of VIEWS) follow(`to-${view}`, () => store.set({ view }));
  follow("to-puzzles", () => onceWired(({ puzzles }) => puzzles.openDaily()));
  follow("skip", () => board.focus());
  for (const side of SIDES) playerList(side).addEventListener("change", () => choosePlayer(side));
}

/** @param {Side} side */
function choosePlayer(side) {
  const { players, levels } = store.state;
  const { player, level } = readPlayerValue(playerList(side).value);
  seat({ players: { ...players, [side]: player }, levels: { ...levels, [side]: level ?? levels[side] } });
}

/** @param {Pick<Setup, "players" | "levels">} choice */
function seat(choice) {
  store.set({ ...choice, ...seated(choice.players, store.state.game), running: true, hint: null });
}

/** The address always leads to the position shown; a new game is a new step of the browser's history.
 * @param {State} state @param {State} before */
function keepLink(state, before) {
  const hash = `#${writeLink(state)}`;
  for (const view of VIEWS) byId(`to-${view}`).setAttribute("href", `#${writeLink({ ...state, view })}`);
  if (hash === location.hash || (location.hash === "" && hash === `#${writeLink(before)}`)) return;
  const isStep = state.game.start !== before.game.start || state.view !== before.view;
  history[isStep ? "pushState" : "replaceState"](null, "", `./${hash}`);
}

/** The visitor went back, or put another link into the address. */
function followLink() {
  if (location.hash === PUZZLES) {
    // Else the way back would lead to another puzzle.
    history.replaceState(null, "", "./");
    return void onceWired(({ puzzles }) => puzzles.openDaily());
  }
  const wanted = linked();
  if (wanted && writeLink(wanted) !== writeLink(store.state)) onceWired(({ controller }) => controller.begin(wanted));
}

/** What the address leads to; null where that is nowhere, and why is said. */
function linked() {
  try {
    const setup = readLink(location.hash || location.search);
    if (setup.isCut) notice.say(say("friend.cut"));
    return setup;
  } catch (error) {
    if (!(error instanceof Misread)) throw error;
    notice.say(say("page.noLink", { why: misreadWords(error) }));
    return null;
  }
}
