/** Where each board of a game tree is drawn, in units before any zoom. */

export const BOARD = 66;
const LABEL = 22;
const GAP_X = 46;
/** How much wider a gap may be. */
const WIDEST = 160;
const GAP_Y = 12;
/** The size of boards nobody looked at, as a part of the others. */
export const PRUNED = 0.62;

/** Where each visible node goes: depth from left to right, leaves below each other, what was pruned in one row.
 * @param {TreeNode} root @param {Set<TreeNode>} expanded
 * @param {number} [width] that it may take, by wider gaps between the columns
 * @returns {Map<TreeNode, [number, number]>} in reading order */
export function layOut(root, expanded, width = 0) {
  /** @type {Map<TreeNode, [number, number]>} */
  const places = new Map();
  put(root, { places, expanded, height: boardHeight(root), free: GAP_Y });
  const steps = Math.max(1, ...[...places.keys()].map(({ depth }) => depth));
  const wider = Math.max(0, Math.min(WIDEST, (width - extent(places)[0]) / steps));
  for (const [node, place] of places) place[0] += node.depth * wider;
  return places;
}

/** @typedef {{places: Map<TreeNode, [number, number]>, expanded: Set<TreeNode>, height: number, free: number}} Sheet
 * free: the next row's top */

/** Places a node and all that is visible below it.
 * @param {TreeNode} node @param {Sheet} sheet @returns {number} the node's top */
function put(node, sheet) {
  const x = GAP_Y + node.depth * (BOARD + GAP_X);
  sheet.places.set(node, [x, 0]);
  const children = sheet.expanded.has(node) ? node.children : [];
  const tops = children.filter(({ isPruned }) => !isPruned).map((child) => put(child, sheet));
  const pruned = children.filter(({ isPruned }) => isPruned);
  if (pruned.length) tops.push(putPruned(pruned, sheet));
  const top = tops.length ? (tops[0] + tops[tops.length - 1]) / 2 : newRow(sheet, 1);
  sheet.places.set(node, [x, top]);
  return top;
}

/** Places siblings that nobody looked at side by side. @param {TreeNode[]} nodes @param {Sheet} sheet */
function putPruned(nodes, sheet) {
  const x = GAP_Y + nodes[0].depth * (BOARD + GAP_X);
  const top = newRow(sheet, PRUNED);
  nodes.forEach((node, index) => sheet.places.set(node, [x + index * (BOARD * PRUNED + GAP_Y / 2), top]));
  // As if it were a whole board, so that the parent stands at the middle.
  return top - (sheet.height * (1 - PRUNED)) / 2;
}

/** @param {Sheet} sheet @param {number} share of a whole board's height @returns {number} its top */
function newRow(sheet, share) {
  const top = sheet.free;
  sheet.free += sheet.height * share + LABEL + GAP_Y;
  return top;
}

/** @param {TreeNode} root */
export function boardHeight({ position: { rules } }) {
  return (BOARD * rules.rows) / (rules.layers * (rules.columns + 1) - 1);
}

/** @param {Map<TreeNode, [number, number]>} places @returns {[number, number]} */
export function extent(places) {
  const [root] = places.keys();
  const most = (/** @type {0 | 1} */ way) => Math.max(...[...places.values()].map((place) => place[way]));
  return [most(0) + BOARD + GAP_X, most(1) + boardHeight(root) + LABEL + GAP_Y];
}
