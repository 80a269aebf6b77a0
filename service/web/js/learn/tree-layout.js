/** Where each board of a game tree is drawn, so that the whole fits its frame, in pixels. */

/** The size of boards nobody looked at, as a part of the others. */
export const PRUNED = 0.5;
/** The sizes of boards at a zoom of 1 and a font of 16 pixels. */
const [SMALLEST, LARGEST] = [24, 200];
const GAP = 4;
/** What words below a board reach to the left of the first column. */
const LEFT = 20;
/** The heights of heads of columns with wide and with narrow words, and of two lines. */
const [HEADS, NARROW_HEADS, WORDS_HIGH] = [26, 46, 33];
/** The widths of words beside their boards, widest first. */
const WORDS = [132, 86];

/** What a tree is drawn in, and how: words stand beside their boards, or below them where columns are narrow.
 * @typedef {{width: number, height: number, unit: number, board: number, left: number, pitch: number, words: number}} Frame
 * unit: of fonts, as a part of 16 pixels; board: its width; left: where columns begin; pitch: of columns; words: their
 * width, 0 below boards */

/** A tree as it is drawn: from which node on, and whose children are shown.
 * @typedef {{top: TreeNode, open: Set<TreeNode>}} Drawn */

/** The part of a tree around a node that is drawn in so many columns.
 * @param {TreeNode} at @param {Set<TreeNode>} open @param {number} columns @returns {Drawn} */
export function partOf(at, open, columns) {
  const deepest = at.depth + Number(open.has(at) && at.children.length > 0);
  let top = at;
  while (top.parent && top.depth > deepest - columns + 1) top = top.parent;
  return { top, open: new Set([...open].filter(({ depth }) => depth < top.depth + columns - 1)) };
}

/** The frame with the largest boards, and of equal ones with the widest words, in which each of these trees fits.
 * @param {{width: number, height: number, unit: number, board: number}} room board: its least width
 * @param {number} least unit @param {Drawn[]} trees @returns {Frame} */
export function fit(room, least, trees) {
  const { width, height, unit } = room;
  const columns = Math.max(...trees.flatMap(({ top, open }) =>
    visible(top, open).map(({ depth }) => 1 + depth - top.depth)));
  const board = Math.max(room.board, SMALLEST * unit);
  const frames = [...WORDS, 0].map((each) => {
    const [words, left] = [each * unit, each ? 2 * GAP : LEFT * unit];
    const frame = { width, height, unit, board, left, pitch: (width - left - GAP) / columns, words };
    let most = Math.min(LARGEST * unit, frame.pitch - 4 * GAP - words);
    while (most - frame.board > 1) {
      const middle = (frame.board + most) / 2;
      if (fits({ ...frame, board: middle }, trees)) frame.board = middle;
      else most = middle;
    }
    return frame;
  });
  const fitting = frames.filter((frame) => fits(frame, trees));
  if (!fitting.length && unit > least) return fit({ ...room, unit: Math.max(least, unit - 0.05) }, least, trees);
  return fitting.reduce((best, frame) => (frame.board > best.board ? frame : best), fitting[0] ?? frames[2]);
}

/** Whether words have all the room that they want. @param {Frame} frame */
export function isWide({ words, unit }) {
  return words > WORDS[1] * unit;
}

/** Whether each of these trees is no higher than the frame, and no board wider than its column.
 * @param {Frame} frame @param {Drawn[]} trees */
export function fits(frame, trees) {
  return frame.board + frame.words + 2 * GAP <= frame.pitch && trees.every((tree) => extent(layOut(tree, frame), frame)[1] <= frame.height);
}

/** Where each visible node goes: depth from left to right, leaves below each other, what was pruned in one row.
 * @param {Drawn} tree @param {Frame} frame
 * @returns {Map<TreeNode, [number, number]>} in reading order */
