// Does between calls of kernels what the library does in Python. Functions have the names of the library, which explains
// them: Position (kinarow/game), steps and iterate (kinarow/solvers), search and analyse (kinarow/search), levels
// (kinarow/play/levels.py), move and analysis (kinarow/engine.py). All constants come from `make browser`.

const [X, O] = [1, 2];
const RUNNING = 0, OUT_OF_NODES = 1, OUT_OF_TIME = 2; // as in budget_record.py
const ENDED_BY = [null, "nodes", "time", "stop"];
const SEVERITY = ["proof", "depth", "nodes", "time"];
const WIN_BY_COUNTS = 1n << 60n; // as in line_counts/layout.py
const FAR = 2 ** 62; // nodes and nanoseconds that no search reaches
const other = (side) => 3 - side;
const now = () => performance.now();
const bitLength = (number) => (number < 1 ? 0 : Math.floor(Math.log2(number)) + 1);
const range = (count) => [...Array(count).keys()];
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const worst = (reasons) => SEVERITY[Math.max(0, ...reasons.map((reason) => SEVERITY.indexOf(reason)))];
let C; // the constants of the library
let layouts;

/** Rounds to decimals as Python does: a tie goes to the even digit. */
function rounded(number, decimals) {
  const scaled = number * 10 ** decimals;
  const isTie = Math.abs(scaled % 1) === 0.5 && Number.isInteger(number * 2 ** (decimals + 1));
  return isTie ? (2 * Math.round(scaled / 2)) / 10 ** decimals : Number(number.toFixed(decimals));
}

// ---- Kernels -----------------------------------------------------------------------------------------------------

/** The kernels of a solver with their memory. Arrays are passed as `[address, length, ...]`, records as addresses. */
class Kernels {
  constructor(module, entries) {
    const env = { kinarow_monotonic_ns: () => BigInt(Math.round(now() * 1e6)) };
    this.exports = new WebAssembly.Instance(module, { env }).exports;
    this.entries = entries;
    this.top = this.exports.__heap_base.value;
    this.tables = {};
    this.record = this.room(512);
    this.budget = this.room(80);
    this.result = this.room(layouts.result.size);
  }

  /** The address of new memory, which holds zeros. */
  room(bytes) {
    const address = (this.top + 63) & ~63;
    this.top = address + bytes;
    const missing = this.top - this.exports.memory.buffer.byteLength;
    if (missing > 0) this.exports.memory.grow(Math.ceil(missing / 65536));
    return address;
  }

  view(type, address, length) {
    return new type(this.exports.memory.buffer, address, length);
  }

  place(content) {
    const address = this.room(content.length);
    this.view(Uint8Array, address, content.length).set(content);
    return address;
  }

  get(address) {
    return Number(this.view(BigInt64Array, address, 1)[0]);
  }

  set(address, value) {
    this.view(BigInt64Array, address, 1)[0] = BigInt(value);
  }

  /** A table without entries of the search that begins; the memory of a place is used again and again. */
  table(words, place = "table", lastGeneration = C.LAST_GENERATION) {
    const table = (this.tables[place] ??= { words: 0, room: 0, generation: 0 });
    if (table.room < words) Object.assign(table, { address: this.room(8 * words), words, room: words, generation: 0 });
    if (table.words !== words || table.generation >= lastGeneration) {
      this.view(BigInt64Array, table.address, Math.max(words, table.words)).fill(0n);
      Object.assign(table, { words, generation: 0 });
    }
    table.generation++;
    table.array = [table.address, words];
    return table;
  }

  call(name, ...values) {
    const entry = this.entries[name];
    const words = this.view(BigInt64Array, this.record, 64);
    let place = values.length;
    values.forEach((value, index) => {
      const [first, ...shape] = Array.isArray(value) ? value : [value];
      words[index] = BigInt(first);
      const dimensions = entry.arguments[index][2];
      for (let axis = 0; axis < dimensions; axis++) words[place++] = BigInt(shape[axis] ?? 1);
    });
    if (this.exports[name](this.record)) throw new Error("a kernel divided by zero");
    return this.view(BigInt64Array, this.record, 64)[place];
  }

  /** The same for an entry that spends the budget. */
  spend(budget, name, ...values) {
    this.view(BigInt64Array, this.budget, 10).set(budget.words);
    const result = this.call(name, ...values);
    budget.words.set(this.view(BigInt64Array, this.budget, 10));
    return result;
  }
}

const WORDS = ["nodes", "limit", "deadline", "stopped", "reason", "late", "mask", "usual", "fresh", "polls"];

class Budget {
  constructor(nodes, end) {
    this.words = new BigInt64Array(WORDS.length);
    this.limit = nodes;
    this.deadline = end === null ? FAR : end * 1e6;
  }

  get left() {
    return this.limit - this.nodes;
  }

  get isSpent() {
    return this.reason !== RUNNING;
  }

  get endedBy() {
    return this.late ? "time" : ENDED_BY[this.reason];
  }

  /** Counts a node that JavaScript visits; false where the budget ends the search. */
  visit() {
    if (this.isSpent) return false;
    if (!this.left) this.reason = OUT_OF_NODES;
    else this.nodes++;
    return this.left >= 0 && !this.isSpent && this.poll();
  }

  poll() {
    if (!this.isSpent && now() * 1e6 > this.deadline) this.reason = OUT_OF_TIME;
    return !this.isSpent;
  }

  pollByCost(nanoseconds) {
    const interval = Math.max(1, Math.min(C.MOST_NODES_A_POLL, Math.floor(C.POLL_NS / nanoseconds)));
    Object.assign(this, { mask: 0, usual: 2 ** (bitLength(interval) - 1) - 1, fresh: this.nodes + C.FRESH_NODES });
  }

  /** Runs with at most these nodes and this share of the time; gives what ended the part, RUNNING if nothing did. */
  part(nodes, share, run) {
    const { limit, deadline } = this;
    if (nodes !== null) this.limit = Math.min(limit, this.nodes + nodes);
    if (share !== null && deadline < FAR) this.deadline = now() * 1e6 + (deadline - now() * 1e6) * share;
    run();
    const reason = this.reason;
    Object.assign(this, { limit, deadline });
    if (reason === OUT_OF_NODES && this.nodes < limit) this.reason = RUNNING;
    if (reason === OUT_OF_TIME) {
      this.late = 1;
      if (now() * 1e6 < deadline) this.reason = RUNNING;
    }
    return reason;
  }
}

WORDS.forEach((name, index) =>
  Object.defineProperty(Budget.prototype, name, {
    get() {
      return Number(this.words[index]);
    },
    set(value) {
      this.words[index] = BigInt(Math.round(value));
    },
  }),
);

// ---- Scores ------------------------------------------------------------------------------------------------------

const scored = (value, outcome, distance, bound = false, calibrated = null) =>
  ({ value, outcome, distance, bound, calibrated, proven: outcome !== "unknown", exact: outcome !== "unknown" && !bound });
const win = (cells, plies, bound) => scored(cells + 1 - plies, "win", plies, bound);
const loss = (cells, plies, bound) => scored(plies - cells - 1, "loss", plies, bound);
const draw = (empties) => scored(0, "draw", empties);
const unproven = (value, calibrated = null) => scored(value + 0, "unknown", null, false, calibrated);

function estimated(raw, scale) {
  const value = rounded(raw / (Math.abs(raw) + scale), C.ESTIMATE_DECIMALS);
  return unproven(Math.max(-C.MAX_ESTIMATE, Math.min(C.MAX_ESTIMATE, value)));
}

function provenScore(value, cells, empties, bound = false) {
  if (value === 0) return draw(empties);
  return value > 0 ? win(cells, cells + 1 - value, bound) : loss(cells, cells + 1 + value, bound);
}

function beforeMove(child, cells) {
  const { value, outcome, distance, bound, calibrated } = child;
  if (distance === null) return unproven(0 - value, calibrated === null ? null : 0 - calibrated);
  if (outcome === "draw") return draw(distance + 1);
  return outcome === "loss" ? win(cells, distance + 1, bound) : loss(cells, distance + 1, bound);
}

// ---- Positions ---------------------------------------------------------------------------------------------------

const ONGOING = { state: "ongoing", winner: null, cells: [] };
const DRAWN = { state: "drawn", winner: null, cells: [] };

class Position {
  constructor(game, cells, side) {
    Object.assign(this, { game, cells, side, rules: game.rules });
    this.empties = cells.reduce((count, mark) => count + (mark === 0), 0);
  }

  mark(side) {
    return this.rules.marks === "shared" ? X : side;
  }

  play(cell) {
    const cells = this.cells.slice();
    cells[cell] = this.mark(this.side);
    return new Position(this.game, cells, other(this.side));
  }

  get relative() {
    if (this.side === X || this.rules.marks === "shared") return this.cells;
    return this.cells.map((mark) => [0, O, X][mark]);
  }

  get beginner() {
    const [xs, os] = [X, O].map((side) => this.cells.filter((mark) => mark === side).length);
    return xs === os ? this.side : xs > os ? X : O;
  }

  get ending() {
    return (this.known ??= this.#ending());
  }

  #ending() {
    const lines = this.linesOf(other(this.side));
    if (!lines.length) return this.empties && this.legal.length ? ONGOING : DRAWN;
    const cells = [...new Set(lines.flat())].sort((a, b) => a - b);
    return { state: "won", winner: this.rules.misere ? this.side : other(this.side), cells };
  }

  get isOver() {
    return this.ending.state !== "ongoing";
  }

