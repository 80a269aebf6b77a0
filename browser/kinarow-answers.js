// What the service answers to /move, /analysis, /review and /tree, from the engine in the browser. Grades are those of
// kinarow/play/review.py and grades.py, trees those of kinarow/play/teaching.py.

import { createEngine } from "./kinarow-engine.js";
import { linesOf, opponent, placeOf } from "./lines.js";

const RANKS = { loss: 0, draw: 1, win: 2 };
const REASONS = ["proof", "depth", "nodes", "time"]; // why a search ended, the surest first
const COUNTS = { best: "best", inaccuracies: "inaccuracy", mistakes: "mistake", blunders: "blunder", unclear: "unclear" };

const thousandths = (number) => Math.round(number * 1000) / 1000;
const mean = (numbers) => thousandths(numbers.reduce((total, each) => total + each, 0) / numbers.length);

/** @type {typeof import("./kinarow-engine.js").createAnswers} */
export async function createAnswers(options = {}) {
  const engine = await createEngine(options);
  return {
    games: engine.games,
    move: (body, { signal } = {}) => engine.move({ ...body, signal }),
    analysis: (body, { signal, onProgress } = {}) => engine.analyse({ ...body, signal }, onProgress),
    review: async (body, how = {}) => review(engine, await engine.rules(body), body, how),
    tree,
  };
}

/** Every position is searched once, from the last to the first. */
async function review(engine, rules, { max_nodes: given, ...game }, { signal, onProgress }) {
  const { boards, sides, tiles: moves, grading } = await engine.replay(game);
  const max_nodes = given ?? (rules.review_nodes && Math.max(1, Math.floor(rules.review_nodes / boards.length)));
  const { board: _, moves: _moves, first: _first, to_move: _side, ...rest } = game;
  const fixed = { ...rest, ...(max_nodes && { max_nodes }) };
  const search = (ply) => engine.move({ ...fixed, board: boards[ply], to_move: sides[ply], signal });
  const last = await search(moves.length);
  const [graded, drops] = [[], []];
  const isCut = ({ search: { stopped_by } }) => stopped_by === "time";
  let after = last;
  let cut = Number(isCut(last));
  for (let ply = moves.length - 1; ply >= 0; ply--) {
    const before = await search(ply);
    const { drop, ...answer } = judged(placeOf(moves[ply] - 1, rules), before, after, rules, grading);
    graded[ply] = { to_move: sides[ply], ...answer };
    drops[ply] = { to_move: sides[ply], grade: answer.grade, drop };
    onProgress?.({ ...graded[ply], index: ply });
    after = before;
    cut += isCut(before);
  }
  const { state, winner, winning_cells } = last;
  const summary = { X: summed(drops, "X"), O: summed(drops, "O"), cut_by_time: cut };
  return { state, winner, winning_cells, moves: graded, summary };
}

/** A move, its value and its grade, from the searches of the positions before and after it. */
function judged(move, before, after, rules, grading) {
  const { cells } = rules;
  const isMove = (each) => each.tile === move.tile;
  let [best, best_moves] = [valueOf(before), before.best_moves];
  let played = beforeMove(valueOf(after), cells);
  if (best_moves.some(isMove) && !saysMore(played, best)) played = best;
  if (best.proven && !played.proven) played = atMost(best, played, cells);
  if (played.score > best.score) [best, best_moves] = [atLeast(played, best), [move]];
  let [grade, graded_by] = gradeOf(played, best, grading);
  if (grade === "best" && graded_by === "proof" && !best_moves.some(isMove))
    best_moves = [...best_moves, move].sort((a, b) => a.tile - b.tile);
  const missed = best.outcome === "loss" ? null : missedBy(move, before, after, rules);
  const least = missed === "win" && played.outcome === "win" ? "inaccuracy" : "mistake";
  const isMilder = grading.grades.indexOf(grade) < grading.grades.indexOf(least);
  if (missed && isMilder) [grade, graded_by] = [least, "estimate"];
  const drop = best.expected === null || played.expected === null ? null : best.expected - played.expected;
  const [best_score, best_outcome] = [best.score, best.outcome];
  const reasons = [before, after].map(({ search }) => REASONS.indexOf(search.stopped_by));
  const stopped_by = REASONS[Math.max(...reasons)];
  return { move, ...played, best_moves, best_score, best_outcome, grade, graded_by, stopped_by, missed, drop };
}

