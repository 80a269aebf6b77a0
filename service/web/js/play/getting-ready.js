/** Says on the tiles of games that are not ready, as long as the service still compiles the engine. */

import { PRESETS } from "../shared/catalogue.js";
import { h } from "../shared/dom.js";
import { say } from "../shared/say.js";

const AGAIN_MS = 2000;

/** Asks until all games are ready. */
export async function watchReadiness() {
  const ready = await readyGames();
  for (const old of document.querySelectorAll(".getting-ready")) old.remove();
  if (!ready) return;
  for (const tile of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-game]"))) {
    const game = tile.dataset.game ?? "";
    if (!(game in PRESETS) || ready.includes(game)) continue;
    tile.querySelector(".tile-words")?.append(h("span", { class: "getting-ready" }, say("games.waits")));
  }
  setTimeout(watchReadiness, AGAIN_MS);
}

/** The games that can be played while others are not ready; null where all can, or the service does not say.
 * @returns {Promise<string[] | null>} */
async function readyGames() {
  const response = await fetch("readyz").catch(() => null);
  if (response?.status !== 503) return null;
  const { games = null } = await response.json().catch(() => ({}));
  return games;
}
