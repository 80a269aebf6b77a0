/** The moves of a game as a tree: at each point the first branch is the main line, the others are variations. */

/** The branches with this line among them; what is new comes last.
 * @param {Branch[]} tree @param {number[]} line @returns {Branch[]} */
export function withLine(tree, [cell, ...rest]) {
  if (cell === undefined) return tree;
  const at = tree.findIndex((branch) => branch.cell === cell);
  if (at < 0) return [...tree, { cell, next: withLine([], rest) }];
  const next = withLine(tree[at].next, rest);
  return next === tree[at].next ? tree : tree.with(at, { cell, next });
}

/** A path and the moves that follow it, each time by the first branch.
 * @param {Branch[]} tree @param {number[]} path @returns {number[]} */
export function lineThrough(tree, path) {
  const [cell, ...rest] = path;
  const branch = path.length ? tree.find((each) => each.cell === cell) : tree[0];
  return branch ? [branch.cell, ...lineThrough(branch.next, rest)] : [];
}

/** The last branch of a path that is not the first comes first. @param {Branch[]} tree @param {number[]} path
 * @returns {Branch[]} the same tree where the path is the main line */
export function promoted(tree, [cell, ...rest]) {
  const at = tree.findIndex((each) => each.cell === cell);
  if (at < 0) return tree;
  const next = promoted(tree[at].next, rest);
  if (next !== tree[at].next) return tree.with(at, { cell, next });
  return at === 0 ? tree : [tree[at], ...tree.toSpliced(at, 1)];
}

/** Without the last move of a path and all that follows it.
 * @param {Branch[]} tree @param {number[]} path @returns {Branch[]} */
export function without(tree, [cell, ...rest]) {
  if (!rest.length) return tree.filter((each) => each.cell !== cell);
  return tree.map((each) => (each.cell === cell ? { cell, next: without(each.next, rest) } : each));
}

/** @param {Branch[]} tree @returns {boolean} */
export function isForked(tree) {
  return tree.length > 1 || (tree.length > 0 && isForked(tree[0].next));
}

/** The tree as text, each variation in parentheses after the move that it replaces: 445(32)3.
 * @param {Branch[]} tree @param {(cell: number) => string} name of a move @param {string} between moves
 * @returns {string} */
export function treeText([main, ...others], name, between) {
  if (!main) return "";
  const of = (/** @type {Branch} */ branch) => [name(branch.cell), treeText(branch.next, name, between)];
  const aside = others.map((branch) => `(${of(branch).filter(Boolean).join(between)})`);
  const [first, rest] = of(main);
  return [first, ...aside, rest].filter(Boolean).join(between);
}