/** A win in one that the move passes over, or one of the other side that stood before it and stands after it. */
function missedBy(move, before, after, { misere, gravity, rise }) {
  if (misere) return null;
  const winsInOne = ({ outcome, distance }) => outcome === "win" && distance === 1;
  if (winsInOne(before)) return before.best_moves.some(({ tile }) => tile === move.tile) ? null : "win";
  const stood = ({ tile }) => !gravity || tile !== move.tile + rise;
  return winsInOne(after) && after.best_moves.some(stood) ? "block" : null;
}

const valueOf = ({ score, outcome, distance, distance_is_bound, proven, expected }) =>
  ({ score, outcome, distance, distance_is_bound, proven, expected });
const isExact = ({ proven, distance_is_bound }) => proven && !distance_is_bound;

function provenEnd(outcome, distance, distance_is_bound, cells) {
  const isWin = outcome === "win";
  const score = isWin ? cells + 1 - distance : distance - cells - 1;
  return { score, outcome, distance, distance_is_bound, proven: true, expected: isWin ? 1 : -1 };
}

function beforeMove(child, cells) {
  const { outcome, distance, distance_is_bound: isBound, score, expected } = child;
  if (outcome === "unknown") return { ...child, score: 0 - score, expected: expected === null ? null : 0 - expected };
  if (outcome === "draw") return { ...child, distance: distance + 1 };
  return provenEnd(outcome === "loss" ? "win" : "loss", distance + 1, isBound, cells);
}

/** Whether the later of two values of one move is surer, or a quicker win. */
function saysMore(later, earlier) {
  if (isExact(later) !== isExact(earlier)) return isExact(later);
  if (later.proven !== earlier.proven) return later.proven;
  return later.outcome === "win" && later.score > earlier.score;
}

/** An unproven value of a move that is known to be no better than a proven one. */
function atMost(best, played, cells) {
  if (best.outcome === "loss") return provenEnd("loss", best.distance, true, cells);
  if (best.outcome !== "draw") return played;
  const expected = played.expected === null ? null : Math.min(played.expected, 0);
  return { ...played, score: Math.min(played.score, 0), expected };
}

/** The best value where the move played turned out to be better than what was known before it. */
function atLeast(played, best) {
  if (played.outcome === "win" && !isExact(best)) return { ...played, distance_is_bound: true };
  if (played.outcome !== "draw" || best.proven) return played;
  const expected = best.expected === null ? null : Math.max(best.expected, 0);
  return { ...played, outcome: "unknown", distance: null, proven: false, expected };
}

function gradeOf(played, best, { drops }) {
  if (!played.proven || !best.proven) return [gradeByExpected(played, best, drops), "estimate"];
  const lost = RANKS[best.outcome] - RANKS[played.outcome];
  if (lost > 0) return [lost === 1 ? "mistake" : "blunder", "proof"];
  const [[lowest, highest], [leastBest, mostBest]] = [rangeOf(played), rangeOf(best)];
  if (highest < leastBest) return ["inaccuracy", "proof"];
  if (lowest >= mostBest) return ["best", "proof"];
  return [played.score < best.score ? "inaccuracy" : "best", "estimate"];
}

function gradeByExpected(played, best, drops) {
  const isLost = played.outcome === "loss";
  if (played.expected === null || best.expected === null) return isLost ? "mistake" : "unclear";
  const drop = thousandths(best.expected - played.expected);
  const grade = drops.find(([least]) => drop >= least)?.[1] ?? "best";
  return isLost && ["best", "inaccuracy"].includes(grade) ? "mistake" : grade;
}

