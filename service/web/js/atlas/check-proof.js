/** Checks proofs of k-in-a-row boards: `checker/check_proof.py` once more, for browsers and Node. */

/*
 * It shares nothing with the rest of the page, makes every reply itself and believes no value. The paragraphs that say
 * why each leaf is proven stand in the Python file, under the names of these functions; docs/proofs.md has the format.
 * Sets of cells are numbers, bit 1n << cell.
 */

/** A set of cells. @typedef {bigint} Cells */
/** The cells of a line and, with an exact goal, those beyond its ends. @typedef {[Cells, Cells]} Line */
/** The marks of both sides, the cells that complete lines for each, and the views.
 * @typedef {[Cells, Cells, Cells, Cells, Cells[]]} Place */
/** What a proof says of itself. @typedef {Record<string, any>} Head */
/** @typedef {{ side: string, claim: string, plies: number, decisions: number }} Proven */

const [PAIRING, MARK_AND_PAIRING, FOLLOW_UP, MISSING] = [250, 251, 252, 253];
const MOST_CELLS = 250;
const MOST_KEPT = 4_000_000; // positions that are met, or their windows: either takes about 1 GB
/** @type {Record<string, number[]>} */
const STEPS = { horizontal: [0, 0, 1], vertical: [0, 1, 0], diagonal: [0, 1, 1], antidiagonal: [0, 1, -1] };
/** @type {Record<string, boolean[]>} */
const RINGS = { none: [false, false], rows: [false, true], columns: [true, false], both: [true, true] };
const SIZES = ["rows", "columns", "layers", "goal"];
const SWITCHES = ["gravity", "misere", "exact_goal", "caro", "renju"];
const DEFAULTS = {
    layers: 1, wrap: "none", directions: Object.keys(STEPS), marks: "own",
    ...Object.fromEntries(SWITCHES.map((name) => [name, false])),
};
const IN_SPACE = [-1, 0, 1].flatMap((layer) =>
    [-1, 0, 1].flatMap((row) => [-1, 0, 1].map((column) => [layer, row, column])))
    .slice(14);

/** Why a file proves nothing. */
export class Unproven extends Error {}

/** @param {unknown} holds @param {string} why */
function need(holds, why) {
    if (!holds) throw new Unproven(why);
}

/** @type {Map<Cells, number>} */
const CELL_OF = new Map(Array.from({ length: MOST_CELLS }, (_, cell) => [1n << BigInt(cell), cell]));

/** @param {number} cell @returns {Cells} */
const bit = (cell) => 1n << BigInt(cell);
/** The cell of a set of one. @param {Cells} one */
const cellOf = (one) => /** @type {number} */ (CELL_OF.get(one));
/** Whether a set has two cells or more. @param {Cells} cells */
const several = (cells) => (cells & (cells - 1n)) !== 0n;

/** The cells of a set in ascending order. @param {Cells} cells @returns {Generator<number>} */
function* bits(cells) {
    for (; cells; cells &= cells - 1n) yield cellOf(cells & -cells);
}

/** @param {Cells} cells */
function size(cells) {
    let count = 0;
    for (; cells; cells &= cells - 1n) count++;
    return count;
}

/** @param {Iterable<number>} cells @returns {Cells} */
function setOf(cells) {
    let found = 0n;
    for (const cell of cells) found |= bit(cell);
    return found;
}

/** The images of a set of cells. @param {number[]} image @param {Cells} cells */
const mapped = (image, cells) => setOf([...bits(cells)].map((cell) => image[cell]));

/** Sets without repetition, in their order. @param {Cells[]} sets */
const distinct = (sets) => [...new Set(sets)];

/** Cells in disjoint pairs such that each window holds a pair; null where these do not exist.
 * @param {Cells[]} windows */
function pairing(windows) {
    /** @type {Cells[]} */
    const groups = [];
    /** @type {Map<number, number>} */
    const owner = new Map();
    for (const window of windows) {
        const common = groups.length ? groups[groups.length - 1] & window : 0n;
        if (several(common)) groups[groups.length - 1] = common;
        else groups.push(window);
    }
    /** @param {number} group @param {Set<number>} seen @returns {boolean} */
    function give(group, seen) {
        for (const cell of bits(groups[group])) {
            if (seen.has(cell)) continue;
            seen.add(cell);
            const holder = owner.get(cell);
            if (holder === undefined || give(holder, seen)) {
                owner.set(cell, group);
                return true;
            }
        }
        return false;
    }
    const paired = groups.every((_, group) => give(group, new Set()) && give(group, new Set()));
    return paired ? setOf(owner.keys()) : null;
}

