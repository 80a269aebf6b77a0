// Written by generate_types.py from openapi.yaml; do not edit.

/** The position after `move`, so that a front end sees that its opponent has just won. */
export interface After {
  /** Whether the game is over, and how. */
  state: "ongoing" | "won" | "drawn";
  /** Who won by the rules in force: in misère the side that did not complete the line. */
  winner: Side | null;
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
  to_move: Side;
  /** Whether the game is over, and how. */
  state: "ongoing" | "won" | "drawn";
  /** Who won by the rules in force: in misère the side that did not complete the line. */
  winner: Side | null;
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
  /** The answer as one sentence: the move in the notation of `moves`, why, and how good it is. */
  text: string;
  /** The rows after `move`. */
  board: string[];
  after: After;
  search: Search;
  /** At level 10 the chosen move first; then by score, then by tile. */
  moves: ValuedMove[];
  /** The line heuristic: the sum over all lines of `goal` cells that hold marks of one side only of 10^min(n-1, 12) for n ≥ 1 marks, plus for the side to move, minus for the other. */
  static_evaluation: number;
}

/** What an iteration of the search has found; the data of an event `progress`. */
export interface AnalysisProgress {
  /** Plies completed. */
  depth: number;
  /** Positions visited so far. */
  nodes: number;
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
  /** The best moves so far with their values, best first: `top` of them, else five. */
  moves: ValuedMove[];
}

/** What `/move` takes, and how many moves to list. */
export interface AnalysisRequest {
  /** The rows from top to bottom, each a string or a list of cells; or one string with `/` between the rows. `X` `x` `1` are the first mark, `O` `o` `2` the second; `.` `_` `-`, a space, an empty string, `null` and `0` are empty; `#` is blocked: on no line, and never marked. Where `rows` and `columns` are sent, or `game` says the size, also one string without `/`, or one list of cells, row by row. Required unless `moves` are sent. */
  board?: Board;
  /** The side that makes the first of `moves`. By default the side to move on `board`, on an empty board `X`. */
  first?: Side;
  /** The moves that lead to the position, made in turn from `board` on, or from the empty board. As text. With gravity and at most nine columns: the columns as digits from 1, such as `4453`; else for each move a letter for the column from `a` and a number for the row counted from the bottom, such as `h8 h7 i9`. As a list: tiles, `[row, column]`, cells of an answer, or with gravity `{"column": c}` from 0. */
  moves?: Moves;
  /** Whose move it is, after `moves` where these are sent. By default the side with fewer marks; with equal counts the opponent of a side that has completed a line, else X. Where O may start, always send it. */
  to_move?: Side;
  /** Marks in a row that end the game, at most the longer side of the board. Required unless the board is 3 × 3, where it is 3, or `game` says it. */
  goal?: number;
  /** Marks fall to the lowest empty row of their column, as in Connect Four. By default `false`. */
  gravity?: boolean;
  /** Whoever completes a line loses. By default `false`. */
  misere?: boolean;
  /** Only exactly `goal` in a row is a line, not a longer run. Judged for each direction. By default `false`. */
  exact_goal?: boolean;
  /** Edges that are joined: `rows` makes each row a ring (the left edge meets the right one), `columns` each column, `both` makes a torus. By default `none`. */
  wrap?: "none" | "rows" | "columns" | "both";
  /** The directions in which lines count, without repeats: a `diagonal` runs down to the right, an `antidiagonal` down to the left. By default all four. */
  directions?: ("horizontal" | "vertical" | "diagonal" | "antidiagonal")[];
  /** A preset that sets all fields of the rules; a field sent beside it must agree. `tic-tac-toe`: goal 3; `misere-tic-tac-toe`: goal 3, misere; `four-by-four`: goal 4; `connect-four`: goal 4, gravity; `gomoku`: goal 5; `standard-gomoku`: goal 5, exact_goal; `torus-tic-tac-toe`: goal 3, wrap both. Where no board is sent it sets the size too. Other names that people type, such as `connect4` and `ttt`, are understood. */
  game?: Game;
  /** How many rows the board has. Must agree with `board` where that has rows; says how a flat `board` is meant; without a board it is required unless `game` says it. rows × columns of the presets are `tic-tac-toe`: 3 × 3; `misere-tic-tac-toe`: 3 × 3; `four-by-four`: 4 × 4; `connect-four`: 6 × 7; `gomoku`: 15 × 15; `standard-gomoku`: 15 × 15; `torus-tic-tac-toe`: 3 × 3. */
  rows?: number;
  /** How many columns the board has; as with `rows`. */
  columns?: number;
  /** The side to move may choose only among these moves, in the forms of `moves`. */
  only?: Moves;
  /** The side to move may choose none of these moves. Not together with `only`. */
  exclude?: Moves;
  /** Plies to look ahead: the answer of a search to that depth, with nothing looked at beyond; a proof found within it counts. */
  max_depth?: number;
  /** Nodes the search may visit: the same answer on every machine. More than the server's limit is refused. Without it a setting of the server holds. */
  max_nodes?: number;
  /** Milliseconds the search may take, lowered to the server's cap, which always holds. */
  time_limit_ms?: number;
  /** Playing strength: 10, the default, is full strength; below it the choice is weaker and varied. */
  level?: number;
  /** Makes the varied choice repeatable; at level 10 it chooses among `best_moves`. */
  seed?: number;
  /** List only the best so many moves. By default all are listed. */
  top?: number;
}