  /** The score of a finished game; null while it goes on. */
  get finalScore() {
    const { state, winner } = this.ending;
    if (state === "ongoing") return null;
    if (winner === null) return draw(0);
    return (winner === this.side ? win : loss)(this.rules.cells, 0);
  }

  /** The legal moves, in tile order. */
  get legal() {
    return (this.moves ??= this.#legal());
  }

  #legal() {
    const { cells, rules } = this;
    const under = (cell) => (rules.gravity ? (cells[cell - rules.rise] ?? X) : X);
    const moves = range(rules.cells).filter((cell) => cells[cell] === 0 && under(cell) !== 0);
    const isRestricted = rules.renju && this.side === this.beginner;
    return isRestricted ? withoutForbidden(this, moves) : moves;
  }

  isExact(side) {
    return this.rules.exact_goal || (this.rules.renju && side === this.beginner);
  }

  /** The lines that a side has completed. */
  linesOf(side) {
    const { cells, rules, game } = this;
    const [own, opposing, exactly] = [this.mark(side), other(side), this.isExact(side)];
    const isLine = ({ line, flanks }) =>
      line.every((cell) => cells[cell] === own) &&
      !(exactly && flanks.some((cell) => cells[cell] === own)) &&
      !(rules.caro && flanks.length === 2 && flanks.every((cell) => cells[cell] === opposing));
    return game.lines.filter(isLine).map(({ line }) => line);
  }

  /** The empty cells, playable or not, at which a side would complete a line. */
  completing(side) {
    const { cells, rules, game } = this;
    const [own, opposing, exactly] = [this.mark(side), this.mark(other(side)), this.isExact(side)];
    const found = new Set();
    for (const { line, flanks } of game.lines) {
      let missing = -1, count = 0;
      for (const cell of line) if (cells[cell] !== own) [missing, count] = [cell, count + 1];
      if (count !== 1 || cells[missing] !== 0) continue;
      if (exactly && flanks.some((cell) => cells[cell] === own)) continue;
      if (rules.caro && flanks.length === 2 && flanks.every((cell) => cells[cell] === opposing)) continue;
      found.add(missing);
    }
    return found;
  }

  playable(found) {
    return found.size ? (this.rules.renju ? range(this.rules.cells) : this.legal).filter((cell) => found.has(cell)) : [];
  }

  completingCells(side) {
    return this.playable(this.completing(side));
  }

  get winning() {
    return this.rules.misere ? [] : this.completingCells(this.side);
  }

  /** The legal moves that do not lose at once. */
  get safe() {
    const { rules, legal } = this;
    const completing = new Set(this.completingCells(this.side));
    if (rules.misere) return legal.filter((move) => !completing.has(move));
    const opponent = other(this.side);
    const threats = this.completing(opponent);
    const threatened = this.playable(threats);
    if (rules.marks === "shared" || (rules.caro && threatened.length))
      return legal.filter((move) => completing.has(move) || !this.play(move).completingCells(opponent).length);
    const loses = (move) =>
      threatened.some((cell) => cell !== move) || (rules.gravity && threats.has(move + rules.rise));
    return legal.filter((move) => completing.has(move) || !loses(move));
  }

  firstOf(cells) {
    return this.game.order.find((cell) => cells.includes(cell));
  }

  /** The symmetries that map the board on itself, the identity first. */
  get stabiliser() {
    const { cells } = this;
    return (this.stable ??= this.game.symmetries.filter((each) => each.every((to, cell) => cells[to] === cells[cell])));
  }

  equalCells(cell) {
    return [...new Set(this.stabiliser.map((each) => each[cell]))].sort((a, b) => a - b);
  }

  /** The canonical position, and the cell of this board for each of its cells. */
  canonical() {
    const cells = this.relative;
    const smaller = (a, b) => {
      for (let i = 0; i < cells.length; i++) if (cells[a[i]] !== cells[b[i]]) return cells[a[i]] < cells[b[i]];
      return false;
    };
    const symmetry = this.game.symmetries.reduce((best, each) => (smaller(each, best) ? each : best));
    return [new Position(this.game, cells.map((_, cell) => cells[symmetry[cell]]), X), symmetry];
  }

