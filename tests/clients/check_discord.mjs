// The bot plays a game to its end with the real discord.js, against a Discord of our own on the loopback interface:
// node check_discord.mjs URL, where discord/bot.js lies beside it and node_modules above.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { Client } from "discord.js";
import { WebSocketServer } from "ws";

import { connect } from "./discord/bot.js";
import { Kinarow } from "./javascript/kinarow.js";

const USER = { id: "1", username: "person", discriminator: "0", avatar: null, global_name: null };
const BOT = { ...USER, id: "2", username: "kinarow", bot: true };
const seen = []; // [method, path, body] of every request of the bot
let news = () => {};

const rest = createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  const path = decodeURIComponent(request.url.split("?")[0]).replace("/api/v10", "");
  const body = text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text;
  const port = rest.address().port;
  const limit = { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1 };
  const answer =
    path === "/gateway/bot"
      ? { url: `ws://127.0.0.1:${port}`, shards: 1, session_start_limit: limit }
      : path.endsWith("/commands")
        ? body.map((command, index) => ({ ...command, id: String(index), application_id: "2", version: "1" }))
        : path.endsWith("/callback")
          ? null
          : { id: "9", channel_id: "5", author: BOT, ...body, timestamp: new Date().toISOString(), edited_timestamp: null };
  if (answer) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  else response.writeHead(204).end();
  seen.push([request.method, path, body]);
  news();
});
let socket;
new WebSocketServer({ server: rest }).on("connection", (opened) => {
  socket = opened;
  socket.on("message", (data) => {
    const { op } = JSON.parse(data);
    if (op === 1) send(11, null); // a heartbeat
    if (op === 2) dispatch("READY", { v: 10, user: BOT, guilds: [], session_id: "s", resume_gateway_url: "ws://127.0.0.1:9", application: { id: "2", flags: 0 } });
  });
  send(10, { heartbeat_interval: 45_000 });
});
let count = 0;
const send = (op, d, t = null) => socket.send(JSON.stringify({ op, d, t, s: t ? (count += 1) : null }));
const dispatch = (name, data) => send(0, data, name);

/** The next request of the bot that a test is for. */
async function asked(method, path) {
  for (;;) {
    const index = seen.findIndex(([its, where]) => its === method && where.endsWith(path));
    if (index >= 0) return seen.splice(index, 1)[0][2];
    await new Promise((resolve) => (news = resolve));
  }
}
const interaction = (id, fields) =>
  dispatch("INTERACTION_CREATE", {
    id: String(id), application_id: "2", token: "t", version: 1, channel_id: "5", user: USER, locale: "en-GB",
    entitlements: [], authorizing_integration_owners: {}, attachment_size_limit: 1, ...fields,
  });
const buttons = ({ components }) => components.flatMap((row) => row.components);
const free = (shown) => buttons(shown).filter((button) => !button.disabled);

rest.listen(0, "127.0.0.1");
await once(rest, "listening");
const client = new Client({ intents: [], rest: { api: `http://127.0.0.1:${rest.address().port}/api` } });
connect(client, new Kinarow(process.argv[2]));
await client.login("token");

const [command] = await asked("PUT", "/commands");
assert.deepEqual([command.name, command.options[0].min_value, command.options[0].max_value], ["connect-four", 1, 10]);

interaction(1, { type: 2, data: { id: "7", name: "connect-four", type: 1, options: [{ name: "level", type: 4, value: 3 }] } });
const begun = await asked("POST", "/callback");
assert.equal(begun.type, 4);
let shown = begun.data;
assert.equal(free(shown).length, 7);

for (let turn = 2; free(shown).length; turn += 1) {
  const discs = (text) => [...text.split("\n").slice(0, 6).join("")].filter((each) => each !== "⚪").length;
  const before = discs(shown.content);
  assert.equal(before, 2 * (turn - 2));
  const { custom_id } = free(shown)[0];
  interaction(turn, {
    type: 3,
    data: { custom_id, component_type: 2 },
    message: { id: "9", channel_id: "5", author: BOT, ...shown, timestamp: new Date().toISOString(), edited_timestamp: null },
  });
  assert.equal((await asked("POST", "/callback")).type, 6);
  shown = await asked("PATCH", "/messages/@original");
  assert.ok(discs(shown.content) > before);
}
assert.match(shown.content, /(🔴|🟡|Nobody) has won\.$/u);

// A service that is not there is said to the person alone.
const other = new Client({ intents: [], rest: { api: `http://127.0.0.1:${rest.address().port}/api` } });
connect(other, new Kinarow("http://127.0.0.1:9"));
await client.destroy();
await other.login("token");
interaction(99, { type: 3, data: { custom_id: "3::1", component_type: 2 }, message: { id: "9", channel_id: "5", author: BOT, ...begun.data, timestamp: new Date().toISOString(), edited_timestamp: null } });
const told = await asked("POST", "/t");
assert.deepEqual([told.flags, told.content], [64, "No service at http://127.0.0.1:9."]);
await other.destroy();
rest.closeAllConnections();
rest.close();
console.log("ok");
process.exit(0);
