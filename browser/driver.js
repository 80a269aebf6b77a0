// What the library does in Python between calls of kernels. Functions are named as there:
// kinarow/solvers (steps, runPlan), kinarow/search (search, analyse), kinarow/play/levels.py, kinarow/engine.py.

import { placeOf } from "./lines.js";
import { readSide, readStart, sentFields } from "./read-board.js";
import { readMoves, splitResult, useTables } from "./read-moves.js";

const [X, O] = [1, 2];
const SEVERITY = ["proof", "depth", "nodes", "time"];
const FAR = 2 ** 62; // nodes and nanoseconds that no search reaches
const SMALL_TABLE = 1 << 19; // words: the largest table of a search that continues a line
let C; // the constants of the library, by their names there
let layouts; // where the fields of records begin
let WIN_BY_COUNTS, DECISIVE_BY_COUNTS; // values of line_counts

const other = (side) => 3 - side;
const now = () => performance.now();
const bitLength = (number) => (number < 1 ? 0 : Math.floor(Math.log2(number)) + 1);
const between = (low, high, number) => Math.max(low, Math.min(high, number));
const range = (count) => [...Array(count).keys()];
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const ascending = (numbers) => [...numbers].sort((a, b) => a - b);
const worst = (reasons) => SEVERITY[Math.max(0, ...reasons.map((reason) => SEVERITY.indexOf(reason)))];

/** Rounds as Python does: a tie goes to the even digit. */
function rounded(number, decimals) {
  const scaled = number * 10 ** decimals;
  const isTie = Math.abs(scaled % 1) === 0.5 && Number.isInteger(number * 2 ** (decimals + 1));
  return isTie ? (2 * Math.round(scaled / 2)) / 10 ** decimals : Number(number.toFixed(decimals));
}

// ---- Kernels -------------------------------------------------------------------------------------------------------

/** The kernels of a solver with their memory. Arrays are passed as `[address, length, ...]`, records as addresses. */
class Kernels {
  constructor(module, entries, layout) {
    const env = { kinarow_monotonic_ns: () => BigInt(Math.round(now() * 1e6)) };
    this.exports = new WebAssembly.Instance(module, { env }).exports;
    Object.assign(this, { entries, layout, top: this.exports.__heap_base.value, tables: {} });
    [this.record, this.budget, this.result] = [512, 80, layouts.result.size].map((bytes) => this.room(bytes));
  }

  /** The address of new memory, which holds zeros or the content. */
  room(bytes, content = null) {
    const address = (this.top + 63) & ~63;
    this.top = address + bytes;
    const missing = this.top - this.exports.memory.buffer.byteLength;
    if (missing > 0) this.exports.memory.grow(Math.ceil(missing / 65536));
    if (content) this.view(Uint8Array, address, bytes).set(content);
    return address;
  }

  view(type, address, length) {
    return new type(this.exports.memory.buffer, address, length);
  }

  words(address, length = 1) {
    return this.view(BigInt64Array, address, length);
  }

  get(field) {
    return Number(this.words(this.state + this.layout[field])[0]);
  }

  set(fields) {
    for (const [field, value] of Object.entries(fields)) this.words(this.state + this.layout[field])[0] = BigInt(value);
  }

  /** An empty table: entries of earlier searches have other stamps. The memory of a place is used again and again. */
  table(words, place = "usual", lastGeneration = C.LAST_GENERATION) {
    const table = (this.tables[place] ??= { address: this.top, room: 0, words: 0, generation: 0 });
    let used = table.words;
    if (table.room < words) {
      if (this.top === table.address + 8 * table.room) this.top = table.address; // it grows where it is
      else used = 0;
      Object.assign(table, { address: this.room(8 * words), room: words });
    }
    if (table.words !== words || table.generation >= lastGeneration) {
      this.view(Uint8Array, table.address, 8 * used).fill(0);
      Object.assign(table, { words, generation: 0 });
    }
    return Object.assign(table, { generation: table.generation + 1, array: [table.address, words] });
  }

  call(name, ...values) {
    const words = this.words(this.record, 64);
    let place = values.length;
    values.forEach((value, index) => {
      const [first, ...shape] = [value].flat();
      words[index] = BigInt(first);
      const dimensions = this.entries[name].arguments[index][2];
      for (let axis = 0; axis < dimensions; axis++) words[place++] = BigInt(shape[axis] ?? 1);
    });
    if (this.exports[name](this.record)) throw new Error("a kernel divided by zero");
    return this.words(this.record, 64)[place];
  }

  /** The same for an entry that spends the budget. */
  spend(budget, name, ...values) {
    this.words(this.budget, budget.words.length).set(budget.words);
    const found = this.call(name, ...values);
    budget.words.set(this.words(this.budget, budget.words.length));
    return found;
  }

  /** The bounds on a position that an exact solver proves. */
  solve(position, budget, { array }, ...known) {
    const work = [this.budget, array, this.result];
    this.spend(budget, "solve", this.game, this.state, ...position.bitboards(this.places), ...known, ...work);
    const [lower, upper, move, moves] = [...this.words(this.result, 4)].map(Number);
    const line = [...this.words(this.result + layouts.result.line, moves)].map((place) => this.cellOf[Number(place)]);
    return boundsOf(lower, upper, this.cellOf[move], line);
  }
}

const boundsOf = (lower, upper, move, line) => ({ lower, upper, move, line, exact: lower === upper });

/** What a search may spend: the words of a budget record. Parts end with their block, as in budget.py. */
class Budget {
  constructor(nodes, end) {
    this.words = new BigInt64Array(10);
    Object.assign(this, { limit: nodes, deadline: end === null ? FAR : end * 1e6 });
  }

  get left() {
    return this.limit - this.nodes;
  }

  get isSpent() {
    return this.reason !== C.RUNNING;
  }

  get endedBy() {
    return this.late ? "time" : [null, "nodes", "time"][this.reason];
  }

  /** Counts a node that JavaScript visits; false where the budget ends the search. */
  visit() {
    if (!this.isSpent && !this.left) this.reason = C.OUT_OF_NODES;
    if (!this.isSpent) this.nodes++;
    return this.poll();
  }

  poll() {
    if (!this.isSpent && now() * 1e6 > this.deadline) this.reason = C.OUT_OF_TIME;
    return !this.isSpent;
  }

  /** Chooses how often kernels look at the clock, by the nanoseconds of a node. */
  pollByCost(nanoseconds) {
    const interval = between(1, C.MOST_NODES_A_POLL, Math.floor(C.POLL_NS / nanoseconds));
    Object.assign(this, { mask: 0, usual: 2 ** (bitLength(interval) - 1) - 1, fresh: this.nodes + C.FRESH_NODES });
  }

  /** Runs with at most these nodes and this share of the time; gives what ended the part, C.RUNNING if nothing did. */
  part(nodes, share, run) {
    const { limit, deadline } = this;
    this.limit = Math.min(limit, this.nodes + (nodes ?? FAR));
    if (share !== null && deadline < FAR) this.deadline = now() * 1e6 + (deadline - now() * 1e6) * share;
    run();
    const { reason } = this;
    Object.assign(this, { limit, deadline });
    if (reason === C.OUT_OF_NODES && this.nodes < limit) this.reason = C.RUNNING;
    if (reason === C.OUT_OF_TIME) Object.assign(this, { late: 1, reason: now() * 1e6 < deadline ? C.RUNNING : reason });
    return reason;
  }
}

const WORDS = ["nodes", "limit", "deadline", "stopped", "reason", "late", "mask", "usual", "fresh", "polls"];
for (const [index, name] of WORDS.entries()) {
  const get = function () {
    return Number(this.words[index]);
  };
  const set = function (value) {
    this.words[index] = BigInt(Math.round(value));
  };
  Object.defineProperty(Budget.prototype, name, { get, set });
}

// ---- Scores and positions ------------------------------------------------------------------------------------------

function scored(value, outcome, distance, bound = false, expected = { win: 1, draw: 0, loss: -1 }[outcome] ?? null) {
  const proven = outcome !== "unknown";
  return { value, outcome, distance, bound, expected, proven, exact: proven && !bound };
}

const win = (cells, plies, bound) => scored(cells + 1 - plies, "win", plies, bound);
const loss = (cells, plies, bound) => scored(plies - cells - 1, "loss", plies, bound);
const draw = (empties) => scored(0, "draw", empties);

function unproven(value, expected = null) {
  const nearest = between(-C.MAX_ESTIMATE, C.MAX_ESTIMATE, rounded(value, C.ESTIMATE_DECIMALS));
  return scored(nearest + 0, "unknown", null, false, expected);
}

/** The estimate of a number of points; `half` points are an estimate of one half. */
const estimated = (points, half) => unproven(points / (Math.abs(points) + half));

/** The score, with its expected result if it is an estimate of a search whose limits leave the depth open. */
function calibrated(score, { game: { calibration }, rules: { cells }, empties }, { depth }) {
  if (score.proven) return score;
  if (!calibration || depth !== null) return { ...score, expected: null };
  const [growth, power, byFill] = calibration;
  const size = Math.abs(score.value);
  const odds = (size / (1 - size)) ** power * Math.exp(growth + byFill * (1 - empties / cells));
  const expected = Math.min(C.MOST_EXPECTED, rounded(Math.tanh(odds / 2), C.DECIMALS));
  return { ...score, expected: Math.sign(score.value) * expected + 0 };
}

function provenScore(value, cells, empties, bound = false) {
  if (value === 0) return draw(empties);
  return value > 0 ? win(cells, cells + 1 - value, bound) : loss(cells, cells + 1 + value, bound);
}

function beforeMove({ value, outcome, distance, bound, expected }, cells) {
  if (outcome === "unknown") return unproven(0 - value, expected && 0 - expected);
  if (outcome === "draw") return draw(distance + 1);
  return outcome === "loss" ? win(cells, distance + 1, bound) : loss(cells, distance + 1, bound);
}

class Position {
  constructor(game, cells, side) {
    Object.assign(this, { game, cells, side, rules: game.rules });
    this.empties = cells.reduce((count, mark) => count + (mark === 0), 0);
  }

  mark(side) {
    return this.rules.marks === "shared" ? X : side;
  }

  with(cell, mark) {
    const cells = this.cells.slice();
    cells[cell] = mark;
    return new Position(this.game, cells, other(this.side));
  }

  play(cell) {
    return this.with(cell, this.mark(this.side));
  }

  /** The cells as the side to move sees them: X for its own marks. */
  get relative() {
    const isSwapped = this.side === O && this.rules.marks !== "shared";
    return isSwapped ? this.cells.map((mark) => mark && other(mark)) : this.cells;
  }

  get ending() {
    if (this.known) return this.known;
    const cells = ascending(new Set(this.linesOf(other(this.side)).flat()));
    const winner = cells.length ? (this.rules.misere ? this.side : other(this.side)) : null;
    const goesOn = this.empties && (!this.rules.renju || winner || this.legal.length);
    return (this.known = { state: winner ? "won" : goesOn ? "ongoing" : "drawn", winner, cells });
  }

  get isOver() {
    return this.ending.state !== "ongoing";
  }