/** The rules of a game that the checker knows. @param {any} sent @returns {Record<string, any>} */
function checked(sent) {
    const names = new Set([...SIZES, ...Object.keys(DEFAULTS)]);
    need(sent?.constructor === Object && Object.keys(sent).every((name) => names.has(name)), "unknown rules");
    /** @type {Record<string, any>} */
    const rules = { ...DEFAULTS, ...sent };
    need(SIZES.every((name) => Number.isInteger(rules[name]) && rules[name] >= 1 && rules[name] <= MOST_CELLS),
        "a size is no number");
    need(SWITCHES.every((name) => typeof rules[name] === "boolean"), "a rule is neither true nor false");
    need(!rules.caro && !rules.renju, "Caro and Renju are not checked");
    need(Object.hasOwn(RINGS, rules.wrap) && ["own", "shared"].includes(rules.marks), "unknown edges or marks");
    const named = rules.directions;
    const flat = rules.layers === 1;
    need(Array.isArray(named) && named.length && named.every((name) => Object.hasOwn(STEPS, name)),
        "unknown directions");
    need(flat || (rules.wrap === "none" && new Set(named).size === 4), "layers with joined edges or directions");
    return rules;
}

/** The rules, all lines, and the marks of the position that a proof begins with. */
class Game {
    rows = 0;
    columns = 0;
    layers = 0;
    goal = 0;

    /** @param {any} sent @param {any} board */
    constructor(sent, board) {
        const rules = checked(sent);
        const named = rules.directions;
        const flat = rules.layers === 1;
        [this.rows, this.columns, this.layers, this.goal] = SIZES.map((name) => Number(rules[name]));
        this.gravity = Boolean(rules.gravity);
        this.misere = Boolean(rules.misere);
        this.exact = Boolean(rules.exact_goal);
        this.shared = rules.marks === "shared";
        this.rings = RINGS[rules.wrap];
        this.count = this.rows * this.columns * this.layers;
        const cells = this.cellsOf(board);
        const [x, o, blocked] = ["X", "O", "#"].map((mark) =>
            setOf(cells.flatMap((each, cell) => (each === mark ? [cell] : []))));
        this.marks = [x, o];
        this.all = bit(this.count) - 1n;
        this.free = this.all & ~blocked;
        this.level = flat ? this.columns : this.rows * this.columns;
        this.up = flat ? -this.level : this.level;
        this.floor = flat ? this.all ^ (this.all >> BigInt(this.level)) : bit(this.level) - 1n;
        const steps = flat
            ? Object.keys(STEPS).filter((name) => named.includes(name)).map((name) => STEPS[name]) : IN_SPACE;
        const found = steps.flatMap((step) => [...this.along(step)]);
        this.lines = [...new Map(found.map((line) => [String(line), line])).values()];
        this.through = cells.map((_, cell) => this.lines.filter(([line]) => line & bit(cell)));
        this.begins(x | o, blocked);
    }

    /** That the position is one to begin with. @param {Cells} marked @param {Cells} blocked */
    begins(marked, blocked) {
        const floats = this.gravity && marked & ~this.moved(marked | blocked, this.up) & ~this.floor;
        const over = this.marks.some((own) => this.lines.some(([line, ends]) => !(line & ~own) && !(ends & own)));
        need(!floats && !over, "at the beginning a mark floats, or a line is complete");
    }

    /** The marks of all cells. @param {any} board @returns {string[]} */
    cellsOf(board) {
        const all = Array.isArray(board) && board.every((row) => typeof row === "string") ? board : [];
        need(all.length === this.rows * this.layers && all.every((row) => row.length === this.columns),
            "the board has another size");
        need(this.count <= MOST_CELLS, `more than ${MOST_CELLS} cells`);
        const cells = [...all.join("")];
        need(cells.every((mark) => (this.shared ? "X.#" : "XO.#").includes(mark)), "an unknown mark");
        return cells;
    }

    /** The cells that lie `by` further, as far as the board goes. @param {Cells} cells @param {number} by */
    moved(cells, by) {
        return (by > 0 ? cells << BigInt(by) : cells >> BigInt(-by)) & this.all;
    }

