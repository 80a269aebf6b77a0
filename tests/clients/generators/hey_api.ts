// The functions that @hey-api/openapi-ts writes, under strict.

import { client } from "./hey-api/client.gen.js";
import { analyse, move, solve } from "./hey-api/sdk.gen.js";

export async function play(baseUrl: string): Promise<void> {
  client.setConfig({ baseUrl });
  const board = ["XX.", "OO.", "..."];
  const { data, error } = await move({ body: { board, level: 6 } });
  console.log(data?.move?.column, data?.outcome, error);
  const valued = await analyse({ body: { game: "tic-tac-toe", moves: "b2", top: 2 } });
  console.log(valued.data?.moves.length);
  const wrong = await move({ body: { board: ["XX"] } });
  console.log(wrong.error !== undefined && "status" in wrong.error && wrong.error.status);
  const scores = await solve({ query: { pos: "2634774315435467514624" } });
  console.log(scores.data?.score[3]);
}
