// The JavaScript client against a server that is busy, silent or not there: node check_retries.mjs

import assert from "node:assert/strict";
import { createServer } from "node:http";

import { Kinarow, KinarowError, retryAfter } from "../../clients/javascript/kinarow.js";

let asked = 0;
const server = createServer((request, response) => {
  if (request.url.startsWith("/move")) return; // never answered
  asked += 1;
  const busy = asked < 3;
  response.writeHead(busy ? 503 : 200, { "content-type": "application/json", ...(busy ? { "retry-after": "0" } : {}) });
  response.end(busy ? '{"title": "busy"}' : '{"name": "kinarow"}');
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${server.address().port}`;

assert.deepEqual(await new Kinarow(url).version(), { name: "kinarow" });
assert.equal(asked, 3);

asked = 0;
await assert.rejects(new Kinarow(url, { retries: 1 }).version(), (error) => error instanceof KinarowError && error.status === 503);
assert.equal(asked, 2);

await assert.rejects(
  new Kinarow(url, { timeoutMs: 200 }).cachedMove({ game: "ttt", moves: "b2" }),
  (error) => error instanceof KinarowError && error.status === 0 && error.message.includes("within 200 ms"),
);

const gone = new AbortController();
setTimeout(() => gone.abort(), 50);
await assert.rejects(new Kinarow(url).move({}, { signal: gone.signal }), { name: "AbortError" });

const asks = (header) => retryAfter(new Response(null, { headers: header ? { "retry-after": header } : {} }));
assert.deepEqual(["7", "soon", null].map(asks), [7, null, null]);
assert.ok(Math.abs(asks(new Date(Date.now() + 5000).toUTCString()) - 4.5) <= 0.6);

server.closeAllConnections();
await new Promise((closed) => server.close(closed));
await assert.rejects(new Kinarow(url).version(), (error) => error instanceof KinarowError && error.status === 0);
console.log("ok");