  /** The score of a finished game for the side to move. */
  get finalScore() {
    const { winner } = this.ending;
    return winner === null ? draw(0) : (winner === this.side ? win : loss)(this.rules.cells, 0);
  }

  /** The legal moves, in tile order. */
  get legal() {
    const { cells, rules } = this;
    if (this.moves) return this.moves;
    const rests = (cell) => !rules.gravity || cells[cell - rules.rise] !== 0;
    this.moves = range(rules.cells).filter((cell) => cells[cell] === 0 && rests(cell));
    if (!rules.renju || this.side !== this.beginner) return this.moves;
    const kernels = largeBoard(this);
    const isAllowed = (cell) => !Number(kernels.call("is_forbidden", kernels.game, kernels.state, cell) & 1n);
    return (this.moves = this.moves.filter(isAllowed));
  }

  /** The side that began the game: the one with more marks; if the counts are equal, the side to move. */
  get beginner() {
    const [xs, os] = [X, O].map((side) => sum(this.cells.map((mark) => mark === side)));
    return xs === os ? this.side : xs > os ? X : O;
  }

  /** Whether a line does not count for a side, for the marks beside it. */
  isSpoiled(flanks, side) {
    const { rules, cells } = this;
    if (!flanks.length) return false;
    const isExact = rules.exact_goal || (rules.renju && side === this.beginner);
    if (isExact && flanks.some((cell) => cells[cell] === side)) return true;
    return rules.caro && flanks.length === 2 && flanks.every((cell) => cells[cell] === other(side));
  }

  /** The lines that a side has completed. */
  linesOf(side) {
    const [mark, { cells }] = [this.mark(side), this];
    const isWhole = ([line, flanks]) => line.every((cell) => cells[cell] === mark) && !this.isSpoiled(flanks, side);
    return this.game.counted.filter(isWhole).map(([line]) => line);
  }

  /** The empty cells, playable or not, at which a side would complete a line. */
  completing(side) {
    const mark = this.mark(side);
    const found = new Set();
    for (const [line, flanks] of this.game.counted) {
      let [missing, count] = [-1, 0];
      for (const cell of line) if (this.cells[cell] !== mark) [missing, count] = [cell, count + 1];
      if (count === 1 && this.cells[missing] === 0 && !this.isSpoiled(flanks, side)) found.add(missing);
    }
    return found;
  }

  completingCells(side) {
    const found = this.completing(side);
    if (this.rules.renju) return ascending(found); // a line is never forbidden to the side that completes it
    return found.size ? this.legal.filter((cell) => found.has(cell)) : [];
  }

  /** The legal moves that do not lose at once. */
  get safe() {
    const { rules, legal } = this;
    const [own, threats, opponent] = [this.completing(this.side), this.completing(other(this.side)), other(this.side)];
    if (rules.misere) return legal.filter((move) => !own.has(move));
    const threatened = rules.renju ? [...threats] : legal.filter((cell) => threats.has(cell));
    // A shared mark serves both sides. Under Caro a mark at the end of a run may spoil it.
    const isPlayed = rules.marks === "shared" || (rules.caro && threatened.length);
    const loses = (move) =>
      isPlayed
        ? this.play(move).completingCells(opponent).length
        : threatened.some((cell) => cell !== move) || (rules.gravity && threats.has(move + rules.rise));
    return legal.filter((move) => own.has(move) || !loses(move));
  }

  firstOf(cells) {
    return this.game.order.find((cell) => cells.includes(cell));
  }

  /** The symmetries that map the board on itself, the identity first. */
  get stabiliser() {
    const { cells } = this;
    return (this.stable ??= this.game.symmetries.filter((each) => each.every((to, cell) => cells[to] === cells[cell])));
  }

  /** The canonical position, and the cell of this board for each of its cells. */
  canonical() {
    const cells = this.relative;
    const isSmaller = (a, b) => {
      const place = a.findIndex((cell, index) => cells[cell] !== cells[b[index]]);
      return place >= 0 && cells[a[place]] < cells[b[place]];
    };
    const symmetry = this.game.symmetries.reduce((best, each) => (isSmaller(each, best) ? each : best));
    return [new Position(this.game, cells.map((_, cell) => cells[symmetry[cell]]), X), symmetry];
  }

  /** The marks of the side to move and all others, as words with these bits for cells. */
  bitboards(places) {
    const words = new BigUint64Array(2);
    const bytes = new Uint8Array(words.buffer);
    const own = this.mark(this.side);
    this.cells.forEach((mark, cell) => {
      if (mark) bytes[(mark === own ? 0 : 8) + (places[cell] >> 3)] |= 1 << (places[cell] & 7);
    });
    return [...words];
  }
}

// ---- Solvers -------------------------------------------------------------------------------------------------------

const ANY_MOVE = -1n; // every bit is a candidate
const proofTable = (bits) => (2 ** bits + 1) * C.PROOF_BUCKET_WORDS;

function freePlacement(position, budget, least, most) {
  const kernels = position.game.kernels("free_placement");
  const { MAX_TABLE_BITS, BUCKETS_PER_NODE, NODE_NS } = C.free_placement;
  const { cells, misere } = position.rules;
  budget.pollByCost(NODE_NS);
  const hint = between(8, 22, position.empties + (misere ? 4 : 1));
  const table = kernels.table(proofTable(Math.min(MAX_TABLE_BITS, bitLength(BUCKETS_PER_NODE * budget.limit), hint)));
  return kernels.solve(position, budget, table, least ?? -cells, most ?? cells, ANY_MOVE);
}

function lineMasks(position, budget, least, most) {
  const kernels = position.game.kernels("line_masks");
  const { empties } = position;
  budget.pollByCost(C.line_masks.NODE_NS);
  const byBudget = Math.max(0, bitLength(budget.limit) - 1);
  const table = kernels.table(proofTable(Math.min(C.line_masks.MOST_BUCKETS_LOG2, empties, byBudget)));
  const { cells } = position.rules;
  return kernels.solve(position, budget, table, least ?? -cells, most ?? cells, ANY_MOVE);
}

/** The exact solver of games with gravity; `shared` is a table that earlier searches have filled. */
function gravity(position, budget, shared, known) {
  const kernels = position.game.kernels("gravity");
  const { cells } = position.rules;
  const table = shared ?? tableOfGravity(position, budget.limit);
  budget.pollByCost(C.gravity.NODE_NS);
  kernels.state = table.state;
  const bits = (moves) => moves.reduce((all, move) => all | (1n << BigInt(kernels.places[move])), 0n);
  const candidates = known ? bits(known.candidates) : ANY_MOVE;
  const [lower, upper] = [Math.max(-cells, known?.lower ?? -cells), Math.min(cells, known?.upper ?? cells)];
  return kernels.solve(position, budget, table, lower, upper, candidates);
}

/** A table of the gravity solver with its working memory; one that searches share lies apart from small ones. */
function tableOfGravity(position, nodes, isShared = false) {
  const kernels = position.game.kernels("gravity");
  const entries = Math.min(nodes, 2 ** Math.min(C.gravity.MOST_ENTRIES_LOG2, position.empties));
  const words = C.BUCKET_WORDS * 2 ** bitLength(Math.max(1, Math.floor(entries / 4)) - 1);
  const place = isShared || words > SMALL_TABLE ? "large" : "small";
  const table = kernels.table(words, place, C.gravity.LAST_GENERATION);
  kernels.state = kernels.states[place];
  kernels.set({ generation: table.generation, begun: 0 });
  return Object.assign(table, { state: kernels.state });
}

/** Whether mere blocking keeps a side from every line, and a move that preserves it; null where every move does. */
function neverCompletes(position, budget, opponentIsMaker, nodes) {
  const { NODE_NS, MAX_TABLE_BITS, USUAL_TABLE_BITS, MIN_TABLE_BITS } = C.maker_breaker;
  const [kernels] = breakerOf(position);
  kernels.view(Uint8Array, kernels.game, layouts.maker_breaker_game.size).fill(0);
  const open = Number(kernels.call("set_game", kernels.board, kernels.lines, kernels.game, opponentIsMaker ? 2 : 1));
  if (open <= 0) return [open === 0, null];
  kernels.view(Uint8Array, kernels.state, kernels.layout.size).fill(0);
  budget.pollByCost(NODE_NS);
  const most = Math.min(MAX_TABLE_BITS, Math.max(USUAL_TABLE_BITS, bitLength(nodes) - 5));
  const { array } = kernels.table(proofTable(Math.max(MIN_TABLE_BITS, Math.min(most, position.empties, bitLength(nodes)))));
  let makerWins;
  const reason = budget.part(nodes, null, () => {
    const work = [kernels.game, kernels.state, kernels.budget, array];
    makerWins = kernels.spend(budget, "solve", ...work, opponentIsMaker ? 0 : 1);
  });
  const move = kernels.get("root_move");
  const hasMove = opponentIsMaker && move >= 0;
  const cell = hasMove ? Number(kernels.words(kernels.board + layouts.board.order + 8 * move)[0]) : null;
  return [reason === C.RUNNING && !makerWins, cell];
}

/** The kernels of blocking and pairings, and the marks of a position in their board. */
function breakerOf({ game, relative }) {
  const kernels = game.kernels("maker_breaker");
  const marks = kernels.board + layouts.board.marks;
  kernels.view(Uint8Array, marks, relative.length).set(relative);
  return [kernels, [marks, relative.length]];
}

/** The line-count kernels with the marks of a position in their state. */
function countsOf(position) {
  const kernels = position.game.kernels("line_counts");
  kernels.view(Uint8Array, kernels.cells, position.cells.length).set(position.relative);
  kernels.call("set_up", kernels.game, kernels.state, [kernels.cells, position.cells.length]);
  return kernels;
}

function scoreByCounts(value, { game, rules: { cells } }, marks, isComplete) {
  if (value >= DECISIVE_BY_COUNTS) return win(cells, Number(WIN_BY_COUNTS - value) - marks);
  if (value <= -DECISIVE_BY_COUNTS) return loss(cells, Number(WIN_BY_COUNTS + value) - marks);
  const points = Number(value);
  return isComplete ? draw(cells - marks) : estimated(points, 2 * weightOf(Math.max(game.rules.goal, 2)));
}

/** The value of an ongoing position without a search. */
function evaluate(position) {
  if (!position.game.estimates) return unproven(0);
  const kernels = countsOf(position);
  const isDead = !kernels.words(kernels.state + kernels.layout.alive, 2).some((alive) => alive);
  const value = isDead ? 0 : kernels.get("estimate");
  return scoreByCounts(BigInt(value), position, position.rules.cells - position.empties, isDead);
}

/** What `evaluate` says of the position after each move that does not end the game. */
function evaluations(position) {
  if (!position.game.estimates) return () => unproven(0);
  const { cells } = position.rules;
  const kernels = countsOf(position);
  kernels.call("estimate_moves", kernels.game, kernels.state, [kernels.values, cells]);
  const values = [...kernels.words(kernels.values, cells)];
  const isDead = (move) => values[move] === WIN_BY_COUNTS;
  const marks = cells - position.empties + 1;
  return (move) => scoreByCounts(isDead(move) ? 0n : values[move], position, marks, isDead(move));
}

