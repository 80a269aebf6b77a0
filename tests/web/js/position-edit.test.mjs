import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { cleared, editAt, editNote, editOf, editProblem } = await load("play/position-edit");
const { rulesOf } = await load("shared/rules");

const rules = rulesOf(2, 2, 2);
const edit = editOf({ rules, cells: "X#.O", toMove: "X" });

test("a second click takes a mark away", () => {
  const put = editAt(edit, 2);
  assert.equal(put.cells, "X#XO");
  assert.equal(editAt(put, 2).cells, "X#.O");
});

test("marks are cleared first, then blocked cells", () => {
  assert.equal(cleared(edit).cells, ".#..");
  assert.equal(cleared(cleared(edit)).cells, "....");
});

test("what is wrong is said with the names of stones", () => {
  const say = (cells, toMove, more = {}) => editProblem({ rules: rulesOf(2, 2, 2, more), cells, toMove });
  assert.equal(say("X...", "O", { gravity: true }), "A stone has an empty cell below it.");
  assert.equal(say("XX.O", "X"), "X has a line already, so the game ended before its turn.");
  assert.equal(say("XXOO", "X"), "Both sides have a line.");
  assert.equal(say("X..O", "X"), null);
  const renju = { rules: rulesOf(5, 5, 5, { renju: true }), cells: `X${".".repeat(24)}`, toMove: "X" };
  assert.equal(editProblem(renju), "O is to move: it has fewer marks.");
});

test("a position with any numbers of marks can be played from, which is said", () => {
  const position = (cells, toMove, more = {}) => ({ rules: rulesOf(3, 3, 3, more), cells, toMove });
  for (const [cells, toMove] of [["X........", "X"], ["XX.......", "O"], ["XX..O....", "X"], ["..O......", "O"]]) {
    assert.equal(editProblem(position(cells, toMove)), null);
    assert.match(editNote(position(cells, toMove)), /^No game comes to these numbers of marks/);
  }
  for (const [cells, toMove] of [["X........", "O"], ["XX..O....", "O"], ["X..O.....", "O"], ["..O......", "X"]]) {
    assert.equal(editNote(position(cells, toMove)), "");
  }
  assert.equal(editNote(position("XX.......", "O", { marks: "shared" })), "");
});
