// Whole games with the real boardgame.io: node check_boardgame_io.mjs http://127.0.0.1:8000 folder-with-node_modules
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { kinarowBot } from "../../clients/boardgame-io/kinarow-bot.js";

const [url, packages] = process.argv.slice(2);
const require = createRequire(`${packages}/package.json`);
const { Client } = require("boardgame.io/client");
const { Local } = require("boardgame.io/multiplayer");
const { Bot, Simulate } = require("boardgame.io/ai");
const { INVALID_MOVE } = require("boardgame.io/core");

/** A k-in-a-row game as the boardgame.io tutorial writes tic-tac-toe. */
function kInARow(name, rows, columns, goal, gravity) {
  const runs = (cells, id) => {
    for (let cell = 0; cell < cells.length; cell += 1) {
      for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
        let length = 0;
        let [row, column] = [Math.floor(cell / columns), cell % columns];
        while (row < rows && column >= 0 && column < columns && cells[row * columns + column] === id) {
          length += 1;
          row += down;
          column += right;
        }
        if (length >= goal) return true;
      }
    }
    return false;
  };
  const legal = (cells, cell) =>
    cells[cell] === null && (!gravity || cell + columns >= cells.length || cells[cell + columns] !== null);
  return {
    name,
    setup: () => ({ cells: Array(rows * columns).fill(null), moves: 0 }),
    turn: { minMoves: 1, maxMoves: 1 },
    moves: {
      clickCell: ({ G, playerID }, cell) => {
        if (!legal(G.cells, cell)) return INVALID_MOVE;
        G.cells[cell] = playerID;
        G.moves += 1;
      },
    },
    endIf: ({ G }) => {
      for (const id of ["0", "1"]) if (runs(G.cells, id)) return { winner: id };
      if (G.cells.every((cell) => cell !== null)) return { draw: true };
    },
    ai: {
      enumerate: (G) =>
        G.cells.flatMap((_, cell) => (legal(G.cells, cell) ? [{ move: "clickCell", args: [cell] }] : [])),
    },
  };
}

class RandomBot extends Bot {
  async play({ G, ctx }, playerID) {
    return { action: this.random(this.enumerate(G, ctx, playerID)) };
  }
}

// 1. Two bots of the package's own simulation: the service never loses tic-tac-toe against chance.
const ticTacToe = kInARow("tic-tac-toe", 3, 3, 3, false);
for (const seed of ["a", "b", "c"]) {
  for (const mine of ["0", "1"]) {
    const Mine = kinarowBot(Bot, { url });
    const options = { game: ticTacToe, enumerate: ticTacToe.ai.enumerate, seed };
    const bots = { [mine]: new Mine(options), [mine === "0" ? "1" : "0"]: new RandomBot(options) };
    const { state } = await Simulate({ game: ticTacToe, bots, state: start(ticTacToe, 2) });
    assert.ok(state.ctx.gameover, "the game came to its end");
    assert.notEqual(state.ctx.gameover.winner, mine === "0" ? "1" : "0");
  }
}

// 2. A whole game through the package's local multiplayer, where a person plays against the bot, under gravity.
const connectFour = kInARow("connect-four", 6, 7, 4, true);
const Opponent = kinarowBot(Bot, { url, columns: 7, request: { game: "connect-four", level: 6, seed: 1 } });
const client = Client({ game: connectFour, playerID: "0", multiplayer: Local({ bots: { 1: Opponent } }) });
client.start();
for (;;) {
  const { G, ctx } = await myTurn(client);
  if (ctx.gameover) {
    assert.ok(G.moves >= 8);
    break;
  }
  const choices = connectFour.ai.enumerate(G);
  client.moves.clickCell(...choices[G.moves % choices.length].args);
}
client.stop();

// 3. A refusal tells why.
const Wrong = kinarowBot(Bot, { url, request: { goal: 9 } });
await assert.rejects(new Wrong({}).play(start(ticTacToe, 2), "0"), /goal/);
console.log("ok");

function start(game, numPlayers) {
  return Client({ game, numPlayers }).getState();
}

/** Wait until it is player 0's turn or the game is over. */
async function myTurn(client) {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const state = client.getState();
    if (state && (state.ctx.gameover || state.ctx.currentPlayer === "0")) return state;
    await new Promise((later) => setTimeout(later, 10));
  }
  throw new Error("the bot never moved");
}
