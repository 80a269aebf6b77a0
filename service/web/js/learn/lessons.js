/** What there is to learn, step by step, and positions to look into: each small enough to see its whole tree. */

import { PRESETS } from "../shared/catalogue.js";
import { rulesOf } from "../shared/rules.js";
/** @import { Position, Rules, Side } from "../shared/rules.js" */

/**
 * @typedef {object} Lesson
 * @property {string} name
 * @property {string} text what it shows, in a sentence or two
 * @property {Position} position
 * @property {boolean} pruning
 * @property {number | null} depth the moves to look ahead, null for all
 */

const FASTEST = at("tic-tac-toe", "..O/X../XO.", "X");

/** @type {Lesson[]} */
export const LESSONS = [
  { ...example("Try every move", "The search makes every move and every reply to the end of the game, then hands the "
    + "results back up: each side takes what is best for it.", at("tic-tac-toe", "XOX/OOX/...", "X")), pruning: false },
  example("Skip what cannot matter", "Once a reply is good enough to spoil a move, its other replies need no look. "
    + "The answer stays the same, with far fewer boards.", FASTEST),
  { ...example("Stop early and estimate", "Large games cannot be searched to the end. The search stops after two moves "
    + "and estimates who is ahead; a real win still counts more than any estimate.", FASTEST), depth: 2 },
  example("Win soon, lose late", "X loses whatever it does. A later loss is worth more than a sooner one, so the "
    + "search makes the other side work for it.", at("tic-tac-toe", "O.O/..X/..X", "X")),
];

/** @type {Lesson[]} */
export const EXAMPLES = [
  example("Holding the draw", "One move of five does not lose. See how many boards need no look to know it.",
    at("tic-tac-toe", "X../.O./.OX", "X")),
  example("Upside down",
    "In misère, three in a row loses: one move wins, because it leaves the other side no way out.",
    at("misere-tic-tac-toe", "X.O/.O./.X.", "X")),
  example("Stones that fall", "Three in a row on a board where stones fall: few moves, each opening another.",
    at(rulesOf(4, 4, 3, { gravity: true }), "X.../O.../XXO./OXOX", "O")),
];

/** @param {string} name @param {string} text @param {Position} position @returns {Lesson} */
export function example(name, text, position) {
  return { name, text, position, pruning: true, depth: null };
}

/** @param {string | Rules} game @param {string} board @param {Side} toMove @returns {Position} */
function at(game, board, toMove) {
  return { rules: typeof game === "string" ? PRESETS[game] : game, cells: board.replaceAll("/", ""), toMove };
}