/** The rows from top to bottom, or one string with `/` between the rows. */
export type Board = string[] | string;

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

/** A game by its name. */
export type Game = "tic-tac-toe" | "misere-tic-tac-toe" | "four-by-four" | "connect-four" | "gomoku" | "standard-gomoku" | "torus-tic-tac-toe";

/** Whether the process lives, or the service is ready. */
export interface Health {
  /** `ok`: alive; `ready`: takes requests. */
  status: "ok" | "ready";
}

/** The agent's move. */
export interface KaggleAction {
  /** The column of the move, from 0. */
  action: number;
}

/** The call of kaggle-environments to a remote agent; fields that are not listed are left alone. */
export interface KaggleCall {
  /** The name of the game. */
  environment?: "connectx";
  configuration?: {
    /** Rows of the board. */
    rows?: number;
    /** Columns of the board. */
    columns?: number;
    /** Marks in a row that win. */
    inarow?: number;
    /** Seconds the agent has for its move; the answer takes less. */
    actTimeout?: number;
  };
  state: {
    observation: {
      /** The cells row by row from the top: 0 empty, 1 the first player, 2 the second. An empty list is an empty board. */
      board: (0 | 1 | 2)[];
      /** The agent's own mark. */
      mark: 1 | 2;
    };
  };
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
  to_move: Side;
  /** Whether the game is over, and how. */
  state: "ongoing" | "won" | "drawn";
  /** Who won by the rules in force: in misère the side that did not complete the line. */
  winner: Side | null;
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
  /** The answer as one sentence: the move in the notation of `moves`, why, and how good it is. */
  text: string;
  /** The rows after `move`. */
  board: string[];
  after: After;
  search: Search;
}

