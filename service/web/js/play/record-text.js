/** What the readers of records share: places in the text, sizes, names. */

import { MAX_SIDE } from "../shared/rules.js";

/** The most moves of a game. */
export const MOST_MOVES = MAX_SIDE ** 2;

/** What is wrong at a place of the text. */
export class WrongPlace extends Error {
  /** @param {number} place @param {string} message */
  constructor(place, message) {
    super(message);
    this.place = place;
  }
}

/** @param {number} place @param {string} message @returns {never} */
export function wrong(place, message) {
  throw new WrongPlace(place, message);
}

/** The size of a board as fields of a request. @param {string} rows @param {string} columns @param {number} place */
export function sizeAt(rows, columns, place) {
  for (const [name, number] of [["rows", rows], ["columns", columns]]) {
    const isIn = Number(number) >= 1 && Number(number) <= MAX_SIDE;
    if (!isIn) wrong(place, `a board has 1 to ${MAX_SIDE} ${name}, not ${number}`);
  }
  return { rows: Number(rows), columns: Number(columns) };
}

/** A name on one line. @param {string} text */
export function oneLine(text) {
  return text.trim().replace(/\s+/g, " ").slice(0, 100);
}