  /** The marks of the side to move and all others as words of a solver's bits. */
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

// ---- Exact solvers -----------------------------------------------------------------------------------------------

function readBounds(kernels, cellOf) {
  const [lower, upper, move, moves] = [...kernels.view(BigInt64Array, kernels.result, 4)].map(Number);
  const line = [...kernels.view(BigInt64Array, kernels.result + layouts.result.line, moves)];
  return bounds(lower, upper, cellOf[move], line.map((place) => cellOf[Number(place)]));
}

const bounds = (lower, upper, move, line) => ({ lower, upper, move, line, exact: lower === upper });
const proofTable = (bits) => (2 ** bits + 1) * C.PROOF_BUCKET_WORDS;
const isEndless = (nodes) => nodes >= C.ENDLESS_NODES;

const exactSolvers = {
  free_placement(position, budget, low, high) {
    const kernels = position.game.kernels("free_placement");
    const { cells, misere } = position.rules;
    const own = C.free_placement;
    budget.pollByCost(own.NODE_NS);
    const most = isEndless(budget.limit) ? own.MAX_ENDLESS_TABLE_BITS : own.MAX_TABLE_BITS;
    const hint = Math.max(8, Math.min(22, position.empties + (misere ? 4 : 1)));
    const table = kernels.table(proofTable(Math.min(most, bitLength(own.BUCKETS_PER_NODE * budget.limit), hint)));
    kernels.set(kernels.state + layouts.free_placement.least, low ?? -cells);
    kernels.set(kernels.state + layouts.free_placement.most, high ?? cells);
    const marks = position.bitboards(kernels.places);
    kernels.spend(budget, "solve", kernels.game, kernels.state, ...marks, kernels.budget, table.array, kernels.result);
    return readBounds(kernels, kernels.cellOf);
  },

  line_masks(position, budget, low, high) {
    const kernels = position.game.kernels("line_masks");
    const { empties, rules } = position;
    budget.pollByCost(C.line_masks.NODE_NS);
    const most = isEndless(budget.limit) ? C.MOST_ENDLESS_BUCKETS_LOG2 : C.MOST_BUCKETS_LOG2;
    const table = kernels.table(proofTable(Math.min(most, empties, Math.max(0, bitLength(budget.limit) - 1))));
    kernels.set(kernels.state + layouts.line_masks.generation, table.generation);
    const filled = rules.cells - empties;
    let [lower, upper] = [-empties, empties];
    if (low != null) lower = low > 0 ? low - filled : Math.min(low + filled, 0);
    if (high != null) upper = high < 0 ? high + filled : Math.max(high - filled, 0);
    const first = kernels.places[position.firstOf(position.legal)];
    [lower, upper, first].forEach((value, index) => kernels.set(kernels.result + 8 * index, value));
    const marks = position.bitboards(kernels.places);
    kernels.spend(budget, "solve", kernels.game, kernels.state, ...marks, kernels.budget, table.array, kernels.result);
    return readBounds(kernels, kernels.cellOf);
  },

  /** Shared is a table of `sharedTable`, known what a book knows. */
  gravity(position, budget, shared, known) {
    const kernels = position.game.kernels("gravity");
    const { cells } = position.rules;
    const table = shared ?? sharedTable(position, budget.limit, "table");
    budget.pollByCost(C.gravity.NODE_NS);
    const lower = Math.max(-cells, known?.lower ?? -cells);
    const upper = Math.min(cells, known?.upper ?? cells);
    const candidates = known ? known.candidates.reduce((all, move) => all | (1n << BigInt(kernels.places[move])), 0n) : -1n;
    const marks = position.bitboards(kernels.places);
    const work = [kernels.budget, table.array, kernels.result];
    kernels.spend(budget, "solve", kernels.game, table.state, ...marks, lower, upper, candidates, ...work);
    return readBounds(kernels, kernels.cellOf);
  },
};

/** A table of the gravity solver with its working memory, for searches of a position and of what follows it. */
function sharedTable(position, nodes, place = "shared") {
  const kernels = position.game.kernels("gravity");
  const most = isEndless(nodes) ? C.MOST_ENDLESS_ENTRIES_LOG2 : C.MOST_ENTRIES_LOG2;
  const entries = Math.min(nodes, 2 ** Math.min(most, position.empties));
  const words = 8 * 2 ** bitLength(Math.max(1, Math.floor(entries / 4)) - 1);
  const table = kernels.table(words, place, 511);
  table.state ??= kernels.room(layouts.gravity.size);
  kernels.set(table.state + layouts.gravity.generation, table.generation);
  kernels.set(table.state + layouts.gravity.begun, 0);
  return table;
}

// ---- The other solvers ---------------------------------------------------------------------------------------------

/** Whether mere blocking keeps a side from every line, and a move that preserves it; null where every move does. */
function neverCompletes(position, budget, opponentIsMaker, nodes) {
  const { game, cells: board } = position;
  const own = C.maker_breaker;
  const maker = opponentIsMaker ? other(position.side) : position.side;
  const lines = game.by_run
    .filter(([line, flanks]) => line.every((cell) => [0, maker].includes(board[cell])) && !flanks.some((cell) => board[cell] === maker))
    .map(([line]) => line.filter((cell) => board[cell] === 0));
  if (lines.length > own.MAX_LINES) return [false, null];
  if (!lines.length) return [true, null];
  const kernels = game.kernels("maker_breaker");
  const cells = game.order.filter((cell) => board[cell] === 0);
  const places = board.map((_, cell) => cells.indexOf(cell));
  const images = position.stabiliser.map((each) => cells.map((cell) => places[each[cell]]));
  writeBreakerGame(kernels, lines.map((line) => line.map((cell) => places[cell])), cells.length, images);
  kernels.view(Uint8Array, kernels.state, layouts.maker_breaker.size).fill(0);
  budget.pollByCost(own.NODE_NS);
  const endless = nodes >= C.ENDLESS_NODES ? own.MAX_ENDLESS_TABLE_BITS : own.MAX_TABLE_BITS;
  const most = Math.min(endless, Math.max(own.USUAL_TABLE_BITS, bitLength(nodes) - 5));
  const table = kernels.table(proofTable(Math.max(own.MIN_TABLE_BITS, Math.min(most, cells.length, bitLength(nodes)))));
  let makerWins = 0n;
  const reason = budget.part(nodes, null, () => {
    const side = opponentIsMaker ? 0 : 1;
    makerWins = kernels.spend(budget, "solve", kernels.game, kernels.state, kernels.budget, table.array, side);
  });
  const move = kernels.get(kernels.state + layouts.maker_breaker.root_move);
  return [reason === RUNNING && !makerWins, opponentIsMaker && move >= 0 ? cells[move] : null];
}

/** Writes the record of a Maker-Breaker game: lines and symmetries by the places of cells. */
function writeBreakerGame(kernels, lines, cells, images) {
  const at = layouts.maker_breaker_game;
  const word = (places) => places.reduce((all, place) => all | (1n << BigInt(place)), 0n);
  kernels.view(Uint8Array, kernels.game, at.size).fill(0);
  kernels.set(kernels.game + at.cells, cells);
  kernels.set(kernels.game + at.lines, lines.length);
  lines.forEach((line, index) => kernels.set(kernels.game + at.line + 8 * index, word(line)));
  const names = images.map(String);
  const start = kernels.game + at.images;
  kernels.set(start, images.length);
  images.forEach((image, index) => {
    kernels.view(Uint8Array, start + layouts.images.image + 64 * index, cells).set(image);
    const inverse = names.indexOf(String(range(cells).map((place) => image.indexOf(place))));
    kernels.set(start + layouts.images.inverse + 8 * index, inverse);
    kernels.set(start + layouts.images.fixed + 8 * index, word(range(cells).filter((place) => image[place] === place)));
    kernels.set(start + layouts.images.mirror + 8 * index, inverse === index && index > 0 ? 1 : 0);
  });
}

/** Moves of both sides after which mere blocking still draws, as many as a small budget proves. */
function drawingLine(start, budget, move) {
  const line = [];
  let position = start;
  const firstSafe = () => {
    for (const each of position.game.order.filter((cell) => position.legal.includes(cell))) {
      const child = position.play(each);
      if (!child.empties) return each;
      if (budget.isSpent || !budget.left) return null;
      if (neverCompletes(child, budget, false, budget.left)[0]) return each;
    }
    return null;
  };
  budget.part(budget.nodes, null, () => {
    while (line.length < C.maker_breaker.DRAW_LINE && !position.isOver) {
      const safe = firstSafe();
      if (safe === null) break;
      line.push(safe);
      position = position.play(safe);
    }
  });
  return line.length ? line : [move ?? start.firstOf(start.legal)];
}

/** The line-count kernels with the marks of a position in their state. */
function countsOf(position) {
  const kernels = position.game.kernels("line_counts");
  kernels.view(Uint8Array, kernels.cells, position.cells.length).set(position.relative);
  kernels.call("set_up", kernels.game, kernels.state, [kernels.cells, position.cells.length]);
  return kernels;
}

function scoreByCounts(value, position, marks, complete) {
  const { cells } = position.rules;
  if (value >= WIN_BY_COUNTS - 1000n) return win(cells, Number(WIN_BY_COUNTS - value) - marks);
  if (value <= 1000n - WIN_BY_COUNTS) return loss(cells, Number(WIN_BY_COUNTS + value) - marks);
  return complete ? draw(cells - marks) : estimated(Number(value), position.game.scale);
}

/** The value of an ongoing position without a search. */
function evaluate(position) {
  if (!position.game.known) return unproven(0);
  const kernels = countsOf(position);
  const [alive, against] = kernels.view(BigInt64Array, kernels.state + layouts.line_counts.alive, 2);
  const value = kernels.get(kernels.state + layouts.line_counts.estimate);
  const isDead = !alive && !against;
  return scoreByCounts(BigInt(isDead ? 0 : value), position, position.rules.cells - position.empties, isDead);
}

/** What `evaluate` says of the position after a move, for all moves at once. */
function evaluations(position) {
  if (!position.game.known) return () => unproven(0);
  const { cells } = position.rules;
  const kernels = countsOf(position);
  kernels.call("estimate_moves", kernels.game, kernels.state, [kernels.estimates, cells]);
  const found = [...kernels.view(BigInt64Array, kernels.estimates, cells)];
  return (move) => {
    const isDead = found[move] === WIN_BY_COUNTS;
    return scoreByCounts(isDead ? 0n : found[move], position, cells - position.empties + 1, isDead);
  };
}

function byLines({ position, budget, depth }, emit) {
  const { empties, rules } = position;
  const [own, at, kernels] = [C.line_counts, layouts.line_counts, countsOf(position)];
  const stride = 2 * Math.ceil(rules.cells / 64) + C.EXTRA_WORDS;
  const most = [bitLength(own.TABLE_SHARE * budget.limit), Math.floor(empties * Math.log2(3)) + 1];
  most.push(bitLength(Math.floor(own.MAX_TABLE_BYTES / (8 * stride))) - 1, own.MAX_TABLE_BITS);
  const size = 2 ** Math.max(own.MIN_TABLE_BITS, Math.min(...most));
  const { array, generation } = kernels.table(size * stride);
  const members = kernels.game + layouts.line_counts_game.member_start + 4 * rules.cells;
  budget.pollByCost(own.VISIT_NS * Math.max(1, kernels.view(Int32Array, members, 1)[0]));
  const set = (name, value) => kernels.set(kernels.state + at[name], value);
  set("generation", generation);
  set("table_mask", size - 1);
  for (let ply = 1; ply <= Math.min(empties, depth ?? empties); ply++) {
    set("best", -1);
    set("unproven_count", 0);
    const work = [kernels.game, kernels.state, kernels.budget, array];
    const value = kernels.spend(budget, "negamax", ...work, 0, 0, ply, -1n - WIN_BY_COUNTS, WIN_BY_COUNTS + 1n);
    const finished = !budget.isSpent;
    let move = kernels.get(kernels.state + at.best);
    if (move < 0 && finished) move = position.firstOf(position.legal);
    const known = finished ? value : kernels.view(BigInt64Array, kernels.state + at.value, 1)[0];
    if (move >= 0 && (finished || known > 1000n - WIN_BY_COUNTS)) {
      const complete = finished && kernels.get(kernels.state + at.unproven_count) === 0;
      const score = scoreByCounts(known, position, rules.cells - empties, complete);
      emit({ move, score, line: lineByCounts(kernels, array, move, ply), depth: finished ? ply : ply - 1 });
      if (score.proven) return;
    }
    if (!finished) return;
  }
}

/** The line that the table knows to follow a move. */
function lineByCounts(kernels, table, move, depth) {
  const line = [move];
  const call = (name, ...rest) => Number(kernels.call(name, kernels.game, kernels.state, ...rest));
  while (line.length < Math.min(depth, C.MAX_LINE)) {
    const side = (line.length - 1) % 2;
    if (call("completes_line", side, line.at(-1))) break;
    call("put", side, line.at(-1));
    const cell = call("table_move", 1 - side, table);
    if (cell < 0) {
      call("take_back", side, line.at(-1));
      break;
    }
    line.push(cell);
  }
  for (let ply = line.length - 2; ply >= 0; ply--) call("take_back", ply % 2, line[ply]);
  return line;
}

/** A win of the side to move by continuous fours: its plies and its line; null where none is found. */
function findWin(position, budget, share = C.continuous_fours.SHARE) {
  const { game } = position;
  if (!game.lines.length) return null;
  const kernels = game.kernels("continuous_fours");
  const [own, at] = [C.continuous_fours, layouts.continuous_fours];
  const count = game.flanked.length;
  budget.pollByCost(own.LINE_NS * Math.max(1, count));
  let found = null;
  budget.part(Math.min(own.MOST_NODES, Math.max(1, Math.floor(budget.left / share))), null, () => {
    const { array, generation } = kernels.table(own.ENTRY_WORDS * own.TABLE_ENTRIES);
    kernels.set(kernels.search + at.generation, generation);
    const shortest = (where, most) => {
      const counts = countsOf(where);
      const state = counts.view(Uint8Array, counts.state, layouts.line_counts.moves);
      kernels.view(Uint8Array, kernels.state, state.length).set(state);
      const lines = [kernels.lines, count, game.rules.goal];
      const work = [kernels.game, kernels.state, kernels.search, kernels.budget, lines, array, 0, most];
      return Number(kernels.spend(budget, "shortest_win", ...work));
    };
    const plies = shortest(position, position.empties);
    if (plies) found = { plies, line: lineOfFours(position, plies, shortest, () => kernels.get(kernels.search + at.root_move)) };
  });
  return found;
}

function lineOfFours(start, plies, shortest, rootMove) {
  const line = [];
  let [position, left] = [start, plies];
  for (;;) {
    line.push(rootMove());
    position = position.play(line.at(-1));
    if (position.isOver) return line;
    line.push(position.firstOf(position.completingCells(start.side)));
    position = position.play(line.at(-1));
    left -= 2;
    if (position.isOver || !shortest(position, Math.max(left, 1))) return line;
  }
}

/** The line-count search; its last iteration avoids moves that lose to continuous fours. */
function avoidingFours(work, emit) {
  const { position, budget } = work;
  let last = null;
  const nodes = budget.left - Math.floor(budget.left / C.continuous_fours.CHECK_SHARE);
  const reason = budget.part(nodes, null, () => byLines({ ...work, depth: null }, (info) => emit((last = info))));
  if (last && !last.score.proven && !budget.isSpent) {
    const better = avoiding(position, last, budget);
    if (better !== last) emit((last = better));
  }
  if (!last?.score.proven && !budget.isSpent) budget.reason = reason;
}

function avoiding(position, chosen, budget) {
  const valueAfter = evaluations(position);
  const ending = position.completingCells(position.side);
  const others = position.legal.filter((move) => !ending.includes(move) && move !== chosen.move);
  others.sort((a, b) => valueAfter(a).value - valueAfter(b).value);
  let [longest, line] = [0, []];
  for (const move of [chosen.move, ...others]) {
    const after = position.play(move);
    if (after.isOver) return chosen;
    const found = findWin(after, budget, C.continuous_fours.CHECK_SHARE);
    if (budget.isSpent || !budget.left) return chosen;
    if (!found) {
      if (move === chosen.move) return chosen;
      const value = Math.min(chosen.score.value, -valueAfter(move).value);
      return { ...chosen, move, line: [move], score: { ...chosen.score, value } };
    }
    if (found.plies > longest) [longest, line] = [found.plies, [move, ...found.line]];
  }
  return { ...chosen, move: line[0], line: line.slice(0, C.MAX_LINE), score: loss(position.rules.cells, longest + 1, true) };
}

/** The reference search, for games with shared marks, of which every estimate is 0. */
function byReference({ position, budget, depth }, emit) {
  const { LEAST_NODES, NODE_COST } = C.reference;
  const nodes = Math.min(budget.left, Math.max(LEAST_NODES, Math.floor(budget.left / NODE_COST)));
  const reason = budget.part(nodes, null, () => {
    const [table, { cells }, { empties }] = [new Map(), position.rules, position];
    for (let ply = 1; ply <= Math.min(empties, depth ?? empties); ply++) {
      const search = { budget, table, certain: true };
      const value = referenceValue(search, position, ply, -Infinity, Infinity);
      if (value === null) return;
      const score = value ? provenScore(value - Math.sign(value) * (empties - cells), cells, empties) : search.certain ? draw(empties) : unproven(0);
      const line = [];
      for (let at = position, known; line.length < ply && (known = table.get(keyOf(at)))?.depth === ply - line.length; at = at.play(known.move))
        line.push(known.move);
      emit({ move: line[0], score, line, depth: ply });
      if (score.proven) return;
    }
  });
  if (!budget.isSpent) budget.reason = reason;
}

const keyOf = (position) => position.cells.join("") + position.side;

/** The value of a position within a window, null where the budget ends: a win that leaves e empty cells is e + 1. */
function referenceValue(search, position, depth, alpha, beta) {
  if (!search.budget.visit()) return null;
  const { state, winner } = position.ending;
  if (state === "drawn") return 0;
  if (state === "won") return winner === position.side ? position.empties + 1 : -position.empties - 1;
  if (depth === 0) {
    search.certain = false;
    return 0;
  }
  const known = search.table.get(keyOf(position));
  if (known?.depth === depth) {
    if (known.lower >= beta || known.lower === known.upper) return known.lower;
    if (known.upper <= alpha) return known.upper;
  }
  const { legal, game } = position;
  const moves = game.order.filter((move) => legal.includes(move));
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

/** The steps of a proof: each narrows `work.bounds` within its part of the budget; true ends the proof. */
const steps = {
  exact(work, { solver }) {
    const { position, budget } = work;
    const found = solver === "gravity"
      ? exactSolvers.gravity(position, budget, work.shared, work.known)
      : exactSolvers[solver](position, budget, work.least, work.most);
    const isSafe = work.safeMove !== null && !found.exact && found.lower === 0;
    if (found.exact || !work.bounds?.exact)
      work.bounds = isSafe ? bounds(0, found.upper, work.safeMove, [work.safeMove]) : found;
    return found.exact && !budget.isSpent;
  },

  sooner(work, { solver }) {
    const known = work.bounds;
    if (work.least === null || known === null) return false;
    const found = exactSolvers[solver](work.position, work.budget, known.lower, null);
    const better = (found.exact && !work.budget.isSpent) || found.lower > known.lower;
    const upper = Math.max(known.lower, Math.min(known.upper, found.upper));
    work.bounds = better ? found : bounds(known.lower, upper, known.move, known.line);
    return true;
  },

  fours(work) {
    const found = findWin(work.position, work.budget);
    if (!found) return false;
    const { cells } = work.position.rules;
    const [before, lower, line] = [work.bounds, cells + 1 - found.plies, found.line];
    if (before === null) work.bounds = bounds(lower, found.plies <= C.SURE_PLIES ? lower : cells, line[0], line.slice(0, C.MAX_LINE));
    else if (before.lower <= lower) work.bounds = bounds(lower, Math.max(lower, before.upper), line[0], line);
    work.least = lower;
    return false;
  },

  blocking(work, { given }) {
    const { position, budget } = work;
    const [safe, move] = neverCompletes(position, budget, true, Math.floor(budget.left * given));
    if (budget.isSpent) return true;
    const [harmless] = neverCompletes(position, budget, false, Math.floor(budget.left * given));
    if (budget.isSpent) return true;
    if (safe && harmless) {
      const line = drawingLine(position, budget, move);
      work.bounds = bounds(0, 0, line[0], line);
      return true;
    }
    [work.least, work.safeMove] = safe ? [0, move] : [null, null];
    work.most = harmless ? 0 : null;
    return false;
  },
};

const estimates = { lines: byLines, fours: avoidingFours, reference: byReference };
const planOf = (position, limits) => position.game.plans[limits.depth !== null && limits.depth < position.empties ? 1 : 0];
const proofNodes = (plan, nodes) => (plan.keeps ? Math.max(1, Math.floor(nodes * C.PROOF_SHARE), nodes - C.ESTIMATE_NODES) : null);

/** Searches by the plan: a proof, or else estimates. */
function iterate(position, limits, budget, shared, known, emit) {
  if (isExpired(limits)) {
    budget.reason = OUT_OF_TIME;
    return;
  }
  const plan = planOf(position, limits);
  const depth = plan === position.game.plans[1] ? limits.depth : null;
  const work = { position, budget, depth, shared, known, bounds: null, least: null, most: null, safeMove: null };
  if (plan.proof.length) {
    const reason = budget.part(proofNodes(plan, budget.limit), plan.keeps ? C.PROOF_SHARE : null, () => {
      for (const step of plan.proof) {
        let done;
        const nodes = step.share === null ? step.nodes : Math.max(1, Math.floor(budget.limit * step.share));
        const run = () => (done = steps[step.run](work, step));
        if (nodes === null && step.time === null) run();
        else budget.part(nodes, step.time, run);
        if (done || budget.isSpent) break;
      }
    });
    const proof = provenOf(work);
    if (proof) {
      if (!budget.isSpent) budget.reason = reason;
      return emit(proof);
    }
    if (budget.isSpent && !plan.by_network) return;
  }
  const safe = work.bounds?.lower >= 0 ? work.bounds : null;
  estimates[plan.estimate](work, (info) => {
    if (!safe || info.score.proven) return emit(info);
    emit({ ...info, move: safe.move, line: [safe.move], score: { ...info.score, value: Math.max(info.score.value, 0) } });
  });
}

function provenOf({ bounds: found, position }) {
  if (!found || (!found.exact && found.lower <= 0 && found.upper >= 0)) return null;
  const value = found.exact || found.lower > 0 ? found.lower : found.upper;
  const score = provenScore(value, position.rules.cells, position.empties, !found.exact);
  return { move: found.move, score, line: found.line.length ? found.line : [found.move], depth: score.distance ?? 0 };
}

// ---- Known values --------------------------------------------------------------------------------------------------

/** The values of openings: the keys of book.py, as numbers, of the first plies and of the last; others lie between. */
class Book {
  constructor(game, planes, values) {
    const [{ rows, columns }, count] = [game.rules, values.length];
    Object.assign(this, game.book, { game, values, keys: new Float64Array(count) });
    const bit = (cell) => 2 ** game.places.gravity[cell];
    this.bits = [(cell) => cell, (cell) => cell - 2 * (cell % columns) + columns - 1].map((image) => range(rows * columns).map((cell) => bit(image(cell))));
    this.floor = sum(range(columns).map((column) => bit((rows - 1) * columns + column)));
    for (let index = 0, key = 0; index < count; index++) {
      for (let plane = planes.length / count - 1, worth = 256 ** plane; plane >= 0; plane--, worth /= 256)
        key += worth * planes[plane * count + index];
      this.keys[index] = key;
    }
  }

  /** The value of a position; null where the book lacks it. */
  value(position) {
    const marks = position.rules.cells - position.empties;
    if (marks > this.plies) return null;
    if (marks > this.kept && marks < this.plies) {
      const values = this.moves(position);
      return values && Math.max(...values.values());
    }
    const weights = position.cells.map((mark) => (mark === 0 ? 0 : mark === position.side ? 2 : 1));
    const key = Math.min(...this.bits.map((bits) => this.floor + bits.reduce((all, bit, cell) => all + bit * weights[cell], 0)));
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      [low, high] = this.keys[middle] < key ? [middle + 1, high] : [low, middle];
    }
    return this.keys[low] === key ? this.values[low] : null;
  }

  /** The value of every legal move; null where the book lacks one. */
  moves(position) {
    const { legal, rules } = position;
    if (rules.cells - position.empties >= this.plies) return null;
    const completing = position.completing(position.side);
    const values = new Map();
    for (const move of legal) {
      const after = completing.has(move) ? -rules.cells - 1 : this.value(position.play(move));
      if (after === null) return null;
      values.set(move, Math.sign(after) - after);
    }
    return values;
  }

  known(position) {
    const values = this.moves(position);
    if (!values) return this.bounds(position);
    const score = provenScore(Math.max(...values.values()), position.rules.cells, position.empties);
    const best = position.legal.filter((move) => values.get(move) === score.value);
    const move = position.firstOf(best);
    return result({ move, score, line: [move, ...this.line(position.play(move))], best, complete: true, depth: score.distance, source: "book" });
  }

  /** The best moves of both sides as far as the book goes. */
  line(position) {
    const values = position.isOver ? null : this.moves(position);
    if (!values) return [];
    const most = Math.max(...values.values());
    const move = position.firstOf(position.legal.filter((each) => values.get(each) === most));
    return [move, ...this.line(position.play(move))];
  }

  /** What the book knows of the value of a position that is one mark later than its last ones, or among them. */
  bounds(position) {
    const { cells } = position.rules;
    const marks = cells - position.empties;
    if (marks > this.plies + 1) return null;
    if (marks > this.plies) return { lower: this.least(position), upper: cells, candidates: position.legal };
    const value = this.value(position);
    if (value === null) return null;
    const completing = position.completing(position.side);
    const most = (after) => Math.sign(after) - after;
    const reaches = (move) => completing.has(move) || most(this.least(position.play(move))) >= value;
    return { lower: value, upper: value, candidates: position.legal.filter(reaches) };
  }

  /** A lower bound on the value of a position one mark later than the last ones, from those before it. */
  least({ game, cells, side, rules }) {
    const isLast = (cell) => cells[cell] === other(side) && !cells[cell + rules.rise];
    const before = range(rules.cells).filter(isLast).map((last) => new Position(game, cells.map((mark, cell) => (cell === last ? 0 : mark)), other(side)));
    const known = before.map((each) => this.value(each)).filter((value) => value !== null);
    return Math.max(-rules.cells - 1, ...known.map((value) => 0 - value - Math.sign(value)));
  }
}

/** The winning moves of a strategy, by canonical positions. */
class Strategy {
  constructor(game, boards, moves) {
    const { cells } = game.rules;
    const key = (index) => boards.subarray(index * cells, (index + 1) * cells).join("");
    this.entries = new Map(range(moves.length / 2).map((index) => [key(index), [moves[2 * index], moves[2 * index + 1]]]));
  }

