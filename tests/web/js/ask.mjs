/** Answers what a test in Python asks of the page's rules: `node ask.mjs QUESTION`, with JSON from input to output. */

import { text } from "node:stream/consumers";
import { judgeBoard } from "../../../browser/judge-board.js";
import { tree } from "../../../browser/kinarow-answers.js";
import { Misread, readMoves } from "../../../browser/read-moves.js";
import { load } from "./page.mjs";

const { ending, forbiddenCells, legalMoves, play, rulesOf } = await load("shared/rules");
const { PRESETS } = await load("shared/catalogue");
const { Game } = await load("shared/game");
const { readRequest } = await load("shared/read-request");
const { movesText } = await load("shared/notation");
const { readRecord } = await load("play/records");
const { isSgf, sgfText } = await load("play/sgf");
const { levelWords } = await load("play/stage");

/** What is read, or what is said of an error where it is refused: nothing. */
function orNull(read, said = () => null) {
  return (asked) => {
    try {
      return read(asked);
    } catch (error) {
      if (error instanceof Misread) return said(error);
      throw error;
    }
  };
}

const QUESTIONS = {
  /** What the page sees after each move of some games. */
  games(asked) {
    const look = (position) => {
      const { state, winner, lines } = ending(position);
      const line = [...new Set(lines.flat())].sort((a, b) => a - b);
      return [position.cells, position.toMove, legalMoves(position), state, winner, line];
    };
    return asked.map(({ rules, cells, moves }) => {
      let position = { rules, cells, toMove: "X" };
      return [look(position), ...moves.map((cell) => look((position = play(position, cell))))];
    });
  },
  /** The forbidden cells and the legal moves on some boards. */
  forbidden({ rules, boards }) {
    const positions = boards.map(([cells, toMove]) => ({ rules, cells, toMove }));
    return positions.map((position) => [[...forbiddenCells(position)], legalMoves(position)]);
  },
  /** Whose move it is on some boards, and what is wrong with them. */
  judged: (asked) => asked.map(({ rules, cells, toMove }) => judgeBoard(rules, cells, toMove)),
  /** What the page reads of some requests: cells and the side to move, or the sentence that refuses one. */
  read: (requests) => requests.map(orNull((request) => {
    const { cells, toMove, check } = readRequest(request, rulesOf(3, 3, 3));
    check();
    return [cells, toMove];
  }, ({ message }) => message)),
  /** The moves that the page reads in some texts and lists: cells and stacks. */
  moves: (asked) => asked.map(orNull(([moves, rules]) => readMoves(moves, rules).map(({ cell, stack }) => [cell, stack]))),
  /** What the page reads of some records: the start, the moves, the players and the result. */
  records: (asked) => asked.map(orNull(([text, fields]) => {
    const { game: { start, moves }, players, result } = readRecord(text, fields);
    return [start.cells, start.toMove, moves, players, result];
  })),
  /** Some games as the page writes them: as SGF and as moves. */
  written: (games) => games.map(({ rules, cells, moves }) => {
    const game = new Game({ rules, cells, toMove: judgeBoard(rules, cells, null).toMove }, moves);
    return [isSgf(game.start) ? sgfText(game) : null, movesText(rules, moves)];
  }),
  /** The trees of some positions, as a page without a service draws them. */
  trees: (asked) => asked.map(({ position, ...how }) => tree(how, { position, legalMoves, play, ending })),
  presets: () => PRESETS,
  levels: (asked) => asked.map(([level, rules]) => levelWords(level, rules)),
};

console.log(JSON.stringify(QUESTIONS[process.argv[2]](JSON.parse(await text(process.stdin)))));
