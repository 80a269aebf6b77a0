import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { PRESETS } = await load("shared/catalogue");
const { Game } = await load("shared/game");
const { bestOf } = await load("board/scene");
const { moveName } = await load("shared/notation");

/** White has to stop both ends of an open four. */
const LOST = new Game(Game.fresh(PRESETS.gomoku, "X").start, [112, 0, 113, 2, 114, 4, 115]);
const lose = (game, first) => {
  const free = [...game.position.cells].flatMap((mark, cell) => (mark === "." && cell !== first ? [cell] : []));
  return [first, ...free].map((cell) => ({ row: Math.floor(cell / 15), column: cell % 15, score: -224, outcome: "loss" }));
};
const names = (game, moves) => moves.map(({ row, column }) => moveName(game.rules, row * 15 + column));

test("where all is lost, moves that stop a line come first and no far corner is shown", () => {
  const best = bestOf(lose(LOST, 111), LOST.position, 5);
  assert.deepEqual(names(LOST, best).slice(0, 2), ["g8", "l8"]);
  const shown = bestOf(lose(LOST, 111), LOST.position, 225);
  assert.ok(!names(LOST, shown).some((name) => ["a1", "o1", "o15", "h1"].includes(name)));
});

test("a better move comes before a nearer one", () => {
  const [first, ...rest] = lose(LOST, 111);
  rest[rest.length - 1].score = -200;
  const open = [first, ...rest].map((move) => ({ ...move, outcome: "unknown" }));
  assert.deepEqual(names(LOST, bestOf(open, LOST.position, 3)), ["g8", "o1", "l8"]);
});
