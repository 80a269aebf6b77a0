/** Stands for the page in tests without one: logic reads only the games that the service writes into it. */

const presets = process.env.PRESETS ?? "{}";
globalThis.document = /** @type {any} */ ({ querySelector: () => ({ getAttribute: () => presets }) });

const FOLDER = new URL("../../../service/web/js/", import.meta.url);

/** A module of the page, such as `shared/rules`. @param {string} name */
export function load(name) {
  return import(new URL(`${name}.js`, FOLDER).href);
}
