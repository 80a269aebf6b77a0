import assert from "node:assert/strict";
import { test } from "node:test";
import { Misread } from "../../../browser/read-moves.js";
import { load } from "./page.mjs";

const { cleared, editAt, editNote, editOf, editProblem } = await load("play/position-edit");
const { PRESETS } = await load("shared/catalogue");
const { Game, misreadWords } = await load("shared/game");
const { defaultSetup, readLink, writeLink } = await load("shared/link");
const { rulesOf } = await load("shared/rules");
const { initialState } = await load("shared/state");

const HASHES = [
  "game=connect-four&first=O&moves=45&you=both",
  "game=tic-tac-toe&moves=b2&level=3",
  "game=gomoku&you=none&level_x=2&level_o=7",
  "game=gomoku&moves=h8h7i9&you=O",
  "game=qubic&moves=1a1.4d4.2b3",
  "game=score-four&moves=a1.a1.b3",
  "game=connect-four&moves=44322&at=3&tree=445(32(1)2)3",
  "game=gomoku&moves=h8h7&at=0&tree=h8h7(g7)(i7i9)",
  "game=qubic&moves=1a1.4d4.2b3&at=2&tree=1a1.4d4.(3b2.2a2).2b3",
  "rows=3&columns=4&goal=3&board=X.O./..../....&moves=a2&you=both",
  "rows=5&columns=5&goal=4&gravity=true&wrap=rows&you=both",
  "rows=6&columns=12&goal=4&gravity=true&moves=l1l2",
  "rows=4&columns=4&goal=3&directions=horizontal,vertical&you=both&view=learn",
  "rows=3&columns=3&goal=3&layers=2&board=X../.../...//.../.%23./...&first=O&you=both",
  "game=tic-tac-toe&board=XX./..X/...&first=O&composed=true&moves=c3&you=both",
  "game=tic-tac-toe&board=O../.../...&first=O&composed=true",
  "game=connect-four&moves=45&with=friend&you=O&id=abc1",
];

for (const hash of HASHES) {
  test(`what a link restores is written as that link: ${hash}`, () => {
    assert.equal(writeLink(readLink(`#${hash}`)), hash);
  });
}

test("no link is the first game against a middling computer, and its own link is short", () => {
  assert.deepEqual(readLink(""), defaultSetup());
  assert.deepEqual(defaultSetup().levels, { X: 5, O: 5 });
  assert.equal(writeLink(defaultSetup()), "game=connect-four");
  assert.equal(writeLink(readLink("#level=8")), "game=connect-four&level=8");
});

test("moves without a game are those of tic-tac-toe", () => {
  assert.equal(writeLink(readLink("#moves=b2a1")), "game=tic-tac-toe&moves=b2a1");
});

test("a link can ask for the values of the moves", () => {
  assert.equal(initialState(readLink("game=tic-tac-toe&you=both&values=on")).thinkAlong, true);
  assert.equal(initialState(readLink("game=tic-tac-toe")).thinkAlong, false);
});

test("a link with x or o is an old one: tiles, and the strongest where it has no level", () => {
  const old = readLink("game=connect-four&moves=39.32&x=you&o=computer");
  assert.deepEqual([old.game.moves, old.levels], [[38, 31], { X: 10, O: 10 }]);
  assert.deepEqual(readLink("game=tic-tac-toe&moves=5&o=you").game.moves, [4]);
  assert.deepEqual(readLink("game=connect-four&moves=4453").levels, { X: 5, O: 5 });
});

test("a person can write a link", () => {
  const cells = (link) => readLink(link).game.moves.map((cell) => cell + 1);
  assert.deepEqual(cells("#game=connect-four&moves=4453"), [39, 32, 40, 38]);
  assert.deepEqual(cells("?pos=4453&game=connect-four"), [39, 32, 40, 38]);
  assert.deepEqual(cells("#game=gomoku&moves=h8h7i9"), [113, 128, 99]);
  assert.deepEqual(cells("#game=gomoku&moves=H8 h7, i9"), [113, 128, 99]);
});

test("what stands in no line is no link", () => {
  for (const tree of ["4(5", "45)", "(4)", "4(9)"]) {
    assert.throws(() => readLink(`game=connect-four&tree=${tree}`), Misread);
  }
});

