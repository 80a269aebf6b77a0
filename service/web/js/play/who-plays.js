/** The one choice of who plays, above the games: a row of buttons where there is room, else a list. */

import { byId, button, h } from "../shared/dom.js";
import { other } from "../shared/rules.js";
import { say } from "../shared/say.js";
import { SIDES } from "./stage.js";

/** Each way by its name: the other player, and the computer's level. @type {Record<string, [Player, number?]>} */
const WAYS = { easy: ["computer", 2], medium: ["computer", 5], both: ["you"], friend: ["friend"] };

/** @param {(choice: Pick<Setup, "players" | "levels">) => void} onChoose @param {() => State} now
 * @returns {(state: State) => void} shows what is chosen */
export function whoPlays(onChoose, now) {
  const words = Object.entries(WAYS).map(([way, [, level]]) =>
    [way, level ? `${say("player.computers")} · ${say(`level.${level}`)}` : say(`who.${way}`)]);
  const choose = (/** @type {string} */ way) => onChoose(chosen(way, now()));
  const buttons = words.map(([way, name]) => button(name, () => choose(way), way));
  // What no way names: another level, or two computers.
  const none = h("option", { value: "", hidden: true }, say("player.computers"));
  const options = words.map(([value, name]) => h("option", { value }, name));
  const list = h("select", { "aria-label": say("who.title"), onchange: () => choose(list.value) }, none, ...options);
  byId("who").append(h("div", { role: "group", "aria-label": say("who.title") }, ...buttons), list);
  return (state) => {
    list.value = wayOf(state);
    for (const each of buttons) each.ariaPressed = String(each.className === list.value);
  };
}

/** @param {string} way @param {State} state */
function chosen(way, { players, levels }) {
  const [opponent, level] = WAYS[way];
  const side = players.O === "you" && players.X !== "you" ? "O" : "X";
  const seats = /** @type {Record<Side, Player>} */ ({ [side]: "you", [other(side)]: opponent });
  return { players: seats, levels: level ? { X: level, O: level } : levels };
}

/** The name of the way that fits; "" where none does. @param {State} state */
function wayOf({ players, levels }) {
  const other = SIDES.find((side) => players[side] !== "you");
  const fits = (/** @type {[Player, number?]} */ [player, level]) =>
    (other ? players[other] === player && (!level || level === levels[other]) : player === "you");
  const alone = SIDES.every((side) => players[side] !== "you");
  return (!alone && Object.keys(WAYS).find((way) => fits(WAYS[way]))) || "";
}
