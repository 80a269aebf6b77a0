import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Game, fromMoves } = await load("shared/game");
const { emptyPosition, rulesOf } = await load("shared/rules");
const { isForked } = await load("shared/variations");

const THREE = rulesOf(3, 3, 3);
const game = new Game(emptyPosition(THREE, "X"), [4, 0, 8]);

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
