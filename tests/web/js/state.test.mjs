import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { fromMoves, Game } = await load("shared/game");
const { defaultSetup } = await load("shared/link");
const { moveQuestion, moveReviewQuestion, positionFields, reviewQuestion,
  treeQuestion } = await load("shared/request-bodies");
const { emptyPosition, positionKey, rulesOf } = await load("shared/rules");
const { afterMove, currentReview, expectedBefore, history, initialState, learnt, mover,
  reviewedMove } = await load("shared/state");
const { isForked } = await load("shared/variations");

const THREE = rulesOf(3, 3, 3);
const game = new Game(emptyPosition(THREE, "X"), [4, 0, 8]);
const state = (change = {}) => ({ ...initialState(defaultSetup()), game, ...change });
const cell = (at) => ({ row: Math.floor(at / 3), column: at % 3 });
const value = { outcome: "win", score: 5, distance: 5, distance_is_bound: false, proven: true, expected: 1 };

test("a game goes back and on, and a new move begins another line", () => {
  const back = game.at(1);
  assert.deepEqual([back.lastMove, back.isLookingBack, back.position.toMove], [4, true, "O"]);
  assert.deepEqual(back.play(1).moves, [4, 1]);
  assert.equal(back.play(4), null);
  assert.equal(game.at(99).shown, 3);
});

test("nobody moves when the game is over or a position is set up", () => {
  assert.equal(mover(state()), "computer");
  assert.equal(mover(state({ edit: { cells: "", toMove: "X", tool: "X" } })), null);
  assert.equal(mover(state({ game: new Game(emptyPosition(THREE, "X"), [0, 3, 1, 4, 2]) })), null);
});

test("the value of a move is that of the position after it, seen from the other side", () => {
  const { outcome, score, distance, expected } = afterMove(value);
  assert.deepEqual([outcome, score, distance, expected], ["loss", -6, 4, -1]);
  assert.equal(Object.is(afterMove({ ...value, outcome: "draw", score: 0, distance: null }).score, 0), true);
});

test("what says more is kept", () => {
  const all = { ...value, moves: [] };
  const known = learnt(new Map(), "key", all);
  assert.equal(learnt(known, "key", { ...value, moves: null }).get("key"), all);
});

test("a line that was expected goes on as long as its moves are made", () => {
  const known = new Map([[positionKey(game.positions[2]), { ...value, line: [8, 2, 6].map(cell) }]]);
  assert.deepEqual(expectedBefore(state({ known })), { cells: [2, 6].map(cell), holds: true });
  known.set(positionKey(game.positions[2]), { ...value, line: [7, 2, 6].map(cell) });
  assert.equal(expectedBefore(state({ known })).holds, false);
  assert.equal(expectedBefore(state()), null);
});

test("the course of a game is told for X", () => {
  const known = new Map([[positionKey(game.positions[1]), value]]);
  assert.deepEqual(history(game, known), [null, { height: -1, proven: true }, null, null]);
  const won = new Game(emptyPosition(THREE, "X"), [0, 3, 1, 4, 2]);
  assert.deepEqual(history(won, new Map()).at(-1), { height: 1, proven: true });
});

test("a review belongs to one game, and variations of it are not graded", () => {
  const review = { game, moves: ["a", "b", "c"], isDone: true };
  assert.equal(reviewedMove(state({ review, game: game.at(2) })), "b");
  const aside = game.at(1).play(1);
  assert.equal(currentReview(state({ review, game: aside })), review);
  assert.equal(reviewedMove(state({ review, game: aside })), null);
  assert.equal(reviewedMove(state({ review, game: aside.at(1) })), "a");
  assert.equal(currentReview(state({ review, game: new Game(emptyPosition(THREE, "X")) })), null);
});

test("who looks for a better move makes one, whoever plays the side", () => {
  const mistake = { ply: 1 };
  assert.equal(mover(state({ mistake, game: game.at(1) })), "you");
  assert.equal(mover(state({ mistake, game: game.at(2) })), null);
});

test("requests name a known game and tell only unusual rules of another", () => {
  const { start, position } = game;
  const board = ["O..", ".X.", "..X"];
  assert.deepEqual(moveQuestion(position), { game: "tic-tac-toe", board, to_move: "O" });
  assert.equal(moveQuestion(position, 3).level, 3);
  assert.deepEqual(positionFields(emptyPosition(rulesOf(1, 3, 2, { wrap: "rows" }), "O")), {
    rows: 1, columns: 3, goal: 2, wrap: "rows", board: ["..."], to_move: "O",
  });
  assert.deepEqual(treeQuestion(position, true, 2), {
    game: "tic-tac-toe", board, to_move: "O", pruning: true, max_depth: 2,
  });
  assert.deepEqual(reviewQuestion(game), { game: "tic-tac-toe", first: start.toMove, moves: [5, 1, 9] });
  assert.deepEqual(moveReviewQuestion(game, 1, 9), {
    game: "tic-tac-toe", board: ["...", ".X.", "..."], first: "O", moves: [1], max_nodes: 9,
  });
});

test("another move keeps both lines, and the same move goes on in its own", () => {
  const other = game.at(1).play(1);
  assert.deepEqual([other.moves, other.text(" ")], [[4, 1], "b2 a3 (b3) c1"]);
  const back = other.at(1).play(0);
  assert.deepEqual([back.moves, back.shown, back.tree === other.tree], [[4, 0, 8], 2, true]);
  assert.deepEqual([isForked(game.tree), isForked(other.tree)], [false, true]);
});

test("a variation is promoted where it leaves the line, and deleted with what follows", () => {
  const other = game.at(1).play(1).play(2);
  assert.equal(other.promote().text(" "), "b2 b3 (a3 c1) c3");
  assert.equal(game.promote().tree, game.tree);
  assert.deepEqual([other.at(2).remove().text(" "), other.at(2).remove().moves], ["b2 a3 c1", [4, 0, 8]]);
  assert.equal(game.remove().text(" "), "b2 a3");
  assert.equal(other.again().text(" "), "");
});

test("what is copied as text is read again", () => {
  const text = "b2 a3 (b3 c3 (a1) c1) c1";
  const read = fromMoves(THREE, text);
  assert.deepEqual([read.text(" "), read.moves, read.shown], [text, [4, 0, 8], 3]);
  assert.equal(fromMoves(THREE, read.text("")).text(" "), text);
});
