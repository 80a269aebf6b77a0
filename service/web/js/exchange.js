/** What comes in from elsewhere and goes out to it; fetched when somebody pastes or shares something, since few do. */

import { readPasted } from "./play/pasted-text.js";
import { copies } from "./play/take-away.js";

export const read = readPasted;
export const write = copies;