  find(position) {
    const [form, symmetry] = position.canonical();
    const [move, plies] = this.entries.get(form.cells.join("")) ?? [];
    return plies && { move: symmetry[move], plies };
  }

  known(position) {
    const { cells } = position.rules;
    const found = this.find(position);
    const [move, score] = found ? [found.move, win(cells, found.plies, true)] : this.loss(position);
    return score && result({ move, score, line: [move], best: [move], complete: false, depth: score.distance, source: "book" });
  }

  /** The reply that delays the loss after a move of the strategy. */
  loss(position) {
    const { game, cells, side, rules } = position;
    for (const last of range(rules.cells).filter((cell) => cells[cell] === other(side))) {
      const before = this.find(new Position(game, cells.map((mark, cell) => (cell === last ? 0 : mark)), other(side)));
      if (before?.move !== last) continue;
      const plies = new Map(position.legal.map((reply) => [reply, this.find(position.play(reply))?.plies ?? 0]));
      const longest = Math.max(...plies.values());
      if (!longest) return [];
      const replies = position.legal.filter((reply) => plies.get(reply) === longest);
      return [position.firstOf(replies), loss(rules.cells, before.plies - 1, true)];
    }
    return [];
  }
}

// ---- Search --------------------------------------------------------------------------------------------------------

const result = (fields) => ({ depth: 0, nodes: 0, ms: 0, stoppedBy: "proof", source: "search", ...fields });
const isExpired = (limits) => limits.end !== null && now() >= limits.end;
const endOf = ({ ms, end }) => (ms === null ? end : Math.min(now() + ms, end ?? Infinity));
const share = (limits, part) => ({ ...limits, ms: limits.ms === null ? null : Math.max(1, Math.floor(limits.ms * part)) });

/** The best move of a position and how good it is. */
function search(position, limits, { shared = null, progress = null } = {}) {
  const began = now();
  const final = position.finalScore;
  if (final) return result({ move: null, score: final, line: [], best: [], complete: true, source: "rules" });
  const { winning: best, rules } = position;
  if (best.length) {
    const move = position.firstOf(best);
    return result({ move, score: win(rules.cells, 1), line: [move], best, complete: true, depth: 1, nodes: 1 });
  }
  const known = limits.depth === null ? (position.game.source?.known(position) ?? null) : null;
  if (known?.score) return known;
  const end = endOf(limits);
  const budget = new Budget(limits.nodes, end);
  let info = null;
  iterate(position, limits, budget, shared, known, (found) => {
    info = { ...found, score: calibrated(found.score, position, limits) };
    progress?.({ ...info, nodes: budget.nodes });
  });
  if (!info || (limits.depth !== 1 && isAvoidableLoss(position, info))) {
    const move = position.firstOf(position.safe.length ? position.safe : position.legal);
    info = { move, score: calibrated(evaluate(position), position, limits), line: [move], depth: info?.depth ?? 0 };
  }
  const { move, score, depth } = info;
  const [line, inTime] = wholeLine(position, info.line, score, { ...limits, end });
  const stoppedBy = inTime ? whyStopped(budget.endedBy, score) : "time";
  const equal = score.exact ? position.equalCells(move) : [move];
  const complete = equal.length === position.legal.length;
  return result({ move, score, line, best: equal, complete, depth, nodes: budget.nodes, ms: now() - began, stoppedBy });
}

/** The line of a near win or loss, continued to the end of the game; and whether that was done in time. */
function wholeLine(position, line, score, { depth, end }) {
  const left = (score.distance ?? 0) - line.length;
  if (!score.exact || score.outcome === "draw" || left <= 0 || left + line.length > C.WHOLE_LINE) return [line, true];
  const last = line.reduce((at, move) => at.play(move), position);
  const ending = search(last, { nodes: C.LINE_NODES, depth: depth === null ? null : left, ms: null, end });
  const isWhole = ending.score.exact && ending.score.distance === left;
  return [isWhole ? [...line, ...ending.line] : line, ending.stoppedBy !== "time"];
}

function whyStopped(endedBy, score) {
  if (endedBy === "time" || score.exact) return endedBy === "time" ? "time" : "proof";
  return endedBy === "nodes" ? "nodes" : score.proven ? "proof" : "depth";
}

function isAvoidableLoss(position, { move, score, depth, line }) {
  if (score.proven || (depth > 1 && line.length > 1)) return false;
  const { safe } = position;
  return safe.length > 0 && !safe.includes(move);
}

/** The score of an estimate with its expected result, on large boards (calibration.py). */
function calibrated(score, { game, rules, empties }, { depth }) {
  if (score.proven || depth !== null || !game.plans[0].by_network) return score;
  const { base, power, by_fill, by_side, by_rule } = C.BY_POINTS[game.rules.goal];
  const stretched = Math.abs(score.value) / (1 - Math.abs(score.value));
  const side = Math.log(rules.cells) / 2 - Math.log(C.USUAL_SIDE);
  const growth = base + by_fill * (1 - empties / rules.cells) + by_side * side + (rules.exact_goal || rules.caro ? by_rule : 0);
  const odds = stretched ** power * Math.exp(growth);
  const expected = Math.min(C.MOST_EXPECTED, rounded(Math.tanh(odds / 2), C.DECIMALS));
  return unproven(score.value, (score.value < 0 ? -expected : expected) + 0);
}

// ---- Analysis ------------------------------------------------------------------------------------------------------

const inOrder = (values, first = null) =>
  [...values].sort((a, b) => (a.move !== first) - (b.move !== first) || b.score.value - a.score.value || a.move - b.move);

/** The value of every legal move: a search for the best, then searches of the others with a second node budget. */
function analyse(position, limits, { first = null, known = [], progress = null } = {}) {
  const began = now();
  const { cells } = position.rules;
  const plan = position.game.plans[0];
  const isShared = !position.isOver && plan.proof.some(({ solver }) => solver === "gravity");
  const shared = isShared ? sharedTable(position, proofNodes(plan, limits.nodes) ?? limits.nodes) : null;
  const chosen = first ?? search(position, share(limits, C.FIRST_SHARE), { shared, progress });
  if (chosen.move === null) return { ...chosen, moves: [] };
  const orbits = orbitsOf(position);
  const values = new Map();
  const fill = (value) => {
    values.set(value.move, value);
    for (const [image, permutation] of orbits.get(value.move))
      if (!values.has(image)) values.set(image, { move: image, score: value.score, line: value.line.map((cell) => permutation[cell]) });
  };
  [...known].reverse().forEach(fill);
  fill({ move: chosen.move, score: chosen.score, line: chosen.line });
  const waiting = position.game.order.filter((move) => orbits.has(move) && orbits.get(move)[0][0] === move && !values.has(move));
  const end = limits.ms === null ? limits.end : began + limits.ms;
  const others = valuesOf(position, { ...limits, ms: null, end }, waiting, shared);
  others.values.forEach(fill);
  const held = new Map([...values].map(([move, value]) => [move, atMostChosen(value, chosen.score, cells)]));
  let ranked = asKnown(inOrder(held.values(), choose(held, chosen).move), chosen.score);
  ranked = ranked.map((value) => ({ ...value, score: calibrated(value.score, position, limits) }));
  const [best, complete] = equals(ranked);
  const stoppedBy = worst([chosen.stoppedBy, others.stoppedBy]);
  return { ...chosen, ...ranked[0], best, complete, nodes: chosen.nodes + others.nodes, ms: now() - began, stoppedBy, moves: ranked };
}

/** For each move the moves equal to it by symmetry with the permutations; the earliest in the fixed order first. */
function orbitsOf(position) {
  const [order, symmetries] = [position.game.order, [...position.stabiliser].reverse()];
  return new Map(
    position.legal.map((move) => {
      const images = new Map(symmetries.map((each) => [each[move], each]));
      return [move, [...images].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))];
    }),
  );
}

