import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "./page.mjs";

const { moveName } = await load("shared/notation");
const { boardOf, boardText, DIRECTIONS, editTarget, ending, excludedBy, forbiddenCells, landing, legalMoves, RULES,
  rulesOf, unusualRules, wrongBoard, wrongField } = await load("shared/rules");

const at = (rules, board, toMove = "X") => ({ rules, cells: board.replaceAll("/", ""), toMove });
const THREE = rulesOf(3, 3, 3);
const FALLING = rulesOf(3, 3, 3, { gravity: true });

test("marks fall to the lowest free cell, and onto blocked ones", () => {
  assert.equal(landing(at(FALLING, ".../.../X.."), 0), 3);
  assert.equal(landing(at(FALLING, ".../#../#.."), 6), 0);
  assert.equal(landing(at(FALLING, "X../O../X..", "O"), 0), null);
  assert.deepEqual(legalMoves(at(FALLING, ".../.../X..", "O")), [3, 7, 8]);
});

test("rules are refused by the field that does not fit", () => {
  const cases = [
    [rulesOf(26, 3, 3), "rows"], [rulesOf(3, 0, 3), "columns"],
    [rulesOf(3, 3, 4), "goal"], [rulesOf(3, 3, 1.5), "goal"],
    [rulesOf(25, 25, 3, { layers: 2 }), "layers"], [rulesOf(9, 9, 4, { renju: true }), "goal"],
    [rulesOf(3, 3, 3, { layers: 2, wrap: "rows" }), "wrap"], [THREE, null], [rulesOf(25, 25, 25), null],
  ];
  for (const [rules, field] of cases) assert.equal(wrongField(rules), field);
});

test("what a rule excludes is excluded both ways", () => {
  assert.equal(excludedBy(rulesOf(9, 9, 5, { renju: true }), "caro"), "renju");
  assert.equal(excludedBy(rulesOf(9, 9, 5, { caro: true }), "renju"), "caro");
  assert.equal(excludedBy(rulesOf(9, 9, 5, { caro: true }), "exact_goal"), null);
});

test("only unusual rules are told", () => {
  assert.deepEqual(unusualRules(THREE), { rows: 3, columns: 3, goal: 3 });
  assert.deepEqual(unusualRules(rulesOf(4, 5, 3, { gravity: true, directions: DIRECTIONS.slice(1) })), {
    rows: 4, columns: 5, goal: 3, gravity: true, directions: ["vertical", "diagonal", "antidiagonal"],
  });
});

test("a board that no game reaches is refused, with the reason", () => {
  const cases = [
    [THREE, "XX./.../...", "O", "counts"], [THREE, "X../.../...", "X", "turn"], [THREE, "XXX/OO./O..", "X", "over"],
    [THREE, "XXX/OOO/...", "X", "both"], [rulesOf(3, 7, 3), "XXX.XXX/OO.OO.O/.......", "O", "before"],
    [rulesOf(3, 3, 3, { marks: "shared" }), "XO./.../...", "X", "shared"],
    [{ ...FALLING, marks: "shared" }, "X../.../...", "O", "floating"],
    [FALLING, "X../.../...", "O", "floating"], [FALLING, "#../.../...", "O", "propped"],
    [FALLING, "#../X../O..", "X", "propped"], [rulesOf(5, 5, 5, { renju: true }), `#${".".repeat(24)}`, "X", "blocked"],
    [THREE, "X../.O./...", "X", null],
  ];
  for (const [rules, board, toMove, wrong] of cases) assert.equal(wrongBoard(at(rules, board, toMove)), wrong, board);
});

test("a game ends by a line, or where the side to move has no cell left", () => {
  const full = "XXX.XXO/OOXOOOX/OXOOXOX";  // the last cell would make six of X
  const caro = rulesOf(5, 7, 3, { caro: true });
  const rest = "/.......".repeat(4);
  const cases = [
    [rulesOf(3, 7, 5), full, "X", "ongoing", []], [rulesOf(3, 7, 5, { renju: true }), full, "X", "drawn", []],
    [rulesOf(3, 3, 1), "X../.../...", "O", "won", [[0]]],
    [caro, `OXXXO..${rest}`, "O", "ongoing", []], [caro, `OXXXXO.${rest}`, "O", "won", [[1, 2, 3, 4]]],
  ];
  for (const [rules, board, toMove, state, lines] of cases) {
    const found = ending(at(rules, board, toMove));
    assert.deepEqual([found.state, found.lines], [state, lines], board);
  }
});

test("in the editor a click takes away what lies on top", () => {
  const fallen = at(FALLING, ".../O../X..");
  assert.equal(editTarget(fallen, ".", 6), 3);
  assert.equal(editTarget(fallen, "X", 6), 0);
  assert.equal(editTarget(fallen, "X", 3), 3);
  assert.equal(editTarget(fallen, ".", 0), 3);
  assert.equal(editTarget(fallen, ".", 1), null);
  const flat = at(THREE, "X../.../...");
  assert.deepEqual([0, 1].map((cell) => editTarget(flat, ".", cell)), [0, null]);
  assert.deepEqual([0, 1].map((cell) => editTarget(flat, "X", cell)), [0, 1]);
});

test("the side that Renju forbids cells is the one that began, with either mark", () => {
  const renju = rulesOf(15, 15, 5, { renju: true });
  const board = [...".".repeat(225)];
  for (const cell of [110, 111, 97, 82]) board[cell] = "O"; // two twos that meet in 112
  for (const cell of [0, 14, 210, 224]) board[cell] = "X";
  const barred = (toMove) => forbiddenCells({ rules: renju, cells: board.join(""), toMove });
  assert.deepEqual([barred("O").has(112), barred("X").size], [true, 0]);
  board[7] = "O";
  assert.deepEqual([barred("O").has(112), barred("X").size], [true, 0]);
});

test("a board is written as text in rows and layers", () => {
  assert.equal(boardText(at(THREE, "X../.O./...")), "X../.O./...");
  assert.equal(boardText(at(rulesOf(2, 1, 2, { layers: 2 }), "XO.X")), "X/O//./X");
  assert.deepEqual(boardOf(at(rulesOf(2, 1, 2, { layers: 2 }), "XO.X")), ["X", "O", ".", "X"]);
});

const { cases: CASES } = JSON.parse(readFileSync(new URL("../../support/renju_cases.json", import.meta.url), "utf-8"));

for (const { name, board, forbidden } of CASES) {
  test(`forbidden to Black: ${name}`, () => {
    const rows = board.split("/");
    const rules = rulesOf(rows.length, rows[0].length, 5, { renju: true });
    const cells = [...forbiddenCells({ rules, cells: rows.join(""), toMove: "X" })];
    assert.deepEqual(cells.map((cell) => moveName(rules, cell)).sort(), Object.keys(forbidden).sort());
  });
}

test("forbidden cells are no moves, and only for the side that began", () => {
  const rules = rulesOf(15, 15, 5, { renju: true });
  const cells = CASES.at(-1).board.replaceAll("/", "");
  const [black, white] = ["X", "O"].map((toMove) => ({ rules, cells, toMove }));
  const [cell] = forbiddenCells(black);
  assert.equal(landing(black, cell), null);
  assert.ok(!legalMoves(black).includes(cell));
});