/** The line-count search, deeper and deeper. */
function byLines({ position, budget, depth }, emit) {
  const { empties, rules } = position;
  const { TABLE_SHARE, MAX_TABLE_BYTES, MAX_TABLE_BITS, MIN_TABLE_BITS, VISIT_NS, EXTRA_WORDS } = C.line_counts;
  const kernels = countsOf(position);
  const stride = 2 * Math.ceil(rules.cells / 64) + EXTRA_WORDS;
  const byMemory = bitLength(Math.floor(MAX_TABLE_BYTES / (8 * stride))) - 1;
  const bits = Math.min(bitLength(TABLE_SHARE * budget.limit), bitLength(3 ** empties), byMemory, MAX_TABLE_BITS);
  const size = 2 ** Math.max(MIN_TABLE_BITS, bits);
  const { array, generation } = kernels.table(size * stride);
  budget.pollByCost(VISIT_NS * position.game.lines.length * rules.goal);
  kernels.set({ generation, table_mask: size - 1 });
  for (let ply = 1; ply <= Math.min(empties, depth ?? empties); ply++) {
    kernels.set({ best: -1, unproven_count: 0 });
    const window = [-1n - WIN_BY_COUNTS, WIN_BY_COUNTS + 1n];
    const work = [kernels.game, kernels.state, kernels.budget, array];
    const value = kernels.spend(budget, "negamax", ...work, 0, 0, ply, ...window);
    const isFinished = !budget.isSpent;
    const found = kernels.get("best");
    const move = found < 0 && isFinished ? position.firstOf(position.legal) : found;
    const known = isFinished ? value : kernels.words(kernels.state + kernels.layout.value)[0];
    if (move >= 0 && (isFinished || known > -DECISIVE_BY_COUNTS)) {
      const score = scoreByCounts(known, position, rules.cells - empties, isFinished && !kernels.get("unproven_count"));
      emit({ move, score, line: lineByCounts(kernels, array, move, ply), depth: isFinished ? ply : ply - 1 });
      if (score.proven) return;
    }
    if (!isFinished) return;
  }
}

/** The line that the table knows to follow a move. */
function lineByCounts(kernels, table, move, depth) {
  const [line, marked] = [[move], []];
  const call = (name, ...rest) => Number(kernels.call(name, kernels.game, kernels.state, ...rest));
  while (line.length < Math.min(depth, C.MAX_LINE)) {
    const [side, last] = [(line.length - 1) % 2, line.at(-1)];
    if (call("completes_line", last, side)) break;
    call("put", last, side);
    marked.unshift([last, side]);
    const cell = call("table_move", 1 - side, table);
    if (cell < 0) break;
    line.push(cell);
  }
  for (const mark of marked) call("take_back", ...mark);
  return line;
}

// ---- Large boards --------------------------------------------------------------------------------------------------

/** The kernels of large boards with a position, as the side to move sees it, or the one that moves second. */
function largeBoard(position, isSecond = false) {
  const { game, rules, side } = position;
  const kernels = game.kernels("large_boards");
  const began = rules.renju ? position.beginner === side : null;
  kernels.game = kernels.games[Number(began === isSecond)];
  const cells = isSecond ? position.relative.map((mark) => mark && other(mark)) : position.relative;
  kernels.view(Uint8Array, kernels.cells, cells.length).set(cells);
  kernels.call("load", kernels.game, kernels.state, [kernels.cells, cells.length]);
  return kernels;
}

/** The record of a game, made from its rules and from the tunables and the weights. */
function newLargeGame(kernels, rules, weights, tunables, beginner) {
  const game = kernels.room(layouts.large_boards_game.size);
  const names = ["rows", "columns", "goal", "gravity", "misere", "exact_goal", "caro"];
  kernels.call("set_rules", game, kernels.state, ...names.map((name) => Number(rules[name])), beginner);
  kernels.view(Uint8Array, game + layouts.large_boards_game.pattern_points, tunables.length).set(tunables);
  setReductions(kernels, game);
  if (rules.gravity || rules.misere) kernels.call("set_by_hand", game, weights);
  kernels.call("set_weights", game, weights);
  return game;
}

/** Sets the reductions of late quiet moves from their scales, as search/records.py does. */
function setReductions(kernels, game) {
  const { REDUCTION_SIZE: size, DEPTH_UNIT } = C.large_boards;
  const { reduction_scale: from, reduction } = layouts.large_boards_game;
  for (const [index, scale] of kernels.words(game + from, 2).entries()) {
    const table = kernels.view(Int16Array, game + reduction + 2 * index * size * size, size * size);
    const of = (depth, number) => DEPTH_UNIT * ((Number(scale) / 256) * Math.log(depth) * Math.log(number));
    table.forEach((_, place) => (table[place] = of(Math.floor(place / size) || 1, place % size || 1)));
  }
}

function scoreByNetwork(value, isProven, isExact, { cells }, empties) {
  const { WIN, DECISIVE, ESTIMATE_SCALE } = C.large_boards;
  if (value >= DECISIVE) return win(cells, WIN - value, !isExact);
  if (value <= -DECISIVE) return loss(cells, WIN + value, !isExact);
  return isProven ? draw(empties) : estimated(value, ESTIMATE_SCALE);
}

/** A table for a number of nodes. The state gets the generation before that of the next search. */
function largeTable(kernels, { cells }, nodes) {
  const { MIN_SLOT_BITS, MAX_SLOT_BITS, LAST_GENERATION } = C.large_boards;
  const words = 2 ** between(MIN_SLOT_BITS, MAX_SLOT_BITS, bitLength(nodes)) * (2 + 2 * Math.ceil(cells / 64));
  const table = kernels.table(words, words > SMALL_TABLE ? "large" : "small", LAST_GENERATION - cells);
  kernels.set({ generation: table.generation - 1 });
  return table;
}

/** The most nanoseconds that a node of a game costs. */
function nodeTime(kernels, { goal }) {
  const { NODE_NS, SCANNED_NODE_NS } = C.large_boards;
  const isScanned = kernels.words(kernels.game + layouts.large_boards_game.no_pattern_table)[0];
  return isScanned ? Math.max(NODE_NS, SCANNED_NODE_NS * goal ** 3) : NODE_NS;
}

/** The large-board search, deeper and deeper. */
function byNetwork({ position, budget, depth, isFixed }, emit) {
  const { rules, empties } = position;
  const kernels = largeBoard(position);
  budget.pollByCost(nodeTime(kernels, rules));
  const { array } = largeTable(kernels, rules, budget.limit);
  const memory = [kernels.game, kernels.state, kernels.budget, array];
  kernels.call("begin", kernels.game, kernels.state, array, Number(isFixed), 0);
  while (kernels.spend(budget, "deepen", ...memory, depth ?? rules.cells) & 1n) {
    const [value, isProven, isExact] = ["value", "proven", "exact"].map((name) => kernels.get(`found_${name}`));
    const line = kernels.view(Int16Array, kernels.state + kernels.layout.found_line, kernels.get("found_length"));
    const score = scoreByNetwork(value, isProven, isExact, rules, empties);
    emit({ move: kernels.get("found_best"), score, line: [...line], depth: kernels.get("found_depth") });
  }
}

/** What the positions after moves are worth by their patterns, without a search. */
function quickValues(position, moves) {
  const { INFINITY } = C.large_boards;
  const kernels = largeBoard(position);
  const valueOf = (move) => Number(kernels.call("quick_value", kernels.game, kernels.state, move));
  const score = (value) =>
    value === INFINITY ? draw(position.empties - 1) : scoreByNetwork(value, 0, 1, position.rules, 0);
  return new Map(moves.map((move) => [move, score(valueOf(move))]));
}

/** Whether a search of an ongoing position is that of a large board alone, with nothing before it. */
function isHopeless(position) {
  const hopeless = { prove_by_pairing: hopelessPairs, prove_by_blocking: ({ empties }) => empties > C.WORD_BITS };
  return position.game.plans[0].proof.every(({ run }) => hopeless[run]?.(position));
}

/** The searches of the positions after moves, each with the same share of the nodes. */
function searchLists(position, moves, nodes, limits) {
  const found = new Map();
  let left = limits.nodes;
  const inRound = (some, most) => {
    const results = searchMoves(position, some, most, limits);
    left -= sum([...results.values()].map((each) => each.nodes));
    return results;
  };
  while (nodes > 0 && nodes <= left && found.size < moves.length && !isExpired(limits)) {
    const some = moves.slice(found.size, found.size + Math.floor(left / nodes));
    for (const [move, result] of inRound(some, nodes)) found.set(move, result);
  }
  // Moves that are not proven share what others have left of theirs, if that lets them look much further.
  const open = moves.filter((move) => found.get(move)?.stoppedBy === "nodes");
  const spared = Math.min(left, nodes * moves.length - (limits.nodes - left));
  const part = Math.floor(spared / Math.max(1, open.length));
  if (!open.length || part < C.MUCH_FURTHER * nodes) return found;
  for (const [move, again] of inRound(open, part)) {
    const first = found.get(move);
    const { score, line } = again.score ? again : first;
    found.set(move, { score, line, nodes: first.nodes + again.nodes, stoppedBy: again.stoppedBy });
  }
  return found;
}

/** One search for each move; without a score where the budget ended before it had one. */
function searchMoves(position, moves, nodes, limits) {
  const { rules, empties } = position;
  const [kernels, layout] = [largeBoard(position, true), layouts.move_result];
  const budget = new Budget(FAR, limits.end);
  budget.pollByCost(nodeTime(kernels, rules));
  const table = largeTable(kernels, rules, nodes);
  const at = (index, field) => kernels.results + index * layout.size + layout[field];
  const get = (index, field) => Number(kernels.words(at(index, field))[0]);
  moves.forEach((move, index) => (kernels.words(at(index, "cell"))[0] = BigInt(move)));
  const memory = [kernels.game, kernels.state, kernels.budget, table.array];
  kernels.spend(budget, "search_moves", ...memory, nodes, moves.length, [kernels.results, moves.length]);
  table.generation = kernels.get("generation");
  const read = (index) => {
    const [value, isProven, isExact, depth] = ["value", "proven", "exact", "depth"].map((name) => get(index, name));
    const endedBy = [null, "nodes", "time"][get(index, "reason")];
    if (depth < 0) return { score: null, line: [], nodes: get(index, "nodes"), stoppedBy: endedBy ?? "nodes" };
    const score = scoreByNetwork(value, isProven, isExact, rules, empties - 1);
    const line = [...kernels.view(Int16Array, at(index, "line"), get(index, "length"))];
    return { score, line, nodes: get(index, "nodes"), stoppedBy: reasonOf(endedBy, score) };
  };
  const found = moves.map((move, index) => [move, read(index)]);
  for (const [move, result] of found) {
    if (!result.score) continue;
    const last = { ...limits, depth: null };
    const [line, isInTime] = wholeLine(position.play(move), result.line, result.score, last);
    Object.assign(result, { line }, isInTime ? {} : { stoppedBy: "time" });
  }
  return new Map(found);
}

