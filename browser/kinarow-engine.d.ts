/** The engine of kinarow in the browser: `docs/browser.md` of the repository explains it. */

export interface EngineOptions {
  /** The folder with the files that `make browser` writes; by default `dist/` beside this module. */
  baseUrl?: string | URL;
  /** Whether searches run in a Web Worker: by default where the browser has them. Node runs them in its own thread. */
  worker?: boolean;
  /** Kernels by the names of their files, `{ gravity: module }`, for hosts that forbid compiling, such as edge workers. */
  modules?: Readonly<Record<string, WebAssembly.Module>>;
  /** Gives the bytes of a file, whose address is below `baseUrl`; searches then run in the thread of the caller. */
  load?: (address: URL) => Promise<ArrayBuffer>;
}

export type Side = "X" | "O";
export type Outcome = "win" | "draw" | "loss" | "unknown";

/** A cell as a tile (row by row and layer by layer from 1), as `[row, column]`, by its names, or as text (`"b2"`). */
export type CellName =
  | number | string | readonly number[] | { layer?: number; row?: number; column: number; tile?: number };

/** A side by its mark. */
export type SideName = Side | "x" | "o" | 1 | 2 | "1" | "2";

/** As a body of the service. What that refuses is rejected here too, with a `RangeError` that says why; so is a field that
 * is missing here. */
export interface Request {
  /** The name of a preset, one of `engine.games`; without it the board is a plain one with these fields. */
  game?: string;
  /** 1 to 25; those of `board` by default. */
  rows?: number;
  columns?: number;
  /** The marks in a row that end the game; by default 3 on a board of 3 × 3. */
  goal?: number;
  gravity?: boolean;
  misere?: boolean;
  exact_goal?: boolean;
  /** The moves from `board` or the empty board: a list of cells, or a text such as `"4453"` (with gravity) or `"b2a1"`. */
  moves?: string | readonly CellName[];
  /** The side that makes the first of `moves`; by default the side to move on `board`, else X. */
  first?: SideName;
  /** The board as a list of rows from the top, or as one text with `/` between them and `//` between layers. */
  board?: string | readonly unknown[];
  /** The side to move; by default the one with fewer marks, X with equal counts. */
  to_move?: SideName;
  /** Whether either side may have any number of marks on `board`; `to_move`, or with `moves` `first`, is needed then. */
  composed?: boolean;
  /** The most positions to visit; by default 2,000,000. */
  max_nodes?: number;
  /** The most milliseconds; by default no limit. */
  time_limit_ms?: number;
  /** The playing strength, 1 to 10; by default 10, full strength. */
  level?: number;
  /** Makes a choice repeatable; the service may make another one. At level 10 it chooses among `best_moves`. */
  seed?: number;
  /** Ends this search; its promise is then rejected with an `AbortError`, and others that wait begin anew. */
  signal?: AbortSignal;
}

export interface Cell {
  /** On boards with layers, from 0 at the bottom. */
  layer?: number;
  /** From 0 at the top. */
  row: number;
  /** From 0 at the left. */
  column: number;
  tile: number;
}

export interface Value {
  score: number;
  outcome: Outcome;
  distance: number | null;
  distance_is_bound: boolean;
  proven: boolean;
  expected: number | null;
}

export interface ValuedMove extends Cell, Value {
  line: Cell[];
}

export interface Ending {
  state: "ongoing" | "won" | "drawn";
  winner: Side | null;
  winning_cells: Cell[];
}

/** The fields of `/move`, without `reasons` and `text`. */
export interface MoveAnswer extends Value, Ending {
  move: Cell | null;
  to_move: Side;
  line: Cell[];
  best_moves: Cell[];
  best_moves_complete: boolean;
  /** The rows after `move`. */
  board: string[];
  after: Ending;
  search: {
    depth: number;
    nodes: number;
    elapsed_ms: number;
    stopped_by: "proof" | "depth" | "nodes" | "time";
    source: "search" | "book" | "atlas" | "rules";
    cached: false;
  };
}

/** The fields of `/analysis`, without `reasons` and `text`. */
export interface Analysis extends MoveAnswer {
  /** The value of every legal move: at level 10 the chosen move comes first, then by score and tile. */
  moves: ValuedMove[];
  static_evaluation: number;
}

/** The result of an iteration of the search. */
export interface Progress extends Value {
  depth: number;
  nodes: number;
  line: Cell[];
  /** The best move so far. */
  moves: ValuedMove[];
}

/** The rules of a game, with all fields, and the number of its cells. */
export interface Rules {
  rows: number;
  columns: number;
  layers: number;
  cells: number;
  goal: number;
  /** The nodes that the positions of a review share; null where each has as many as is usual. */
  review_nodes: number | null;
  [field: string]: unknown;
}

/** The grades of moves from the mildest on, and the drops of the expected result from which on a move has one. */
export interface Grading {
  grades: string[];
  drops: [number, string][];
}

export interface Engine {
  /** The presets. The engine also plays on plain boards of any size, with any goal. */
  readonly games: readonly string[];
  /** The rules of a preset or of a request; rejected where the engine does not play by them. */
  rules(game: string | Request): Promise<Rules>;
  /** The boards of a game, by rows, before each move and after the last, whose move it is on each, the moves as tiles,
   * and what a review grades by. */
  replay(request: Request): Promise<{ boards: string[][]; sides: Side[]; tiles: number[]; grading: Grading }>;
  /** The value of every legal move, and the move of a level. A second request waits for the first. */
  analyse(request: Request, onProgress?: (progress: Progress) => void): Promise<Analysis>;
  /** The move alone, which takes less time: with a seed and a level the same move as that of `analyse`. */
  move(request: Request, onProgress?: (progress: Progress) => void): Promise<MoveAnswer>;
  /** Ends all searches; their promises are rejected with an `AbortError`. The next request begins a new worker. */
  stop(): void;
  /** Ends the worker and frees its memory. */
  close(): void;
}

/** Loads the engine; the files of a game are loaded with its first request. Rejected where a file is missing. */
export function createEngine(options?: EngineOptions): Promise<Engine>;

/** How a question is asked: what ends it, and what hears of its progress. */
export interface Asking {
  signal?: AbortSignal;
  onProgress?: (event: any) => void;
}

/** The requests of the service that the engine answers, with the service's bodies and answers. */
export interface Answers {
  readonly games: readonly string[];
  move(body: Request, how?: Asking): Promise<MoveAnswer>;
  analysis(body: Request, how?: Asking): Promise<Analysis>;
  /** The answer of `/review`, without `text`; progress is the events of its stream. */
  review(body: Request & { moves: string | readonly CellName[] }, how?: Asking): Promise<any>;
  /** The answer of `/tree` for a position of the page, by the page's rules: `{ position, legalMoves, play, ending }`. */
  tree(body: { pruning?: boolean; max_depth?: number }, how: any): any;
}

/** Of `kinarow-answers.js`. */
export function createAnswers(options?: EngineOptions): Promise<Answers>;
