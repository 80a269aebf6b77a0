/* The types that several scripts of the page share. Only tsc reads this file, nothing loads it. */

type ApiKey = import("./js/shared/api-key.js").ApiKey;
type Client = import("./js/shared/api.js").Client;
type Game = import("./js/shared/game.js").Game;
type GameController = import("./js/play/game-controller.js").GameController;
type Notice = import("./js/shared/notice.js").Notice;
type PageStore = import("./js/shared/state.js").Store;

/* The rules, with the names and meanings of the API. */

type Side = "X" | "O";
type Mark = "." | "#" | Side;
type Wrap = "none" | "rows" | "columns" | "both";
type Direction = "horizontal" | "vertical" | "diagonal" | "antidiagonal";
type Skin = "tiles" | "discs" | "stones";

/** A field of `Rules` as the engine declares it. */
interface Declaration {
  kind: "integer" | "switch" | "choice" | "list";
  /** null for the goal */
  default: any;
  /** what it may be, or its list may hold */
  choices: string[];
  /** the fields that must have their default beside it */
  notWith: string[];
  /** what else it needs */
  needs: Needs;
}

/** What a rule needs of its game: a goal, sides of this length or more, sides of odd length, no blocked cell. */
interface Needs {
  goal?: number;
  no_blocked?: boolean;
}

interface Rules {
  /** 1 to 25 */
  rows: number;
  /** 1 to 25 */
  columns: number;
  /** marks in a row that end the game */
  goal: number;
  /** marks fall to the lowest empty row of a column */
  gravity: boolean;
  /** completing a line loses */
  misere: boolean;
  /** only exactly `goal` in a row is a line */
  exact_goal: boolean;
  /** which edges are joined: `rows` makes each row a ring */
  wrap: Wrap;
  /** those in which lines count, in the order of `DIRECTIONS` */
  directions: Direction[];
  /** 1 to 25 boards one above the other; with more than one lines run in all 13 directions */
  layers: number;
  /** a run of exactly `goal` between two marks of the other side is no line */
  caro: boolean;
  /** the side that began needs exactly five, and some cells are forbidden to it */
  renju: boolean;
  /** `shared`: both sides mark with X */
  marks: "own" | "shared";
}

type Size = Pick<Rules, "rows" | "columns" | "layers">;

/** Whose move it is on a board, and why no game comes to it, null where one does.
 * propped: a block lies on a mark; before: no single last mark completes all lines; shared: an O that nobody makes. */
interface Judged {
  toMove: Side;
  wrong: "blocked" | "counts" | "turn" | "floating" | "propped" | "both" | "over" | "before" | "shared" | null;
}

/** A board before the first move. */
interface Board {
  rules: Rules;
  /** row by row and layer by layer from the bottom one: `X`, `O`, `.` or `#` (blocked) */
  cells: string;
}

/** A board and whose turn it is; never changed once made. */
interface Position extends Board {
  toMove: Side;
}

/** How a game stands. */
interface Ending {
  state: "ongoing" | "won" | "drawn";
  /** by the rules in force */
  winner: Side | null;
  /** the completed lines, each a run of cells in order */
  lines: number[][];
}

/** A cell as answers name it. */
type Cell = { layer?: number; row: number; column: number };

/** A game to choose. */
interface Offer extends Board {
  /** the name of the API or one of the page's own */
  id: string;
  name: string;
  short: string;
  /** first for most, gallery for what hardly any other page has */
  group: "first" | "more" | "gallery";
}

/** A point of a record, both numbers from 0; side: that of a move, mark: that of a stone set up. */
type BoardPoint = { column: number; row: number; fromBottom?: boolean; side?: Side; mark?: Mark };

/** A record before its board and rules are known. */
interface Written {
  /** what it says of the game, by the names of a request */
  fields: Record<string, any>;
  /** whether it says that it is of no game in a row */
  isOther: boolean;
  points: BoardPoint[];
  stones: BoardPoint[];
  players: Record<Side, string | null>;
  result: string | null;
}

