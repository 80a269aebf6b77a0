// Drives clients/javascript/kinarow.js against a real server: node check_client.mjs http://127.0.0.1:8000
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Kinarow, KinarowError } from "../../clients/javascript/kinarow.js";

const service = new Kinarow(`${process.argv[2]}/`);

const won = await service.move({ board: ["XX.", "OO.", "..."] });
assert.deepEqual(won.move, { row: 0, column: 2, tile: 3 });
assert.equal(won.after.winner, "X");
assert.equal(won.reasons[0].code, "completes_line");

const same = (answer) => ({ ...answer, search: null });
const questions = [
  { board: ["XX.", "OO.", "..."] },
  { board: [["X", null, ""], ["", "O", " "], [null, "x", "o"]] },
  { board: [[1, 0, 0], [0, "2", "0"], [0, "1", 2]] },
  { board: "X.O/.X./..O", goal: 3, misere: true },
  { board: ["XO.X."], goal: 3, rows: 1 },
  { board: ["X", "O", "."], goal: 2, rows: 1 },
  { board: ["X", "O", "", null], goal: 2, columns: 1 },
  { board: ["x . o", ". x .", ". . ."] },
  { board: [["X", null, "O"], ["O", null, "X"], ["X", null, "O"], ["", "", ""]], goal: 3 },
  { board: ["   ", " X ", "O  "] },
  { board: [["XX.", "OO.", "..."], ["...", "...", "..."]], goal: 3, layers: 2 },
  { board: ["XX.", "OO.", "...", "...", "...", "..."], goal: 3, layers: 2 },
  { board: ["XX.", "OO."], goal: 3, layers: 2 },
  { board: [["X", "."], ["O", "."], ["X", "."]], goal: 2, layers: 3 },
  { game: "tic-tac-toe", moves: [5, 1], directions: ["horizontal", "vertical", "diagonal", "antidiagonal"] },
];
for (const question of questions) {
  assert.deepEqual(same(await service.cachedMove(question)), same(await service.move(question)), JSON.stringify(question));
}

// Each way to write a board gets the same answer by GET as by POST, or is refused by both.
const heard = (asked) => asked.then(same, (error) => error.status ?? error);
const tables = ["accepted", "refused"].map((name) => new URL(`../support/${name}.json`, import.meta.url));
const written = (await Promise.all(tables.map((table) => readFile(table, "utf8")))).flatMap((text) => JSON.parse(text));
assert.ok(written.length > 100);
const more = [{ game: "tic-tac-toe", moves: null }, { board: [["...", ".X.", "..."]] }];
for (const request of [...written.map((each) => each.request), ...more]) {
  const question = { max_nodes: 1000, ...request };
  const [got, posted] = [await heard(service.cachedMove(question)), await heard(service.move(question))];
  assert.deepEqual(got, posted, JSON.stringify(question));
}

const inLayers = await service.move({ game: "qubic", moves: [1, 64], max_nodes: 100 });
assert.deepEqual([inLayers.board.length, inLayers.board[0].length], [16, 4]);
const next = { game: "qubic", board: inLayers.board, max_nodes: 100 };
assert.deepEqual(same(await service.cachedMove(next)), same(await service.move(next)));

const analysed = await service.analysis({ board: ["X..", ".O.", "..X"], top: 2 });
assert.equal(analysed.moves.length, 2);
const news = [];
const unasked = { board: ["X....", ".O...", ".....", "....."], goal: 4, max_depth: 4 };
const streamed = await service.analysis(unasked, { onProgress: (each) => news.push(each) });
assert.equal(streamed.moves.length, 18);
assert.ok(news.length > 0);
assert.ok(news.every((each) => Number.isInteger(each.depth) && "outcome" in each && Array.isArray(each.line)));

const reviewed = await service.review({ game: "tic-tac-toe", moves: [1, 2, [1, 1], 9, { row: 1, column: 0 }, 3, 6] });
assert.deepEqual(reviewed.moves.map((each) => each.grade), ["best", "mistake", "best", "best", "best", "best", "best"]);
assert.equal(reviewed.winner, "X");
const told = [];
const asEvents = await service.review({ game: "tic-tac-toe", moves: [1, 2, 5, 9] }, { onMove: (each) => told.push(each.index) });
assert.deepEqual(told, [3, 2, 1, 0]);
assert.equal(asEvents.moves[1].graded_by, "proof");

const [first, wrong, third] = await service.moves([questions[0], { board: "XX./.../..." }, questions[2]]);
assert.equal(first.move.tile, 3);
assert.ok(wrong instanceof KinarowError);
assert.deepEqual([wrong.status, wrong.errors[0].pointer], [422, "/board"]);
assert.equal(third.proven, true);

const small = { board: ["XOX", "OXO", ".X."], to_move: "O" };
const drawn = await service.tree(small);
assert.equal(drawn.root.children.length, 2);
assert.ok(drawn.nodes <= (await service.tree({ ...small, pruning: false })).nodes);
await assert.rejects(service.tree({ board: ["...", "...", "..."], pruning: false }), { status: 422, message: /nodes/ });

await assert.rejects(service.move({ board: ["XXX", "XX.", "..."] }), (error) => {
  assert.ok(error instanceof KinarowError);
  assert.equal(error.status, 422);
  assert.equal(error.errors[0].pointer, "/board");
  return true;
});
assert.equal((await service.version()).name, "kinarow");

const controller = new AbortController();
controller.abort();
await assert.rejects(service.move({ board: ["...", "...", "..."] }, { signal: controller.signal }), { name: "AbortError" });

// What a proxy or a busy service says, and events cut into pieces, from a server that does nothing else.
const answers = {
  "/version": (response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>"),
  "/move": (response) =>
    response
      .writeHead(503, { "content-type": "application/problem+json", "retry-after": "3" })
      .end(JSON.stringify({ title: "Busy", status: 503, detail: "too many searches" })),
  "/analysis": async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text =
      ': hello\n\nevent: progress\ndata: {"depth": 1}\n\nevent: progress\r\ndata: {"depth": 2}\r\n\r\n' +
      'event: result\ndata: {"move": "é"}\n\n';
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    response.end();
  },
};
const server = createServer((request, response) => answers[request.url.split("?")[0]](response));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const stub = new Kinarow(`http://127.0.0.1:${server.address().port}`, { headers: { "x-test": "1" } });
await assert.rejects(stub.version(), { status: 502, message: /Bad gateway/ });
await assert.rejects(stub.move({ board: "" }), { status: 503, retryAfter: 3, message: "too many searches", errors: [] });
const depths = [];
assert.deepEqual(await stub.analysis({}, { onProgress: ({ depth }) => depths.push(depth) }), { move: "é" });
assert.deepEqual(depths, [1, 2]);
server.closeAllConnections();
server.close();
console.log("ok");
