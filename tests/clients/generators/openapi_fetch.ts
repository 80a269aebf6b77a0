// openapi-fetch with the types of openapi-typescript: what front ends write, under strict.

import createClient from "openapi-fetch";

import type { components, paths } from "./api.js";

export async function play(baseUrl: string): Promise<void> {
  const querySerializer = { array: { style: "form", explode: false } } as const;
  const client = createClient<paths>({ baseUrl, querySerializer });
  const board: string[] = ["XX.", "OO.", "..."];

  const { data, error } = await client.POST("/move", { body: { board, level: 6 } });
  if (error !== undefined) throw new Error(error.detail);
  const side: "X" | "O" = data.to_move;
  console.log(side, data.move?.column, data.outcome);

  console.log(data.board.join("/"));

  // @ts-expect-error a level is a number
  const wrong = await client.POST("/move", { body: { board, level: "6" } });
  const problem: components["schemas"]["Problem"] | undefined = wrong.error;
  console.log(problem?.status, problem?.errors?.[0]?.pointer);

  const query = { game: "connect-four", moves: "4453", max_nodes: 1000 } as const;
  const got = await client.GET("/move", { params: { query } });
  console.log(got.response.status, got.data?.search.source);

  const directions: ("horizontal" | "vertical")[] = ["horizontal", "vertical"];
  const straight = await client.GET("/move", { params: { query: { board: "XX./OO./...", directions } } });
  console.log(straight.data?.move?.column);

  const call: components["schemas"]["KaggleCall"] = {
    configuration: { rows: 3, columns: 3, inarow: 3 },
    state: { observation: { board: [1, 1, 0, 2, 2, 0, 1, 2, 0], mark: 1 } },
  };
  const kaggle = await client.POST("/adapters/kaggle-connectx", { body: call });
  console.log(kaggle.data?.action);
}