// ---- The reference search ------------------------------------------------------------------------------------------

/** The reference search, for games with shared marks: every estimate is 0. */
function byReference({ position, budget, depth }, emit) {
  const { cells } = position.rules;
  const { LEAST_NODES, NODE_COST } = C.reference;
  const nodes = Math.min(budget.left, Math.max(LEAST_NODES, Math.floor(budget.left / NODE_COST)));
  const reason = budget.part(nodes, null, () => {
    const table = new Map();
    for (let ply = 1; ply <= Math.min(position.empties, depth ?? Infinity); ply++) {
      const search = { budget, table, certain: true };
      const value = referenceValue(search, position, ply, -Infinity, Infinity);
      if (value === null) return;
      const points = value && value + Math.sign(value) * (cells - position.empties);
      const score = value || search.certain ? provenScore(points, cells, position.empties) : unproven(0);
      const line = [];
      for (let last = position; line.length < ply; last = last.play(line.at(-1))) {
        const known = table.get(keyOf(last));
        if (known?.depth !== ply - line.length) break;
        line.push(known.move);
      }
      emit({ move: line[0], score, line, depth: ply });
      if (score.proven) return;
    }
  });
  if (!budget.isSpent) budget.reason = reason;
}

const keyOf = (position) => String.fromCharCode(...position.cells, position.side);

/** The value of a position within a window, null where the budget ends: a win that leaves e empty cells is e + 1. */
function referenceValue(search, position, depth, alpha, beta) {
  if (!search.budget.visit()) return null;
  const { state, winner } = position.ending;
  if (state !== "ongoing") return winner ? (winner === position.side ? 1 : -1) * (position.empties + 1) : 0;
  if (depth === 0) {
    search.certain = false;
    return 0;
  }
  const known = search.table.get(keyOf(position));
  if (known?.depth === depth) {
    if (known.lower >= beta || known.lower === known.upper) return known.lower;
    if (known.upper <= alpha) return known.upper;
  }
  const moves = position.game.order.filter((move) => position.legal.includes(move));
  if (known) moves.sort((a, b) => (a !== known.move) - (b !== known.move));
  let [best, bestMove] = [-Infinity, -1];
  for (const move of moves) {
    const after = referenceValue(search, position.play(move), depth - 1, -beta, -Math.max(alpha, best));
    if (after === null) return null;
    if (-after > best) [best, bestMove] = [0 - after, move];
    if (best >= beta) break;
  }
  const [lower, upper] = [best > alpha ? best : -Infinity, best < beta ? best : Infinity];
  search.table.set(keyOf(position), { depth, lower, upper, move: bestMove });
  return best;
}

// ---- Plans ---------------------------------------------------------------------------------------------------------

/** Whether a quick look shows that the empty cells are too few to pair the lines of the side to move. */
function hopelessPairs(position) {
  const [kernels, marks] = breakerOf(position);
  return Boolean(kernels.call("is_hopeless", kernels.lines, marks));
}

/** A move that keeps the draw that pairings prove; undefined if they prove none. */
function findDraw(position, budget) {
  const [kernels, marks] = breakerOf(position);
  const move = Number(kernels.spend(budget, "find_draw", kernels.lines, kernels.pairs, kernels.budget, marks));
  return move < 0 ? undefined : move;
}

/** Notes a draw, which a move keeps; null if all moves do. */
function drawn(work, move) {
  const kept = move ?? work.position.firstOf(work.position.legal);
  work.bounds = boundsOf(0, 0, kept, [kept]);
  return true;
}

/** The steps of a proof: each narrows `work.bounds` within its part of the budget; true ends the proof. */
const steps = {
  search_exactly(work, { solver }) {
    const { position, budget, least, most, shared, known, safeMove } = work;
    const isGravity = solver === "gravity";
    const found = isGravity ? gravity(position, budget, shared, known) : exactOf[solver](position, budget, least, most);
    const isSafe = safeMove !== null && !found.exact && found.lower === 0;
    if (found.exact || !work.bounds?.exact)
      work.bounds = isSafe ? boundsOf(0, found.upper, safeMove, [safeMove]) : found;
    return found.exact && !budget.isSpent;
  },

  prove_by_pairing(work) {
    const { position, budget } = work;
    if (hopelessPairs(position)) return false;
    if (!budget.visit()) return true;
    const move = findDraw(position, budget);
    return move !== undefined && drawn(work, move);
  },

  prove_by_blocking(work, { given }) {
    const { position, budget } = work;
    if (position.empties > C.WORD_BITS) return false;
    const [safe, move] = neverCompletes(position, budget, true, Math.floor(budget.left * given));
    if (budget.isSpent) return true;
    if (!safe && position.rules.cells > C.WORD_BITS) return false;
    const [harmless] = neverCompletes(position, budget, false, Math.floor(budget.left * given));
    if (budget.isSpent) return true;
    Object.assign(work, { least: safe ? 0 : null, safeMove: safe ? move : null, most: harmless ? 0 : null });
    if (!safe || !harmless) return false;
    return drawn(work, move);
  },
};

const exactOf = { free_placement: freePlacement, line_masks: lineMasks };
const estimateOf = { lines: byLines, reference: byReference, network: byNetwork, "all moves": byNetwork };

function proofNodes({ kept }, nodes) {
  const usual = Math.max(1, Math.floor(nodes * (1 - kept)));
  return kept ? (kept === C.USUAL_PART ? Math.max(usual, nodes - C.ESTIMATE_NODES) : usual) : null;
}

/** Searches by the plan: a proof, or else estimates. */
function runPlan(position, limits, budget, shared, known, emit) {
  if (isExpired(limits)) return (budget.reason = C.OUT_OF_TIME);
  const isCut = limits.depth !== null && limits.depth < position.empties;
  const plan = position.game.plans[Number(isCut)];
  const work = { position, budget, depth: isCut ? limits.depth : null, shared, known };
  Object.assign(work, { bounds: null, least: null, most: null, safeMove: null });
  if (plan.proof.length) {
    const reason = budget.part(proofNodes(plan, budget.limit), plan.kept ? 1 - plan.kept : null, () => {
      for (const step of plan.proof) {
        let isDone;
        const run = () => (isDone = steps[step.run](work, step));
        if (step.nodes === null && step.time === null) run();
        else budget.part(step.nodes, step.time, run);
        if (isDone || budget.isSpent) break;
      }
    });
    const proof = provenOf(work);
    if (proof && !budget.isSpent) budget.reason = reason;
    if (proof) return emit(proof);
    if (budget.isSpent && plan.estimate !== "network") return; // that search needs no node
  }
  work.isFixed = plan.estimate === "all moves";
  const safe = work.bounds?.lower >= 0 ? work.bounds : null;
  estimateOf[plan.estimate](work, (info) => {
    if (!safe || info.score.proven) return emit(info);
    const score = { ...info.score, value: Math.max(info.score.value, 0) };
    emit({ ...info, move: safe.move, line: [safe.move], score });
  });
}

function provenOf({ bounds, position }) {
  if (!bounds || (!bounds.exact && bounds.lower <= 0 && bounds.upper >= 0)) return null;
  const value = bounds.exact || bounds.lower > 0 ? bounds.lower : bounds.upper;
  const score = provenScore(value, position.rules.cells, position.empties, !bounds.exact);
  return { move: bounds.move, score, line: bounds.line.length ? bounds.line : [bounds.move], depth: score.distance };
}

// ---- Known values --------------------------------------------------------------------------------------------------

/** The values of openings with few marks and of those with the most, by the keys of book.py; others lie between. */
class Book {
  constructor(game, { plies, kept }, planes, values) {
    const { rows, columns } = game.rules;
    const count = values.length;
    const { places } = game.kernels("gravity");
    const bit = (row, column) => 2 ** places[row * columns + column];
    const cells = range(game.rules.cells).map((cell) => [Math.floor(cell / columns), cell % columns]);
    const bits = [(column) => column, (column) => columns - 1 - column];
    const floor = sum(range(columns).map((column) => bit(rows - 1, column)));
    this.bits = bits.map((image) => cells.map(([row, column]) => bit(row, image(column))));
    Object.assign(this, { game, plies, kept, values, floor, keys: new Float64Array(count) });
    for (let index = 0, key = 0; index < count; index++) {
      for (let plane = 0; plane < planes.length / count; plane++) key += 256 ** plane * planes[plane * count + index];
      this.keys[index] = key;
    }
  }

  /** The value of a position; null where the book lacks it. */
  value(position) {
    const marks = position.rules.cells - position.empties;
    if (marks > this.plies) return null;
    if (marks > this.kept && marks < this.plies) return this.best(position)?.value ?? null;
    const weights = position.relative.map((mark) => mark && 3 - mark);
    const key = this.floor + Math.min(...this.bits.map((bits) => sum(bits.map((bit, cell) => bit * weights[cell]))));
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      [low, high] = this.keys[middle] < key ? [middle + 1, high] : [low, middle];
    }
    return this.keys[low] === key ? this.values[low] : null;
  }

  /** The value of a position and the moves that reach it; null where the book lacks a move. */
  best(position) {
    const { legal, rules } = position;
    if (rules.cells - position.empties >= this.plies) return null;
    const completing = position.completing(position.side);
    const after = legal.map((move) => (completing.has(move) ? -rules.cells - 1 : this.value(position.play(move))));
    if (after.includes(null)) return null;
    const values = after.map(earlier);
    const value = Math.max(...values);
    return { value, moves: legal.filter((_, index) => values[index] === value) };
  }

  known(position) {
    const best = this.best(position);
    if (!best) return this.bounds(position);
    const score = provenScore(best.value, position.rules.cells, position.empties);
    const line = this.line(position);
    return noted({ move: line[0], score, line, best: best.moves, complete: true });
  }

  /** The best moves of both sides as far as the book goes. */
  line(position) {
    const best = position.isOver ? null : this.best(position);
    const move = best && position.firstOf(best.moves);
    return best ? [move, ...this.line(position.play(move))] : [];
  }

  /** What the book knows of a position with the most marks that it has, or one more. */
  bounds(position) {
    const { rules, legal } = position;
    const marks = rules.cells - position.empties;
    if (marks > this.plies + 1) return null;
    if (marks > this.plies) return { lower: this.least(position), upper: rules.cells, candidates: legal };
    const value = this.value(position);
    const completing = position.completing(position.side);
    const reaches = (move) => completing.has(move) || earlier(this.least(position.play(move))) >= value;
    return value === null ? null : { lower: value, upper: value, candidates: legal.filter(reaches) };
  }

  /** A lower bound on the value of a position one mark later than the last ones, from those before it. */
  least(position) {
    const { cells, side, rules } = position;
    const lasts = range(rules.cells).filter((cell) => cells[cell] === other(side) && !cells[cell + rules.rise]);
    const values = lasts.map((last) => this.value(position.with(last, 0))).filter((value) => value !== null);
    return Math.max(-rules.cells - 1, ...values.map((value) => -value - Math.sign(value)));
  }
}

/** The value before a move, from the value after it. */
const earlier = (value) => Math.sign(value) - value;