/** The values of moves that the first search did not choose, their nodes and the reason why their searches ended. */
function valuesOf(position, limits, waiting, shared) {
  const { cells } = position.rules;
  let [nodes, estimate] = [0, null];
  const reasons = [];
  const values = waiting.map((move, index) => {
    const child = position.play(move);
    const left = waiting.length - index;
    const part = Math.floor((limits.nodes - nodes) / left);
    const seen = seenValue(child, limits);
    if (seen) return { move, score: beforeMove(seen.score, cells), line: [move, ...seen.line] };
    if (part < 1 || isExpired(limits)) {
      estimate ??= evaluations(position);
      const score = estimate(move);
      reasons.push(isExpired(limits) ? "time" : score.proven ? "proof" : "nodes");
      return { move, score: beforeMove(score, cells), line: [move] };
    }
    const end = limits.end === null ? null : now() + (limits.end - now()) / left;
    const after = search(child, { nodes: part, depth: null, ms: null, end }, { shared });
    nodes += after.nodes;
    reasons.push(after.stoppedBy);
    return { move, score: beforeMove(after.score, cells), line: [move, ...after.line].slice(0, C.MAX_LINE) };
  });
  return { values, nodes, stoppedBy: worst(reasons) };
}

/** The value of the position after a move that needs no search. */
function seenValue(child, limits) {
  const final = child.finalScore;
  if (final) return { score: final, line: [] };
  const { source } = child.game;
  const value = limits.depth === null && source instanceof Book ? source.value(child) : null;
  return value === null ? null : { score: provenScore(value, child.rules.cells, child.empties), line: source.line(child) };
}

