import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { cellName, moveInWords, moveName, movesText, sideName, skinOf } = await load("shared/notation");
const { rulesOf } = await load("shared/rules");

const FOUR = rulesOf(6, 7, 4, { gravity: true });
const GOMOKU = rulesOf(15, 15, 5);
const CUBE = rulesOf(4, 4, 4, { layers: 4 });
const PEGS = rulesOf(4, 4, 4, { layers: 4, gravity: true });

test("sides are called by what their marks look like", () => {
  const names = (rules) => [skinOf(rules), sideName(rules, "X"), sideName(rules, "O")];
  assert.deepEqual(names(rulesOf(7, 7, 4)), ["tiles", "X", "O"]);
  assert.deepEqual(names(FOUR), ["discs", "Red", "Yellow"]);
  assert.deepEqual(names(GOMOKU), ["stones", "Black", "White"]);
});

test("moves are written as players write them", () => {
  const cases = [
    [GOMOKU, 112, "h8"], [GOMOKU, 0, "a15"], [FOUR, 38, "4"], [CUBE, 21, "2b3"], [PEGS, 21, "b3"],
    [rulesOf(6, 10, 4, { gravity: true }), 59, "j1"],
  ];
  for (const [rules, cell, name] of cases) assert.equal(moveName(rules, cell), name);
});

test("every cell has a name of its own", () => {
  for (const rules of [GOMOKU, FOUR, CUBE, PEGS]) {
    const count = rules.rows * rules.columns * rules.layers;
    assert.equal(new Set(Array.from({ length: count }, (_, cell) => cellName(rules, cell))).size, count);
  }
  assert.equal(cellName(FOUR, 38), "column 4 row 1");
  assert.equal(cellName(CUBE, 21), "2b3");
});

test("moves within a sentence say whether a number is a column", () => {
  assert.equal(moveInWords(FOUR, 38), "column 4");
  assert.equal(moveInWords(GOMOKU, 112), "h8");
  assert.equal(moveInWords(CUBE, 21), "2b3");
});

test("moves are copied in a form that the API takes", () => {
  assert.equal(movesText(FOUR, [38, 31, 39]), "445");
  assert.equal(movesText(GOMOKU, [112, 113]), "h8 i8");
  assert.equal(movesText(CUBE, [0, 21]), "[1,22]");
});