/** The winning moves of a strategy, by canonical positions. */
class Strategy {
  constructor(game, boards, moves) {
    const { cells } = game.rules;
    const text = new TextDecoder().decode(boards);
    const entry = (index) => [text.substr(index * cells, cells), moves.subarray(2 * index, 2 * index + 2)];
    this.entries = new Map(range(moves.length / 2).map(entry));
  }

  find(position) {
    const [form, symmetry] = position.canonical();
    const [move, plies] = this.entries.get(String.fromCharCode(...form.cells)) ?? [];
    return plies && { move: symmetry[move], plies };
  }

  known(position) {
    const { cells } = position.rules;
    const found = this.find(position);
    const [move, score] = found ? [found.move, win(cells, found.plies, true)] : this.loss(position);
    return score && noted({ move, score, line: [move], best: [move], complete: false });
  }

  /** The reply that delays the loss after a move of the strategy, and its score. */
  loss(position) {
    const { cells, side, rules, legal } = position;
    const lasts = range(rules.cells).filter((cell) => cells[cell] === other(side));
    const befores = lasts.map((last) => this.find(position.with(last, 0)));
    const before = befores.find((found, index) => found?.move === lasts[index]);
    if (!before) return [];
    const plies = legal.map((reply) => this.find(position.play(reply))?.plies ?? 0);
    const longest = Math.max(...plies);
    const reply = position.firstOf(legal.filter((_, index) => plies[index] === longest));
    return longest ? [reply, loss(rules.cells, before.plies - 1, true)] : [];
  }
}

// ---- Search --------------------------------------------------------------------------------------------------------

const result = (fields) => ({ depth: 0, nodes: 0, ms: 0, stoppedBy: "proof", source: "search", ...fields });
const noted = (fields) => result({ depth: fields.score.distance, source: "book", ...fields });
const isExpired = ({ end }) => end !== null && now() >= end;
const share = (limits, part) => ({ ...limits, end: limits.end === null ? null : now() + (limits.end - now()) * part });

/** The best move of a position and how good it is. */
function search(position, limits, { shared = null, progress = null } = {}) {
  const began = now();
  const { rules, side, game } = position;
  if (position.isOver)
    return result({ move: null, score: position.finalScore, line: [], best: [], complete: true, source: "rules" });
  const winning = rules.misere ? [] : position.completingCells(side);
  if (winning.length) {
    const move = position.firstOf(winning);
    const [score, line] = [win(rules.cells, 1), [move]];
    return result({ move, score, line, best: winning, complete: true, depth: 1, nodes: 1 });
  }
  const known = (limits.depth === null && game.source?.known(position)) || null;
  if (known?.score) return known;
  const budget = new Budget(limits.nodes, limits.end);
  let info = null;
  runPlan(position, limits, budget, shared, known, (found) => {
    info = { ...found, score: calibrated(found.score, position, limits) };
    progress?.({ ...info, nodes: budget.nodes });
  });
  if (!info || (limits.depth !== 1 && isAvoidableLoss(position, info))) {
    const move = position.firstOf(position.safe.length ? position.safe : position.legal);
    info = { move, score: calibrated(evaluate(position), position, limits), line: [move], depth: info?.depth ?? 0 };
  }
  const { move, score, depth } = info;
  const [line, isInTime] = wholeLine(position, info.line, score, limits);
  const { endedBy, nodes } = budget;
  const stoppedBy = isInTime ? reasonOf(endedBy, score) : "time";
  const best = score.exact ? ascending(new Set(position.stabiliser.map((each) => each[move]))) : [move];
  const complete = best.length === position.legal.length;
  return result({ move, score, line, best, complete, depth, nodes, ms: now() - began, stoppedBy });
}

const reasonOf = (endedBy, { exact, proven }) =>
  endedBy === "time" ? "time" : exact ? "proof" : (endedBy ?? (proven ? "proof" : "depth"));

/** The line of a near win or loss, continued to the end of the game; and whether that was done in time. */
function wholeLine(position, line, score, { depth, end }) {
  const left = (score.distance ?? 0) - line.length;
  if (!score.exact || score.outcome === "draw" || left <= 0 || score.distance > C.WHOLE_LINE) return [line, true];
  const last = line.reduce((at, move) => at.play(move), position);
  const ending = search(last, { nodes: C.LINE_NODES, depth: depth === null ? null : left, end });
  const isWhole = ending.score.exact && ending.score.distance === left;
  return [isWhole ? [...line, ...ending.line] : line, ending.stoppedBy !== "time"];
}

function isAvoidableLoss({ safe }, { move, score, depth, line }) {
  return !score.proven && !(depth > 1 && line.length > 1) && safe.length > 0 && !safe.includes(move);
}

// ---- Analysis ------------------------------------------------------------------------------------------------------

/** Values by score, equal ones by tile, the move `first` before all. */
function inOrder(values, first = null) {
  const isLater = ({ move }) => Number(move !== first);
  return [...values].sort((a, b) => isLater(a) - isLater(b) || b.score.value - a.score.value || a.move - b.move);
}

/** The value of every legal move: a search for the best, then searches of the others with a second node budget. */
function analyse(position, limits, { first = null, known = [], progress = null } = {}) {
  const began = now();
  const { game } = position;
  const [plan] = game.plans;
  if (progress && !first && limits.nodes > C.FIRST_LOOK_NODES && plan.proof.some(({ run }) => run === "search_exactly")) {
    // An exact solver tells nothing until its end.
    const look = search(position, { ...limits, nodes: C.FIRST_LOOK_NODES });
    if (look.move !== null && !look.score.proven) progress(look);
  }
  const isShared = !position.isOver && plan.proof.some(({ solver }) => solver === "gravity");
  const shared = isShared ? tableOfGravity(position, proofNodes(plan, limits.nodes), true) : null;
  const chosen = first ?? search(position, share(limits, C.FIRST_SHARE), { shared, progress });
  if (chosen.move === null) return { ...chosen, moves: [] };
  const [orbits, values] = [orbitsOf(position), new Map()];
  const fill = ({ move, score, line }) => {
    values.set(move, { move, score, line });
    for (const [image, permutation] of orbits.get(move))
      if (!values.has(image)) values.set(image, { move: image, score, line: line.map((cell) => permutation[cell]) });
  };
  [chosen, ...known].reverse().forEach(fill);
  const waiting = game.order.filter((move) => orbits.get(move)?.[0][0] === move && !values.has(move));
  const others = (plan.estimate === "network" ? valuesByNetwork : valuesOf)(position, limits, waiting, shared);
  others.values.forEach(fill);
  const held = new Map();
  for (const [move, value] of values) held.set(move, atMostChosen(value, chosen.score, position.rules.cells));
  const inView = asKnown(inOrder(held.values(), choose(held, chosen).move), chosen.score);
  const ranked = inView.map((value) => ({ ...value, score: calibrated(value.score, position, limits) }));
  const [best, complete] = equals(ranked);
  const [nodes, stoppedBy] = [chosen.nodes + others.nodes, worst([chosen.stoppedBy, others.stoppedBy])];
  return { ...chosen, ...ranked[0], best, complete, nodes, ms: now() - began, stoppedBy, moves: ranked };
}

/** For each move the moves equal to it by symmetry with the permutations; the earliest in the fixed order first. */
function orbitsOf({ game, legal, stabiliser }) {
  const orbit = (move) => [...new Map([...stabiliser].reverse().map((each) => [each[move], each]))];
  const early = ([a], [b]) => game.order.indexOf(a) - game.order.indexOf(b);
  return new Map(legal.map((move) => [move, orbit(move).sort(early)]));
}

/** The values of moves that the first search did not choose, their nodes and the reason why their searches ended. */
function valuesOf(position, limits, waiting, shared) {
  let [nodes, estimates] = [0, null];
  const reasons = [];
  const after = (move, left) => {
    const child = position.play(move);
    const part = Math.floor((limits.nodes - nodes) / left);
    const noted = child.isOver ? { score: child.finalScore, line: [] } : bookOf(child, limits);
    if (noted) return noted;
    if (part < 1 || isExpired(limits)) {
      const score = (estimates ??= evaluations(position))(move);
      reasons.push(isExpired(limits) ? "time" : score.proven ? "proof" : "nodes");
      return { score, line: [] };
    }
    const found = search(child, { ...share(limits, 1 / left), nodes: part }, { shared });
    nodes += found.nodes;
    reasons.push(found.stoppedBy);
    return found;
  };
  const values = waiting.map((move, index) => {
    const { score, line } = after(move, waiting.length - index);
    return { move, score: beforeMove(score, position.rules.cells), line: [move, ...line].slice(0, C.MAX_LINE) };
  });
  return { values, nodes, stoppedBy: worst(reasons) };
}

/** The same on a large board, where quick values say which moves are promising; others may get no search. */
function valuesByNetwork(position, limits, waiting) {
  const { cells } = position.rules;
  const [quick, seen] = [quickValues(position, waiting), new Map()];
  const [searched, unsearched, reasons] = [[], [], []];
  const estimate = (move) => ({ move, score: beforeMove(quick.get(move), cells), line: [move] });
  const children = new Map(waiting.map((move) => [move, position.play(move)]));
  for (const [move, child] of children) {
    const score = child.isOver ? child.finalScore : quick.get(move).proven ? quick.get(move) : null;
    if (!score) continue;
    const [line, isInTime] = wholeLine(child, [], score, limits);
    if (!isInTime) reasons.push("time");
    seen.set(move, { move, score: beforeMove(score, cells), line: [move, ...line] });
  }
  const moves = [...waiting].sort((a, b) => quick.get(a).value - quick.get(b).value);
  const listed = moves.filter((move) => !seen.has(move) && isHopeless(children.get(move)));
  const nodesOfLists = Math.floor((limits.nodes * listed.length) / Math.max(1, moves.length - seen.size));
  const nodesEach = Math.max(Math.floor(limits.nodes / moves.length), Math.min(nodesOfLists, C.LEAST_NODES));
  const limitsOfLists = { ...limits, nodes: nodesOfLists };
  const found = listed.length ? searchLists(position, listed, nodesEach, limitsOfLists) : new Map();
  let nodes = sum([...found.values()].map((each) => each.nodes));
  const add = (move, { score, line, stoppedBy }) => {
    reasons.push(stoppedBy);
    if (!score) unsearched.push(estimate(move));
    else searched.push({ move, score: beforeMove(score, cells), line: [move, ...line].slice(0, C.MAX_LINE) });
  };
  const spent = { stoppedBy: isExpired(limits) ? "time" : "nodes" };
  for (const move of listed) add(move, found.get(move) ?? spent);
  const others = moves.filter((move) => !listed.includes(move));
  for (const [index, move] of others.entries()) {
    const left = limits.nodes - nodes;
    const part = Math.max(Math.floor(left / (others.length - index)), Math.min(left, C.LEAST_NODES));
    if (seen.has(move)) unsearched.push(seen.get(move));
    else if (part < 1 || isExpired(limits)) add(move, { stoppedBy: isExpired(limits) ? "time" : "nodes" });
    else {
      let isSearched = false;
      const each = { ...share(limits, 1 / (others.length - index)), nodes: part };
      const result = search(children.get(move), each, { progress: () => (isSearched = true) });
      nodes += result.nodes;
      add(move, isSearched || result.score.proven ? result : { stoppedBy: result.stoppedBy });
    }
  }
  return { values: [...searched, ...discounted(unsearched, searched, estimate)], nodes, stoppedBy: worst(reasons) };
}

