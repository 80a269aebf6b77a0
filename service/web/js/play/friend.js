/** A game with a friend by links: what to send, the answer that is pasted, and which of two courses holds. */

import { BoardView } from "../board/board-view.js";
import { BARE } from "../board/scene.js";
import { announce, button, byId, h } from "../shared/dom.js";
import { Misread } from "../../../../browser/read-moves.js";
import { misreadWords } from "../shared/game.js";
import { readLink, writeLink } from "../shared/link.js";
import { movesText, sideName } from "../shared/notation.js";
import { positionKey } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { inCommon } from "../shared/state.js";
import { remember, remembered } from "../shared/storage.js";
import { moveAnnouncement } from "../shared/words.js";
import { copyRow } from "./take-away.js";

/** @typedef {State & {friend: FriendGame}} Friendly */

const STORED = "kinarow.friend";
/** The number of games that are kept. */
const KEPT = 20;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

export class Friend {
  #built = "";
  #canShare = Boolean(navigator.share);
  root = byId("friend");
  dialog = /** @type {HTMLDialogElement} */ (byId("friend-dialog"));

  /** @param {PageStore} store */
  constructor(store) {
    this.store = store;
    store.listen((state) => this.#follow(state));
  }

  /** @param {State} state */
  #follow(state) {
    if (isFriendly(state) && state.friend.isChecked) keep(state);
    this.#render(state);
    if (isFriendly(state) && !state.friend.isChecked && !this.dialog.open) this.#arrive(state);
  }

  /** A link was opened: it may be of a game that this browser has played. @param {Friendly} state */
  async #arrive(state) {
    const { friend } = state;
    const kept = keptGames()[friend.id];
    const mine = kept && readLink(kept.link);
    const isOther = mine && mine.players.X !== state.players.X;
    const players = isOther && !(await this.#isToChange(mine, state)) ? mine.players : state.players;
    const isOn = !mine || goesOn(mine.game, friend.game) || (await this.#isTaken(mine.game, friend.game));
    if (this.store.state.friend !== friend) return;
    const isSame = kept && (!isOn || mine.game.moves.length === friend.game.moves.length);
    this.#settle(isOn ? friend.game : mine.game, players, !isSame || kept.isSent);
  }

  /** @param {Game} course @param {Record<Side, Player>} players @param {boolean} isSent */
  #settle(course, players, isSent) {
    const { game: shown, friend } = /** @type {Friendly} */ (this.store.state);
    const isSame = positionKey(course.start) === positionKey(shown.start);
    // The start stays, so that the browser's way back does not lead to the other course.
    const game = isSame ? shown.again().on(course.path) : course;
    this.store.set({ game, players, hint: null, friend: { ...friend, game, isSent, isChecked: true } });
  }

