/** Where each board of a game tree is drawn, so that the whole fits its frame, in pixels. */

/** The size of boards nobody looked at, as a part of the others. */
export const PRUNED = 0.5;
/** The sizes of boards at a zoom of 1 and a font of 16 pixels. */
const [SMALLEST, LARGEST] = [24, 120];
const GAP = 4;
/** The heights of heads of columns beside and below which words stand, the width of words, the height of two lines. */
const [HEADS, NARROW_HEADS, WORDS, WORDS_HIGH] = [26, 46, 124, 33];

/** What a tree is drawn in, and how: words stand beside their boards, or below them where columns are narrow.
 * @typedef {{width: number, height: number, unit: number, board: number, pitch: number, isBeside: boolean}} Frame
 * unit: of fonts, as a part of 16 pixels; board: its width; pitch: of columns */

/** The largest words and boards with which each of these trees is no larger than the frame.
 * @param {{width: number, height: number, unit: number}} room @param {number} least unit @param {TreeNode} root
 * @param {Set<TreeNode>[]} trees by the nodes that are open @returns {Frame} */
export function fit({ width, height, unit }, least, root, trees) {
  const columns = 1 + Math.max(...trees.flatMap((open) => visible(root, open).map(({ depth }) => depth)));
  const pitch = (width - GAP) / columns;
  const isBeside = pitch >= (SMALLEST + WORDS + 2 * GAP) * unit;
  /** @type {Frame} */
  const frame = { width, height, unit, pitch, isBeside, board: SMALLEST * unit };
  const most = Math.min(LARGEST * unit, pitch - 4 * GAP - (isBeside ? WORDS * unit : 0));
  const fits = () => trees.every((open) => extent(layOut(root, open, frame), frame)[1] <= height);
  if (!fits() && unit > least) return fit({ width, height, unit: Math.max(least, unit - 0.05) }, least, root, trees);
  while (frame.board + 1 < most && fits()) frame.board++;
  if (!fits() && frame.board > SMALLEST * unit) frame.board--;
  return frame;
}

/** Where each visible node goes: depth from left to right, leaves below each other, what was pruned in one row.
 * @param {TreeNode} root @param {Set<TreeNode>} open @param {Frame} frame
 * @returns {Map<TreeNode, [number, number]>} in reading order */
export function layOut(root, open, frame) {
  /** @type {Map<TreeNode, [number, number]>} */
  const places = new Map();
  const sheet = { places, open, frame, free: (frame.isBeside ? HEADS : NARROW_HEADS) * frame.unit };
  put(root, sheet);
  const spare = Math.max(0, frame.height - extent(places, frame)[1]) / 2;
  for (const place of places.values()) place[1] += spare;
  return places;
}

/** @typedef {{places: Map<TreeNode, [number, number]>, open: Set<TreeNode>, frame: Frame, free: number}} Sheet
 * free: the next row's top */

/** Places a node and all that is visible below it.
 * @param {TreeNode} node @param {Sheet} sheet @returns {number} the node's top */
function put(node, sheet) {
  const x = GAP + node.depth * sheet.frame.pitch;
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
  const { frame: { board, pitch, unit, isBeside }, places, open } = sheet;
  const last = nodes[0].parent?.children.findLast(({ isPruned }) => !isPruned);
  const step = PRUNED * board + GAP / 2;
  const place = last && places.get(last);
  const aside = board + WORDS * unit;
  const isAside = place && last && !open.has(last) && isBeside && aside + nodes.length * step <= pitch;
  const height = boardHeight(nodes[0], board);
  const x = GAP + nodes[0].depth * pitch + (isAside ? aside : 0);
  const top = isAside ? place[1] + (height * (1 - PRUNED)) / 2 : newRow(nodes[0], sheet, PRUNED);
  nodes.forEach((node, index) => places.set(node, [x + index * step, top]));
  return isAside ? place[1] : top - (height * (1 - PRUNED)) / 2;
}

/** @param {TreeNode} node @param {Sheet} sheet @param {number} share of a whole board's height @returns {number} its top */
function newRow(node, sheet, share) {
  const { board, unit, isBeside } = sheet.frame;
  const top = sheet.free;
  const height = boardHeight(node, board) * share;
  const words = WORDS_HIGH * unit;
  sheet.free += GAP + (isBeside ? Math.max(height, share < 1 ? 0 : words) : height + (share < 1 ? 0 : words));
  return top;
}

/** @param {TreeNode} node @param {number} width of the board */
export function boardHeight({ position: { rules } }, width) {
  return (width * rules.rows) / (rules.layers * (rules.columns + 1) - 1);
}

/** The size of all that is drawn. @param {Map<TreeNode, [number, number]>} places @param {Frame} frame
 * @returns {[number, number]} */
export function extent(places, { board, pitch, unit, isBeside }) {
  const [root] = places.keys();
  const most = (/** @type {0 | 1} */ way) => Math.max(...[...places.values()].map((place) => place[way]));
  const [height, words] = [boardHeight(root, board), WORDS_HIGH * unit];
  const depth = Math.max(...[...places.keys()].map((node) => node.depth));
  return [(depth + 1) * pitch, most(1) + GAP + (isBeside ? Math.max(height, words) : height + words)];
}

/** @param {TreeNode} root @param {Set<TreeNode>} open @returns {TreeNode[]} */
function visible(root, open) {
  return [root, ...(open.has(root) ? root.children.flatMap((child) => visible(child, open)) : [])];
}
