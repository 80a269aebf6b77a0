import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Game } = await load("shared/game");
const { cellName, moveInWords, moveName, movesText, sideName, skinOf } = await load("shared/notation");
const { emptyPosition, rulesOf } = await load("shared/rules");
const words = await load("shared/words");

const THREE = rulesOf(3, 3, 3);
const value = (outcome, distance, more = {}) =>
  ({ outcome, distance, distance_is_bound: false, score: 0, proven: true, ...more });

test("numbers have a true minus or a plus, and zero neither", () => {
  assert.deepEqual([3, -2, 0].map((each) => words.signed(each)), ["+3", "−2", "0"]);
  assert.deepEqual([-0.001, 0.25].map((each) => words.signed(each, 2)), ["0.00", "+0.25"]);
});

test("a value is short on the board and in words in lists", () => {
  const cases = [
    [value("win", 5), "W5", "win, 5 moves to the end"],
    [value("loss", 1), "L1", "loss, 1 move to the end"],
    [value("win", 7, { distance_is_bound: true }), "W≤7", "win, at most 7 moves to the end"],
    [value("draw", null), "=", "draw"],
    [value("unknown", null, { score: -0.126 }), "−0.13", "estimate −0.13"],
    [value("unknown", null, { expected: 0.5 }), "+0.50", "expected result +0.50"],
  ];
  for (const [each, short, long] of cases) {
    assert.deepEqual([words.shortValue(each), words.valueWords(each)], [short, long]);
  }
});

test("a value for a cell has at most four characters", () => {
  const open = (score) => words.cellValue(value("unknown", null, { score }));
  assert.deepEqual([1, 0.999, -1, 0.25, -0.126, 0].map(open), ["+1", "+1", "−1", "+.25", "−.13", ".00"]);
  assert.equal(words.cellValue(value("win", 7, { distance_is_bound: true })), "W≤7");
  const stones = (outcome, distance, bound = false) => words.cellValue(value(outcome, distance, { distance_is_bound: bound }), 42);
  assert.deepEqual([stones("win", 41), stones("loss", 42), stones("draw", 42), stones("loss", 2, true), stones("win", 1)],
    ["1", "−1", "0", "≤−21", "21"]);
});

test("a verdict names the side that it is good for", () => {
  const say = (each) => words.verdictWords(each, THREE, "O");
  assert.equal(say(value("win", 3)), "O wins: 3 moves to the end");
  assert.equal(say(value("loss", 2)), "X wins: 2 moves to the end");
  assert.equal(say(value("loss", 0)), "X has won");
  assert.equal(say(value("draw", null)), "A draw, if both play their best");
  assert.equal(say(value("unknown", null, { score: -0.3 })), "X looks better");
  assert.equal(say(value("unknown", null, { score: 0.01 })), "About even");
});

test("a reason names marks and cells as they are seen", () => {
  const four = rulesOf(6, 7, 4, { gravity: true });
  const reason = words.reasonWords([{ code: "proven_draw", cells: [] }, { code: "blocks_line", cells: [] }], 3, four, "X");
  assert.equal(reason, "Red plays column 4, blocking a line of Yellow.");
  const cube = rulesOf(3, 3, 3, { layers: 3 });
  assert.equal(words.reasonWords([], 11, cube, "O"), "O plays 2c3.");
});

test("rules are told in a sentence", () => {
  const say = (rules, cells = "") => words.rulesSentence({ rules, cells });
  assert.equal(say(THREE), "3 × 3 board, 3 in a row wins.");
  const misere = rulesOf(5, 4, 3, { misere: true, exact_goal: true, layers: 2 });
  assert.equal(say(misere), "4 × 5 × 2 board, exactly 3 in a row loses.");
  assert.equal(say(rulesOf(4, 4, 4, { wrap: "both", directions: ["horizontal", "vertical"] }), "#..#"),
    "4 × 4 board, 4 in a row wins, opposite edges joined, only across or up and down, 2 cells blocked.");
});

test("the status says whose turn it is", () => {
  const game = new Game(emptyPosition(THREE, "X"));
  const say = (x, o, now = {}) => words.statusWords(game, { X: x, O: o }, { thinking: false, running: true, ...now });
  assert.equal(say("you", "you"), "X to move");
  assert.equal(say("you", "computer"), "Your turn: X to move");
  assert.equal(say("computer", "you", { thinking: true }), "The computer (X) is thinking …");
  assert.equal(say("computer", "you", { running: false }), "Paused: the computer plays X");
});

test("the end is told, with the line that ended it", () => {
  const won = new Game(emptyPosition(THREE, "X"), [0, 3, 1, 4, 2]);
  assert.equal(words.resultWords(won, { X: "you", O: "computer" }), "You win as X");
  assert.equal(words.moveAnnouncement(won), "X plays c3. X wins, with the line a3, b3, c3.");
  assert.equal(words.moveAnnouncement(won.at(0)), "The board is as at the start. X to move.");
});

test("counts and times are rounded where more digits say nothing", () => {
  assert.deepEqual([1234, 12_345_678].map(words.countWords), ["1,234", "12.3M"]);
  assert.deepEqual([1.26, 99.6, 1500].map(words.timeWords), ["1.3 ms", "100 ms", "1.5 s"]);
});

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
