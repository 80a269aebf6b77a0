import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "./page.mjs";

const { fromMoves, Game, Unreadable } = await load("shared/game");
const { Misread } = await import("../../../browser/read-moves.js");
const { positionKey, rulesOf } = await load("shared/rules");
const { readRequest } = await load("play/pasted-request");

const TABLE = JSON.parse(readFileSync(new URL("../../support/boards.json", import.meta.url), "utf-8"));
const SHOWN = rulesOf(3, 3, 3);

/** The position of a request, by the page's rules. */
function positionOf(request) {
  const { sent, rules, cells, toMove, refuse } = readRequest(request, SHOWN);
  refuse();
  return positionKey(fromMoves(rules, sent.moves ?? [], new Game({ rules, cells, toMove })).position);
}

// Where a request lacks its rules the page takes those of the game shown.
const ruled = TABLE.filter(({ detail_has: words }) => !words?.includes("goal"));
for (const { why, request, same_as: same, detail_has: words } of ruled) {
  test(`${same ? "read" : "refused"} by the page: ${why}`, () => {
    if (same) return assert.equal(positionOf(request), positionOf(same));
    // What the page says in its own words has other ones.
    return assert.throws(() => positionOf(request), (error) => error instanceof Unreadable
      || (error instanceof Misread && words.every((each) => error.message.includes(each))));
  });
}