/** The least and the greatest value that a proven score may turn out to have. */
function rangeOf(value) {
  if (isExact(value)) return [value.score, value.score];
  return value.outcome === "win" ? [value.score, Infinity] : [-Infinity, value.score];
}

function summed(graded, side) {
  const own = graded.filter(({ to_move }) => to_move === side);
  const count = (grade) => own.filter((each) => each.grade === grade).length;
  const drops = own.flatMap(({ drop }) => (drop === null ? [] : [drop]));
  const counts = Object.fromEntries(Object.entries(COUNTS).map(([name, grade]) => [name, count(grade)]));
  const accuracy = own.length ? thousandths(counts.best / own.length) : null;
  return { moves: own.length, ...counts, accuracy, lost: drops.length ? mean(drops) : null, lost_over: drops.length };
}

// ---- Trees of lessons --------------------------------------------------------------------------------------------

const [MAX_ESTIMATE, MAX_EXPONENT, DECIMALS] = [0.9999, 12, 1e4];
const weight = (marks) => (marks ? 10 ** Math.min(marks - 1, MAX_EXPONENT) : 0);

/** The search of a small position, by the functions of the page: `legalMoves`, `play` and `ending` of a position. */
export function tree({ pruning = true, max_depth: deepest = Infinity }, { position: root, legalMoves, play, ending }) {
  let nodes = 0;
  const finite = (number) => (Math.abs(number) === Infinity ? null : number);
  const grow = (position, move, ply, alpha, beta) => {
    nodes++;
    const node = { move, value: null, alpha: finite(alpha), beta: finite(beta), cut: false, best: false, children: [] };
    const { state, winner } = ending(position);
    const sign = position.toMove === root.toMove ? 1 : -1;
    if (state === "drawn") node.value = 0;
    else if (state === "won") node.value = (root.cells.length + 1 - ply) * (winner === root.toMove ? 1 : -1);
    else if (ply >= deepest) node.value = sign * estimateOf(position) + 0;
    else {
      const moves = legalMoves(position);
      const better = sign > 0 ? Math.max : Math.min;
      node.value = -sign * Infinity;
      for (const cell of moves) {
        node.children.push(grow(play(position, cell), placeOf(cell, root.rules), ply + 1, alpha, beta));
        node.value = better(node.value, node.children.at(-1).value);
        if (pruning && sign > 0) alpha = Math.max(alpha, node.value);
        if (pruning && sign < 0) beta = Math.min(beta, node.value);
        if (alpha >= beta) break;
      }
      node.cut = node.children.length < moves.length;
    }
    return node;
  };
  const whole = grow(root, null, 0, -Infinity, Infinity);
  for (let node = whole; node; node = node.children.find(({ value }) => value === node.value)) node.best = true;
  return { nodes, root: whole };
}

/** The estimate by the line heuristic, for the side to move: what the lines with marks of one side only are worth. It does
 * not look beyond the ends of a line, as rules of exact lines would. */
function estimateOf({ rules, cells, toMove }) {
  let raw = 0;
  // On rings several ways lead through the same cells.
  const lines = new Map(linesOf(rules).map(({ line }) => [line.toSorted((a, b) => a - b).join(), line]));
  for (const line of lines.values()) {
    const marks = (side) => line.filter((cell) => cells[cell] === side).length;
    const [own, opposing] = [marks(toMove), marks(opponent(toMove))];
    if (!line.some((cell) => cells[cell] === "#") && !(own && opposing)) raw += weight(own) - weight(opposing);
  }
  if (rules.misere) raw = -raw;
  const value = Math.round((raw / (Math.abs(raw) + 2 * weight(Math.max(rules.goal, 2)))) * DECIMALS) / DECIMALS;
  return rules.marks === "shared" ? 0 : Math.max(-MAX_ESTIMATE, Math.min(MAX_ESTIMATE, value));
}