/** The library's tables of spellings. */
interface Tables {
  /** the spellings of both sides by the alphabet */
  alphabets: Record<string, [string, string]>;
  small_letters: Record<string, string>;
  empty_marks: string;
  blocked: string;
  ignored: string;
  /** the side that wins by a result, 0 that which moved first */
  results: Record<string, 0 | 1 | null>;
  sgf_rules: Record<string, string>;
  sgf_sides: Record<string, Side>;
  sgf_beginners: Record<string, Side>;
  sgf_stones: Record<string, Mark>;
  max_side: number;
  max_digit_columns: number;
  max_board_text: number;
  max_record: number;
  max_nodes: number;
  max_stones: number;
  max_name: number;
}

/** A game that a text may stand for; isSure: it is the one that the text names, or of the game shown. */
type Reading = { game: Game; isSure: boolean };

/** A move and what was played after it. */
type Branch = { cell: number; next: Branch[] };

/** A move as it is named: its cell, null where the mark falls, and its column or, with layers, its place on a layer. */
type NamedMove = { cell: number | null; stack: number };

/* What answers say, with the names of the API. */

/** How good something is. */
interface Value {
  score: number;
  outcome: "win" | "draw" | "loss" | "unknown";
  distance: number | null;
  distance_is_bound: boolean;
  proven: boolean;
  /** the expected result, where the service tells it */
  expected?: number | null;
}

type Search = { depth: number; nodes: number; elapsed_ms?: number; stopped_by?: string; cached?: boolean };
type MoveValue = Value & { row: number; column: number; tile: number; line: any[] };

/** What an answer said of a position, in the view of the side to move in it. */
interface Known extends Value {
  search: Search | null;
  line: Cell[];
  moves: MoveValue[] | null;
  move?: Cell;
  reasons?: { code: string; cells: Cell[] }[];
}

/* What the page knows. */

type Player = "you" | "computer" | "friend";

/** A game with a friend by links; isSent: the last move of the visitor is out of the house; isChecked: what the browser
 * knows of this game has been compared. */
interface FriendGame {
  id: string;
  /** all that was played, to its end */
  game: Game;
  isSent: boolean;
  isChecked: boolean;
}

/** Everything that a link restores. */
interface Setup {
  game: Game;
  players: Record<Side, Player>;
  /** 1 to 10, of the computer that plays a side */
  levels: Record<Side, number>;
  view: "play" | "learn";
  /** whether the values of the moves are shown */
  thinkAlong?: boolean;
  /** the lesson and its step, both from 1; lesson 0: a position that belongs to none */
  lesson?: number;
  step?: number;
  friend?: FriendGame | null;
  /** whether the link to a friend's game lacks its end */
  isCut?: boolean;
}

/** The search that is running, or has run, for one position; moves: the best few so far, if any. */
type Progress = { key: string; latest: Search & { score: any; line: Cell[]; moves?: MoveValue[] } };

/** The grades of a game by the places of its moves, filled in as they come. */
interface Review {
  /** with the moves that are graded, all of them shown */
  game: Game;
  moves: (any | undefined)[];
  isDone: boolean;
  /** whether time has cut short a search, so that another review may give other grades */
  isCut?: boolean;
  /** the service's, of a whole review */
  summary?: Record<Side, { lost: number | null }> & { cut_by_time: number };
}

/** A mistake that is looked at again: its place, what is said, whether another move was tried and the better one shown. */
type Mistake = { ply: number; words: string; isTried: boolean; isShown: boolean };

/** A stored position with one right move; line: best play, beginning with that move; level: the lowest that finds it;
 * number: its place in the list; words: its task, or what the first move came to; isDone: solved, or given up. */
type Puzzle = {
  position: Position; outcome: "win" | "draw"; line: number[]; level: number; number: number; words: string;
  isDone: boolean;
};

/** A position that is being set up; tool: what a click puts down. */
type Edit = Position & { tool: Mark };

