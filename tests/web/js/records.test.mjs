import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Game } = await load("shared/game");
const { moveName } = await load("shared/notation");
const { Misread } = await import("../../../browser/read-moves.js");
const { PRESETS } = await load("shared/catalogue");
const { cellsWith, rulesOf, unusualRules } = await load("shared/rules");
const { readPasted } = await load("play/pasted-text");
const { readRecord } = await load("play/records");
const { isSgf, sgfText } = await load("play/sgf");

const KEPT = JSON.parse(readFileSync(new URL("../../support/records.json", import.meta.url), "utf-8"));
const CASES = KEPT.cases;

/** A file as the text that a person copies out of it. */
function textOf(file) {
  return KEPT.texts[file].replace(/^\ufeff/, "");
}

/** Moves as the files of expectations write them. */
function written(rules, cells) {
  return cells.map((cell) => (rules.layers > 1 ? cell + 1 : moveName(rules, cell))).join(" ");
}

// A text that somebody copies has been decoded.
const read = CASES.filter(({ file }) => file.endsWith(".sgf") && file !== "charset.sgf");
const LINKS = [
  ["#game=gomoku&moves=h8h7i9&you=O&level=3", { rows: 15, columns: 15, goal: 5 }, "h8 h7 i9"],
  ["#rows=4&columns=4&goal=4&layers=4&gravity=true&moves=1.17.2",
    { rows: 4, columns: 4, goal: 4, gravity: true, layers: 4 }, "1 17 2"],
  ["#game=qubic&moves=1a1.4d1.2b3&you=both", { rows: 4, columns: 4, goal: 4, layers: 4 }, "13 64 22"],
  ["#game=score-four&moves=a1.a1.b3", { rows: 4, columns: 4, goal: 4, gravity: true, layers: 4 }, "13 29 6"],
];

for (const { file, fields, error, ...expected } of read) {
  test(`the page reads ${file} ${JSON.stringify(fields)} as the service does`, () => {
    if (error) {
      return assert.throws(() => readRecord(textOf(file), fields), Misread);
    }
    const { game, ...record } = readRecord(textOf(file), fields);
    const { start, moves, rules } = game;
    const stones = (side) => written(rules, cellsWith(start, (mark) => mark === side)).split(" ").sort().join(" ");
    const sorted = (side) => (expected.stones?.[side] ?? "").split(" ").sort().join(" ");
    assert.deepEqual({ ...record, rules: unusualRules(rules), first: start.toMove, moves: written(rules, moves) },
      { format: expected.format, players: expected.players, result: expected.result, rules: expected.rules,
        first: expected.first, moves: expected.moves });
    for (const side of ["X", "O"]) assert.equal(stones(side), sorted(side));
    return undefined;
  });
}

for (const [link, rules, moves] of LINKS) {
  test(`the page reads its link ${link}`, () => {
    const [{ game, isSure }] = readPasted(`http://127.0.0.1:8000/${link}`, rulesOf(3, 3, 3));
    assert.deepEqual([unusualRules(game.rules), written(game.rules, game.moves), isSure], [rules, moves, true]);
  });
}

const SHOWN = rulesOf(3, 3, 3);
const [FALLING, GOMOKU] = [PRESETS["connect-four"], PRESETS.gomoku];
const presetOf = (rules) => Object.keys(PRESETS).find((name) => PRESETS[name] === rules || (
  JSON.stringify(unusualRules(PRESETS[name])) === JSON.stringify(unusualRules(rules)))) ?? null;

const PASTED = [
  ["a record without rules is of the usual game of its kind", "manager.sgf", SHOWN, ["gomoku"], true],
  ["it is of the game shown where that has its size", "old-names.sgf", PRESETS.caro, ["caro"], true],
  ["the game that it names counts more", "japanese.sgf", PRESETS.caro, ["renju"], true],
  ["a record of Go is a game in a row if somebody says so", "go.sgf", rulesOf(19, 19, 5), [null], false],
];

for (const [why, file, shown, games, isSure] of PASTED) {
  test(`pasted, ${why}`, () => {
    const readings = readPasted(textOf(file), shown);
    assert.deepEqual(readings.map(({ game }) => presetOf(game.rules)), games);
    assert.deepEqual(readings.map((reading) => reading.isSure), games.map(() => isSure));
  });
}

test("a mutated record is refused in a sentence or is a game", () => {
  let seed = 58;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 600; round++) {
    let text = textOf(read[random(read.length)].file);
    for (let change = 0; change <= random(3); change++) {
      const at = random(text.length + 1);
      const part = text.slice(random(text.length + 1), at);
      const put = ["", "[", "]", "(", ")", ";", "\\", "9", "z", " ", part][random(11)];
      text = text.slice(0, at) + put + text.slice(at + random(4));
    }
    try {
      for (const { game } of readPasted(text, [SHOWN, FALLING, GOMOKU][random(3)])) assert.ok(game instanceof Game);
    } catch (error) {
      assert.ok(error instanceof Misread, `${error.stack} ${JSON.stringify(text)}`);
    }
  }
});

test("no text of a megabyte takes long", () => {
  const long = ["(".repeat(1e6), "(;".repeat(5e5), `(;B${"[aa]".repeat(249_999)}`, `(;C[${"\\".repeat(999_990)}`,
    "h8 ".repeat(333_333), `(;SZ[25]RU[Renju]AB${"[aa:zz]".repeat(140_000)})`,
    "a".repeat(1e6 + 1)];
  const began = process.cpuUsage();
  for (const text of long) assert.throws(() => readRecord(text, { game: "gomoku" }), undefined, text.slice(0, 9));
  assert.ok(process.cpuUsage(began).user < 4e6);
});

test("the page reads the SGF that it writes to the same game", () => {
  const games = [["(;GM[4]SZ[3];B[bb];W[aa])", SHOWN], ["(;GM[4]SZ[7:6];W[df];B[de];W[ef])", FALLING],
    ["(;GM[4]SZ[15]AB[hh][hi]AW[gg];W[ih];B[jj])", GOMOKU], ["(;GM[4]SZ[15]RU[Renju];B[hh];W[gg])", GOMOKU],
    ["(;GM[4]SZ[15]AB[hh][hi][hj]PL[B])", GOMOKU], ["(;GM[4]SZ[15]RU[Caro]AB[aa]AW[hh][hi][hj]PL[W];W[hk])", GOMOKU]];
  for (const [text, shown] of games) {
    const [{ game }] = readPasted(text, shown);
    assert.ok(isSgf(game.start));
    const [{ game: again, isSure }] = readPasted(sgfText(game), shown);
    assert.deepEqual([again.start, again.moves, isSure], [game.start, game.moves, true]);
  }
});