/** A position, its rules, and how much work its answer is worth. */
export interface MoveRequest {
  /** The rows from top to bottom, each a string or a list of cells; or one string with `/` between the rows. `X` `x` `1` are the first mark, `O` `o` `2` the second; `.` `_` `-`, a space, an empty string, `null` and `0` are empty; `#` is blocked: on no line, and never marked. Where `rows` and `columns` are sent, or `game` says the size, also one string without `/`, or one list of cells, row by row. Required unless `moves` are sent. */
  board?: Board;
  /** The side that makes the first of `moves`. By default the side to move on `board`, on an empty board `X`. */
  first?: Side;
  /** The moves that lead to the position, made in turn from `board` on, or from the empty board. As text. With gravity and at most nine columns: the columns as digits from 1, such as `4453`; else for each move a letter for the column from `a` and a number for the row counted from the bottom, such as `h8 h7 i9`. As a list: tiles, `[row, column]`, cells of an answer, or with gravity `{"column": c}` from 0. */
  moves?: Moves;
  /** Whose move it is, after `moves` where these are sent. By default the side with fewer marks; with equal counts the opponent of a side that has completed a line, else X. Where O may start, always send it. */
  to_move?: Side;
  /** Marks in a row that end the game, at most the longer side of the board. Required unless the board is 3 × 3, where it is 3, or `game` says it. */
  goal?: number;
  /** Marks fall to the lowest empty row of their column, as in Connect Four. By default `false`. */
  gravity?: boolean;
  /** Whoever completes a line loses. By default `false`. */
  misere?: boolean;
  /** Only exactly `goal` in a row is a line, not a longer run. Judged for each direction. By default `false`. */
  exact_goal?: boolean;
  /** Edges that are joined: `rows` makes each row a ring (the left edge meets the right one), `columns` each column, `both` makes a torus. By default `none`. */
  wrap?: "none" | "rows" | "columns" | "both";
  /** The directions in which lines count, without repeats: a `diagonal` runs down to the right, an `antidiagonal` down to the left. By default all four. */
  directions?: ("horizontal" | "vertical" | "diagonal" | "antidiagonal")[];
  /** A preset that sets all fields of the rules; a field sent beside it must agree. `tic-tac-toe`: goal 3; `misere-tic-tac-toe`: goal 3, misere; `four-by-four`: goal 4; `connect-four`: goal 4, gravity; `gomoku`: goal 5; `standard-gomoku`: goal 5, exact_goal; `torus-tic-tac-toe`: goal 3, wrap both. Where no board is sent it sets the size too. Other names that people type, such as `connect4` and `ttt`, are understood. */
  game?: Game;
  /** How many rows the board has. Must agree with `board` where that has rows; says how a flat `board` is meant; without a board it is required unless `game` says it. rows × columns of the presets are `tic-tac-toe`: 3 × 3; `misere-tic-tac-toe`: 3 × 3; `four-by-four`: 4 × 4; `connect-four`: 6 × 7; `gomoku`: 15 × 15; `standard-gomoku`: 15 × 15; `torus-tic-tac-toe`: 3 × 3. */
  rows?: number;
  /** How many columns the board has; as with `rows`. */
  columns?: number;
  /** The side to move may choose only among these moves, in the forms of `moves`. */
  only?: Moves;
  /** The side to move may choose none of these moves. Not together with `only`. */
  exclude?: Moves;
  /** Plies to look ahead: the answer of a search to that depth, with nothing looked at beyond; a proof found within it counts. */
  max_depth?: number;
  /** Nodes the search may visit: the same answer on every machine. More than the server's limit is refused. Without it a setting of the server holds. */
  max_nodes?: number;
  /** Milliseconds the search may take, lowered to the server's cap, which always holds. */
  time_limit_ms?: number;
  /** Playing strength: 10, the default, is full strength; below it the choice is weaker and varied. */
  level?: number;
  /** Makes the varied choice repeatable; at level 10 it chooses among `best_moves`. */
  seed?: number;
}

/** Moves in their order, as text or as a list of tiles, of `[row, column]` or of cells. */
export type Moves = string | number[] | number[][] | {
  row?: number;
  column: number;
  tile?: number;
}[];

/** An answer for each request, in the same order. */
export interface MovesAnswer {
  /** Each the answer that `/move` gives, or the problem in its place, which is told by its `status`; the pointers of its `errors` start at that request, and `instance` says which it was. */
  answers: (MoveAnswer | Problem)[];
}

