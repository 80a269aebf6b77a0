// Repeats recorded calls (record.py) with a wasm module: node replay.mjs MODULE CALLS RESULTS
import fs from "node:fs";

const [module, calls, results] = process.argv.slice(2);
const TRIES = 3;

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(module)), {
  env: { kinarow_monotonic_ns: () => process.hrtime.bigint() },
});
const input = fs.readFileSync(calls);
const output = fs.openSync(results, "w");
let at = 0;
const word = () => input.readBigInt64LE((at += 8) - 8);
const padded = (bytes) => (bytes + 7) & ~7;

for (let left = Number(word()); left > 0; left--) {
  const name = input.toString("latin1", at, (at += 64)).replace(/\0+$/, "");
  const words = Array.from({ length: Number(word()) }, word);
  let top = padded(exports.__heap_base.value);
  const record = top;
  top += 8 * (words.length + 1);
  const arrays = Array.from({ length: Number(word()) }, () => {
    const [place, bytes] = [Number(word()), Number(word())];
    const array = { place, address: top, bytes: padded(bytes), from: at };
    at += array.bytes;
    top += (array.bytes + 63) & ~63;
    return array;
  });
  const missing = top - exports.memory.buffer.byteLength;
  if (missing > 0) exports.memory.grow(Math.ceil(missing / 65536));
  const memory = Buffer.from(exports.memory.buffer);
  let status, taken;
  for (let tries = TRIES; tries > 0; tries--) {
    for (const { place, address, bytes, from } of arrays) {
      words[place] = BigInt(address);
      input.copy(memory, address, from, from + bytes);
    }
    [...words, 0n].forEach((value, index) => memory.writeBigInt64LE(BigInt.asIntN(64, value), record + 8 * index));
    const began = process.hrtime.bigint();
    status = exports[name](record);
    const time = process.hrtime.bigint() - began;
    if (taken === undefined || time < taken) taken = time;
  }
  const head = Buffer.alloc(24);
  head.writeBigInt64LE(taken, 0);
  head.writeBigInt64LE(BigInt(status), 8);
  memory.copy(head, 16, record + 8 * words.length, record + 8 * words.length + 8);
  fs.writeSync(output, head);
  for (const { address, bytes } of arrays) fs.writeSync(output, memory, address, bytes);
}