    /** The cell that is `by` steps away, -1 off the board. @param {number} cell @param {number[]} step */
    step(cell, step, by = 1) {
        const { rows, columns, layers } = this;
        const layer = Math.floor(cell / columns / rows) + by * step[0];
        let row = (Math.floor(cell / columns) % rows) + by * step[1];
        let column = (cell % columns) + by * step[2];
        if (this.rings[0]) row = ((row % rows) + rows) % rows;
        if (this.rings[1]) column = ((column % columns) + columns) % columns;
        const on = layer >= 0 && layer < layers && row >= 0 && row < rows && column >= 0 && column < columns;
        return on ? (layer * rows + row) * columns + column : -1;
    }

    /** The lines of a direction, run by run. @param {number[]} step @returns {Generator<Line>} */
    *along(step) {
        const left = new Set(Array(this.count).keys());
        const starts = [...left].filter((cell) => this.step(cell, step, -1) < 0);
        for (const first of [...starts, ...left]) {
            for (let cell = first; left.has(cell); cell = this.step(cell, step)) {
                left.delete(cell);
                const run = Array.from({ length: this.goal + 2 }, (_, i) => this.step(cell, step, i - 1));
                const line = setOf(run.slice(1, -1).filter((each) => each >= 0));
                const ends = setOf([run[0], run[this.goal + 1]].filter((each) => each >= 0));
                if (size(line) === this.goal && !(line & ~this.free)) yield [line, this.exact ? ends & ~line : 0n];
            }
        }
    }

    /** The cells that may be marked; under gravity those on the floor, a mark or a blocked cell.
     * @param {Cells} marks */
    legal(marks) {
        const free = this.free & ~marks;
        return this.gravity ? free & (this.moved(this.all & ~free, this.up) | this.floor) : free;
    }

    /** The cells that each complete one of the lines. @param {Line[]} lines @param {Cells} own @param {Cells} other */
    missing(lines, own, other) {
        let found = 0n;
        other &= ~own; // shared marks are in neither's way
        for (const [line, ends] of lines) {
            const left = line & ~own;
            if (!(line & other || ends & own || several(left))) found |= left;
        }
        return found;
    }

    /** The empty cells of each line that the opponent may still complete. @param {Cells} own @param {Cells} other */
    windows(own, other) {
        return distinct(this.lines.filter(([line, ends]) => !(line & own) && !(ends & other))
            .map(([line]) => line & ~other));
    }

    /**
     * Whether one argument proves the claim, without a look at the replies.
     * @param {unknown} by @param {Cells} own @param {Cells} other @param {boolean} proverMoves @param {boolean} wins
     * @param {number[]} crossed
     */
    holds(by, own, other, proverMoves, wins, crossed = []) {
        if (by === "pairing") {
            const windows = this.misere ? this.windows(other, own) : this.windows(own, other);
            return !wins && !this.shared && !(this.gravity && windows.length) && pairing(windows) !== null;
        }
        if (this.shared || by === "follow-up") {
            return !this.shared && this.gravity && this.followsUp(own, other, proverMoves, wins, crossed);
        }
        if (by === "strategy stealing") {
            return proverMoves && !wins && !(own | other) && !this.gravity && !this.misere && !this.exact;
        }
        return by === "mirror" && this.misere && !wins && this.mirrors(own, other, proverMoves);
    }

    /** The empty cells by stacks, which blocked cells divide, each from below. @param {Cells} marks */
    stacks(marks) {
        const stacks = [...bits(this.legal(marks))].map((cell) => [cell]);
        for (const stack of stacks) {
            for (let above; (above = this.moved(bit(stack[stack.length - 1]), this.up) & this.free); )
                stack.push(cellOf(above));
        }
        return stacks;
    }

    /** The stacks, above the cells up to which two cross, and the pairs there; null if they do not cross.
     * @param {number[][]} alone @param {number[]} crossed @returns {[number[][], Cells[]] | null} */
    crossing(alone, crossed) {
        /** @type {number[][]} */
        const above = [];
        /** @type {Cells[]} */
        const pairs = [];
        for (let i = 0; i + 1 < crossed.length; i += 2) {
            const [one, two] = [crossed[i], crossed[i + 1]].map((cell) =>
                alone.find((stack) => stack.includes(cell)) ?? []);
            const height = one.indexOf(crossed[i]) + 1;
            if (one === two || !height || two.indexOf(crossed[i + 1]) + 1 !== height) return null;
            pairs.push(...one.slice(0, height).map((cell, at) => bit(cell) | bit(two[at])));
            above.push(one.slice(height), two.slice(height));
            alone = alone.filter((stack) => stack !== one && stack !== two);
        }
        return [[...alone, ...above], pairs];
    }