/** Quick values of moves without a search, lowered by the median difference between quick and searched values. */
function discounted(unsearched, searched, estimate) {
  const unproved = searched.filter(({ score }) => !score.proven);
  const drops = unproved.map(({ move, score }) => estimate(move).score.value - score.value);
  const [sorted, half] = [ascending(drops), drops.length >> 1];
  const drop = drops.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  if (!(drop > 0)) return unsearched;
  return unsearched.map((each) => (each.score.proven ? each : { ...each, score: unproven(each.score.value - drop) }));
}

function bookOf(position, { depth }) {
  const { source } = position.game;
  const value = source instanceof Book && depth === null ? source.value(position) : null;
  const score = value === null ? null : provenScore(value, position.rules.cells, position.empties);
  return score && { score, line: source.line(position) };
}

/** The value of a move, made consistent with the search that chose a move. */
function atMostChosen(value, chosen, cells) {
  const { score } = value;
  if (chosen.outcome === "loss") {
    const isBeyond = !score.exact && score.value > chosen.value;
    return isBeyond ? { ...value, score: loss(cells, chosen.distance, true) } : value;
  }
  if (score.proven || chosen.outcome === "win") return value;
  const isAbove = score.value > chosen.value || (chosen.proven && score.value === chosen.value);
  return isAbove ? { ...value, score: unproven(chosen.value - 10 ** -C.ESTIMATE_DECIMALS) } : value;
}

function choose(values, first) {
  const [chosen, best] = [values.get(first.move), inOrder(values.values())[0]];
  const isBetter = !first.score.exact && best.score.value > chosen.score.value;
  return isBetter && (best.score.proven || chosen.score.outcome === "loss") ? best : chosen;
}

/** The ranked moves, the first one with no more than is known of the position. */
function asKnown(ranked, searched) {
  const [{ score }, ...rest] = ranked;
  const isBounded = searched.exact && searched.value <= score.value;
  if (isBounded || !score.exact || score.outcome === "loss" || equals(ranked)[1]) return ranked;
  const known = score.outcome === "win" ? scored(score.value, "win", score.distance, true) : unproven(0);
  return [{ ...ranked[0], score: known }, ...rest];
}

/** The moves known to be exactly as good as the first, and whether the list is complete. */
function equals(ranked) {
  const [{ move, score }] = ranked;
  if (!score.exact) return [[move], ranked.length === 1];
  const best = ranked.filter((value) => value.score.exact && value.score.value === score.value);
  const isWorse = ({ outcome }) => outcome === "loss" && score.outcome !== "loss";
  const isQuickest = score.outcome === "win" && score.distance === 1;
  const isComplete = isQuickest || ranked.every((value) => value.score.exact || isWorse(value.score));
  return [ascending(best.map((value) => value.move)), isComplete];
}

// ---- Levels --------------------------------------------------------------------------------------------------------

/** The weight of each move at a level below full strength, `[move, weight]` in tile order, and what that cost. */
function distributionOf(position, level, limits) {
  const began = now();
  const [{ rules, side }, near] = [position, nearMoves(position)];
  const { misses, looks_ahead: looksAhead, temperature, static_temperature: byLooks } = C.levels[level];
  const wins = rules.misere ? [] : position.completingCells(side).filter((move) => near.includes(move));
  const others = near.filter((move) => !wins.includes(move));
  const likely = new Map(near.map((move) => [move, 0]));
  const add = (part, regrets, heat) => {
    if (!part) return;
    const low = Math.min(...regrets.values());
    const weights = [...regrets].map(([move, regret]) => [move, Math.exp((low - regret) / heat)]);
    const total = sum(weights.map(([, weight]) => weight));
    for (const [move, weight] of weights) likely.set(move, likely.get(move) + (part * weight) / total);
  };
  const left = wins.length ? (others.length ? misses : 0) : 1;
  add(1 - left, new Map(wins.map((move) => [move, 0])), 1);
  let searched = { regrets: new Map(), nodes: 0, stoppedBy: "proof" };
  if (left) {
    const looks = staticRegrets(position);
    const regrets = (moves) => new Map(moves.map((move) => [move, looks(move)]));
    const safe = position.safe.filter((move) => others.includes(move));
    const careful = safe.length ? safe : others;
    searched = searchedRegrets(position, C.levels[level], regrets(careful), limits);
    const part = left * (1 - misses);
    const ahead = searched.regrets.size ? part * looksAhead : 0;
    const blocks = rules.misere || !position.completingCells(other(side)).length ? [] : careful;
    const careless = others.filter((move) => !blocks.includes(move));
    add(left - part, regrets(careless.length ? careless : others), byLooks);
    add(part - ahead, regrets(careful), byLooks);
    add(ahead, searched.regrets, temperature);
  }
  const weights = [...likely].map(([move, part]) => [move, rounded(part * C.WEIGHT_UNITS, 0)]);
  return { ...searched, weights: weights.filter(([, weight]) => weight), ms: now() - began };
}

/** The moves that a level considers: on wide boards those near a mark, or before the first one near the centre. */
function nearMoves({ legal, cells, rules }) {
  const { rows, columns } = rules;
  if (rules.cells <= C.WIDE_CELLS) return legal;
  const placeOf = (cell) => [Math.floor(cell / columns), cell % columns];
  const isCentral = (place, side) => place >= (side - 1) >> 1 && place <= side >> 1;
  const centre = range(rules.cells).filter((cell) => {
    const [row, column] = placeOf(cell);
    return isCentral(column, columns) && (rules.gravity || isCentral(row, rows));
  });
  const marked = range(rules.cells).filter((cell) => cells[cell]);
  const places = (marked.length ? marked : centre).map(placeOf);
  const isNear = (move) => {
    const [row, column] = placeOf(move);
    return places.some(([r, c]) => Math.abs(r - row) <= C.REACH && Math.abs(c - column) <= C.REACH);
  };
  const near = legal.filter(isNear);
  return near.length ? near : legal;
}

const weightOf = (marks) => (marks ? 10 ** Math.min(marks - 1, C.MAX_EXPONENT) : 0);

/** The numbers of own and of opposing marks in each line. */
const marksOfLines = ({ game, relative }) =>
  game.lines.map((line) => [X, O].map((mark) => line.filter((cell) => relative[cell] === mark).length));

/** The regret of a move by the lines through its cell, in factors of ten. */
function staticRegrets(position) {
  const { game, rules } = position;
  if (!game.estimates) return () => 0;
  const worth = new Float64Array(rules.cells);
  marksOfLines(position).forEach(([own, opposing], index) => {
    const gain = (opposing ? 0 : weightOf(own + 1)) + (own ? 0 : weightOf(opposing + 1));
    for (const cell of game.lines[index]) worth[cell] += gain;
  });
  return (move) => (rules.misere ? 1 : -1) * Math.log10(1 + worth[move]);
}

/** The regrets from searches of the safe moves that look best. */
function searchedRegrets(position, player, safe, limits) {
  const candidates = [...safe.keys()].sort((a, b) => safe.get(a) - safe.get(b) || a - b).slice(0, C.CANDIDATES);
  const firsts = candidates.map((move) => [move, Math.min(...position.stabiliser.map((each) => each[move]))]);
  const different = [...new Set(firsts.map(([, first]) => first))];
  const nodesEach = Math.floor(Math.min(player.nodes, limits.nodes) / different.length);
  const found = { regrets: new Map(), nodes: 0, stoppedBy: "proof" };
  if (player.depth < 1 || safe.size < 2 || !nodesEach) return found;
  const results = new Map();
  for (const [index, move] of different.entries()) {
    if (isExpired(limits)) return { ...found, stoppedBy: "time" };
    const part = share(limits, 1 / (different.length - index));
    results.set(move, afterMove(position, move, { ...part, nodes: nodesEach, depth: player.depth }));
    found.nodes += results.get(move).nodes;
  }
  const regrets = regretsOf(new Map([...results].map(([move, { score }]) => [move, score])));
  for (const [move, first] of firsts) found.regrets.set(move, regrets.get(first));
  return { ...found, stoppedBy: worst([...results.values()].map(({ stoppedBy }) => stoppedBy)) };
}

/** The result of a move for the side that makes it; the position after it is searched one ply less deep. */
function afterMove(position, move, limits) {
  const child = position.play(move);
  const depth = limits.depth === null ? null : Math.max(1, limits.depth - 1);
  const isLeaf = limits.depth === 1 && !child.isOver;
  const leaf = () => result({ score: evaluate(child), line: [], stoppedBy: "depth" });
  const after = isLeaf ? leaf() : search(child, { ...limits, depth });
  const score = beforeMove(after.score, position.rules.cells);
  const source = after.source === "book" ? "book" : "search";
  const line = [move, ...after.line].slice(0, C.MAX_LINE);
  return { ...after, move, score, line, best: [move], complete: false, depth: after.depth + 1, source };
}

function regretsOf(scores) {
  const of = (...outcomes) => [...scores.values()].filter(({ outcome }) => outcomes.includes(outcome));
  const quickest = Math.min(...of("win").map(({ distance }) => distance));
  const open = of("draw", "unknown").map(({ value }) => value);
  const [high, low, belowWin] = [Math.max(...open), Math.min(...open), quickest < Infinity ? 1 : 0];
  const regret = ({ outcome, distance, value }) => {
    if (outcome === "win") return Math.min(1, C.SLOWER_WIN_REGRET * (distance - quickest));
    if (outcome === "loss") return belowWin + 1 + C.LOSS_REGRET * C.LOSS_FADE ** distance;
    return belowWin + (high > low ? (high - value) / (high - low) : 0);
  };
  return new Map([...scores].map(([move, score]) => [move, regret(score)]));
}

/** A number of 64 bits from the board, the level and the seed: FNV-1a, mixed as splitmix64 does. */
function seededNumber({ relative }, level, seed) {
  const mixed = (word, factor) => BigInt.asUintN(64, word * factor);
  const words = [...relative, level, seed % 2 ** 32, Math.floor(seed / 2 ** 32)];
  let hash = words.reduce((hash, word) => mixed(hash ^ BigInt(word), 0x100000001b3n), 0xcbf29ce484222325n);
  hash = mixed(hash ^ (hash >> 30n), 0xbf58476d1ce4e5b9n);
  hash = mixed(hash ^ (hash >> 27n), 0x94d049bb133111ebn);
  return hash ^ (hash >> 31n);
}

/** The move that a seed chooses from `[move, weight]`. */
function sample(position, level, weights, seed) {
  let left = (seededNumber(position, level, seed) * BigInt(sum(weights.map(([, weight]) => weight)))) >> 64n;
  return weights.find(([, weight]) => (left -= BigInt(weight)) < 0n)[0];
}

