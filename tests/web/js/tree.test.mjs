import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { bestOf } = await load("board/scene");
const { PRUNED, extent, fit, layOut } = await load("learn/tree-layout");
const { bestLine, growTree, pathTo } = await load("learn/tree-model");
const { stepWords } = await load("learn/tree-words");
const { PRESETS } = await load("shared/catalogue");
const { Game } = await load("shared/game");
const { moveName } = await load("shared/notation");
const { rulesOf } = await load("shared/rules");

const leaf = (tile, value) => ({
  move: { row: Math.floor(tile / 3), column: tile % 3 }, value,
  alpha: null, beta: null, best: false, cut: false, children: [],
});

/** A root with five moves, of which the search looks at two. */
function tree() {
  const position = { rules: rulesOf(3, 3, 3), cells: "XO..X.O..", toMove: "X" };
  const best = { ...leaf(8, 6), best: true };
  const root = {
    move: null, value: 6, alpha: null, beta: 6, best: true, cut: true, children: [leaf(2, 1), best],
  };
  return { position, grown: growTree(position, { root, nodes: 3 }) };
}

test("the moves that nobody looked at are added to the tree", () => {
  const { grown } = tree();
  const [first, second, ...rest] = grown.root.children;
  const looked = [first, second].map(({ move, value, isPruned }) => [move, value, isPruned]);
  assert.deepEqual(looked, [[2, 1, false], [8, 6, false]]);
  assert.deepEqual(rest.map(({ move, isPruned }) => [move, isPruned]), [[3, true], [5, true], [7, true]]);
  assert.deepEqual(grown.nodes.map(({ id }) => id), [0, 1, 2, 3, 4, 5]);
  assert.equal(grown.looked, 3);
});

test("the steps open, come back with values, cut and end", () => {
  const { grown } = tree();
  assert.deepEqual(grown.steps.map(({ kind, node, alpha, best }) => [kind, node.id, alpha, best]), [
    ["open", 0, null, null], ["leaf", 1, null, null], ["back", 0, 1, 1], ["leaf", 2, null, null], ["back", 0, 6, 6],
    ["cut", 0, 6, 6], ["done", 0, null, 6],
  ]);
  const times = grown.root.children.map(({ entered, left }) => [entered, left]);
  assert.deepEqual(times, [[1, 1], [3, 3], [5, 5], [5, 5], [5, 5]]);
});

test("a value outside its window is a bound", () => {
  assert.equal(tree().grown.root.bound, "≥");
});

test("the best line and the way to a node begin at the root", () => {
  const { grown } = tree();
  assert.deepEqual(bestLine(grown).map(({ id }) => id), [0, 2]);
  assert.deepEqual(pathTo(grown.nodes[2]).map(({ id }) => id), [0, 2]);
});

test("each step is told in words", () => {
  const { grown } = tree();
  const titles = grown.steps.map((step) => stepWords(step, grown, true).title);
  assert.deepEqual(titles, [
    "The position to play from", "Stopped after 1 move", "X to c3: win in 9", "X wins after 1 move",
    "X to c1: win in 4", "Cut: a2, c2, b1 are never looked at", "Best: c1, win in 4",
  ]);
});

test("a closed tree is one board, an open one stands in the middle of its children", () => {
  const { grown } = tree();
  const room = { width: 600, height: 400, unit: 1, board: 0 };
  const frame = fit(room, 1, [{ top: grown.root, open: new Set([grown.root]) }]);
  const closed = layOut({ top: grown.root, open: new Set() }, frame);
  assert.deepEqual([...closed.keys()], [grown.root]);
  const open = layOut({ top: grown.root, open: new Set([grown.root]) }, frame);
  const tops = grown.root.children.map((node) => open.get(node)[1]);
  const [left, top] = open.get(grown.root);
  assert.ok(tops[0] < top && top < tops[2]);
  assert.ok(grown.root.children.every((node) => open.get(node)[0] > left));
  assert.ok(extent(open, frame)[0] > extent(closed, frame)[0]);
});

for (const [width, height, words] of [[1200, 300, 132], [600, 700, 86], [240, 400, 0], [150, 400, 0]]) {
  test(`a tree fits ${width} x ${height}, and what nobody looked at stands in one row, without overlaps`, () => {
    const { grown } = tree();
    const opened = { top: grown.root, open: new Set([grown.root]) };
    const frame = fit({ width, height, unit: 1, board: 0 }, 1, [opened]);
    assert.equal(frame.words, words);
    const open = layOut(opened, frame);
    const size = extent(open, frame);
    assert.ok(size[0] <= width && size[1] <= height && frame.board >= 24, `${size} ${frame.board}`);
    const places = grown.root.children.filter(({ isPruned }) => isPruned).map((node) => open.get(node));
    assert.equal(new Set(places.map(([, y]) => y)).size, 1);
    for (const [at, [x]] of places.slice(1).entries()) assert.ok(x - places[at][0] > frame.board * PRUNED);
  });
}

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