    /**
     * Whether answering each mark of the opponent right above it, or in a crossed stack, proves the claim.
     * @param {Cells} own @param {Cells} other @param {boolean} proverMoves @param {boolean} wins
     * @param {number[]} crossed
     */
    followsUp(own, other, proverMoves, wins, crossed) {
        const found = this.crossing(this.stacks(own | other), crossed);
        if (!found) return false;
        const [stacks, pairs] = found;
        const odd = stacks.filter((stack) => stack.length % 2).map((stack) => /** @type {number} */ (stack.shift()));
        own |= setOf(odd);
        const upper = setOf(stacks.flatMap((stack) => stack.filter((_, height) => height % 2)));
        const lower = setOf(stacks.flatMap((stack) => stack.filter((_, height) => height % 2 === 0)));
        const either = pairs.reduce((all, pair) => all | pair, 0n);
        const within = (/** @type {Cells} */ marks, /** @type {Cells} */ more) => this.lines
            .filter(([line, ends]) => !(line & ~(marks | more | either)) && !(ends & marks)
                && pairs.every((pair) => pair & ~line))
            .map(([line]) => line);
        const mine = within(own, upper);
        const theirs = within(other, lower);
        const wrong = this.exact && (wins || (this.misere && mine.length > 0));
        if (odd.length !== Number(proverMoves) || wrong || mine.some((line) => !(line & ~own))) return false;
        if (wins && (this.misere ? theirs : mine).every((line) => line & either)) return false;
        if (!this.misere) return !theirs.length;
        const known = new Set(this.lines.map(([line]) => line));
        return mine.every((line) => !(line & ~upper) && known.has(this.moved(line, -this.up)));
    }

    /** Whether marking the image of each mark of the opponent proves that the prover does not lose, in misère.
     * @param {Cells} own @param {Cells} other @param {boolean} proverMoves */
    mirrors(own, other, proverMoves) {
        for (const image of this.symmetries()) {
            const fixed = setOf([...bits(this.free)].filter((cell) => image[cell] === cell));
            const divided = this.lines.every(([line]) => !(line & fixed) || line & mapped(image, line) & ~fixed);
            const begins = size(fixed) === 1 && divided && !(own | other) && !this.gravity;
            if (proverMoves ? begins : !fixed && mapped(image, other) === own) return true;
        }
        return false;
    }

    /** A group: reflections, half turns and shifts by half a side, each its own inverse. @returns {Generator<number[]>} */
    *symmetries() {
        const lines = new Set(this.lines.map(String));
        const level = this.gravity ? this.level : this.count;
        const [layers, rows, columns] = [this.layers, this.rows, this.columns].map((n) =>
            (n % 2 ? [0] : [0, n / 2]).flatMap((by) => [false, true].map((back) =>
                Array.from({ length: n }, (_, i) => ((back ? n - 1 - i : i) + by) % n))));
        for (const layer of layers) for (const row of rows) for (const column of columns) {
            const image = layer.flatMap((l) =>
                row.flatMap((r) => column.map((c) => (l * this.rows + r) * this.columns + c)));
            const fair = image.every((to, cell) => image[to] === cell
                && Math.floor(to / level) === Math.floor(cell / level));
            if (!fair || mapped(image, this.free) !== this.free) continue;
            if (this.lines.every(([line, ends]) => lines.has(String([mapped(image, line), mapped(image, ends)]))))
                yield image;
        }
    }
}

/** A strategy: `decide` gives the prover's moves, `known` has its positions that were met and their results. */
class Replay {
    /** @type {Map<Cells, number>} */
    known = new Map();
    /** The zones of windows in a proof by blocking. @type {Map<string, Cells>} */
    zones = new Map();
    kept = 0;

    /** For each side and cell, what a mark leaves of each view. @type {Cells[][][]} */
    left = [];

    /** @param {Game} game @param {boolean} wins @param {() => number} decide */
    constructor(game, wins, decide) {
        this.game = game;
        this.wins = wins;
        this.decide = decide;
    }

