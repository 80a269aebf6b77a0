/** Stands for the page in tests without one: logic reads only the games that the service writes into it. */

import { readFile } from "node:fs/promises";

const games = process.env.GAMES;
globalThis.document = /** @type {any} */ ({
  querySelector: (/** @type {string} */ meta) => (meta.includes("games") ? { getAttribute: () => games } : null),
});

Object.defineProperty(globalThis, "navigator", { value: { languages: [process.env.PAGE_LANGUAGE ?? "en"] } });
const SERVICE = new URL("../../../service/", import.meta.url);
globalThis.fetch = /** @type {any} */ (async (/** @type {string} */ path) => (
  new Response(await readFile(new URL(path, SERVICE)))));

/** A module of the page, such as `shared/rules`. @param {string} name */
export function load(name) {
  return import(new URL(`web/js/${name}.js`, SERVICE).href);
}
