import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Game } = await load("shared/game");
const { PRESETS } = await load("shared/catalogue");
const { defaultSetup, readLink, writeLink } = await load("shared/link");
const { rulesOf } = await load("shared/rules");

const HASHES = [
  "game=connect-four&first=O&moves=39.32&x=you&o=you",
  "game=tic-tac-toe&moves=5&x=you&o=computer&level=3",
  "game=gomoku&x=computer&o=computer&level_x=2&level_o=7",
  "rows=3&columns=4&goal=3&board=X.O./..../....&moves=5&x=you&o=you",
  "rows=5&columns=5&goal=4&gravity=true&wrap=rows&x=you&o=you",
  "rows=4&columns=4&goal=3&directions=horizontal,vertical&x=you&o=you&view=learn",
  "rows=3&columns=3&goal=3&layers=2&board=X../.../...//.../.%23./...&first=O&x=you&o=you",
];

for (const hash of HASHES) {
  test(`what a link restores is written as that link: ${hash}`, () => {
    assert.equal(writeLink(readLink(`#${hash}`)), hash);
  });
}

test("no link is the first game against a middling computer", () => {
  assert.deepEqual(readLink(""), defaultSetup());
  assert.deepEqual(defaultSetup().levels, { X: 5, O: 5 });
});

test("a link without a level means the strongest", () => {
  assert.deepEqual(readLink("game=tic-tac-toe").levels, { X: 10, O: 10 });
});

test("moves that were taken back are not in the link", () => {
  const game = new Game(Game.fresh(PRESETS["tic-tac-toe"], "X").start, [0, 4, 8]).at(1);
  assert.match(writeLink({ ...defaultSetup(), game }), /&moves=1&/);
});

test("every game of a name has a short link", () => {
  for (const [name, rules] of Object.entries(PRESETS)) {
    assert.match(writeLink({ ...defaultSetup(), game: Game.fresh(rules, "X") }), new RegExp(`^game=${name}&x=`));
  }
  const own = { ...defaultSetup(), game: Game.fresh(rulesOf(8, 9, 4), "X") };
  assert.match(writeLink(own), /^rows=8&columns=9&goal=4&x=/);
});

const NOWHERE = [
  "game=chess", "game=<script>", "game=constructor", "rows=26&columns=3&goal=3", "rows=3&columns=3&goal=4",
  "rows=0&columns=3&goal=1", "game=tic-tac-toe&moves=5.5", "game=tic-tac-toe&moves=10",
  "game=tic-tac-toe&moves=1.4.2.5.3.9", "game=connect-four&moves=1", "game=tic-tac-toe&level=11",
  "rows=3&columns=3&goal=3&board=XXX/.../...", "rows=3&columns=3&goal=3&board=XX/.../...",
  "rows=3&columns=3&goal=3&board=XYZ/.../...", "rows=2&columns=2&goal=2&gravity=true&board=X./..",
  "rows=3&columns=3&goal=3&wrap=all", "rows=3&columns=3&goal=3&directions=up", "rows=3&columns=3&goal=3&directions=",
  "rows=3&columns=3&goal=3&layers=2&wrap=rows", "rows=9&columns=9&goal=5&renju=true&caro=true",
  "rows=5&columns=5&goal=5&renju=true&board=%23..../...../...../...../.....",
];

for (const hash of NOWHERE) {
  test(`a link that leads nowhere is none: ${hash}`, () => assert.equal(readLink(hash), null));
}