/** Many requests of ``/move`` at once. */
export interface MovesRequest {
  /** Requests as `/move` takes them; a setting of the server bounds how many. */
  requests: MoveRequest[];
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

/** Every move of the game with its grade, and how the game stands after the last. */
export interface ReviewAnswer {
  /** Whether the game is over, and how. */
  state: "ongoing" | "won" | "drawn";
  /** Who won by the rules in force: in misère the side that did not complete the line. */
  winner: Side | null;
  /** The cells of all completed lines, in tile order. */
  winning_cells: Cell[];
  /** In the order of the game. */
  moves: ReviewedMove[];
}

/** A game, from its empty board or from a given one on. */
export interface ReviewRequest {
  /** The rows from top to bottom, each a string or a list of cells; or one string with `/` between the rows. `X` `x` `1` are the first mark, `O` `o` `2` the second; `.` `_` `-`, a space, an empty string, `null` and `0` are empty; `#` is blocked: on no line, and never marked. Where `rows` and `columns` are sent, or `game` says the size, also one string without `/`, or one list of cells, row by row. Required unless `moves` are sent. */
  board?: Board;
  /** The side that makes the first of `moves`. By default the side to move on `board`, on an empty board `X`. */
  first?: Side;
  /** Marks in a row that end the game, at most the longer side of the board. Required unless the board is 3 × 3, where it is 3, or `game` says it. */
  goal?: number;
  /** Marks fall to the lowest empty row of their column, as in Connect Four. By default `false`. */
  gravity?: boolean;
  /** Whoever completes a line loses. By default `false`. */
  misere?: boolean;
  /** Only exactly `goal` in a row is a line, not a longer run. Judged for each direction. By default `false`. */
  exact_goal?: boolean;
  /** Edges that are joined: `rows` makes each row a ring (the left edge meets the right one), `columns` each column, `both` makes a torus. By default `none`. */
  wrap?: "none" | "rows" | "columns" | "both";
  /** The directions in which lines count, without repeats: a `diagonal` runs down to the right, an `antidiagonal` down to the left. By default all four. */
  directions?: ("horizontal" | "vertical" | "diagonal" | "antidiagonal")[];
  /** A preset that sets all fields of the rules; a field sent beside it must agree. `tic-tac-toe`: goal 3; `misere-tic-tac-toe`: goal 3, misere; `four-by-four`: goal 4; `connect-four`: goal 4, gravity; `gomoku`: goal 5; `standard-gomoku`: goal 5, exact_goal; `torus-tic-tac-toe`: goal 3, wrap both. Where no board is sent it sets the size too. Other names that people type, such as `connect4` and `ttt`, are understood. */
  game?: Game;
  /** How many rows the board has. Must agree with `board` where that has rows; says how a flat `board` is meant; without a board it is required unless `game` says it. rows × columns of the presets are `tic-tac-toe`: 3 × 3; `misere-tic-tac-toe`: 3 × 3; `four-by-four`: 4 × 4; `connect-four`: 6 × 7; `gomoku`: 15 × 15; `standard-gomoku`: 15 × 15; `torus-tic-tac-toe`: 3 × 3. */
  rows?: number;
  /** How many columns the board has; as with `rows`. */
  columns?: number;
  /** Plies to look ahead: the answer of a search to that depth, with nothing looked at beyond; a proof found within it counts. */
  max_depth?: number;
  /** Nodes the search may visit: the same answer on every machine. More than the server's limit is refused. Without it a setting of the server holds. */
  max_nodes?: number;
  /** The moves of the game in their order. As text. With gravity and at most nine columns: the columns as digits from 1, such as `4453`; else for each move a letter for the column from `a` and a number for the row counted from the bottom, such as `h8 h7 i9`. As a list: tiles, `[row, column]`, cells of an answer, or with gravity `{"column": c}` from 0. */
  moves: Moves;
}

/** A move that was played, from the view of the side that made it. */
export interface ReviewedMove {
  move: Cell;
  /** The side that made the move. */
  to_move: Side;
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
  /** Moves known to be the best there, the one played among them where it is. */
  best_moves: Cell[];
  /** The score of the best move that is known. */
  best_score: number;
  /** The outcome of the best move. */
  best_outcome: "win" | "draw" | "loss" | "unknown";
  /** `best`; `inaccuracy`: the same outcome, but a slower win or a quicker loss; `mistake`: a win let slip to a draw, or a draw to a loss; `blunder`: a win thrown away to a loss; `unclear`: a value is not proven, and its expected result is not known. Where a value is not proven, the drop of the expected result decides (0.1 inaccuracy, 0.3 mistake, 0.6 blunder); a proven loss is then at least a mistake. */
  grade: "best" | "inaccuracy" | "mistake" | "blunder" | "unclear";
  /** `proof`, or `estimate` where a value is not proven or distances are compared of which one is a bound: a longer search may change the grade. */
  graded_by: "proof" | "estimate";
}

/** The data of an event that tells of a move as soon as it is graded. */
export interface ReviewedMoveEvent {
  move: Cell;
  /** The side that made the move. */
  to_move: Side;
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
  /** Moves known to be the best there, the one played among them where it is. */
  best_moves: Cell[];
  /** The score of the best move that is known. */
  best_score: number;
  /** The outcome of the best move. */
  best_outcome: "win" | "draw" | "loss" | "unknown";
  /** `best`; `inaccuracy`: the same outcome, but a slower win or a quicker loss; `mistake`: a win let slip to a draw, or a draw to a loss; `blunder`: a win thrown away to a loss; `unclear`: a value is not proven, and its expected result is not known. Where a value is not proven, the drop of the expected result decides (0.1 inaccuracy, 0.3 mistake, 0.6 blunder); a proven loss is then at least a mistake. */
  grade: "best" | "inaccuracy" | "mistake" | "blunder" | "unclear";
  /** `proof`, or `estimate` where a value is not proven or distances are compared of which one is a bound: a longer search may change the grade. */
  graded_by: "proof" | "estimate";
  /** The place of the move in the game, from 0. */
  index: number;
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
  /** Where the answer comes from: a `search`, an opening `book`, or the `rules`: the game is over. */
  source: "search" | "book" | "rules";
  /** Whether the answer was known from an earlier request. */
  cached: boolean;
}

/** A side by its mark. */
export type Side = "X" | "O";

/** The score of each column. */
export interface Solved {
  /** As it was sent. */
  pos: string;
  /** For each column from the left, in the view of the side to move; 100 where it takes no mark. */
  score: number[];
}

/** A whole search. */
export interface TreeAnswer {
  /** Positions looked at, the root counted. */
  nodes: number;
  root: TreeNode;
}

/** A position of the tree, values in the view of the side to move at the root. */
export interface TreeNode {
  /** The move that leads here; null at the root. */
  move: Cell | null;
  /** A win in n plies from the root is `rows * columns + 1 - n`, a loss its negative, a draw 0, an estimate at the depth limit between -1 and 1. */
  value: number;
  /** As on entry; null for infinity. */
  alpha: number | null;
  /** As on entry; null for infinity. */
  beta: number | null;
  /** Moves were not looked at because alpha ≥ beta; `value` is then a bound. */
  cut: boolean;
  /** Whether it is on the principal variation. */
  best: boolean;
  /** The moves that were looked at, in tile order. */
  children: TreeNode[];
}

/** A position small enough for its whole search to be shown. */
export interface TreeRequest {
  /** The rows from top to bottom, each a string or a list of cells; or one string with `/` between the rows. `X` `x` `1` are the first mark, `O` `o` `2` the second; `.` `_` `-`, a space, an empty string, `null` and `0` are empty; `#` is blocked: on no line, and never marked. Where `rows` and `columns` are sent, or `game` says the size, also one string without `/`, or one list of cells, row by row. Required unless `moves` are sent. */
  board?: Board;
  /** The side that makes the first of `moves`. By default the side to move on `board`, on an empty board `X`. */
  first?: Side;
  /** The moves that lead to the position, made in turn from `board` on, or from the empty board. As text. With gravity and at most nine columns: the columns as digits from 1, such as `4453`; else for each move a letter for the column from `a` and a number for the row counted from the bottom, such as `h8 h7 i9`. As a list: tiles, `[row, column]`, cells of an answer, or with gravity `{"column": c}` from 0. */
  moves?: Moves;
  /** Whose move it is, after `moves` where these are sent. By default the side with fewer marks; with equal counts the opponent of a side that has completed a line, else X. Where O may start, always send it. */
  to_move?: Side;
  /** Marks in a row that end the game, at most the longer side of the board. Required unless the board is 3 × 3, where it is 3, or `game` says it. */
  goal?: number;
  /** Marks fall to the lowest empty row of their column, as in Connect Four. By default `false`. */
  gravity?: boolean;
  /** Whoever completes a line loses. By default `false`. */
  misere?: boolean;
  /** Only exactly `goal` in a row is a line, not a longer run. Judged for each direction. By default `false`. */
  exact_goal?: boolean;
  /** Edges that are joined: `rows` makes each row a ring (the left edge meets the right one), `columns` each column, `both` makes a torus. By default `none`. */
  wrap?: "none" | "rows" | "columns" | "both";
  /** The directions in which lines count, without repeats: a `diagonal` runs down to the right, an `antidiagonal` down to the left. By default all four. */
  directions?: ("horizontal" | "vertical" | "diagonal" | "antidiagonal")[];
  /** A preset that sets all fields of the rules; a field sent beside it must agree. `tic-tac-toe`: goal 3; `misere-tic-tac-toe`: goal 3, misere; `four-by-four`: goal 4; `connect-four`: goal 4, gravity; `gomoku`: goal 5; `standard-gomoku`: goal 5, exact_goal; `torus-tic-tac-toe`: goal 3, wrap both. Where no board is sent it sets the size too. Other names that people type, such as `connect4` and `ttt`, are understood. */
  game?: Game;
  /** How many rows the board has. Must agree with `board` where that has rows; says how a flat `board` is meant; without a board it is required unless `game` says it. rows × columns of the presets are `tic-tac-toe`: 3 × 3; `misere-tic-tac-toe`: 3 × 3; `four-by-four`: 4 × 4; `connect-four`: 6 × 7; `gomoku`: 15 × 15; `standard-gomoku`: 15 × 15; `torus-tic-tac-toe`: 3 × 3. */
  rows?: number;
  /** How many columns the board has; as with `rows`. */
  columns?: number;
  /** Plies to look ahead; where the game goes on there, the value is the line heuristic's estimate. By default the whole game. */
  max_depth?: number;
  /** Alpha-beta, the default, which leaves out what cannot matter; else plain minimax. */
  pruning?: boolean;
}

/** One legal move and what it is worth, from the view of the side to move. */
export interface ValuedMove {
  /** From 0 at the top. */
  row: number;
  /** From 0 at the left. */
  column: number;
  /** `row * columns + column + 1`. */
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
