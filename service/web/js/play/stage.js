/** Draws what is around the board: its name, a bar for each player, whose turn it is, the buttons. */

import { pieceIcon } from "../board/pieces.js";
import { gameName, isSolved } from "../shared/catalogue.js";
import { attribute, byId, h, icon, times } from "../shared/dom.js";
import { sideName } from "../shared/notation.js";
import { rulesKey } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { canUndo, isTask, mover } from "../shared/state.js";
import { FULL_STRENGTH, rulesSentence, statusWords } from "../shared/words.js";

/** The levels that have the same name in each game. */
const NAMED_LEVELS = [2, 5, 8];
/** In lists of who plays a side, the visitor; the computer is the number of its level. */
const YOU = "you";
export const VIEWS = /** @type {const} */ (["play", "learn"]);
export const SIDES = /** @type {const} */ (["X", "O"]);

/** The list of who plays a side. @param {Side} side @returns {HTMLSelectElement} */
export function playerList(side) {
  return byId(`plays-${side.toLowerCase()}`);
}

/** @param {State} state */
export function renderStage(state) {
  const { game, players, view, edit, puzzle } = state;
  for (const name of VIEWS) {
    byId(`${name}-view`).hidden = view !== name;
    attribute(byId(`to-${name}`), "aria-current", view === name && !(puzzle && name === "play") && "page");
  }
  attribute(byId("to-puzzles"), "aria-current", view === "play" && puzzle && "page");
  byId("game-name").textContent = gameName(game.start);
  byId("game-rules").textContent = rulesSentence(game.start);
  // What a puzzle is about stays in sight until the reply to the first move.
  const isFirst = game.shown <= 2 && !game.isOver;
  const task = edit ? say("status.editing") : state.mistake?.words ?? (puzzle && isFirst ? puzzle.words : null);
  byId("status").textContent = task ?? statusWords(game, players, state);
  document.body.classList.toggle("turn", task === null && !game.isOver);
  byId("status").classList.toggle("over", game.isOver && !edit);
  // Who plays one side alone sits below the board.
  byId("stage").classList.toggle("o-below", players.O === "you" && players.X !== "you");
  for (const side of SIDES) renderPlayer(state, side);
  renderControls(state);
}

/** @param {State} state @param {Side} side */
function renderPlayer({ game, players, levels, friend }, side) {
  const bar = byId(`player-${side.toLowerCase()}`);
  const isToMove = !game.isOver && game.position.toMove === side;
  bar.classList.toggle("to-move", isToMove);
  bar.classList.toggle("winner", game.ending.winner === side);
  const name = sideName(game.rules, side);
  bar.querySelector(".who")?.replaceChildren(pieceIcon(game.rules, side), name);
  byId(`name-${side.toLowerCase()}`).hidden = players[side] === "computer";
  const turn = /** @type {Element} */ (bar.querySelector(".turn"));
  turn.textContent = isToMove ? byId("status").textContent : "";
  const list = playerList(side);
  if (list.dataset.rules !== rulesKey(game.rules)) list.replaceChildren(...playerOptions(game.rules));
  list.dataset.rules = rulesKey(game.rules);
  list.value = playerValue(players[side], levels[side]);
  list.disabled = Boolean(friend?.game.shown && !friend.game.isOver);
  list.setAttribute("aria-label", say("player.who", { side: name }));
}

/** @param {State} state */
function renderControls(state) {
  const { game, players, running, edit, friend } = state;
  const isOff = {
    undo: !canUndo(state), redo: !game.isLookingBack, hint: mover(state) !== "you" || isTask(state),
    restart: game.moves.length === 0 || friend !== null, swap: Boolean(friend?.game.shown),
  };
  for (const [id, value] of Object.entries(isOff)) byId(id).setAttribute("aria-disabled", String(value));
  byId("panel").hidden = edit !== null;
  byId("move-steps").classList.toggle("empty", game.moves.length === 0);
  byId("again").hidden = !game.isOver || edit !== null;
  const button = byId("running");
  const alone = players.X === "computer" && players.O === "computer";
  button.hidden = mover(state) !== "computer" || (running && !alone);
  const name = say(running ? "stage.pause" : "stage.continue");
  if (button.textContent !== name) button.replaceChildren(icon(running ? "pause" : "go"), name);
}

/** The name of a level; the strongest is perfect where the service proves every position of the game at once.
 * @param {number} level @param {Rules} rules */
export function levelWords(level, rules) {
  const strongest = isSolved(rules) ? "perfect" : "strongest";
  const key = level === FULL_STRENGTH ? strongest : NAMED_LEVELS.includes(level) && level;
  return say("level", { level: key ? `${level} · ${say(`level.${key}`)}` : level });
}

/** The choices of a list that says who plays a side. @param {Rules} rules */
export function playerOptions(rules) {
  const levels = times(FULL_STRENGTH, (at) => h("option", { value: at + 1 }, levelWords(at + 1, rules)));
  return [h("option", { value: YOU }, say("player.you")), h("optgroup", { label: say("player.computers") }, ...levels),
    h("option", { value: "friend" }, say("player.friend"))];
}

/** The value of the list. @param {Player} player @param {number} level */
export function playerValue(player, level) {
  return player === "computer" ? String(level) : player;
}

/** @param {string} value of the list @returns {{player: Player, level: number | null}} no level for people */
export function readPlayerValue(value) {
  if (value === YOU || value === "friend") return { player: value, level: null };
  return { player: "computer", level: Number(value) };
}
