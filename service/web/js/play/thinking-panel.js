/** Shows how the service thinks of the position: verdict, best line, values of moves, and where the visitor asks the search. */

import { pieceIcon } from "../board/pieces.js";
import { bestLineOf, bestOf, emptyOf, knownMoves } from "../board/scene.js";
import { arrange, byId, figure, h, onClick } from "../shared/dom.js";
import { moveInWords, moveName, sideName } from "../shared/notation.js";
import { cellIndex, other } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { expectedBefore, isTask, thinksAlong } from "../shared/state.js";
import { certaintyWords, countWords, reasonWords, shortValue, timeWords, valueWords,
  verdictWords } from "../shared/words.js";

const FIRST_MOVES = 5;
const LINE_SHOWN = 12;
/** The number of best moves whose lines are shown. */
const WITH_LINE = 3;

export class ThinkingPanel {
  #all = false;
  /** @type {Map<number, HTMLElement>} the moves that are listed */
  #items = new Map();
  line = byId("best-line");
  switches = /** @type {NodeListOf<HTMLInputElement>} */ (byId("panel").querySelectorAll(".switch input"));

  /** @param {PageStore} store @param {(state: State) => Node[]} afterGame what to do next
   * @param {(game: Game) => void} look shows a game that goes on by one of the moves */
  constructor(store, afterGame, look) {
    this.store = store;
    this.afterGame = afterGame;
    this.look = look;
    onClick("values-more", () => {
      this.#all = !this.#all;
      this.#render(store.state);
    });
    store.listen((state) => this.#render(state));
  }

  /** @param {State} state */
  #render(state) {
    const isOn = thinksAlong(state);
    const known = isOn ? state.known.get(state.game.key) ?? null : null;
    for (const box of this.switches) {
      const name = /** @type {"thinkAlong" | "showHeat" | "showLine"} */ (box.name);
      box.checked = name === "thinkAlong" ? isOn : state[name];
      box.disabled = isTask(state);
    }
    byId("thinking").hidden = !isOn || state.game.isOver;
    byId("headline").textContent = headline(state, known);
    const words = state.game.isOver ? this.afterGame(state) : explanation(state, known);
    byId("verdict").replaceChildren(...words);
    this.#renderSearch(state, known);
    this.#renderLine(state);
    this.#renderMoves(state, known);
  }

  /** @param {State} state @param {Known | null} known */
  #renderSearch(state, known) {
    const latest = running(state);
    const search = latest ?? known?.search ?? null;
    byId("searched").hidden = !search;
    byId("search-figures").classList.toggle("growing", latest !== null);
    if (!search) return;
    const time = search.elapsed_ms === undefined ? "…" : timeWords(search.elapsed_ms);
    const { depth, nodes, stopped_by: reason, cached } = search;
    const figures = [["depth", String(depth)], ["nodes", countWords(nodes)], ["time", time]];
    byId("search-figures").replaceChildren(...figures.map(([name, value]) => figure(say(`thinking.${name}`), value)));
    const end = reason ? say(`stopped.${reason}`) : say("thinking.searching");
    byId("search-end").textContent = reason && cached ? say("stopped.cached", { end }) : end;
  }

  /** The best line, or until there is one that which was expected before. @param {State} state */
  #renderLine(state) {
    const { game } = state;
    const best = bestLineOf(state);
    const before = best.length ? null : expectedBefore(state);
    const cells = best.length ? best : before?.cells ?? [];
    this.line.hidden = !thinksAlong(state) || cells.length === 0 || game.isOver;
    if (this.line.hidden) return;
    const title = before ? (before.holds ? "thinking.oldLine" : "thinking.otherLine") : "thinking.bestLine";
    this.line.classList.toggle("old", before !== null);
    this.line.replaceChildren(h("h2", { class: "minor" }, say(title)), lineList(game, cells));
  }

  /** @param {State} state @param {Known | null} known */
  #renderMoves(state, known) {
    const { rules, position } = state.game;
    const moves = knownMoves(state);
    byId("values").hidden = moves.length === 0;
    if (!moves.length) return;
    const isFinal = Boolean(known?.moves);
    const shown = this.#all && isFinal ? moves : bestOf(moves, position, FIRST_MOVES);
    const title = isFinal ? (this.#all ? "thinking.every" : "thinking.best") : "thinking.bestSoFar";
    const lost = isFinal ? lostAlike(moves) : null;
    byId("values-title").textContent = lost ?? say(title);
    // Items stay where they are, so that a mouse over one keeps its line while values come in.
    const words = lost ? () => "" : valueWords;
    arrange(byId("value-list"), shown.map((move, rank) =>
      this.#item(move, rules, [words(move), rank < WITH_LINE && lineText(move, rules)])));
    byId("values-explained").textContent = say(emptyOf(state) === null ? "values.explained" : "values.stonesExplained");
    byId("values-more").hidden = !isFinal || moves.length <= FIRST_MOVES;
    byId("values-more").textContent = say(this.#all ? "thinking.fewer" : "thinking.all", { count: moves.length });
  }

  /** @param {MoveValue} move @param {Rules} rules @param {(string | Element | false)[]} words */
  #item(move, rules, words) {
    const cell = cellIndex(move, rules);
    const item = this.#items.get(cell) ?? this.#newItem(cell);
    this.#items.set(cell, item);
    const [first, ...others] = item.children;
    first.textContent = moveName(rules, cell);
    for (const each of others) each.remove();
    item.append(h("span", { class: `chip ${move.outcome === "unknown" ? "estimate" : move.outcome}`, "aria-hidden": "true" }, shortValue(move, emptyOf(this.store.state))),
      h("span", {}, ...words));
    return item;
  }

  /** A mouse over a move shows its line on the board, and a click plays it. @param {number} cell */
  #newItem(cell) {
    const point = (/** @type {number | null} */ pointedAt) => this.store.set({ pointedAt });
    const play = () => this.look(/** @type {Game} */ (this.store.state.game.play(cell)));
    const where = h("button", { type: "button", class: "quiet where", onclick: play });
    return h("li", { onpointerenter: () => point(cell), onpointerleave: () => point(null) }, where);
  }
}