test("a link to a place within the line opens with the computer waiting there", () => {
  const [back, end] = ["at=1&", ""].map((at) => readLink(`#game=tic-tac-toe&moves=a3b2c1&${at}`));
  assert.deepEqual([back.game.shown, initialState(back).running], [1, false]);
  assert.deepEqual([end.game.shown, initialState(end).running], [3, true]);
  for (const at of ["4", "-1", "x"]) assert.throws(() => readLink(`#moves=a3b2c1&at=${at}`), Misread);
});

test("every game of a name has a short link", () => {
  for (const [name, rules] of Object.entries(PRESETS)) {
    assert.equal(writeLink({ ...defaultSetup(), game: Game.fresh(rules, "X") }), `game=${name}`);
  }
  const own = { ...defaultSetup(), game: Game.fresh(rulesOf(8, 9, 4), "X") };
  assert.equal(writeLink(own), "rows=8&columns=9&goal=4");
});

test("a game is of another size where a link names rows and columns", () => {
  const rules = (link) => readLink(link).game.rules;
  assert.deepEqual(rules("game=connect-four&rows=7&columns=6"), rulesOf(7, 6, 4, { gravity: true }));
  assert.deepEqual(rules("game=tic-tac-toe&rows=3&goal=3"), PRESETS["tic-tac-toe"]);
  assert.equal(readLink("game=tic-tac-toe&first=o").game.start.toMove, "O");
});

const NOWHERE = [
  "game=connect-four&rows=7", "game=qubic&layers=1", "game=tic-tac-toe&goal=2", "game=connect-four&gravity=false",
  "game=tic-tac-toe&first=Z", "rows=5&columns=5&goal=4&gravity=yes",
  "game=chess", "game=<script>", "game=constructor", "rows=26&columns=3&goal=3", "rows=3&columns=3&goal=4",
  "rows=0&columns=3&goal=1", "game=tic-tac-toe&moves=5.5", "game=tic-tac-toe&moves=10",
  "game=tic-tac-toe&moves=1.4.2.5.3.9", "game=connect-four&moves=1&x=you", "game=tic-tac-toe&level=11",
  "rows=3&columns=3&goal=3&board=XXX/.../...", "rows=3&columns=3&goal=3&board=XX/.../...",
  "rows=3&columns=3&goal=3&board=XYZ/.../...", "rows=2&columns=2&goal=2&gravity=true&board=X./..",
  "rows=3&columns=3&goal=3&wrap=all", "rows=3&columns=3&goal=3&directions=up", "rows=3&columns=3&goal=3&directions=",
  "rows=3&columns=3&goal=3&layers=2&wrap=rows", "rows=9&columns=9&goal=5&renju=true&caro=true",
  "game=tic-tac-toe&with=nobody&you=X&id=a", "game=tic-tac-toe&with=friend&you=both&id=a",
  "game=tic-tac-toe&with=friend&you=X&id=%3Cb%3E",
  "game=tic-tac-toe&tree=b2(a1)&with=friend&you=X&id=a",
  "rows=5&columns=5&goal=5&renju=true&board=%23..../...../...../...../.....",
];

for (const hash of NOWHERE) {
  test(`a link that leads nowhere is none: ${hash}`, () => assert.throws(() => readLink(hash), Misread));
}

test("a link that leads nowhere says what is wrong with it", () => {
  const why = {
    "game=chess": 'No game is called "chess".',
    "game=gomoku&moves=h8h8": "Move 2 (h8) is not possible.",
    "game=connect-four&moves=49": "Move 2 (9) is not possible.",
    "game=gomoku&level=11": "The value of level is not possible here.",
    "game=gomoku&you=nobody": "The value of you is not possible here.",
    "rows=3&columns=3&goal=4": "The value of goal is not possible here.",
    "rows=3&columns=3&goal=3&board=XX./.../...": "One side has too many marks: their numbers may differ by one at most.",
  };
  for (const [link, message] of Object.entries(why)) {
    assert.throws(() => readLink(link), (error) => misreadWords(error) === message, link);
  }
});

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
