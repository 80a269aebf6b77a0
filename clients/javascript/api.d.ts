// Written by generate_types.py from openapi.yaml; do not edit.

/** The position after `move`, so that a front end sees that its opponent has just won. */
export interface After {
  /** Whether the game is over, and how. */
  state: "ongoing" | "won" | "drawn";
  /** Who won by the rules in force: in misère the side that did not complete the line. */
  winner: "X" | "O" | null;
  /** The cells of all completed lines, in tile order. */
  winning_cells: Cell[];
}

/** What `/move` answers, every legal move valued, and the line heuristic. */
export interface AnalysisAnswer {
  /** The chosen move; null when the game is over. */
  move: Cell | null;
  /** From the view of the side to move. A proven win in n plies is the integer `rows * columns + 1 - n`, a proven loss its negative, a proven draw 0; an unproven score is an estimate within ±0.9999. */
  score: number;
  /** Under perfect play by both; `unknown` exactly when `proven` is false. */
  outcome: "win" | "draw" | "loss" | "unknown";
  /** Plies to the end of the game when the winner hurries and the loser delays (a draw: to the full board); null when unknown. */
  distance: number | null;
  /** The proven end may come sooner than `distance` says; it never comes later. */
  distance_is_bound: boolean;
  /** Whether the outcome is certain. */
  proven: boolean;
  /** Whose move it was in the position asked about. */
  to_move: "X" | "O";
  /** Whether the game is over, and how. */
  state: "ongoing" | "won" | "drawn";
  /** Who won by the rules in force: in misère the side that did not complete the line. */
  winner: "X" | "O" | null;
  /** The cells of all completed lines, in tile order. */
  winning_cells: Cell[];
  /** The principal variation, beginning with the move itself; it may stop early. */
  line: Cell[];
  /** Moves known to be exactly as good as the best. */
  best_moves: Cell[];
  /** Whether `best_moves` is the whole set. */
  best_moves_complete: boolean;
  /** Why this move: what is certain about it, each with the cells concerned. */
  reasons: Reason[];
  /** The rows after `move`. */
  board: string[];
  after: After;
  search: Search;
  /** At level 10 the chosen move first; then by score, then by tile. */
  moves: ValuedMove[];
  /** The line heuristic: the sum over all lines of `goal` cells that hold marks of one side only of 10^min(n-1, 12) for n ≥ 1 marks, plus for the side to move, minus for the other. */
  static_evaluation: number;
}

/** What `/move` takes, and how many moves to list. */
export interface AnalysisRequest {
  /** The rows from top to bottom, each a string or a list of cells; or one string with `/` between the rows. `X` `x` `1` are the first mark, `O` `o` `2` the second; `.` `_` `-`, a space, an empty string, `null` and `0` are empty. A list of single characters such as `["X", "O"]`, or a string without `/`, is refused unless `rows: 1` or `columns: 1` says how it is meant. */
  board: (string | ("X" | "x" | "1" | 1 | "O" | "o" | "2" | 2 | "." | "_" | "-" | " " | "" | "0" | 0 | null)[] | "X" | "x" | "1" | 1 | "O" | "o" | "2" | 2 | "." | "_" | "-" | " " | "" | "0" | 0 | null)[] | string;
  /** Marks in a row that end the game, at most the longer side of the board. Required unless the board is 3 × 3, where it is 3, or `game` says it. */
  goal?: number;
  /** Whose move it is. By default the side with fewer marks; with equal counts the opponent of a side that has completed a line, else X. Where O may start, always send it. */
  to_move?: "X" | "O" | "x" | "o";
  /** Marks fall to the lowest empty row of their column, as in Connect Four. */
  gravity?: boolean;
  /** Whoever completes a line loses. */
  misere?: boolean;
  /** Only exactly `goal` in a row is a line; a longer run is none. Judged for each direction. */
  exact_goal?: boolean;
  /** A preset that sets goal, gravity, misere and exact_goal; a field sent beside it must agree. `tic-tac-toe`: goal 3; `misere-tic-tac-toe`: goal 3, misere; `four-by-four`: goal 4; `connect-four`: goal 4, gravity; `gomoku`: goal 5; `standard-gomoku`: goal 5, exact_goal. */
  game?: "tic-tac-toe" | "misere-tic-tac-toe" | "four-by-four" | "connect-four" | "gomoku" | "standard-gomoku";
  /** How many rows the board has; must agree with it. `1` lets a flat board stand for one row. */
  rows?: number;
  /** How many columns the board has; must agree with it. `1` lets a flat board stand for one column. */
  columns?: number;
  /** Plies to look ahead: the answer of a search to that depth, with nothing looked at beyond; a proof found within it counts. */
  max_depth?: number;
  /** Nodes the search may visit: the same answer on every machine. More than the server's limit is refused. Without it a setting of the server holds. */
  max_nodes?: number;
  /** Milliseconds the search may take, lowered to the server's cap, which always holds. */
  time_limit_ms?: number;
  /** Playing strength: 10 is full strength, below it the choice is weaker and varied. */
  level?: number;
  /** Makes the varied choice repeatable; at level 10 it chooses among `best_moves`. */
  seed?: number;
  /** List only the best so many moves. By default all are listed. */
  top?: number;
}

