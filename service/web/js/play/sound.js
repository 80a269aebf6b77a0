/** A click for each mark and three notes for a win, where the visitor wants to hear them. */

import { byId } from "../shared/dom.js";

/** Wood on wood: a short tone that falls. */
const [FROM_HZ, TO_HZ, LOUDNESS, SECONDS] = [900, 220, 0.25, 0.07];
/** A major triad. */
const NOTES_HZ = [523, 659, 784];

/** @type {AudioContext | undefined} browsers allow one only after the visitor has done something */
let audio;

/** @param {PageStore} store */
export function installSound(store) {
  const box = /** @type {HTMLInputElement} */ (byId("sound"));
  box.addEventListener("change", () => box.checked && click());
  store.listen(({ game, players }, before) => {
    const isMove = game !== before.game && game.start === before.game.start && game.shown === before.game.shown + 1;
    if (!isMove || !box.checked) return;
    click();
    const { winner } = game.ending;
    if (winner && players[winner] === "you") NOTES_HZ.forEach((hz, at) => tone(hz, hz, 0.15 * (at + 2), 0.3));
  });
}

function click() {
  tone(FROM_HZ, TO_HZ, 0, SECONDS);
}

/** @param {number} from in Hz @param {number} to in Hz @param {number} delay in seconds @param {number} seconds */
function tone(from, to, delay, seconds) {
  audio ??= new AudioContext();
  const [source, volume, begin] = [audio.createOscillator(), audio.createGain(), audio.currentTime + delay];
  source.frequency.setValueAtTime(from, begin);
  source.frequency.exponentialRampToValueAtTime(to, begin + seconds);
  volume.gain.setValueAtTime(LOUDNESS, begin);
  volume.gain.exponentialRampToValueAtTime(0.001, begin + seconds);
  source.connect(volume).connect(audio.destination);
  source.start(begin);
  source.stop(begin + seconds);
}
