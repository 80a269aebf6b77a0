/** A click for each mark, where the visitor wants to hear it. */

import { byId } from "../shared/dom.js";

/** Wood on wood: a short tone that falls. */
const [FROM_HZ, TO_HZ, LOUDNESS, SECONDS] = [900, 220, 0.25, 0.07];

/** @type {AudioContext | undefined} browsers allow one only after the visitor has done something */
let audio;

/** @param {PageStore} store */
export function installSound(store) {
  const box = /** @type {HTMLInputElement} */ (byId("sound"));
  box.addEventListener("change", () => box.checked && click());
  store.listen(({ game }, before) => {
    const isMove = game !== before.game && game.start === before.game.start && game.shown === before.game.shown + 1;
    if (isMove && box.checked) click();
  });
}

function click() {
  audio ??= new AudioContext();
  const [tone, volume, now] = [audio.createOscillator(), audio.createGain(), audio.currentTime];
  tone.frequency.setValueAtTime(FROM_HZ, now);
  tone.frequency.exponentialRampToValueAtTime(TO_HZ, now + SECONDS);
  volume.gain.setValueAtTime(LOUDNESS, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + SECONDS);
  tone.connect(volume).connect(audio.destination);
  tone.start(now);
  tone.stop(now + SECONDS);
}
