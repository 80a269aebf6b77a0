/** What the page says, in plain words: names of cells and games, turns, results, verdicts, values. */

import { cellName, moveInWords, sideName } from "./notation.js";
import { listed, number, say } from "./say.js";
import { BLOCKED, EMPTY, RULES, WRITTEN, cellIndex, other, unusualRules } from "./rules.js";

/** Counts from here on are in millions. */
const ROUNDED_FROM = 1e7;

/** The bounds of an estimate above which it is called so, best first. @type {[number, string][]} */
const LEANINGS = [[0.6, "verdict.much"], [0.25, "verdict.better"], [0.05, "verdict.little"]];

/** The rules in a sentence. @param {Pick<Position, "rules" | "cells">} board */
export function rulesSentence({ rules, cells }) {
  const { rows, columns, layers, goal, misere, exact_goal } = rules;
  const ends = `${exact_goal ? "exact" : ""}${misere ? "Loses" : "Wins"}`;
  const blocked = cells.split(BLOCKED).length - 1;
  const parts = [
    say("rules.board", { size: [columns, rows, layers].slice(0, layers > 1 ? 3 : 2).join(" × ") }),
    say(`rules.${ends.charAt(0).toLowerCase()}${ends.slice(1)}`, { goal, count: goal }),
    ...Object.entries(unusualRules(rules)).map(([name, value]) => ruleInWords(name, value)),
    blocked && say("rules.blocked", { count: blocked }),
  ];
  return say("rules.sentence", { parts: parts.filter(Boolean).join(say("rules.between")) });
}

/** A rule that is another than usual; null for one that another part of the sentence says.
 * @param {string} name @param {any} value */
function ruleInWords(name, value) {
  if (!RULES[name] || ["goal", "misere", "exact_goal"].includes(name)) return null;
  const { kind } = RULES[name];
  if (kind === "choice") return say(`${name}.${value}`);
  const each = kind === "list" ? value.map((/** @type {string} */ part) => say(`${name}.${part}`)) : [];
  return say(`rules.${name}`, { [name]: listed(each, "disjunction") });
}

/** The one-line status above the board.
 * @param {Game} game @param {Record<Side, Player>} players @param {State} state */
export function statusWords(game, players, { thinking, running, isAway, review, friend }) {
  if (game.isOver) return toldWords(game, players, review) ?? resultWords(game, players);
  const side = game.position.toMove;
  const name = sideName(game.rules, side);
  const isReviewing = review?.game.start === game.start;
  const isBack = friend && (game.isLookingBack || friend.game.isOver);
  if (players[side] === "friend" && !isBack) return say("status.friend", { side: name });
  const isShared = players[other(side)] === "you" || isBack;
  if (players[side] !== "computer") return say(isShared ? "status.toMove" : "status.yourTurn", { side: name });
  if (!running) return say(isReviewing ? "status.reviewing" : "status.paused", { side: name });
  return say(thinking && !isAway ? "status.thinking" : "status.toMove", { side: name });
}

/** How a reviewed game was won, and the last move that gave it away. @param {Game} game
 * @param {Record<Side, Player>} players @param {Review | null} review */
function toldWords({ ending: { winner }, rules, moves, start }, players, review) {
  if (!winner || !review?.isDone || review.game.start !== start || review.game.moves.length !== moves.length) return null;
  const loser = other(winner);
  const key = players[winner] === players[loser] ? "wins" : players[winner] === "you" ? "won" : players[loser] === "you" ? "lost" : "wins";
  const told = say(`told.${key}`, { side: sideName(rules, winner), count: moves.length });
  const at = review.moves.findLastIndex(({ grade, to_move: side }) => side === loser && ["mistake", "blunder"].includes(grade));
  return at < 0 ? told : say("told.turn", { told, number: at + 1 });
}

/** @param {Game} game @param {Record<Side, Player>} [players] */
export function resultWords({ ending, rules, position }, players) {
  const isStuck = position.cells.includes(EMPTY);
  if (ending.state === "drawn") return say(isStuck ? "result.stuck" : "result.full");
  const winner = /** @type {Side} */ (ending.winner);
  const side = sideName(rules, winner);
  if (!players || players[winner] === players[other(winner)]) return say("result.wins", { side });
  return say({ you: "result.you", computer: "result.computer", friend: "result.wins" }[players[winner]], { side });
}

/** What a screen reader hears after a move. @param {Game} game */
export function moveAnnouncement(game) {
  const cell = game.lastMove;
  const [side, next] = [other(game.position.toMove), game.position.toMove].map((each) => sideName(game.rules, each));
  const made = cell === null ? say("move.start") : say("move.made", { side, move: moveInWords(game.rules, cell) });
  if (!game.isOver) return `${made} ${say("move.next", { side: next })}`;
  const lines = game.ending.lines.map((line) => line.map((each) => cellName(game.rules, each)).join(", "));
  const key = ["result.end", "result.line"][lines.length] ?? "result.lines";
  return `${made} ${say(key, { result: resultWords(game), line: lines.join("; ") })}`;
}

/** Moves to the end of the game, those of both sides counted: the one unit of this page. @param {Value} value */
function toTheEnd({ distance, distance_is_bound: bound }) {
  return say(bound ? "value.endAtMost" : "value.end", { count: distance ?? 0 });
}

/** What a value of a position means, for the side to move in it.
 * @param {Value} value @param {Rules} rules @param {Side} toMove */
export function verdictWords(value, rules, toMove) {
  const { outcome, distance } = value;
  if (outcome === "draw") return say("verdict.draw");
  if (outcome === "unknown") return leaningWords(estimateOf(value), rules, toMove);
  const side = sideName(rules, outcome === "win" ? toMove : other(toMove));
  return distance ? say("verdict.wins", { side, end: toTheEnd(value) }) : say("verdict.won", { side });
}

