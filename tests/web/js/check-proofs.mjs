/** What the page's checker says of files: `node check-proofs.mjs`, base64 in JSON from input, verdicts to output. */

import { json } from "node:stream/consumers";
import { Unproven, checkFile } from "../../../service/web/js/atlas/check-proof.js";

function verdict(file) {
  try {
    return checkFile(new Uint8Array(Buffer.from(file, "base64"))).map(({ side, claim, plies }) => [side, claim, plies]);
  } catch (failure) {
    if (failure instanceof Unproven) return null;
    throw failure;
  }
}

console.log(JSON.stringify((await json(process.stdin)).map(verdict)));
