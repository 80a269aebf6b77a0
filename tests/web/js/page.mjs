/** Stands for the page in tests without one: logic reads only the games that the service writes into it. */

import { readFile } from "node:fs/promises";

const games = process.env.GAMES;
globalThis.document = /** @type {any} */ ({ querySelector: () => ({ getAttribute: () => games }) });

Object.defineProperty(globalThis, "navigator", { value: { languages: [process.env.PAGE_LANGUAGE ?? "en"] } });
globalThis.fetch = /** @type {any} */ (async (/** @type {URL} */ url) => new Response(await readFile(url)));

const FOLDER = new URL("../../../service/web/js/", import.meta.url);

/** A module of the page, such as `shared/rules`. @param {string} name */
export function load(name) {
  return import(new URL(`${name}.js`, FOLDER).href);
}