/** @param {number} estimate @param {Rules} rules @param {Side} toMove */
function leaningWords(estimate, rules, toMove) {
  const leaning = LEANINGS.find(([least]) => Math.abs(estimate) >= least);
  const side = sideName(rules, estimate > 0 ? toMove : other(toMove));
  return say(leaning?.[1] ?? "verdict.even", { side });
}

/** The expected result where the service tells it, else its score: from −1 to 1 for the side to move.
 * @param {Value} value */
export function estimateOf({ expected, score }) {
  return expected ?? score;
}

/** How sure that is. @param {Value} value */
export function certaintyWords({ proven, distance_is_bound: bound }) {
  return say(proven ? (bound ? "sure.bound" : "sure.exact") : "sure.open");
}

/** The reasons that say more than the score, in the order of a sentence. */
const REASONS = ["only_move", "forced", "completes_line", "blocks_line", "double_threat", "threatens_line",
  "avoids_line", "forces_line", "longest_defence"];

/** What the service's move does, in a sentence.
 * @param {{code: string, cells: any[]}[]} reasons @param {number} cell @param {Rules} rules @param {Side} toMove */
export function reasonWords(reasons, cell, rules, toMove) {
  const [side, opponent] = [sideName(rules, toMove), sideName(rules, other(toMove))];
  const said = REASONS.flatMap((code) => reasons.find((reason) => reason.code === code) ?? []);
  const why = said.map(({ code, cells }) => say(`reason.${code}`, { opponent, count: cells.length }));
  return say(why.length ? "move.why" : "move.made", { side, move: moveInWords(rules, cell), why: why.join(", ") });
}

/** What a review found better than a move, and how much. @param {Rules} rules @param {any} graded */
export function betterWords(rules, graded) {
  const { best_moves: best, best_outcome: outcome, best_score: score } = graded;
  const moves = best.map((/** @type {any} */ cell) => moveInWords(rules, cellIndex(cell, rules))).join(", ");
  // What is not proven to be better is only what the search likes most.
  if (outcome === "unknown") return say("review.prefers", { moves });
  const isTimed = outcome === graded.outcome && outcome !== "draw" && !graded.distance_is_bound;
  // One move sooner is one point more, in size.
  const count = Math.round(Math.abs(score - graded.score));
  return say(isTimed && count ? `review.better.${outcome}` : "review.better",
    { moves, outcome: say(`outcome.${outcome}`), count });
}

/** A value in at most six characters, for the board and lists.
 * @param {Value} value @param {number | null} [empty] cells, where the number is that of gamesolver's page: how many stones
 * before the last of its own the winner ends the game, with 1 for the last, below 0 for the other side */
export function shortValue(value, empty = null) {
  const { outcome, distance, distance_is_bound: bound } = value;
  if (empty !== null && outcome !== "unknown") {
    const stones = Math.floor((empty + 2 - (distance ?? 0)) / 2);
    return `${bound ? "≥" : ""}${{ win: stones, draw: 0, loss: `−${stones}` }[outcome]}`.replace("≥−", "≤−");
  }
  if (outcome === "unknown") return signed(estimateOf(value), 2);
  return say(`value.letter.${outcome}`) + (outcome === "draw" ? "" : `${bound ? "≤" : ""}${distance}`);
}

/** The same in at most four characters, for a cell. @param {Value} value @param {number | null} [empty] */
export function cellValue(value, empty) {
  return shortValue(value, empty).replace(/0(?=\D)/, "").replace(/1\D00/, "1");
}

/** A value in a few words, for the side that makes the move. @param {Value} value */
export function valueWords(value) {
  const kind = typeof value.expected === "number" ? "value.expected" : "value.estimate";
  if (value.outcome === "unknown") return say(kind, { value: signed(estimateOf(value), 2) });
  return say(`value.${value.outcome}`, { end: value.outcome === "draw" ? "" : toTheEnd(value) });
}

/** A number with a true minus or a plus. @param {number} value @param {number} [digits] after the point */
export function signed(value, digits) {
  const size = number(Math.abs(value), { minimumFractionDigits: digits, maximumFractionDigits: digits ?? 4 });
  if (!/[1-9]/.test(size)) return size;
  return `${value < 0 ? "−" : "+"}${size}`;
}

/** @param {number} count */
export function countWords(count) {
  return number(count, count < ROUNDED_FROM ? {} : { notation: "compact", maximumFractionDigits: 1 });
}

/** @param {number} ms */
export function timeWords(ms) {
  const rounded = (/** @type {number} */ value) => number(value, { maximumFractionDigits: value < 10 ? 1 : 0 });
  return ms < 1000 ? `${rounded(ms)} ms` : `${rounded(ms / 1000)} s`;
}

/** The number of the strongest level. */
export const FULL_STRENGTH = WRITTEN.fullStrength;

/** The signs of the grades of a review. @type {Record<string, string>} */
export const GRADES = { best: "✓", inaccuracy: "?!", mistake: "?", blunder: "??", unclear: "~" };

/** A graded move as the page shows it: in a proven loss a move has no grade, however long it lasts. @param {any} graded */
export function judged(graded) {
  const isLost = graded.graded_by === "proof" && graded.outcome === "loss" && graded.best_outcome === "loss";
  return isLost ? { ...graded, grade: "lost" } : graded;
}

/** Whether a grade is one of an estimate. @param {any} graded */
export function isEstimate({ graded_by: by, grade }) {
  return by === "estimate" && grade !== "unclear";
}

/** @param {Trouble} trouble */
export function troubleWords({ kind, until }) {
  const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
  return say(seconds > 0 ? "trouble.soon" : "trouble.now", { trouble: say(`trouble.${kind}`), seconds });
}