const lowered = (value, drop) => unproven(Math.max(-C.MAX_ESTIMATE, rounded(value - drop, C.ESTIMATE_DECIMALS)));

/** The value of a move, made consistent with the search that chose a move. */
function atMostChosen(value, chosen, cells) {
  const { score } = value;
  if (chosen.outcome === "loss") {
    if (score.exact || score.value <= chosen.value) return value;
    return { ...value, score: loss(cells, chosen.distance, true) };
  }
  if (score.proven || chosen.outcome === "win") return value;
  const isAbove = score.value > chosen.value || (chosen.proven && score.value === chosen.value);
  return isAbove ? { ...value, score: lowered(chosen.value, 10 ** -C.ESTIMATE_DECIMALS) } : value;
}

function choose(values, first) {
  const chosen = values.get(first.move);
  if (first.score.exact) return chosen;
  const best = inOrder(values.values())[0];
  const isBetter = best.score.value > chosen.score.value;
  return isBetter && (best.score.proven || chosen.score.outcome === "loss") ? best : chosen;
}

/** The ranked moves, the first one with no more than is known of the position. */
function asKnown(ranked, searched) {
  const [{ score }] = ranked;
  const isBounded = searched.exact && searched.value <= score.value;
  if (isBounded || !score.exact || score.outcome === "loss" || equals(ranked)[1]) return ranked;
  const known = score.outcome === "win" ? { ...score, bound: true, exact: false } : unproven(0);
  return [{ ...ranked[0], score: known }, ...ranked.slice(1)];
}

/** The moves known to be exactly as good as the first, and whether the list is complete. */
function equals(ranked) {
  const [{ move, score }] = ranked;
  if (!score.exact) return [[move], ranked.length === 1];
  const best = ranked.filter((value) => value.score.exact && value.score.value === score.value).map((value) => value.move);
  const isWorse = (value) =>
    (score.outcome === "win" && score.distance === 1) || (value.outcome === "loss" && score.outcome !== "loss");
  return [best.sort((a, b) => a - b), ranked.every((value) => value.score.exact || isWorse(value.score))];
}

// ---- Levels --------------------------------------------------------------------------------------------------------

const FULL_STRENGTH = 10;

/** The weight of each move at a level below full strength, `[move, weight]` in tile order, and what that cost. */
function distributionOf(position, level, limits) {
  const began = now();
  const player = C.levels[level];
  const part = { ...share(limits, C.CHOICE_SHARE), nodes: Math.floor(limits.nodes * C.CHOICE_SHARE) };
  const timed = { ...part, end: endOf(part), ms: null };
  const near = nearMoves(position);
  const { winning } = position;
  const wins = near.filter((move) => winning.includes(move));
  const others = near.filter((move) => !winning.includes(move));
  const likely = new Map(near.map((move) => [move, 0]));
  const add = (weight, regrets, temperature) => {
    if (!weight) return;
    const low = Math.min(...regrets.values());
    const weights = [...regrets].map(([move, regret]) => [move, Math.exp((low - regret) / temperature)]);
    const total = sum(weights.map(([, each]) => each));
    for (const [move, each] of weights) likely.set(move, likely.get(move) + (weight * each) / total);
  };
  const left = wins.length ? (others.length ? player.misses : 0) : 1;
  add(1 - left, new Map(wins.map((move) => [move, 0])), 1);
  let searched = { regrets: new Map(), nodes: 0, stoppedBy: "proof" };
  if (left) {
    const regretOf = staticRegrets(position);
    const regretsOf = (moves) => new Map(moves.map((move) => [move, regretOf(move)]));
    const safe = position.safe.filter((move) => others.includes(move));
    const careful = regretsOf(safe.length ? safe : others);
    searched = searchedRegrets(position, player, careful, timed);
    const isCareful = left * (1 - player.misses);
    const ahead = searched.regrets.size ? isCareful * player.looks_ahead : 0;
    const blocks = !position.rules.misere && position.completingCells(other(position.side)).length;
    const without = blocks ? others.filter((move) => !careful.has(move)) : others;
    add(left - isCareful, regretsOf(without.length ? without : others), player.static_temperature);
    add(isCareful - ahead, careful, player.static_temperature);
    add(ahead, searched.regrets, player.temperature);
  }
  const weights = [...likely].map(([move, weight]) => [move, rounded(weight * C.WEIGHT_UNITS, 0)]).filter(([, weight]) => weight);
  return { weights, nodes: searched.nodes, ms: now() - began, stoppedBy: searched.stoppedBy };
}

/** The moves that a level considers: on wide boards those near the marks, or before the first one the centre. */
function nearMoves({ rules, legal, cells }) {
  if (rules.cells <= C.WIDE_CELLS) return legal;
  const { rows, columns } = rules;
  const isCentre = (place, side) => place >= (side - 1) >> 1 && place <= side >> 1;
  const centre = (cell) => isCentre(Math.floor(cell / columns), rows) && isCentre(cell % columns, columns);
  const marks = range(rules.cells).filter(cells.some((mark) => mark) ? (cell) => cells[cell] : centre);
  const away = (a, b) => Math.max(Math.abs(Math.floor(a / columns) - Math.floor(b / columns)), Math.abs((a % columns) - (b % columns)));
  const near = legal.filter((move) => marks.some((mark) => away(mark, move) <= C.REACH));
  return near.length ? near : legal;
}

/** The regret of a move by the lines through its cell, in factors of ten. */
function staticRegrets({ game, cells, side, rules }) {
  if (rules.marks === "shared") return () => 0;
  const worth = new Float64Array(rules.cells);
  const weight = (marks) => 10 ** Math.min(marks, C.MAX_EXPONENT);
  for (const line of game.counted) {
    const [own, opposing] = [side, other(side)].map((each) => line.filter((cell) => cells[cell] === each).length);
    const gain = (opposing ? 0 : weight(own)) + (own ? 0 : weight(opposing));
    for (const cell of line) worth[cell] += gain;
  }
  return (move) => (rules.misere ? 1 : -1) * Math.log10(1 + worth[move]);
}

/** The regrets from searches of the safe moves that look best. */
function searchedRegrets(position, player, safe, limits) {
  const candidates = [...safe.keys()].sort((a, b) => safe.get(a) - safe.get(b) || a - b).slice(0, C.CANDIDATES);
  const firsts = candidates.map((move) => [move, Math.min(...position.stabiliser.map((each) => each[move]))]);
  const different = [...new Set(firsts.map(([, first]) => first))];
  const nodesEach = Math.floor(Math.min(player.nodes, limits.nodes) / different.length);
  const none = { regrets: new Map(), nodes: 0, stoppedBy: "proof" };
  if (player.depth < 1 || safe.size < 2 || !nodesEach) return none;
  const scores = new Map();
  const reasons = [];
  let nodes = 0;
  for (const move of different) {
    if (isExpired(limits)) return { ...none, nodes, stoppedBy: "time" };
    const after = afterMove(position, move, { ...limits, nodes: nodesEach, depth: player.depth });
    nodes += after.nodes;
    reasons.push(after.stoppedBy);
    scores.set(move, after.score);
  }
  const regrets = regretsOfScores(scores);
  return { regrets: new Map(firsts.map(([move, first]) => [move, regrets.get(first)])), nodes, stoppedBy: worst(reasons) };
}