interface State extends Setup {
  running: boolean;
  thinking: boolean;
  /** whether the service does not answer now */
  isAway: boolean;
  setupOpen: boolean;
  edit: Edit | null;
  friend: FriendGame | null;
  thinkAlong: boolean;
  lesson: number;
  step: number;
  showHeat: boolean;
  /** whether values of columns are numbers of stones, as on gamesolver's page */
  stones: boolean;
  showLine: boolean;
  /** which moves have their numbers on the board: "off", "last" or "all" */
  numbers: string;
  pointedAt: number | null;
  known: Map<string, Known>;
  progress: Progress | null;
  hint: { key: string; cell: number } | null;
  review: Review | null;
  deepening: number | null;
  mistake: Mistake | null;
  /** the one on the board; undefined until it is known whether that is one */
  puzzle: Puzzle | null | undefined;
}

/* Requests. */

/** Why an answer is late; until: the time of the next attempt, which tryNow makes at once where the server named none. */
type Trouble = { kind: "busy" | "unreachable"; until: number; tryNow?: () => void };

/** What to ask; onProgress receives the events of a stream. */
type Ask = {
  path: string;
  body: unknown;
  signal: AbortSignal;
  onProgress?: (event: any) => void;
  /** of a question about any board, which the page can answer by its rules */
  position?: Position;
};

/* What is drawn. */

/** A coloured value on an empty cell. */
interface Heat {
  cell: number;
  tone: "win" | "draw" | "loss" | "estimate";
  /** 0 to 1 */
  strength: number;
  /** what fits into the cell */
  text: string;
  spoken: string;
  best: boolean;
}

/** Everything the board shows. */
interface Scene {
  position: Position;
  lastMove: number | null;
  /** the numbers of moves by their cells */
  numbers: Map<number, number>;
  /** completed lines */
  lines: number[][];
  /** the visitor has won */
  isCelebrated: boolean;
  /** what a choice of a cell changes, null where none may be chosen */
  targetOf: (cell: number) => number | null;
  /** what a choice puts down */
  mark: Mark;
  heat: Heat[];
  /** a line of play; isOld: of an earlier search */
  ghosts: { cells: number[]; isOld: boolean };
  /** empty cells that the rules forbid to the side to move */
  forbidden: Set<number>;
  /** cells that are pointed out: a hint */
  pointers: number[];
  /** what a review found better for a side */
  better: { cells: number[]; side: Side };
  /** the move on show with the sign of its grade, where it was not the best */
  played: { cell: number; grade: string; sign: string; words: string } | null;
}

/** x and y */
type Point = [number, number];

/** Functions are listeners (`onclick`); null and false leave an attribute out. */
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;
type Child = Node | string | null | undefined | false;

/* The game tree. */

interface Lesson {
  name: string;
  /** what it shows, in a sentence or two */
  text: string;
  position: Position;
  pruning: boolean;
  /** the moves to look ahead, null for all */
  depth: number | null;
}

/** One position of the tree. */
interface TreeNode {
  /** in the order in which the search enters them */
  id: number;
  parent: TreeNode | null;
  /** plies from the root */
  depth: number;
  /** the cell that led here */
  move: number | null;
  position: Position;
  ending: Ending;
  /** in the root player's view, null where it was not looked at */
  value: number | null;
  /** as on entry, null for minus infinity */
  alpha: number | null;
  /** as on entry, null for plus infinity */
  beta: number | null;
  /** whether the root player is to move */
  isMax: boolean;
  /** on the best line */
  isBest: boolean;
  /** whether the true value may be lower or higher than `value` */
  bound: "" | "≤" | "≥";
  /** moves were not looked at */
  isCut: boolean;
  /** nobody looked at it */
  isPruned: boolean;
  /** those looked at and then those not, in tile order */
  children: TreeNode[];
  /** the step at which the search comes here */
  entered: number;
  /** the step from which its value is known */
  left: number;
}

/** One thing the search does. */
interface TreeStep {
  kind: "open" | "leaf" | "back" | "cut" | "done";
  /** where the search is */
  node: TreeNode;
  /** for `back`, the one whose value came back */
  child?: TreeNode;
  /** now, at this node */
  alpha: number | null;
  beta: number | null;
  /** the best value among its children so far */
  best: number | null;
  /** for `back`, whether the child is better than those before */
  better?: boolean;
  /** for `back`, whether alpha or beta has moved */
  narrower?: boolean;
}

type Tree = { root: TreeNode; nodes: TreeNode[]; steps: TreeStep[]; looked: number };