/** The moves that follow one. @param {MoveValue} move @param {Rules} rules */
function lineText({ line }, rules) {
  const names = line.slice(1, LINE_SHOWN).map((cell) => moveName(rules, cellIndex(cell, rules)));
  return names.length > 0 && h("small", { class: "line-after" }, names.join(" "));
}

/** What is said once instead of for each move, where all lose equally soon. @param {MoveValue[]} moves */
function lostAlike(moves) {
  const [{ outcome, distance, distance_is_bound: bound }] = moves;
  const isAlike = moves.every((move) => move.outcome === "loss" && move.distance === distance);
  if (outcome !== "loss" || !isAlike || moves.length === 1) return null;
  const key = bound ? "thinking.lostAtMost" : "thinking.lost";
  return say(key, { count: moves.length, distance: distance ?? 0 });
}

/** The running search of the position shown. @param {State} state */
function running(state) {
  const { progress, game } = state;
  return thinksAlong(state) && progress?.key === game.key ? progress.latest : null;
}

/** What is known of the position shown in a sentence, empty while it is hidden: a proof that a search has found before
 * its end is said at once.
 * @param {State} state @param {Known | null} known */
function headline(state, known) {
  const { game } = state;
  if (!thinksAlong(state) || game.isOver) return "";
  const { toMove, rules } = game.position;
  const best = knownMoves(state)[0];
  const value = known ?? (best?.proven ? best : null);
  const verdict = value && verdictWords(value, rules, toMove);
  if (verdict && best) return say("thinking.said", { verdict, move: moveInWords(rules, cellIndex(best, rules)) });
  if (verdict) return verdict;
  return say(running(state) ? "thinking.deeper" : "thinking.now");
}

/** Why, and how sure that is. @param {State} state @param {Known | null} known */
function explanation(state, known) {
  const { position, rules } = state.game;
  if (known) return [...why(known, rules, position.toMove), certainty(known)];
  const latest = running(state);
  if (!latest) return [];
  const best = latest.line.length ? moveInWords(rules, cellIndex(latest.line[0], rules)) : null;
  const prefers = best
    ? say("thinking.prefers", { side: sideName(rules, position.toMove), move: best }) : say("thinking.nothing");
  return [h("p", {}, prefers)];
}

/** @param {Game} game @param {Cell[]} line */
function lineList({ position, rules }, line) {
  const items = moveItems(position, line.slice(0, LINE_SHOWN).map((cell) => cellIndex(cell, rules)));
  const more = line.length - LINE_SHOWN;
  return h("ol", { class: "line-moves" }, ...items, more > 0 && h("li", {}, say("thinking.more", { count: more })));
}

/** Each with the mark of its side. @param {Position} position @param {number[]} cells */
function moveItems({ rules, toMove }, cells) {
  return cells.map((cell, ply) => {
    const side = ply % 2 ? other(toMove) : toMove;
    const name = h("span", { class: "visually-hidden" }, `${sideName(rules, side)} `);
    return h("li", {}, pieceIcon(rules, side), name, moveName(rules, cell));
  });
}

/** What the best move does, where the service says it. @param {Known} known @param {Rules} rules @param {Side} side */
function why({ reasons, move }, rules, side) {
  const words = move && reasons && reasonWords(reasons, cellIndex(move, rules), rules, side);
  return words ? [h("p", { class: "why" }, words)] : [];
}

/** @param {Known} known */
function certainty(known) {
  const [name, words] = known.proven ? ["sure", say("sure.proven")] : ["estimate", say("sure.estimate")];
  return h("p", {}, h("strong", { class: `chip ${name}` }, words), " ", certaintyWords(known));
}
