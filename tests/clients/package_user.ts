// What a program in an empty folder writes that has installed the packed client.

import { Kinarow, KinarowError, type Level, type MoveAnswer, type MoveRequest, type paths } from "kinarow-client";

export type Moves = paths["/move"]["post"];
const levels: Level[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

export async function play(url: string): Promise<void> {
  const kinarow = new Kinarow(url, { timeoutMs: 60_000 });
  for (const level of levels) {
    const request: MoveRequest = { game: "connect-four", moves: "4453", level, seed: 1 };
    const { move, board }: MoveAnswer = await kinarow.move(request);
    console.log(level, move !== null && move.column >= 0 && move.column < 7 && board.length === 6);
  }
  // @ts-expect-error there is no level 11
  const refused = await kinarow.move({ board: ["XX.", "OO.", "..."], level: 11 }).catch((error: unknown) => error);
  if (refused instanceof KinarowError) console.log(refused.status, refused.errors[0]?.pointer);
}