    /** What a proof by moves begins with. A view is the empty cells and the lines that each side may still complete.
     * @param {Cells} own @param {Cells} other @returns {Place} */
    begin(own, other) {
        const game = this.game;
        const lines = game.shared ? [] : game.lines;
        const images = [...game.symmetries()];
        const cells = [...Array(game.count).keys()];
        const full = bit(game.count + 2 * lines.length) - 1n;
        const taken = [cells.map(bit), cells.map(bit)];
        [0, 1].forEach((side) => lines.forEach(([line, ends], at) => {
            for (const cell of bits(line | ends))
                taken[line & bit(cell) ? 1 - side : side][cell] |= bit(game.count + side * lines.length + at);
        }));
        this.left = taken.map((gone) => cells.map((cell) => images.map((image) => full ^ gone[image[cell]])));
        let views = images.map(() => full);
        for (const cell of bits(own | other)) views = this.seen(views, other & bit(cell) ? 1 : 0, cell);
        return [own, other, game.missing(game.lines, own, other), game.missing(game.lines, other, own), views];
    }

    /** The views after a mark of a side, 0 for the prover. @param {Cells[]} views @param {number} side
     * @param {number} cell */
    seen(views, side, cell) {
        const left = this.left[side][cell];
        return views.map((view, image) => view & left[image]);
    }

    /** The cells that complete a line for a side after its mark on a cell; `before` are those without it.
     * @param {Cells} own @param {Cells} other @param {number} cell @param {Cells} before */
    completing(own, other, cell, before) {
        const game = this.game;
        const found = game.missing(game.exact ? game.lines : game.through[cell], own, other);
        return game.exact ? found : before | found;
    }

    /** The plies to the end at most, the prover to move. @param {Cells} own @param {Cells} other @param {Cells} mine
     * @param {Cells} theirs @param {Cells[]} views @returns {number} */
    prover(own, other, mine, theirs, views) {
        const game = this.game;
        const legal = game.legal(own | other);
        const key = views.reduce((least, view) => (view < least ? view : least));
        need(legal || !this.wins, "the board is full without a line");
        if (mine & legal && !game.misere) return 1;
        const met = this.known.get(key);
        if (met !== undefined || !legal) return met ?? 0;
        need(++this.kept < MOST_KEPT, "it takes too much memory");
        const blocks = game.misere ? 0n : theirs & legal;
        need(!several(blocks), "the opponent completes a line");
        const code = blocks ? cellOf(blocks) : this.decide();
        const marks = code === MARK_AND_PAIRING || code === FOLLOW_UP;
        const mark = code === PAIRING ? 0n : bit(marks ? this.decide() : code);
        need(!(mark & ~legal), "a decision is no legal move");
        need(!(game.misere && mine & mark), "a decision completes a line and loses");
        own |= mark;
        let plies;
        if (code < PAIRING) {
            mine = this.completing(own, other, code, mine);
            const now = this.seen(views, 0, code);
            plies = 1 + this.opponent(own, game.shared ? own : other, mine, game.shared ? mine : theirs, now);
        } else {
            plies = this.leaf(own, other, code, mark);
        }
        this.known.set(key, plies);
        return plies;
    }

    /** The plies to the end at most from a leaf on, after the prover's mark, if any.
     * @param {Cells} own @param {Cells} other @param {number} code @param {Cells} mark */
    leaf(own, other, code, mark) {
        const crossed = [];
        for (let cell; code === FOLLOW_UP && (cell = this.decide()) < PAIRING; ) crossed.push(cell);
        const by = code === FOLLOW_UP ? "follow-up" : "pairing";
        need(this.game.holds(by, own, other, !mark, this.wins, crossed), "a leaf does not hold");
        return size(this.game.free & ~(own | other)) + Number(mark > 0n);
    }

    /** The plies to the end at most, the opponent to move. @param {Cells} own @param {Cells} other @param {Cells} mine
     * @param {Cells} theirs @param {Cells[]} views @returns {number} */
    opponent(own, other, mine, theirs, views) {
        const game = this.game;
        let legal = game.legal(own | other);
        let longest = 0;
        need(legal || !this.wins, "the board is full without a line");
        if (!game.misere) {
            need(!(theirs & legal), "the opponent completes a line");
            if (mine & legal) {
                longest = (mine & legal) === legal ? 0 : 2;
                legal &= mine;
                if (several(legal)) return 2;
            }
        }
        for (const cell of bits(legal)) {
            const marks = other | bit(cell);
            let plies = 1;
            if (!(game.misere && theirs & bit(cell))) {
                const now = this.completing(marks, own, cell, theirs);
                const after = this.seen(views, 1, cell);
                plies += game.shared
                    ? this.prover(marks, marks, now, now, after) : this.prover(own, marks, mine, now, after);
            }
            longest = Math.max(longest, plies);
        }
        return longest;
    }