/** The result at full strength, with the move that the seed chooses among its best moves. */
function chooseAmongBest(position, found, seed) {
  if (found.best.length < 2) return found;
  const number = seededNumber(position, C.FULL_STRENGTH, seed);
  const move = found.best[Number((number * BigInt(found.best.length)) >> 64n)];
  return move === found.move ? found : withMove(position, found, move);
}

/** The result with an equally good move: its line is an image of the other if a symmetry maps the moves. */
function withMove(position, found, move) {
  const symmetry = position.stabiliser.find((each) => each[found.move] === move);
  const whole = () => wholeLine(position, [move], found.score, { depth: null, end: null })[0];
  return { ...found, move, line: symmetry ? found.line.map((cell) => symmetry[cell]) : whole() };
}

/** The result of a chosen move, within the limits that the choice has left. */
function valueOfChoice(position, move, limits) {
  const left = limits.nodes - Math.floor(limits.nodes * C.CHOICE_SHARE);
  const forBest = Math.min(Math.floor(left / 2), C.VALUE_NODES);
  const best = forBest ? search(position, { ...share(limits, 1 / 2), nodes: forBest }) : null;
  if (best?.move === move) return best;
  if (best?.best.includes(move)) return withMove(position, best, move);
  const own = afterMove(position, move, { ...limits, nodes: Math.min(left - forBest, C.VALUE_NODES) });
  if (!best) return own;
  const isEqual = own.score.exact && best.score.exact && own.score.value === best.score.value;
  const { best: better, complete } = isEqual || own.score.value > best.score.value ? own : best;
  return { ...withCost(own, best), best: isEqual ? ascending(new Set([move, ...best.best])) : better, complete };
}

const withCost = (found, { nodes, ms, stoppedBy }) =>
  ({ ...found, nodes: found.nodes + nodes, ms: found.ms + ms, stoppedBy: worst([found.stoppedBy, stoppedBy]) });

// ---- Questions and answers -----------------------------------------------------------------------------------------

/** The answer to a question about a canonical position: the move, or with `isAnalysis` the value of every move. */
function answerOf(form, question, isAnalysis) {
  const { limits, level, seed, progress } = question;
  if (level < C.FULL_STRENGTH && !form.isOver) {
    const part = { ...share(limits, C.CHOICE_SHARE), nodes: Math.floor(limits.nodes * C.CHOICE_SHARE) };
    const distribution = distributionOf(form, level, part);
    const move = sample(form, level, distribution.weights, seed ?? Math.floor(Math.random() * 2 ** 53));
    if (!isAnalysis) return withCost(valueOfChoice(form, move, limits), distribution);
    const found = analyse(form, limits, { progress });
    return withCost({ ...found, ...found.moves.find((value) => value.move === move) }, distribution);
  }
  const solved = form.empties === form.rules.cells ? atlasOf(form.game) : null;
  if (!isAnalysis) {
    const found = solved ?? search(form, limits, { progress });
    return seed === undefined ? found : chooseAmongBest(form, found, seed);
  }
  const found = analyse(form, limits, { first: solved, known: solved?.moves, progress });
  if (seed === undefined || found.best.length < 2) return found;
  const answer = answerOf(form, { ...question, seed: undefined }, false);
  const { move, line } = chooseAmongBest(form, answer.score.exact ? answer : found, seed);
  const moves = found.moves.map((value) => (value.move === move ? { ...value, line } : value));
  return { ...found, move, line, moves };
}

/** What the atlas knows of the empty board. */
function atlasOf({ atlas }) {
  if (!atlas) return null;
  const read = (value) => ({ ...value, score: scored(...value.score) });
  return result({ ...read(atlas), moves: atlas.moves.map(read), source: "atlas" });
}

/** The rows of a board, as requests have them. */
function rowsOf({ cells, rules: { columns } }) {
  const text = Array.from(cells, (mark) => ".XO"[mark]).join("");
  return range(text.length / columns).map((row) => text.substr(row * columns, columns));
}

/** Writes answers about a position; `back` has its cell for each cell of the canonical one. */
class Answers {
  constructor(position, back) {
    Object.assign(this, { position, back, rules: position.rules });
  }

  cell(cell) {
    return placeOf(cell, this.rules);
  }

  value({ score: { value: score, outcome, distance, bound, proven, expected }, line }) {
    const cells = line.map((cell) => this.cell(this.back[cell]));
    return { score, outcome, distance, distance_is_bound: bound, proven, expected, line: cells };
  }

  valued(found) {
    return { ...this.cell(this.back[found.move]), ...this.value(found) };
  }

  ending({ ending: { state, winner, cells } }) {
    return { state, winner: winner && " XO"[winner], winning_cells: cells.map((cell) => this.cell(cell)) };
  }

  progress(info) {
    return { ...this.value(info), depth: info.depth, nodes: info.nodes, moves: [this.valued(info)] };
  }

  answer(found) {
    const { position, back } = this;
    const move = found.move === null ? null : back[found.move];
    const after = move === null ? position : position.play(move);
    const { depth, nodes, stoppedBy: stopped_by, source } = found;
    return {
      move: move === null ? null : this.cell(move),
      ...this.value(found),
      to_move: " XO"[position.side],
      ...this.ending(position),
      best_moves: ascending(found.best.map((cell) => back[cell])).map((cell) => this.cell(cell)),
      best_moves_complete: found.complete,
      board: rowsOf(after),
      after: this.ending(after),
      search: { depth, nodes, elapsed_ms: rounded(found.ms, 3), stopped_by, source, cached: false },
    };
  }

  analysis(found, level) {
    const { back, position } = this;
    const first = level === C.FULL_STRENGTH && found.move !== null ? back[found.move] : null;
    const moves = inOrder(found.moves.map((value) => ({ ...value, own: value, move: back[value.move] })), first);
    const worth = ([own, opposing]) => (own && opposing ? 0 : weightOf(own) - weightOf(opposing));
    const value = position.game.estimates ? sum(marksOfLines(position).map(worth)) : 0;
    return { ...this.answer(found), moves: moves.map(({ own }) => this.valued(own)), static_evaluation: value };
  }
}

// ---- Requests ------------------------------------------------------------------------------------------------------

const FIELDS = ["board", "rows", "columns", "layers", "moves", "first", "to_move", "composed"];
/** The least and the greatest value of each number. */
const RANGES = {
  max_nodes: [1, Number.MAX_SAFE_INTEGER], time_limit_ms: [1, Number.MAX_SAFE_INTEGER],
  seed: [0, Number.MAX_SAFE_INTEGER],
  get level() {
    return [1, C.FULL_STRENGTH];
  },
};

/** The positions of a request, from the start to the position after the moves. */
function positionsOf(game, request, named, rulesOf) {
  const { rules } = game;
  const { sent, cells, toMove, check } = readStart(request, named, rulesOf);
  check();
  if (cells.includes("#")) throw new RangeError("the engine in the browser plays on boards without blocked cells");
  const { moves, first } = sent;
  if (moves === undefined && first !== undefined)
    throw new RangeError("first needs moves; send to_move to say whose move it is on a board");
  const positions = [new Position(game, marksOf(cells), " XO".indexOf(toMove))];
  const { text = [], result } = typeof moves === "string" ? splitResult(moves) : { text: moves };
  for (const [index, { cell, stack }] of readMoves(text, rules).entries()) {
    const position = positions[index];
    const move = cell ?? position.legal.find((each) => each % game.stacks === stack);
    if (position.isOver) throw new RangeError(`move ${index + 1}: the game was over before`);
    if (!position.legal.includes(move)) throw new RangeError(`move ${index + 1} is not possible`);
    positions.push(position.play(move));
  }
  checkEnd(positions, moves === undefined ? null : readSide(sent, "to_move"), result);
  return positions;
}

const marksOf = (text) => Uint8Array.from(text, (mark) => ".XO#".indexOf(mark));

/** Gives the rules for a request; fields that would go unheard are refused, as are rules of no game. */
function rulesReader({ games, defaults, of_plain_boards: ownNames }) {
  return ({ rows, columns, layers }, { game, ...sent }) => {
    const usual = games[game] ?? { ...defaults, goal: rows === 3 && columns === 3 && layers === 1 ? 3 : null };
    const rules = { ...usual, rows, columns, layers };
    for (const [name, value] of Object.entries(sent)) {
      const [least, most] = RANGES[name] ?? [];
      if (least !== undefined) {
        if (Number.isInteger(value) && value >= least && value <= most) continue;
        throw new RangeError(`${name} is a whole number from ${least} to ${most}`);
      }
      if (FIELDS.includes(name)) continue;
      if (!(name in defaults)) throw new RangeError(`the engine in the browser does not take ${name}`);
      const [own, other] = [usual[name], value].map((each) => JSON.stringify(each));
      if (game && own !== other) throw new RangeError(`${game} means ${name} ${usual[name]}`);
      if (typeof value !== typeof (defaults[name] ?? 0)) throw new RangeError(`${name} cannot be ${other}`);
      rules[name] = value;
    }
    const [longest, { goal }] = [Math.max(rows, columns, layers), rules];
    if (goal === null) throw new RangeError(`goal is required on this board; only 3 × 3 has a default`);
    if (!Number.isInteger(goal) || goal < 1 || goal > longest)
      throw new RangeError(`goal ${goal} is not between 1 and the longest side, ${longest}`);
    const isPlain = Object.entries(defaults).every(
      ([name, value]) => ownNames.includes(name) || String(rules[name]) === String(value),
    );
    if ((isPlain && layers === 1) || Object.values(games).some((preset) => keyOfRules(preset) === keyOfRules(rules)))
      return rules;
    throw new RangeError("the engine in the browser plays games with a name, and plain boards of other sizes and goals");
  };
}

const keyOfRules = (rules) => JSON.stringify(Object.entries(rules).sort());

/** Whether the position after the moves is as the request says. */
function checkEnd(positions, side, result) {
  const last = positions.at(-1);
  if (side && " XO".indexOf(side) !== last.side)
    throw new RangeError(`after the moves ${" XO"[last.side]} is to move; send as first who makes the first move`);
  if (result === undefined || !last.isOver) return;
  const claimed = result === null ? null : result === 0 ? positions[0].side : other(positions[0].side);
  if (claimed !== last.ending.winner) throw new RangeError("the moves end with another result than the one written");
}

const MAX_SIDE = 25;
const DIRECTIONS = ["horizontal", "vertical", "diagonal", "antidiagonal"];

/** What no file has of a plain board without a name. */
function ownFields(rules, { ways, letters, slopes, small, atlas }) {
  const { rows, columns, goal, gravity, misere, exact_goal } = rules;
  const goals = (high, wide) => Math.max(high, wide);
  const before = sum(range(rows - 1).map((row) => sum(range(MAX_SIDE).map((column) => goals(row + 1, column + 1)))));
  const place = before + sum(range(columns - 1).map((column) => goals(rows, column + 1))) + goal - 1;
  const way = ways[letters[[+gravity, +misere].join()].charCodeAt(place) - 97];
  const key = [rows, columns, goal, +gravity, +misere, +exact_goal].join();
  const nearest = Object.keys(slopes).reduce((a, b) => (Math.abs(b - goal) < Math.abs(a - goal) ? b : a));
  const [base, power, byFill, bySide, byRule] = rows * columns > small.cells ? slopes[nearest] : small.slope;
  const growth = base + bySide * (Math.log(rows * columns) / 2 - Math.log(C.USUAL_SIDE)) + (exact_goal ? byRule : 0);
  return {
    ...way, rules, calibration: way.calibrated ? [growth, power, byFill] : null,
    atlas: atlas[key] ?? null, records: {},
  };
}

