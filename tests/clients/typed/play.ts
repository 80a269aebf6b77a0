// A game of tic-tac-toe through the client of openapi-generator for TypeScript's fetch.

import { Configuration, PositionsApi } from "./client/index.js";

export async function play(basePath: string): Promise<void> {
  const service = new PositionsApi(new Configuration({ basePath }));
  let board = ["...", "...", "..."];
  for (;;) {
    const answer = await service.move({ moveRequest: { board } });
    if (answer.move === null) {
      console.log(answer.state, board.join("/"));
      break;
    }
    console.log(answer.move.tile);
    board = answer.board;
  }
  const { answers } = await service.moves({ movesRequest: { requests: [{ board: ["XX"] }] } });
  console.log(answers[0]?.answer, answers[0]?.problem?.status);
}