export function layOut({ top, open }, frame) {
  /** @type {Map<TreeNode, [number, number]>} */
  const places = new Map();
  const sheet = { places, open, frame, above: top.depth, free: (isWide(frame) ? HEADS : NARROW_HEADS) * frame.unit };
  put(top, sheet);
  const spare = Math.max(0, frame.height - extent(places, frame)[1]) / 2;
  for (const place of places.values()) place[1] += spare;
  return places;
}

/** @typedef {{places: Map<TreeNode, [number, number]>, open: Set<TreeNode>, frame: Frame, above: number, free: number}}
 * Sheet above: the plies above the first column; free: the next row's top */

/** Places a node and all that is visible below it.
 * @param {TreeNode} node @param {Sheet} sheet @returns {number} the node's top */
function put(node, sheet) {
  const x = sheet.frame.left + (node.depth - sheet.above) * sheet.frame.pitch;
  sheet.places.set(node, [x, 0]);
  const children = sheet.open.has(node) ? node.children : [];
  const tops = children.filter(({ isPruned }) => !isPruned).map((child) => put(child, sheet));
  const pruned = children.filter(({ isPruned }) => isPruned);
  if (pruned.length) tops.push(putPruned(pruned, sheet));
  const top = tops.length ? (tops[0] + tops[tops.length - 1]) / 2 : newRow(node, sheet, 1);
  sheet.places.set(node, [x, top]);
  return top;
}

/** Places siblings that nobody looked at side by side: beside the last that was looked at where there is room.
 * @param {TreeNode[]} nodes @param {Sheet} sheet @returns {number} the top that a whole board would have there */
function putPruned(nodes, sheet) {
  const { frame: { board, left, pitch, words }, places, open } = sheet;
  const last = nodes[0].parent?.children.findLast(({ isPruned }) => !isPruned);
  const step = PRUNED * board + GAP / 2;
  const place = last && places.get(last);
  const aside = board + words;
  const isAside = place && last && !open.has(last) && words > 0 && aside + nodes.length * step <= pitch;
  const height = boardHeight(nodes[0], board);
  const x = left + (nodes[0].depth - sheet.above) * pitch + (isAside ? aside : 0);
  const top = isAside ? place[1] + (height * (1 - PRUNED)) / 2 : newRow(nodes[0], sheet, PRUNED);
  nodes.forEach((node, index) => places.set(node, [x + index * step, top]));
  return isAside ? place[1] : top - (height * (1 - PRUNED)) / 2;
}

/** @param {TreeNode} node @param {Sheet} sheet @param {number} share of a whole board's height @returns {number} its top */
function newRow(node, sheet, share) {
  const { board, unit, words } = sheet.frame;
  const top = sheet.free;
  const height = boardHeight(node, board) * share;
  const lines = share < 1 ? 0 : WORDS_HIGH * unit;
  sheet.free += GAP + (words ? Math.max(height, lines) : height + lines);
  return top;
}

/** @param {TreeNode} node @param {number} width of the board */
export function boardHeight({ position: { rules } }, width) {
  return (width * rules.rows) / (rules.layers * (rules.columns + 1) - 1);
}

/** The size of all that is drawn. @param {Map<TreeNode, [number, number]>} places @param {Frame} frame
 * @returns {[number, number]} */
export function extent(places, { board, left, pitch, unit, words }) {
  const [root] = places.keys();
  const most = (/** @type {0 | 1} */ way) => Math.max(...[...places.values()].map((place) => place[way]));
  const [height, lines] = [boardHeight(root, board), WORDS_HIGH * unit];
  const depth = Math.max(...[...places.keys()].map((node) => node.depth - root.depth));
  return [left + (depth + 1) * pitch, most(1) + GAP + (words ? Math.max(height, lines) : height + lines)];
}

/** @param {TreeNode} root @param {Set<TreeNode>} open @returns {TreeNode[]} */
function visible(root, open) {
  return [root, ...(open.has(root) ? root.children.flatMap((child) => visible(child, open)) : [])];
}
