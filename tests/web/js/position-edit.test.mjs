import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { cleared, editAt, editOf, editProblem } = await load("play/position-edit");
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
  assert.equal(say("X...", "X"), "O is to move: it has fewer marks.");
  assert.equal(say("X...", "O", { gravity: true }), "A stone has an empty cell below it.");
  assert.equal(say("XX.O", "X"), "O is to move: it has fewer marks.");
  assert.equal(say("XXOO", "X"), "Both sides have a line.");
  assert.equal(say("X..O", "X"), null);
});
