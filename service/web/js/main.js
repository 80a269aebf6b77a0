/** Draws the first board with as little as that needs, then fetches everything else and connects the controls to it. */

import { BoardView } from "./board.js";
import { byId, icon } from "./dom.js";
import { FULL_STRENGTH, defaultSetup, readLink, writeLink } from "./link.js";
import { Notice } from "./notice.js";
import { pieceIcon, skinOf } from "./pieces.js";
import { sceneOf } from "./scene.js";
import { has, initialState, mover } from "./state.js";
import { Store } from "./store.js";
import { installTabs } from "./tabs.js";
import { installTheme } from "./theme.js";
import { gameName, rulesSentence, statusWords } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {ReturnType<import("./later.js").wire>} Wired */

const BAD_LINK = "This link does not lead to a game, so here is a new one.";
const NOT_LOADED = "Part of this page did not arrive. Reload the page to play.";

const setup = readLink(location.hash);
const store = new Store(initialState(setup ?? defaultSetup()));
const notice = new Notice(announce);
const board = new BoardView(byId("board"), (cell) => onceWired(({ match }) => match.play(cell)));
drawStage();
const later = fetchLater();
begin();

function drawStage() {
  installTheme(byId("theme"));
  installTabs(/** @type {Element} */ (document.querySelector("[role=tablist]")));
  fillLevels();
  renderStage(store.state);
  performance.mark("first board");
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
  store.listen(renderStage);
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

function installControls() {
  const on = (/** @type {string} */ id, /** @type {(wired: Wired) => void} */ act) => byId(id).addEventListener("click", () => onceWired(act));
  on("new-game", ({ dialog }) => dialog.open(store.state));
  on("undo", ({ match }) => match.undo());
  on("redo", ({ match }) => match.redo());
  on("hint", ({ match }) => match.hint());
  on("restart", ({ match }) => match.restart());
  on("swap", ({ match }) => match.swapSides());
  on("running", ({ match }) => match.toggleRunning());
  on("share", ({ share }) => share());
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
  else if (writeLink(wanted) !== writeLink(store.state)) onceWired(({ match }) => match.begin(wanted));
}

/** @param {string} words */
function announce(words) {
  byId("announcer").textContent = words;
}
