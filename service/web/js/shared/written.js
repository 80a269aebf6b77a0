/** What the service writes into the page, so that it needs no request to begin. */

/** The rules as the engine declares them; games with a name; where every position is proven within the default budget:
 * in games with so few cells and in those named; maxNodes: the limit of a search.
 * @type {{rules: Record<string, Declaration>, games: object, solved: {cells: number, games: string[]},
 *   maxNodes: number}} */
export const WRITTEN = JSON.parse(document.querySelector("meta[name=games]")?.getAttribute("content") ?? "");
