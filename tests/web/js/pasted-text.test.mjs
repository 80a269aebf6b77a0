import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { readPasted } = await load("play/pasted-text");
const { gameName, PRESETS } = await load("shared/catalogue");
const { misreadWords } = await load("shared/game");
const { movesText } = await load("shared/notation");
const { boardText, rulesOf } = await load("shared/rules");

/** The one game that a text stands for. */
const only = (text, rules) => {
  const readings = readPasted(text, rules);
  assert.deepEqual(readings.map(({ isSure }) => isSure), [true]);
  return readings[0].game;
};
/** The games that a text may stand for, to choose from. */
const choices = (text, rules) => {
  const readings = readPasted(text, rules);
  assert.ok(readings.every(({ isSure }) => !isSure));
  return readings.map(({ game }) => `${gameName(game.start)}: ${movesText(game.rules, game.moves)}`);
};

const SHOWN = rulesOf(3, 3, 3);
const PEGS = rulesOf(4, 4, 4, { layers: 4, gravity: true });
const BOARD = "X.O/.X./..O";

const BOARDS = [
  [BOARD, BOARD], ["X.O\n.X.\n..O\n", BOARD], ["x_o/_x_/__o", BOARD], ["❌⬜⭕/⬜❌⬜/⬜⬜⭕", BOARD],
  ['["X.O", ".X.", "..O"]', BOARD], ['{"board": "X.O/.X./..O", "goal": 3}', BOARD],
  ["X.../..../..../....", "X.../..../..../...."], ['{"board": "#../.../..#", "goal": 3, "wrap": "rows"}', "#../.../..#"],
];

for (const [text, board] of BOARDS) {
  test(`a board is read from ${JSON.stringify(text)}`, () => {
    assert.equal(boardText(only(text, SHOWN).position), board);
  });
}

const MOVES = [
  ["a1 b2, c3", "Tic-tac-toe", 3], ["[5, 1, 9]", "Tic-tac-toe", 3], ["[[0, 0], [1, 1]]", "Tic-tac-toe", 2],
  ['[{"row": 0, "column": 0}]', "Tic-tac-toe", 1],
  ['{"game": "connect-four", "moves": [{"column": 3}, {"column": 3}]}', "Connect Four", 2],
  ['{"game": "gomoku", "moves": "h8h7", "first": "O"}', "Gomoku", 2],
  ["https://example.org/#game=connect-four&moves=39.32", "Connect Four", 2],
];

for (const [text, name, count] of MOVES) {
  test(`moves are read from ${JSON.stringify(text)}`, () => {
    const game = only(text, SHOWN);
    assert.deepEqual([gameName(game.start), game.moves.length], [name, count]);
  });
}

test("a board with layers is a list of all its rows, as in an answer, or a text", () => {
  const rows = ["XX.", "OO.", "...", ".X."];
  const shown = rulesOf(2, 3, 2, { layers: 2 });
  const text = "XX./OO.//.../.X.";
  const sent = [rows, text].map((board) => JSON.stringify({ board, goal: 2, layers: 2 }));
  for (const written of [...sent, text, "XX.\nOO.\n\n...\n.X."]) {
    const { position } = only(written, SHOWN);
    assert.deepEqual([boardText(position), position.rules.layers], [text, 2]);
  }
  assert.equal(boardText(only(JSON.stringify(rows), shown).position), "XX./OO.//.../.X.");
  const pegs = Array(16).fill("....").with(0, "X...");
  assert.equal(only(JSON.stringify({ game: "score-four", board: pegs }), SHOWN).position.rules.layers, 4);
});

test("with layers a place on which balls fall needs no height", () => {
  for (const text of ["[6, 22, 38]", "b3 b3 b3", '{"game": "score-four", "moves": [[0, 1, 1], 22, "b3"]}']) {
    assert.deepEqual(only(text, PEGS).moves, [5, 21, 37], text);
  }
});

test("moves that are none in the game shown are another game only if somebody says so", () => {
  const { gomoku, "connect-four": falling } = PRESETS;
  assert.deepEqual(choices("d1 d2 e1 c1", falling), ["Gomoku: d1 d2 e1 c1"]);
  assert.deepEqual(choices("4453", gomoku), ["Connect Four: 4453"]);
  assert.deepEqual(choices("1. h8 h7 {fine} 2. i9", SHOWN), ["Gomoku: h8 h7 i9"]);
  assert.deepEqual(choices("h8-h7", falling), ["Gomoku: h8 h7"]);
  assert.deepEqual(choices("b2 a1", falling), ["Tic-tac-toe: b2 a1", "Gomoku: b2 a1"]);
});

test("the result at the end of moves is compared where they end the game", () => {
  assert.equal(only("a3 b3 a2 b2 a1 1-0", SHOWN).moves.length, 5);
  assert.equal(only("a3 b3 0-1", SHOWN).moves.length, 2);
  assert.throws(() => readPasted("3434343 0-1", PRESETS["connect-four"]), { code: "result" });
});

const NEITHER = "This is neither a board nor moves.";
const WRONG = [
  ["", NEITHER], ["what?", NEITHER], ["a1 a1", "Move 2 (a1) is not possible."],
  ['{"board": "X../.O./...", "player": "O"}', "The value of player is not possible here."],
  ["1. a1 3. b2", "Move 2 (3.) is not possible."], ["[1, 1]", "Move 2 (a3) is not possible."],
  ['{"game": "chess"}', 'No game is called "chess".'],
  ['{"board": "X./..", "goal": 3}', "The value of goal is not possible here."],
  ['{"board": ".../...", "goal": 3, "renju": true}', "The value of goal is not possible here."],
  ['{"game": "connect-four", "goal": 5}', "The value of goal is not possible here."],
  ["https://example.org/#game=chess", 'No game is called "chess".'],
  ...['{"board": "...", "goal": 3}', "X...", "X.O.X...O", "X.O\n\n.X.\n\n..O", "X.O/.X", "5 1 9", '{"board": ', '{"board": null}', "X1./.O./...", "X . O/. . ./. . .", "X2O/4X6/789",
    '[["X", "", "O"], [null, "X", null], ["", "", "o"]]', "x|_|o/_|x|_/_|_|o", "XХ./.O./...", "https://example.org/4453",
    "Piskvorky 15x15, 11:11, 0/8,8,0"].map((text) => [text, NEITHER]),
];

for (const [text, message] of WRONG) {
  test(`what is wrong is explained: ${JSON.stringify(text)}`, () => {
    assert.throws(() => readPasted(text, SHOWN), (error) => misreadWords(error) === message);
  });
}
