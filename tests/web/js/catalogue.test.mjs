import assert from "node:assert/strict";
import { test } from "node:test";

const games = {
  "tic-tac-toe": { rows: 3, columns: 3, goal: 3 },
  "six-in-a-row": { rows: 9, columns: 8, goal: 6 },
  hidden: { rows: 4, columns: 4, goal: 4, portals: true },
};
process.env.GAMES = JSON.stringify({ ...JSON.parse(process.env.GAMES), games });
const { load } = await import("./page.mjs");
const { GAMES, gameName, gameOf, presetOf, rulesFields } = await load("shared/catalogue");
const { rulesOf, unmarked } = await load("shared/rules");

test("a game that is newer than the page has its name from the API", () => {
  const game = GAMES.find(({ id }) => id === "six-in-a-row");
  assert.deepEqual([game.name, game.short, game.group], ["Six in a row", "8 × 9, 6 in a row", "more"]);
});

test("a game whose rules the page does not know is not offered", () => {
  assert.ok(!GAMES.some(({ id }) => id === "hidden"));
});

test("a game is told by its rules, size and blocked cells", () => {
  const rules = rulesOf(3, 3, 3);
  assert.equal(gameName({ rules, cells: "X........" }), "Tic-tac-toe");
  assert.equal(gameName({ rules, cells: "#........" }), "Your own game");
  assert.equal(presetOf(rulesOf(3, 3, 3, { misere: true })), null);
  assert.deepEqual(rulesFields(rules), { game: "tic-tac-toe" });
  for (const game of GAMES) assert.equal(gameOf(game), game);
});

test("no two games of the page are the same, and their boards have no marks", () => {
  assert.equal(new Set(GAMES.map(({ id }) => id)).size, GAMES.length);
  for (const { cells } of GAMES) assert.equal(cells, unmarked(cells));
});