    /** The zone of a position in a proof by blocking, the prover to move. @param {Cells[]} windows @returns {Cells} */
    breaker(windows) {
        const key = windows.map((window) => window.toString(36)).join();
        const met = this.zones.get(key);
        if (met !== undefined || !windows.length) return met ?? 0n;
        need((this.kept += windows.length) < MOST_KEPT, "it takes too much memory");
        const blocks = windows.filter((window) => !several(window));
        need(blocks.length < 2, "the opponent completes a line");
        const code = blocks.length ? cellOf(blocks[0]) : this.decide();
        const mark = code === PAIRING ? 0n : bit(code === MARK_AND_PAIRING ? this.decide() : code);
        const rest = windows.filter((window) => !(window & mark));
        need(!mark || rest.length !== windows.length, "a decision is no cell of a window");
        const zone = code >= PAIRING ? pairing(rest) : this.maker(rest);
        if (zone === null) throw new Unproven("there is no pairing");
        this.zones.set(key, zone | mark);
        return zone | mark;
    }

    /** The zone, the opponent to move. @param {Cells[]} windows @returns {Cells} */
    maker(windows) {
        need(windows.every(several), "the opponent completes a line");
        /** @type {Map<number, number>} */
        const weights = new Map();
        for (const window of windows) {
            const weight = 4 ** (10 - Math.min(size(window), 10));
            for (const cell of bits(window)) weights.set(cell, (weights.get(cell) ?? 0) + weight);
        }
        // Until a position is met, a reply that a symmetry of the windows maps to an earlier one has the image of its zone.
        const same = new Set(windows);
        const every = this.zones.size ? [] : [...this.game.symmetries()];
        const images = every.filter((image) => windows.every((window) => same.has(mapped(image, window))));
        /** @type {Map<number, Cells>} */
        const zones = new Map();
        let zone = 0n;
        let granted = this.game.all;
        for (const [cell] of [...weights].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
            if (!(granted & bit(cell))) continue;
            const met = images.filter((image) => zones.has(image[cell]))
                .map((image) => mapped(image, zones.get(image[cell]) ?? 0n));
            const after = met.length ? met.reduce((one, two) => (one < two ? one : two))
                : this.breaker(distinct(windows.map((window) => window & ~bit(cell))));
            zones.set(cell, after);
            zone |= after;
            granted &= after;
        }
        return zone;
    }
}

/** What a proof proves; `Unproven` says why it proves nothing.
 * @param {Head} head @param {Uint8Array} body @returns {Proven} */
export function check(head, body) {
    const game = new Game(head.rules, head.board);
    const { side, claim, by, to_move: toMove } = head;
    const known = ["X", "O"].includes(side) && ["X", "O"].includes(toMove) && ["win", "not-lose"].includes(claim);
    need(known, "side and to_move are X or O, and claim is win or not-lose");
    const moves = toMove === side;
    const wins = claim === "win";
    const [x, o] = game.marks;
    const [own, other] = game.shared ? [x | o, x | o] : side === "X" ? [x, o] : [o, x];
    let plies = size(game.free & ~own & ~other);
    let next = 0;
    const replay = new Replay(game, wins, () => (next < body.length ? body[next++] : MISSING));
    if (by === "moves") {
        const start = replay.begin(own, other);
        plies = moves ? replay.prover(...start) : replay.opponent(...start);
    } else if (by === "blocking") {
        need(!(wins || game.gravity || game.misere || game.shared), "blocking does not prove it");
        const windows = game.windows(own, other);
        if (moves) replay.breaker(windows);
        else replay.maker(windows);
    } else need(game.holds(by, own, other, moves, wins), "the argument does not prove it");
    need(next === body.length, "decisions are left over");
    return { side, claim, plies, decisions: body.length };
}

/** The object of the first line. @param {Uint8Array} line @returns {Head} */
function readHead(line) {
    try {
        return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
    } catch {
        throw new Unproven("the first line is no JSON");
    }
}

/** What each proof of a file, not compressed, proves; `Unproven` where one proves nothing. @param {Uint8Array} data */
export function checkFile(data) {
    const found = [];
    need(data.length > 0, "it has no proof");
    while (data.length) {
        const end = data.indexOf(10) + 1;
        const head = readHead(data.subarray(0, end));
        need(head?.constructor === Object && Number.isInteger(head.decisions), "the number of decisions is missing");
        need(head.decisions >= 0 && head.decisions <= data.length - end, "the decisions end too early");
        found.push(check(head, data.subarray(end, end + head.decisions)));
        data = data.subarray(end + head.decisions);
    }
    return found;
}
