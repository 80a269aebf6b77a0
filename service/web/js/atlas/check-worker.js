/** Checks a proof beside the page, which stays usable: bytes of a file in, what it proves or an error's text out. */

import { checkFile } from "./check-proof.js";

addEventListener("message", ({ data }) => {
    try {
        postMessage({ proven: checkFile(data) });
    } catch (failure) {
        postMessage({ failed: String(failure) });
    }
});
