import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "./page.mjs";

const { forbiddenCells, landing, legalMoves, rulesOf } = await load("shared/rules");
const { moveName } = await load("shared/notation");

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
