/** The buttons of the atlas that check a proof in the browser. */

const table = /** @type {HTMLElement} */ (document.querySelector(".proofs"));
const { proven = "", win = "", failed = "" } = table.dataset;

/** What a proof proves, by a worker, so that the page stays usable. @param {Uint8Array} data
 * @returns {Promise<{ proven?: { claim: string, plies: number }[], failed?: string }>} */
function checked(data) {
    return new Promise((resolve, reject) => {
        const worker = new Worker(new URL("check-worker.js", import.meta.url), { type: "module" });
        const end = (/** @type {() => void} */ tell) => (worker.terminate(), tell());
        worker.onmessage = ({ data }) => end(() => resolve(data));
        worker.onerror = (event) => end(() => reject(new Error(event.message)));
        worker.postMessage(data);
    });
}

/** @param {HTMLButtonElement} button */
async function check(button) {
    const row = /** @type {HTMLElement} */ (button.closest("tr"));
    const link = /** @type {HTMLAnchorElement} */ (row.querySelector("a[download]"));
    const output = /** @type {HTMLOutputElement} */ (row.querySelector("output"));
    button.disabled = true;
    output.textContent = "…";
    try {
        const response = await fetch(link.href);
        if (!response.ok) throw new Error(`HTTP ${response.status}`);
        const found = await checked(new Uint8Array(await response.arrayBuffer()));
        if (!found.proven) throw new Error(found.failed);
        const [{ claim, plies }] = found.proven;
        output.textContent = (claim === "win" ? win : proven).replace("{plies}", String(plies));
    } catch (failure) {
        output.textContent = failed.replace("{why}", failure instanceof Error ? failure.message : String(failure));
    }
    button.disabled = false;
}

for (const button of table.querySelectorAll("button")) {
    button.hidden = false;
    button.addEventListener("click", () => check(button));
}
