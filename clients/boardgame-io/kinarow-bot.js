// A boardgame.io bot that asks a kinarow service for its moves. No dependencies: it is handed boardgame.io's Bot.

/**
 * The class of a bot, for `Local({ bots: { 1: kinarowBot(Bot, options) } })` or to be made by hand.
 *
 * It is made for games kept as the boardgame.io tutorial keeps tic-tac-toe: `G.cells` holds the cells row
 * by row, each `null` or the id of the player who has marked it, and a move is called with a cell's index.
 * A game kept otherwise says so by `board` and `action`.
 *
 * @param Bot boardgame.io's class of that name, from "boardgame.io/ai".
 * @param options
 *   - `url`: where the service listens, such as "http://127.0.0.1:8000".
 *   - `request`: fields of POST /move that are always sent: the rules (`goal`, `gravity`, … or `game`), and as
 *     you like `level`, `seed`, `max_nodes`, `time_limit_ms`.
 *   - `columns`: columns of the board (default 3); the rows follow from `G.cells`.
 *   - `first`: the id of the player who is X (default "0"); the other is O.
 *   - `board(G, ctx)`: the rows as the service takes them (default: `G.cells` cut into rows of `columns`).
 *   - `action(move, G, ctx)`: what to do for the service's `{row, column, tile}`: `{move: name, args: [...]}`
 *     (default: `{move: "clickCell", args: [tile - 1]}`).
 *   - `fetch`: stand-in for the global one.
 */
export function kinarowBot(Bot, options) {
  const {
    url,
    request = {},
    columns = 3,
    first = "0",
    board = (G) => rowsOf(G.cells, columns, first),
    action = (move) => ({ move: "clickCell", args: [move.tile - 1] }),
    fetch = globalThis.fetch,
  } = options;

  return class KinarowBot extends Bot {
    /** Called by boardgame.io when it is the turn of the player whom this bot stands for. */
    async play({ G, ctx }, playerID) {
      const asked = { ...request, board: board(G, ctx), to_move: playerID === first ? "X" : "O" };
      const answer = await ask(fetch, `${url.replace(/\/+$/, "")}/move`, asked);
      if (answer.move === null) throw new Error(`kinarow: the game is over (${answer.state})`);
      const { move, args } = action(answer.move, G, ctx);
      return {
        action: { type: "MAKE_MOVE", payload: { type: move, args, playerID, credentials: undefined } },
        metadata: answer,
      };
    }
  };
}

/** Cells in a list, each null or a player's id, as rows of X, O and dots. */
export function rowsOf(cells, columns, first = "0") {
  const marks = cells.map((cell) => (cell === null || cell === undefined ? "." : String(cell) === first ? "X" : "O"));
  const rows = [];
  for (let start = 0; start < marks.length; start += columns) rows.push(marks.slice(start, start + columns).join(""));
  return rows;
}

async function ask(fetch, url, body) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`kinarow: ${answer.detail ?? answer.title} (status ${response.status})`);
  return answer;
}