/** A cell: rows and columns count from 0, `tile` is the number people print on a board, from 1. */
export interface Cell {
  /** From 0 at the top. */
  row: number;
  /** From 0 at the left. */
  column: number;
  /** `row * columns + column + 1`. */
  tile: number;
}

/** One thing that is wrong with a request, and where. */
export interface FieldError {
  /** JSON pointer (RFC 6901) to the field; `/name` for a query parameter. */
  pointer: string;
  /** What is wrong there. */
  detail: string;
}

/** Whether the process lives, or the service is ready. */
export interface Health {
  /** `ok`: alive; `ready`: takes requests. */
  status: "ok" | "ready";
}

/** The chosen move and what it is worth, from the view of the side to move. */
export interface MoveAnswer {
  /** The chosen move; null when the game is over. */
  move: Cell | null;
  /** From the view of the side to move. A proven win in n plies is the integer `rows * columns + 1 - n`, a proven loss its negative, a proven draw 0; an unproven score is an estimate within ±0.9999. */
  score: number;
  /** Under perfect play by both; `unknown` exactly when `proven` is false. */
  outcome: "win" | "draw" | "loss" | "unknown";
  /** Plies to the end of the game when the winner hurries and the loser delays (a draw: to the full board); null when unknown. */
  distance: number | null;
  /** The proven end may come sooner than `distance` says; it never comes later. */
  distance_is_bound: boolean;
  /** Whether the outcome is certain. */
  proven: boolean;
  /** Whose move it was in the position asked about. */
  to_move: "X" | "O";
  /** Whether the game is over, and how. */
  state: "ongoing" | "won" | "drawn";
  /** Who won by the rules in force: in misère the side that did not complete the line. */
  winner: "X" | "O" | null;
  /** The cells of all completed lines, in tile order. */
  winning_cells: Cell[];
  /** The principal variation, beginning with the move itself; it may stop early. */
  line: Cell[];
  /** Moves known to be exactly as good as the best. */
  best_moves: Cell[];
  /** Whether `best_moves` is the whole set. */
  best_moves_complete: boolean;
  /** Why this move: what is certain about it, each with the cells concerned. */
  reasons: Reason[];
  /** The rows after `move`. */
  board: string[];
  after: After;
  search: Search;
}