/** The result of a move for the side that makes it; the position after it is searched one ply less deep. */
function afterMove(position, move, limits) {
  const child = position.play(move);
  const depth = limits.depth === null ? null : Math.max(1, limits.depth - 1);
  const after = limits.depth === 1 && !child.isOver
    ? result({ score: evaluate(child), line: [], stoppedBy: "depth" })
    : search(child, { ...limits, depth });
  const score = beforeMove(after.score, position.rules.cells);
  const source = after.source === "book" ? "book" : "search";
  const line = [move, ...after.line].slice(0, C.MAX_LINE);
  return { ...after, move, score, line, best: [move], complete: false, depth: after.depth + 1, source };
}

function regretsOfScores(scores) {
  const all = [...scores.values()];
  const quickest = Math.min(...all.filter(({ outcome }) => outcome === "win").map(({ distance }) => distance));
  const open = all.filter(({ outcome }) => outcome === "draw" || outcome === "unknown").map(({ value }) => value);
  const [high, low] = [Math.max(...open), Math.min(...open)];
  const belowWin = quickest < Infinity ? 1 : 0;
  const regret = ({ outcome, distance, value }) => {
    if (outcome === "win") return Math.min(1, C.SLOWER_WIN_REGRET * (distance - quickest));
    if (outcome === "loss") return belowWin + 1 + C.LOSS_REGRET * C.LOSS_FADE ** distance;
    return belowWin + (high > low ? (high - value) / (high - low) : 0);
  };
  return new Map([...scores].map(([move, score]) => [move, regret(score)]));
}

/** A number of 64 bits from the rules, the board, the level and the seed. */
function seededNumber(position, level, seed) {
  const [before, after] = position.game.seed.map((text) => new TextEncoder().encode(text));
  const middle = new TextEncoder().encode(`,${level},${seed}:`);
  return blake2b(Uint8Array.from([...before, ...middle, ...position.relative, ...after]));
}

/** The first eight bytes of BLAKE2b of a message, little-endian, for a digest of that size (RFC 7693). */
function blake2b(message) {
  const start = BLAKE_START.map((word, index) => word ^ (index === 0 ? 0x01010008n : 0n));
  const blocks = Math.max(1, Math.ceil(message.length / 128));
  const bytes = new Uint8Array(128 * blocks);
  bytes.set(message);
  const words = new BigUint64Array(bytes.buffer);
  const rotated = (word, by) => BigInt.asUintN(64, (word >> by) | (word << (64n - by)));
  for (let block = 1; block <= blocks; block++) {
    const v = [...start, ...BLAKE_START];
    v[12] ^= BigInt(Math.min(128 * block, message.length));
    if (block === blocks) v[14] = BigInt.asUintN(64, ~v[14]);
    const mix = (a, b, c, d, x, by, also) => {
      v[a] = BigInt.asUintN(64, v[a] + v[b] + words[16 * (block - 1) + parseInt(x, 16)]);
      v[d] = rotated(v[d] ^ v[a], by);
      v[c] = BigInt.asUintN(64, v[c] + v[d]);
      v[b] = rotated(v[b] ^ v[c], also);
    };
    for (let round = 0; round < 12; round++) {
      const order = BLAKE_ORDER[round % 10];
      for (let i = 0; i < 8; i++) {
        const turn = i < 4 ? 0 : i - 3;
        const places = [i % 4, 4 + ((i + (i < 4 ? 0 : 1)) % 4), 8 + ((i + (i < 4 ? 0 : 2)) % 4), 12 + ((i + (i < 4 ? 0 : 3)) % 4)];
        mix(...places, order[2 * i], 32n, 24n);
        mix(...places, order[2 * i + 1], 16n, 63n);
      }
    }
    for (let i = 0; i < 8; i++) start[i] ^= v[i] ^ v[i + 8];
  }
  return start[0];
}

const BLAKE_START = [
  ...[0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n],
  ...[0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n],
];
const BLAKE_ORDER = [
  ...["0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d"],
  ...["2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0"],
];

/** The move that a seed chooses from `[move, weight]`. */
function sample(position, level, weights, seed) {
  let left = (seededNumber(position, level, seed) * BigInt(sum(weights.map(([, weight]) => weight)))) >> 64n;
  return weights.find(([, weight]) => (left -= BigInt(weight)) < 0n)[0];
}

/** The result at full strength, with the move that the seed chooses among its best moves. */
function chooseAmongBest(position, found, seed) {
  const { best } = found;
  if (best.length < 2) return found;
  const move = best[Number((seededNumber(position, FULL_STRENGTH, seed) * BigInt(best.length)) >> 64n)];
  return move === found.move ? found : { ...found, move, line: lineOf(position, found, move) };
}

/** The line of an equally good move: the image of the result's line if a symmetry maps its move to this one. */
function lineOf(position, { move, line, score }, equal) {
  const symmetry = position.stabiliser.find((each) => each[move] === equal);
  return symmetry ? line.map((cell) => symmetry[cell]) : wholeLine(position, [equal], score, { depth: null, end: null })[0];
}

/** The result of a chosen move, within the limits that the choice has left. */
function valueOfChoice(position, move, limits) {
  const left = limits.nodes - Math.floor(limits.nodes * C.CHOICE_SHARE);
  const forBest = Math.min(Math.floor(left / 2), C.VALUE_NODES);
  const each = share(limits, (1 - C.CHOICE_SHARE) / 2);
  const best = forBest ? search(position, { ...each, nodes: forBest }) : null;
  if (best?.move === move) return best;
  if (best?.best.includes(move)) return { ...best, move, line: lineOf(position, best, move) };
  const own = afterMove(position, move, { ...each, nodes: Math.min(left - forBest, C.VALUE_NODES) });
  if (!best) return own;
  const isEqual = own.score.exact && best.score.exact && own.score.value === best.score.value;
  const { best: moves, complete } = own.score.value > best.score.value ? own : best;
  const bestMoves = isEqual ? { best: [...new Set([move, ...best.best])].sort((a, b) => a - b), complete: own.complete } : { best: moves, complete };
  return { ...withCost(own, best), ...bestMoves };
}

const withCost = (found, { nodes, ms, stoppedBy }) =>
  ({ ...found, nodes: found.nodes + nodes, ms: found.ms + ms, stoppedBy: worst([found.stoppedBy, stoppedBy]) });

// ---- Questions and answers -----------------------------------------------------------------------------------------

function moveOf(form, { limits, level, seed, progress }) {
  if (level < FULL_STRENGTH && !form.isOver) {
    const distribution = distributionOf(form, level, limits);
    return withCost(valueOfChoice(form, sample(form, level, distribution.weights, seed ?? newSeed()), limits), distribution);
  }
  const found = atlasOf(form) ?? search(form, limits, { progress });
  return seed === undefined ? found : chooseAmongBest(form, found, seed);
}

function analysisOf(form, question) {
  const { limits, level, seed, progress } = question;
  if (level < FULL_STRENGTH && !form.isOver) {
    const distribution = distributionOf(form, level, limits);
    const found = analyse(form, share(limits, 1 - C.CHOICE_SHARE), { progress });
    const chosen = sample(form, level, distribution.weights, seed ?? newSeed());
    return withCost({ ...found, ...found.moves.find(({ move }) => move === chosen) }, distribution);
  }
  const solved = atlasOf(form);
  const found = analyse(form, limits, { first: solved, known: solved?.moves, progress });
  if (seed === undefined || found.best.length < 2) return found;
  const answer = moveOf(form, { ...question, seed: undefined });
  const { move, line } = chooseAmongBest(form, answer.score.exact ? answer : found, seed);
  return { ...found, move, line, moves: found.moves.map((value) => (value.move === move ? { ...value, line } : value)) };
}

const newSeed = () => Math.floor(Math.random() * 2 ** 53);

/** What the atlas knows of an empty board. */
function atlasOf({ game, cells }) {
  const { atlas } = game;
  if (!atlas || cells.some((mark) => mark)) return null;
  const exact = ({ score, ...rest }) => ({ ...rest, score: scored(...Object.values(score)) });
  return result({ ...exact(atlas), moves: atlas.moves.map(exact), source: "atlas" });
}

const named = (side) => (side === null ? null : " XO"[side]);

class Answers {
  constructor(position, back) {
    Object.assign(this, { position, back, rules: position.rules });
  }

  cell(cell) {
    const { rows, columns, layers } = this.rules;
    const place = { row: Math.floor(cell / columns) % rows, column: cell % columns, tile: cell + 1 };
    return layers > 1 ? { layer: Math.floor(cell / columns / rows), ...place } : place;
  }

  line(line) {
    return line.map((cell) => this.cell(this.back[cell]));
  }

  value({ value, outcome, distance, bound, calibrated: expected, proven }) {
    const known = { win: 1, draw: 0, loss: -1 }[outcome] ?? expected;
    return { score: value, outcome, distance, distance_is_bound: bound, proven, expected: known };
  }