  /** @param {Setup} mine @param {Setup} link */
  #isToChange(mine, link) {
    const sideOf = (/** @type {Setup} */ { game, players }) =>
      sideName(game.rules, players.X === "you" ? "X" : "O");
    const [words, ...acts] = [say("friend.side", { side: sideOf(mine) }),
      ...[mine, link].map((each) => say("friend.stay", { side: sideOf(each) }))];
    return this.#ask(words, acts, []);
  }

  /** Shows two courses beside each other. @param {Game} mine @param {Game} link */
  #isTaken(mine, link) {
    const figures = [mine, link].map((game, at) => {
      const board = h("div", { class: "board" });
      const { position, lastMove, ending: { lines } } = game;
      const view = new BoardView(board, () => {}, () => {});
      view.show({ ...BARE, position, lastMove, lines, targetOf: () => null, mark: "X" });
      const words = `${say(at ? "friend.theirs" : "friend.mine")}: ${movesText(game.rules, game.path)}`;
      return h("figure", {}, h("div", { inert: true }, board), h("figcaption", {}, words));
    });
    return this.#ask(say("friend.which"), [say("friend.keep"), say("friend.take")], figures);
  }

  /** @param {string} words @param {string[]} acts to keep mine, and to take the link's @param {HTMLElement[]} parts */
  #ask(words, acts, parts) {
    byId("friend-title").textContent = words;
    byId("friend-parts").replaceChildren(...parts);
    const buttons = this.dialog.querySelectorAll("button");
    acts.forEach((act, at) => (buttons[at].textContent = act));
    this.dialog.returnValue = "";
    this.dialog.showModal();
    const answered = (/** @type {(isLink: boolean) => void} */ resolve) =>
      this.dialog.addEventListener("close", () => resolve(this.dialog.returnValue === "link"), { once: true });
    return /** @type {Promise<boolean>} */ (new Promise(answered));
  }

  /** @param {State} state */
  #render(state) {
    const game = state.friend?.game;
    const isWaiting = game && state.friend?.isChecked && state.players[game.position.toMove] === "friend";
    this.root.hidden = !isWaiting || state.edit !== null;
    if (this.root.hidden || !isFriendly(state)) return;
    const { friend, players } = state;
    const link = writeLink({ ...state, view: "play", players: { X: players.O, O: players.X } });
    // While nothing else is to be sent, all stays as it is.
    if (this.#built === `${link} ${this.#canShare}`) return;
    this.#built = `${link} ${this.#canShare}`;
    const url = new URL(`./#${link}`, location.href).href;
    const words = say(friend.game.isOver ? "friend.result" : "copy.friend");
    const send = this.#canShare ? button(words, () => this.#share(url), "primary") : copyRow(words, say("copy.link.act"), url, () => this.#sent());
    const near = LOOPBACK.test(location.hostname) && h("p", { class: "fine" }, say("friend.loopback"));
    const parts = [send, near, !friend.game.isOver && this.#pasteForm()];
    this.root.replaceChildren(...parts.filter((each) => each !== false));
  }

  /** @param {string} url */
  async #share(url) {
    try {
      await navigator.share({ url });
      this.#sent();
    } catch (error) {
      // Somebody has thought better of it, or there is nothing to share with.
      this.#canShare = error instanceof DOMException && error.name === "AbortError";
      this.#render(this.store.state);
    }
  }

  #sent() {
    const { friend } = this.store.state;
    if (friend && !friend.isSent) this.store.set({ friend: { ...friend, isSent: true } });
  }

  #pasteForm() {
    const wrong = h("p", { class: "edit-problem", "aria-live": "polite" });
    const read = () => this.#paste(field.value).then((words) => (wrong.textContent = words));
    const oninput = () => field.value.includes("id=") && read();
    const field = h("input", { id: "friend-answer", autocomplete: "off", spellcheck: false, oninput });
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      read();
    };
    return h("form", { class: "copy-row", onsubmit },
      h("label", { for: "friend-answer" }, say("friend.paste")), field, wrong);
  }

  /** Takes an answer; gives what is wrong with it. @param {string} text */
  async #paste(text) {
    const { friend, players } = /** @type {Friendly} */ (this.store.state);
    try {
      const setup = readLink(text.match(/#\S+/)?.[0] ?? "");
      if (setup.friend?.id !== friend.id) return say(setup.isCut ? "friend.cut" : setup.friend ? "friend.other" : "friend.noLink");
      const isOn = goesOn(friend.game, setup.game);
      if (isOn && setup.game.shown === friend.game.shown) return say("friend.noMove");
      if (isOn || (await this.#isTaken(friend.game, setup.game))) {
        this.#settle(setup.game, players, true);
        announce(moveAnnouncement(this.store.state.game));
      }
      return "";
    } catch (error) {
      if (!(error instanceof Misread)) throw error;
      return say("page.noLink", { why: misreadWords(error) });
    }
  }
}

/** @param {State} state @returns {state is Friendly} */
function isFriendly(state) {
  return state.friend !== null;
}

/** Whether a course of a game has all the moves of another. @param {Game} mine @param {Game} course */
function goesOn(mine, course) {
  return positionKey(mine.start) === positionKey(course.start) && inCommon(course, mine.path) === mine.path.length;
}

/** The links of the games that this browser has played, by the names of these. */
function keptGames() {
  try {
    return JSON.parse(remembered(STORED) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {Friendly} state */
function keep(state) {
  const { id, game, isSent } = state.friend;
  const { [id]: before, ...others } = keptGames();
  const link = writeLink({ ...state, view: "play" });
  // Until something was made or sent, nothing is there to keep.
  if ((!game.shown && !isSent) || (before?.link === link && before.isSent === isSent)) return;
  const last = Object.entries(others).slice(1 - KEPT);
  remember(STORED, JSON.stringify({ ...Object.fromEntries(last), [id]: { link, isSent } }));
}
