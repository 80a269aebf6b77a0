/** What comes in from elsewhere and goes out to it; fetched when somebody pastes or shares something. */

import { readPasted } from "./play/pasted-text.js";
import { Friend as WithFriend } from "./play/friend.js";
import { copies } from "./play/take-away.js";

export const read = readPasted;
export const write = copies;
export const Friend = WithFriend;