/** A game with its kernels, which are opened when they are first called. */
class Game {
  constructor({ rules, ...fields }, { binary, modules, entries, ruleNames }) {
    const { rows, columns, layers } = rules;
    const rise = layers > 1 ? rows * columns : -columns;
    Object.assign(this, fields, { binary, modules, entries, ruleNames, opened: {}, stacks: Math.abs(rise) });
    this.rules = { ...rules, cells: rows * columns * layers, rise, review_nodes: fields.review_nodes };
    this.#setShape();
    const known = (name) => this.content(this.records[name]);
    if (fields.book) this.source = new Book(this, fields.book, known("book_keys"), new Int8Array(known("book_values")));
    if (this.records.strategy) this.source = new Strategy(this, known("strategy"), known("strategy_moves"));
  }

  /** The content of a record; the file leaves out the zeros at its end. */
  content([start, length, size]) {
    const whole = new Uint8Array(size);
    whole.set(new Uint8Array(this.binary, start, length));
    return whole;
  }

  /** Sets what geometry.py names so: `lines`, `counted` (each with its flanks), `order` and `symmetries`. */
  #setShape() {
    const { goal, cells, exact_goal, caro, renju } = this.rules;
    const kernels = new Kernels(this.modules.game, this.entries.game, layouts.board);
    const board = this.#boardFor(kernels);
    const table = (name, rows, columns) => {
      const address = kernels.room(2 * rows * columns);
      const count = Number(kernels.call(name, board, [address, rows, columns]));
      return range(count).map((row) => [...kernels.view(Int16Array, address + 2 * row * columns, columns)]);
    };
    const written = table("write_lines", C.MAX_STEPS * cells, goal + 3).map(([, ...row]) => row);
    const directed = written.map((row) => [row.slice(0, goal), row.slice(goal).filter((cell) => cell >= 0)]);
    // With goal 1 and on rings several directions have the same line.
    this.lines = [...new Map(directed.map(([line]) => [ascending(line).join(), line])).values()];
    this.counted = exact_goal || caro || renju ? directed : this.lines.map((line) => [line, []]);
    kernels.call("write_order", board);
    this.order = [...kernels.words(board + layouts.board.order, cells)].map(Number);
    this.symmetries = table("write_symmetries", Number(kernels.call("begin_symmetries", board, FAR)), cells);
  }

  kernels(solver) {
    return (this.opened[solver] ??= this.#open(solver));
  }

  #open(solver) {
    const { cells } = this.rules;
    const kernels = new Kernels(this.modules[solver], this.entries[solver], layouts[solver]);
    kernels.state = kernels.room(kernels.layout.size);
    if (solver === "large_boards") this.#openLarge(kernels);
    else kernels.game = kernels.room(layouts[`${solver}_game`].size);
    if (solver === "maker_breaker")
      for (const name of ["lines", "pairs"]) kernels[name] = kernels.room(layouts[`maker_breaker_${name}`].size);
    const places = kernels.entries.set_rules && solver !== "large_boards" ? this.#setRules(kernels) : [];
    if (solver === "gravity") kernels.states = { small: kernels.state, large: kernels.room(kernels.layout.size) };
    if (solver === "line_counts")
      Object.assign(kernels, { cells: kernels.room(cells), values: kernels.room(8 * cells) });
    return Object.assign(kernels, { places, cellOf: range(64).map((place) => places.indexOf(place)) });
  }

  /** The record of a board with these rules. */
  #boardFor(kernels) {
    const { wrap, marks, directions, ...rules } = this.rules;
    const board = kernels.room(layouts.board.size);
    const bits = DIRECTIONS.map((name, bit) => Number(directions.includes(name)) << bit);
    const joined = { wraps_rows: ["rows", "both"].includes(wrap), wraps_columns: ["columns", "both"].includes(wrap) };
    const all = { ...rules, ...joined, shared: marks === "shared", directions: sum(bits) };
    for (const name of this.ruleNames) kernels.words(board + layouts.board[name])[0] = BigInt(Number(all[name]));
    return board;
  }

  /** Makes the record of the game, and gives the place of each cell in it. */
  #setRules(kernels) {
    const board = (kernels.board = this.#boardFor(kernels));
    const off = kernels.entries.set_rules.arguments.length > 2 ? [0] : [];
    kernels.call("set_rules", board, kernels.lines ?? kernels.game, ...off);
    return [...kernels.words(board + layouts.board.place, this.rules.cells)].map(Number);
  }

  #openLarge(kernels) {
    const { cells, renju, gravity, misere } = this.rules;
    const { pattern_points: first, reduction: end } = layouts.large_boards_game;
    const tunables = new Uint8Array(this.shared, 0, end - first);
    const learned = gravity || misere ? null : new Uint8Array(this.shared, end - first);
    const weights = kernels.room(layouts.weights.size, learned);
    const records = { cells: kernels.room(cells), results: kernels.room(cells * layouts.move_result.size) };
    const newGame = (beginner) => newLargeGame(kernels, this.rules, weights, tunables, beginner);
    Object.assign(kernels, records, { games: renju ? [newGame(0), newGame(1)] : [newGame(-1)] });
    if (!renju) kernels.games.push(kernels.games[0]);
  }
}

const defaults = () => ({ max_nodes: C.DEFAULT_NODES, time_limit_ms: null, level: C.FULL_STRENGTH, seed: undefined });
const parsed = (file) => JSON.parse(new TextDecoder().decode(file));

/** Answers requests. Its files are below an address, where `load` finds them; `modules` are kernels already compiled. */
export class Driver {
  #base;
  #modules;
  #load;
  #games = new Map();
  #files = new Map();
  #last = null;

  constructor(base, modules = {}, load = readFile) {
    [this.#base, this.#modules, this.#load] = [base, modules, load];
  }

  async games() {
    return Object.keys((await this.#engine()).games);
  }

  async rules(request) {
    return (await this.#game(request)).game.rules;
  }

  analyse(request, onProgress) {
    return this.#answer(request, onProgress, true);
  }

  move(request, onProgress) {
    return this.#answer(request, onProgress, false);
  }

  /** The boards of a game before each move and after the last, whose move it was on each, the moves as tiles, and how
   * they are graded. */
  async replay(request) {
    const positions = await this.#positions(request);
    const made = ({ cells }, ply) => cells.findIndex((mark, cell) => mark !== positions[ply].cells[cell]) + 1;
    const sides = positions.map(({ side }) => " XO"[side]);
    return { boards: positions.map(rowsOf), sides, tiles: positions.slice(1).map(made), grading: C.grading };
  }

  async #positions(request) {
    const { game, named, rulesOf } = await this.#game(request);
    return positionsOf(game, request, named, rulesOf);
  }

  async #answer(request, onProgress, isAnalysis) {
    const position = (await this.#positions(request)).at(-1);
    const { max_nodes, time_limit_ms, level, seed } = { ...defaults(), ...sentFields(request) };
    const [form, back] = position.canonical();
    const answers = new Answers(position, back);
    const progress = onProgress && ((info) => onProgress(answers.progress(info)));
    const end = time_limit_ms === null ? null : now() + time_limit_ms;
    const limits = { nodes: Math.min(max_nodes, C.ENDLESS_NODES - 1), depth: null, end };
    const found = answerOf(form, { limits, level, seed, progress }, isAnalysis);
    return isAnalysis ? answers.analysis(found, level) : answers.answer(found);
  }

  async #engine() {
    const engine = await this.#kept("engine.json", parsed);
    [C, layouts] = [engine.constants, engine.layouts];
    [WIN_BY_COUNTS, DECISIVE_BY_COUNTS] = [C.line_counts.WIN, C.line_counts.DECISIVE].map(BigInt);
    useTables(engine.reading);
    return engine;
  }

  /** The game of a request, with what reads its board. */
  async #game(request) {
    const engine = await this.#engine();
    const { games } = engine;
    const { game: name } = sentFields(request);
    if (name !== undefined && !Object.hasOwn(games, name))
      throw new RangeError(`no such game: ${name}; the games are ${Object.keys(games).join(", ")}`);
    const [named, rulesOf] = [name ? { name, size: games[name] } : null, rulesReader(engine)];
    const { rules } = readStart(request, named, rulesOf);
    const key = keyOfRules(rules);
    if (!this.#games.has(key)) this.#games.set(key, await this.#open(rules, engine));
    const game = this.#games.get(key);
    if (this.#last && this.#last !== game) this.#last.opened = {}; // gives its memory back
    this.#last = game;
    return { game, named, rulesOf };
  }

  async #open(rules, { games, entries, rules: ruleNames }) {
    const preset = Object.keys(games).find((each) => keyOfRules(games[each]) === keyOfRules(rules));
    const [fields, binary] = preset
      ? await Promise.all([this.#file(`${preset}.json`).then(parsed), this.#file(`${preset}.bin`)])
      : [ownFields(rules, await this.#kept("boards.json", parsed)), null];
    const compiled = (solver) => this.#kept(`${solver}.wasm`, (file) => WebAssembly.compile(file));
    const module = (solver) => this.#modules[solver] ?? compiled(solver);
    const isLarge = fields.solvers.includes("large_boards");
    const shared = isLarge ? await this.#kept("large_boards.bin", (file) => file) : null;
    const solvers = ["game", ...fields.solvers];
    const modules = await Promise.all(solvers.map(async (solver) => [solver, await module(solver)]));
    const files = { binary, modules: Object.fromEntries(modules), entries, ruleNames };
    return new Game({ ...fields, shared }, files);
  }

  #kept(name, read) {
    const loading = this.#files.get(name) ?? this.#file(name).then(read);
    this.#files.set(name, loading);
    loading.catch(() => this.#files.delete(name)); // the next request tries again
    return loading;
  }

  async #file(name) {
    return this.#load(new URL(name, this.#base));
  }
}

/** The bytes at an address. */
async function readFile(address) {
  if (address.protocol === "file:") {
    const { readFile: read } = await import("node:fs/promises");
    return Uint8Array.from(await read(address)).buffer;
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} cannot be loaded: ${answer.status}`);
  return answer.arrayBuffer();
}

// In a worker: requests one after the other.
if (globalThis.WorkerGlobalScope && globalThis instanceof globalThis.WorkerGlobalScope) {
  let [driver, last] = [null, Promise.resolve()];
  globalThis.onmessage = ({ data: { id, name, request, base, modules, listens } }) => {
    driver ??= new Driver(base, modules);
    const listen = listens ? (progress) => globalThis.postMessage({ id, progress }) : undefined;
    last = last.then(() => driver[name](request, listen)).then(
      (answer) => globalThis.postMessage({ id, answer }),
      ({ name: kind, message }) => globalThis.postMessage({ id, error: { name: kind, message } }),
    );
  };
}