/** A position, its rules, and how much work its answer is worth. */
export interface MoveRequest {
  /** The rows from top to bottom, each a string or a list of cells; or one string with `/` between the rows. `X` `x` `1` are the first mark, `O` `o` `2` the second; `.` `_` `-`, a space, an empty string, `null` and `0` are empty. A list of single characters such as `["X", "O"]`, or a string without `/`, is refused unless `rows: 1` or `columns: 1` says how it is meant. */
  board: (string | ("X" | "x" | "1" | 1 | "O" | "o" | "2" | 2 | "." | "_" | "-" | " " | "" | "0" | 0 | null)[] | "X" | "x" | "1" | 1 | "O" | "o" | "2" | 2 | "." | "_" | "-" | " " | "" | "0" | 0 | null)[] | string;
  /** Marks in a row that end the game, at most the longer side of the board. Required unless the board is 3 × 3, where it is 3, or `game` says it. */
  goal?: number;
  /** Whose move it is. By default the side with fewer marks; with equal counts the opponent of a side that has completed a line, else X. Where O may start, always send it. */
  to_move?: "X" | "O" | "x" | "o";
  /** Marks fall to the lowest empty row of their column, as in Connect Four. */
  gravity?: boolean;
  /** Whoever completes a line loses. */
  misere?: boolean;
  /** Only exactly `goal` in a row is a line; a longer run is none. Judged for each direction. */
  exact_goal?: boolean;
  /** A preset that sets goal, gravity, misere and exact_goal; a field sent beside it must agree. `tic-tac-toe`: goal 3; `misere-tic-tac-toe`: goal 3, misere; `four-by-four`: goal 4; `connect-four`: goal 4, gravity; `gomoku`: goal 5; `standard-gomoku`: goal 5, exact_goal. */
  game?: "tic-tac-toe" | "misere-tic-tac-toe" | "four-by-four" | "connect-four" | "gomoku" | "standard-gomoku";
  /** How many rows the board has; must agree with it. `1` lets a flat board stand for one row. */
  rows?: number;
  /** How many columns the board has; must agree with it. `1` lets a flat board stand for one column. */
  columns?: number;
  /** Plies to look ahead: the answer of a search to that depth, with nothing looked at beyond; a proof found within it counts. */
  max_depth?: number;
  /** Nodes the search may visit: the same answer on every machine. More than the server's limit is refused. Without it a setting of the server holds. */
  max_nodes?: number;
  /** Milliseconds the search may take, lowered to the server's cap, which always holds. */
  time_limit_ms?: number;
  /** Playing strength: 10 is full strength, below it the choice is weaker and varied. */
  level?: number;
  /** Makes the varied choice repeatable; at level 10 it chooses among `best_moves`. */
  seed?: number;
}

/** A failure (RFC 9457). */
export interface Problem {
  /** A stable URI for this kind of problem, listed at `/problems`. */
  type: string;
  /** The kind of problem in words, the same every time. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What went wrong this time. */
  detail: string;
  /** The path that was asked. */
  instance: string;
  /** What is wrong with the request, field by field. */
  errors?: FieldError[];
}

/** One fact about the chosen move. */
export interface Reason {
  /** `completes_line`, `blocks_line`, `double_threat` (two or more cells complete a line next), `threatens_line` (one does), in misère `avoids_line` and `forces_line`; `only_move`, `forced` (every other move loses at once); `proven_win`, `proven_draw`, `proven_loss`; `quickest_win`, `longest_defence`. */
  code: "completes_line" | "blocks_line" | "double_threat" | "threatens_line" | "avoids_line" | "forces_line" | "forced" | "only_move" | "proven_win" | "proven_draw" | "proven_loss" | "quickest_win" | "longest_defence";
  /** The cells it concerns, in tile order; may be empty. */
  cells: Cell[];
}

/** What the answer cost. */
export interface Search {
  /** Plies completed. */
  depth: number;
  /** Nodes visited. */
  nodes: number;
  /** Milliseconds the search, or finding its answer, took. */
  elapsed_ms: number;
  /** What ended the search. */
  stopped_by: "proof" | "depth" | "nodes" | "time";
  /** Whether the answer was known from an earlier request. */
  cached: boolean;
}

/** One legal move and what it is worth, from the view of the side to move. */
export interface ValuedMove {
  row: number;
  column: number;
  tile: number;
  /** From the view of the side to move. A proven win in n plies is the integer `rows * columns + 1 - n`, a proven loss its negative, a proven draw 0; an unproven score is an estimate within ±0.9999. */
  score: number;
  /** Under perfect play by both; `unknown` exactly when `proven` is false. */
  outcome: "win" | "draw" | "loss" | "unknown";
  /** Plies to the end of the game when the winner hurries and the loser delays (a draw: to the full board); null when unknown. */
  distance: number | null;
  /** The proven end may come sooner than `distance` says; it never comes later. */
  distance_is_bound: boolean;
  /** Whether the outcome is certain. */
  proven: boolean;
  /** The principal variation, beginning with the move itself; it may stop early. */
  line: Cell[];
}

/** What is running. */
export interface Version {
  /** The service. */
  name: "kinarow";
  /** Its version. */
  version: string;
  /** Changes whenever an answer may change. */
  engine: string;
}