  valued({ move, score, line }) {
    return { ...this.cell(this.back[move]), ...this.value(score), line: this.line(line) };
  }

  ending({ ending: { state, winner, cells } }) {
    return { state, winner: named(winner), winning_cells: cells.map((cell) => this.cell(cell)) };
  }

  progress({ score, depth, nodes, line, move }) {
    return { ...this.value(score), depth, nodes, line: this.line(line), moves: [this.valued({ move, score, line })] };
  }

  answer(found) {
    const { position, back } = this;
    const move = found.move === null ? null : back[found.move];
    const after = move === null ? position : position.play(move);
    const best = found.best.map((cell) => back[cell]).sort((a, b) => a - b);
    const { depth, nodes, stoppedBy: stopped_by, source } = found;
    const text = [...after.cells].map((mark) => ".XO"[mark]).join("");
    return {
      move: move === null ? null : this.cell(move),
      ...this.value(found.score),
      to_move: named(position.side),
      ...this.ending(position),
      line: this.line(found.line),
      best_moves: best.map((cell) => this.cell(cell)),
      best_moves_complete: found.complete,
      board: range(text.length / this.rules.columns).map((row) => text.substr(row * this.rules.columns, this.rules.columns)),
      after: this.ending(after),
      search: { depth, nodes, elapsed_ms: rounded(found.ms, 3), stopped_by, source, cached: false },
    };
  }

  analysis(found, level) {
    const mapped = found.moves.map((value) => ({ ...value, move: this.back[value.move], own: value }));
    const first = level === FULL_STRENGTH && found.move !== null ? this.back[found.move] : null;
    const moves = inOrder(mapped, first).map(({ own }) => this.valued(own));
    return { ...this.answer(found), moves, static_evaluation: staticEvaluation(this.position) };
  }
}

/** The line heuristic. */
function staticEvaluation({ game, cells, side, rules }) {
  if (rules.marks === "shared") return 0;
  const weight = (marks) => (marks ? 10 ** Math.min(marks - 1, C.MAX_EXPONENT) : 0);
  const marksOf = (line, each) => line.filter((cell) => cells[cell] === each).length;
  return sum(game.counted.map((line) => {
    const [own, opposing] = [marksOf(line, side), marksOf(line, other(side))];
    return own && opposing ? 0 : weight(own) - weight(opposing);
  }));
}

// ---- Requests ------------------------------------------------------------------------------------------------------

function positionOf(game, { moves = [], first = "X", board, to_move }) {
  if (board !== undefined) return positionOfBoard(game, board, to_move);
  let position = new Position(game, new Uint8Array(game.rules.cells), first === "O" ? O : X);
  for (const [index, cell] of cellsOf(moves, game.rules).entries()) {
    const move = typeof cell === "number" ? cell : position.legal.find((each) => each % game.rules.stacks === cell.column);
    if (position.isOver || !position.legal.includes(move)) throw new RangeError(`move ${index + 1} is not possible`);
    position = position.play(move);
  }
  return position;
}

/** The cells of moves; a column for each digit of a text with gravity. */
function cellsOf(moves, { rows, columns, gravity }) {
  if (typeof moves !== "string")
    return moves.map((move) => {
      if (typeof move === "number" || "tile" in move) return (move.tile ?? move) - 1;
      const [column, row, layer = 0] = Array.isArray(move) ? [...move].reverse() : [move.column, move.row, move.layer];
      return (layer * rows + row) * columns + column;
    });
  const text = moves.replace(/[\s,]/g, "").toLowerCase();
  if (gravity) return [...text].map((digit) => ({ column: Number(digit) - 1 }));
  const names = text.match(/[a-y]\d+/g) ?? [];
  return names.map((name) => (rows - Number(name.slice(1))) * columns + name.charCodeAt(0) - 97);
}

function positionOfBoard(game, board, named) {
  const marks = [...(typeof board === "string" ? board : board.flat().join("")).replace(/[/\n]/g, "")];
  const cells = Uint8Array.from(marks, (mark) => ("XxOo".indexOf(mark) >> 1) + 1);
  const [xs, os] = [X, O].map((side) => cells.filter((mark) => mark === side).length);
  const { rules } = game;
  const isShared = rules.marks === "shared";
  const isWon = new Position(game, cells, O).linesOf(X).length > 0;
  const usual = isShared ? (xs % 2 ? O : X) : xs < os || (xs === os && !isWon) ? X : O;
  const floats = (cell) => rules.gravity && cells[cell] && cells[cell - rules.rise] === 0;
  if (cells.length !== rules.cells || range(cells.length).some(floats) || (isShared ? os : Math.abs(xs - os) > 1))
    throw new RangeError("no game leads to this board");
  return new Position(game, cells, named ? " XO".indexOf(named) : usual);
}

/** A game with its kernels, which are opened when they are first called. */
class Game {
  constructor(fields, binary, modules) {
    Object.assign(this, fields, { binary, modules, opened: {} });
    this.lines = fields.lines.map(([, line, flanks]) => ({ line, flanks }));
    if (this.book) this.source = new Book(this, this.content("book_keys"), new Int8Array(this.content("book_values")));
    if (this.records.strategy) this.source = new Strategy(this, this.content("strategy"), this.content("strategy_moves"));
  }

  /** The content of a record; the file leaves out the zeros at its end. */
  content(name) {
    const [start, length, size] = this.records[name];
    const whole = new Uint8Array(size);
    whole.set(new Uint8Array(this.binary, start, Math.min(length, size)));
    return whole;
  }

  kernels(solver) {
    return (this.opened[solver] ??= this.#open(solver));
  }

  #open(solver) {
    const kernels = new Kernels(this.modules[solver], C.entries[solver]);
    const record = (name) => kernels.place(this.content(name));
    const places = this.places[solver];
    if (places) Object.assign(kernels, { places, cellOf: range(64).map((place) => places.indexOf(place)) });
    const isFours = solver === "continuous_fours";
    kernels.state = kernels.room(layouts[isFours ? "line_counts" : solver].size);
    if (solver === "maker_breaker") kernels.game = kernels.room(layouts.maker_breaker_game.size);
    else kernels.game = record(isFours ? "line_counts" : solver);
    if (isFours) Object.assign(kernels, { lines: record("fours"), search: kernels.room(layouts.continuous_fours.size) });
    if (solver === "line_counts") Object.assign(kernels, { cells: kernels.room(this.rules.cells), estimates: kernels.room(8 * this.rules.cells) });
    return kernels;
  }
}

/** Answers requests; the files lie below an address. */
export class Driver {
  #base;
  #engine;
  #games = new Map();
  #modules = new Map();

  constructor(base) {
    this.#base = base;
    this.#engine = this.#file("engine.json").then((file) => JSON.parse(new TextDecoder().decode(file)));
  }

  async games() {
    return (await this.#engine).games;
  }

  async analyse(request, onProgress) {
    const { answers, form, question } = await this.#question(request, onProgress);
    return answers.analysis(analysisOf(form, question), question.level);
  }

  async move(request, onProgress) {
    const { answers, form, question } = await this.#question(request, onProgress);
    return answers.answer(moveOf(form, question));
  }

  async #question(request, onProgress) {
    const position = positionOf(await this.#game(request.game), request);
    const { max_nodes: nodes = C.DEFAULT_NODES, time_limit_ms: ms = null, level = FULL_STRENGTH, seed } = request;
    const [form, back] = position.canonical();
    const answers = new Answers(position, back);
    const progress = onProgress && ((info) => onProgress(answers.progress(info)));
    return { answers, form, question: { limits: { nodes, depth: null, ms, end: null }, level, seed, progress } };
  }

  async #game(name) {
    const { games, entries, layouts: read, constants, levels } = await this.#engine;
    if (!games.includes(name)) throw new RangeError(`no such game: ${name}; the games are ${games.join(", ")}`);
    [C, layouts] = [{ ...constants, levels, entries }, read];
    if (!this.#games.has(name)) {
      const [fields, binary] = await Promise.all([this.#file(`${name}.json`), this.#file(`${name}.bin`)]);
      const game = JSON.parse(new TextDecoder().decode(fields));
      const modules = await Promise.all(game.solvers.map(async (solver) => [solver, await this.#module(solver)]));
      this.#games.clear(); // memory of an earlier game is given back
      this.#games.set(name, new Game(game, binary, Object.fromEntries(modules)));
    }
    return this.#games.get(name);
  }

  async #module(solver) {
    if (!this.#modules.has(solver)) this.#modules.set(solver, WebAssembly.compile(await this.#file(`${solver}.wasm`)));
    return this.#modules.get(solver);
  }

  async #file(name) {
    const address = new URL(name, this.#base);
    if (address.protocol === "file:") {
      const { readFile } = await import("node:fs/promises");
      return Uint8Array.from(await readFile(address)).buffer;
    }
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address} cannot be loaded: ${answer.status}`);
    return answer.arrayBuffer();
  }
}

// In a worker: requests one after the other.
if (globalThis.WorkerGlobalScope && globalThis instanceof globalThis.WorkerGlobalScope) {
  let driver;
  let last = Promise.resolve();
  globalThis.onmessage = ({ data: { id, name, request, base, listens } }) => {
    driver ??= new Driver(base);
    const listen = listens ? (progress) => globalThis.postMessage({ id, progress }) : undefined;
    last = last.then(() => driver[name](request, listen)).then(
      (answer) => globalThis.postMessage({ id, answer }),
      ({ name: kind, message }) => globalThis.postMessage({ id, error: { name: kind, message } }),
    );
  };
}
