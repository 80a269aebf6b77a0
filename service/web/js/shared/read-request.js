/** Reads the bodies of requests by the page's rules. */

import { readStart } from "../../../../browser/read-board.js";
import { refuse } from "../../../../browser/read-moves.js";
import { PRESETS, namedRules } from "./catalogue.js";
import { checkedRules } from "./game.js";
import { RULE_FIELDS, rulesOf, wrongField } from "./rules.js";

const POSITION = ["board", "moves", "first", "to_move", "composed", "game"];
/** The fields that say nothing about the position. */
const OTHERS = ["only", "exclude", "max_nodes", "max_depth", "time_limit_ms", "level", "seed", "top", "values", "pruning"];

/** What a request says, by the page's rules. @param {any} fields @param {Rules} current */
export function readRequest(fields, current) {
  // Another field may say whose move it is, or what the rules are.
  const other = Object.keys(fields).find((name) => ![...POSITION, ...RULE_FIELDS, ...OTHERS].includes(name));
  if (other !== undefined) refuse("field", { field: other.slice(0, 100) });
  const game = fields.game ? { name: fields.game, size: namedRules(fields.game) } : null;
  return readStart(fields, game, (size, sent) => rulesFrom(size, sent, current));
}

/** @param {Size} size @param {Record<string, any>} sent @param {Rules} current @returns {Rules} */
function rulesFrom({ rows, columns, layers }, sent, current) {
  const size = { rows, columns, layers };
  const given = Object.fromEntries(RULE_FIELDS.filter((field) => field in sent).map((field) => [field, sent[field]]));
  if (sent.game === undefined) {
    const base = sent.goal ? rulesOf(rows, columns, sent.goal) : fitting(size, current);
    return checkedRules({ ...base, ...given, ...size });
  }
  const rules = { ...namedRules(sent.game), ...size };
  const other = RULE_FIELDS.find((field) => field in given && String(given[field]) !== String(rules[field]));
  return other ? refuse("field", { field: other }) : checkedRules(rules);
}

/** The rules of a board without any: those of the game shown, of a game of that size, or as near to the game shown as
 * the size allows. @param {Size} size @param {Rules} current @returns {Rules} */
export function fitting(size, current) {
  const known = [current, ...Object.values(PRESETS)].find((each) => sizeKey(each) === sizeKey(size));
  if (known) return known;
  const { rows, columns, layers } = size;
  const goal = Math.min(current.goal, Math.max(rows, columns, layers));
  const same = { ...current, ...size, goal };
  return wrongField(same) ? rulesOf(rows, columns, goal, { layers, gravity: current.gravity }) : same;
}

/** @param {Size} size */
function sizeKey({ rows, columns, layers }) {
  return `${rows} ${columns} ${layers}`;
}
