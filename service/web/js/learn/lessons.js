/** What there is to learn, step by step, and positions to look into: each small enough to see its whole tree. */

import { PRESETS } from "../shared/catalogue.js";
import { rulesOf } from "../shared/rules.js";
import { say } from "../shared/say.js";

const FASTEST = at("tic-tac-toe", "..O/X../XO.", "X");

/** @type {Lesson[]} */
export const LESSONS = [
  { ...told("every", at("tic-tac-toe", "XOX/OOX/...", "X")), pruning: false },
  told("skip", at("tic-tac-toe", "XOO/..X/O..", "X")),
  { ...told("early", FASTEST), depth: 2 },
  told("late", at("tic-tac-toe", "O.O/..X/..X", "X")),
];

/** @type {Lesson[]} */
export const EXAMPLES = [
  told("draw", at("tic-tac-toe", "X../.O./.OX", "X")),
  told("misere", at("misere-tic-tac-toe", "X.O/.O./.X.", "X")),
  told("fall", at(rulesOf(4, 4, 3, { gravity: true }), "X.../O.../XXO./OXOX", "O")),
];

/** @param {string} name @param {string} text @param {Position} position @returns {Lesson} */
export function example(name, text, position) {
  return { name, text, position, pruning: true, depth: null };
}

/** @param {string} key @param {Position} position */
function told(key, position) {
  return example(say(`learn.${key}`), say(`learn.${key}.text`), position);
}

/** @param {string | Rules} game @param {string} board @param {Side} toMove @returns {Position} */
function at(game, board, toMove) {
  return { rules: typeof game === "string" ? PRESETS[game] : game, cells: board.replaceAll("/", ""), toMove };
}
