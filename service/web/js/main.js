/** Wires the page: the state, those who change it and those who show it. */

import { Client } from "./api.js";
import { BoardView } from "./board.js";
import { byId, icon } from "./dom.js";
import { ExchangesView, copy } from "./exchanges.js";
import { Insight } from "./insight.js";
import { Key } from "./key.js";
import { LearnView } from "./learn.js";
import { FULL_STRENGTH, defaultSetup, readLink, writeLink } from "./link.js";
import { Match } from "./match.js";
import { MovesView } from "./moves.js";
import { Notice } from "./notice.js";
import { pieceIcon, skinOf } from "./pieces.js";
import { sceneOf } from "./scene.js";
import { SetupDialog } from "./setup.js";
import { ALL_PATHS, has, initialState, mover } from "./state.js";
import { Store } from "./store.js";
import { installTabs } from "./tabs.js";
import { installTheme } from "./theme.js";
import { ThinkingView } from "./thinking.js";
import { gameName, rulesSentence, statusWords } from "./words.js";

/** @typedef {import("./state.js").State} State */

const BAD_LINK = "This link does not lead to a game, so here is a new one.";

const setup = readLink(location.hash);
const store = new Store(initialState(setup ?? defaultSetup()));
const notice = new Notice(announce);
const key = new Key();
const exchanges = new ExchangesView(byId("exchanges"), key);
const client = new Client((all) => exchanges.render(all), (trouble) => notice.trouble(trouble), key);
const board = new BoardView(byId("board"), (cell) => match.play(cell));
const match = new Match(store, client, announce);
const dialog = new SetupDialog(byId("setup"), (chosen) => match.begin(chosen), (setupOpen) => store.set({ setupOpen }));

begin();

/** The board first, everything else after. */
function begin() {
  installTheme(byId("theme"));
  fillLevels();
  store.listen(renderStage);
  store.listen(keepLink);
  store.listen(({ problem }, before) => problem && problem !== before.problem && notice.say(problem, () => store.set({ problem: null })));
  renderStage(store.state);
  performance.mark("first board");
  new Insight(store, client);
  new ThinkingView(byId("thinking"), store, (shown) => match.show(shown));
  new MovesView(byId("moves"), store, (shown) => match.show(shown), () => match.review());
  new LearnView(byId("learn-view"), store, client, announce);
  installTabs(/** @type {Element} */ (document.querySelector("[role=tablist]")));
  installControls();
  addEventListener("hashchange", followLink);
  if (!setup) notice.say(BAD_LINK);
  store.set({});
  learnFeatures();
}

/** Features the service does not have are hidden. */
async function learnFeatures() {
  // Without a description everything is tried, and hidden once it turns out to be missing.
  store.set((await client.features()) ?? { paths: new Set(ALL_PATHS) });
}

function installControls() {
  const on = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener("click", act);
  on("new-game", () => dialog.open(store.state));
  on("undo", () => match.undo());
  on("redo", () => match.redo());
  on("hint", () => match.hint());
  on("restart", () => match.restart());
  on("swap", () => match.swapSides());
  on("running", () => match.toggleRunning());
  on("share", share);
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
  installPlayers();
}

function installPlayers() {
  for (const side of /** @type {const} */ (["X", "O"])) {
    const select = /** @type {HTMLSelectElement} */ (byId(`plays-${side.toLowerCase()}`));
    select.addEventListener("change", () => {
      const player = select.value === "you" ? "you" : "computer";
      store.set({ players: { ...store.state.players, [side]: player }, running: true, hint: null });
    });
  }
  const level = /** @type {HTMLSelectElement} */ (byId("level"));
  level.addEventListener("change", () => store.set({ level: Number(level.value) }));
}

function fillLevels() {
  byId("level").append(...Array.from({ length: FULL_STRENGTH }, (_, index) => new Option(String(index + 1))));
}

/** @param {State} state */
function renderStage(state) {
  const { game, players, level, view } = state;
  for (const name of ["play", "learn"]) {
    byId(`${name}-view`).hidden = view !== name;
    const link = byId(`to-${name}`);
    if (view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  byId("to-learn").hidden = !has(state, "/tree");
  byId("game-name").textContent = gameName(game.rules);
  byId("game-rules").textContent = rulesSentence(game.rules);
  byId("status").textContent = statusWords(game, players, state);
  byId("status").classList.toggle("over", game.isOver);
  /** @type {HTMLSelectElement} */ (byId("level")).value = String(level);
  byId("level-label").hidden = players.X === "you" && players.O === "you";
  for (const side of /** @type {const} */ (["X", "O"])) renderPlayer(state, side);
  renderControls(state);
  board.show(sceneOf(state));
}

/** @param {State} state @param {import("./rules.js").Side} side */
function renderPlayer({ game, players }, side) {
  const card = byId(`player-${side.toLowerCase()}`);
  card.classList.toggle("to-move", !game.isOver && game.position.toMove === side);
  card.classList.toggle("winner", game.ending.winner === side);
  const who = /** @type {Element} */ (card.querySelector(".who"));
  who.replaceChildren(pieceIcon(side, skinOf(game.rules)), side);
  /** @type {HTMLSelectElement} */ (byId(`plays-${side.toLowerCase()}`)).value = players[side];
}

/** @param {State} state */
function renderControls(state) {
  const { game, players, running } = state;
  const disabled = { undo: game.shown === 0, redo: !game.isLookingBack, hint: mover(state) !== "you", restart: game.moves.length === 0 };
  for (const [id, value] of Object.entries(disabled)) byId(id).setAttribute("aria-disabled", String(value));
  const button = byId("running");
  const alone = players.X === "computer" && players.O === "computer";
  button.hidden = mover(state) !== "computer" || (running && !alone);
  const name = running ? "Pause" : "Continue";
  if (button.textContent !== name) button.replaceChildren(icon(running ? "pause" : "go"), name);
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
  else if (writeLink(wanted) !== writeLink(store.state)) match.begin(wanted);
}

async function share() {
  const link = new URL(`#${writeLink(store.state)}`, location.href).href;
  if (await copy(link)) return notice.good("Link copied: it leads to this position.");
  const field = /** @type {HTMLInputElement} */ (byId("share-link"));
  field.value = link;
  /** @type {HTMLDialogElement} */ (byId("share-dialog")).showModal();
  return field.select();
}

/** @param {string} words */
function announce(words) {
  byId("announcer").textContent = words;
}
