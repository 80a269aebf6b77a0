/** Draws a position onto a canvas, to be copied or kept as a picture. */

import { columnName, isNumbered, layerName, rowName, skinOf } from "../shared/notation.js";
import { BLOCKED, EMPTY } from "../shared/rules.js";
import { UNIT, centre as place, cornerOf, eachCell, isBeside, layoutOf } from "./pieces.js";
/** @import { Position, Rules } from "../shared/rules.js" */

const CELL = 48;
const SCALE = CELL / UNIT;
const MARGIN = 34;
const EDGE = 12;
const INK = "#23262e";

/** The colours of each kind of board: ground, lines, and the two sides' marks. */
const COLOURS = {
  tiles: { ground: "#fffdf9", lines: "#8d877b", X: "#c2452d", O: "#1c6b86" },
  discs: { ground: "#33527c", lines: "#e9e3d7", X: "#cf4c30", O: "#f0bf4c" },
  stones: { ground: "#e4bd7c", lines: "#6b4c21", X: "#1a1c20", O: "#ffffff" },
};

/** @param {Position} position @param {number[][]} lines completed lines, which are drawn through
 * @returns {Promise<Blob>} a PNG */
export function drawPicture(position, lines) {
  const { rules } = position;
  const canvas = document.createElement("canvas");
  const { width, height } = layoutOf(rules);
  canvas.width = MARGIN + width * SCALE + EDGE;
  canvas.height = EDGE + height * SCALE + (rules.layers > 1 ? 2 : 1) * MARGIN;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const colours = COLOURS[skinOf(rules)];
  pen.fillStyle = skinOf(rules) === "discs" ? "#ffffff" : colours.ground;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.translate(MARGIN, EDGE);
  for (let layer = 0; layer < rules.layers; layer++) drawLayer(pen, rules, layer, colours);
  [...position.cells].forEach((mark, cell) => mark !== EMPTY && drawMark(pen, rules, cell, mark, colours));
  for (const line of lines) drawLine(pen, rules, line);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}

/** The board of one layer without marks.
 * @param {CanvasRenderingContext2D} pen @param {Rules} rules @param {number} layer
 * @param {typeof COLOURS.tiles} colours */
function drawLayer(pen, rules, layer, colours) {
  const [left, top] = cornerOf(rules, layer);
  pen.save();
  pen.translate(left * SCALE, top * SCALE);
  drawLabels(pen, rules);
  if (rules.layers > 1) pen.fillText(layerName(layer), (rules.columns * CELL) / 2, rules.rows * CELL + 1.4 * MARGIN);
  drawBoard(pen, { ...rules, layers: 1 }, colours);
  drawEdges(pen, rules);
  pen.restore();
}

/** @param {CanvasRenderingContext2D} pen @param {Rules} rules */
function drawLabels(pen, rules) {
  pen.fillStyle = INK;
  pen.font = "16px sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const below = rules.rows * CELL + MARGIN / 2;
  for (let i = 0; i < rules.columns; i++) pen.fillText(columnName(rules, i), (i + 0.5) * CELL, below);
  if (isNumbered(rules)) return;
  for (let i = 0; i < rules.rows; i++) pen.fillText(rowName(rules, i), -MARGIN / 2, (i + 0.5) * CELL);
}

/** @param {CanvasRenderingContext2D} pen @param {Rules} rules @param {typeof COLOURS.tiles} colours */
function drawBoard(pen, rules, colours) {
  const { rows, columns } = rules;
  const skin = skinOf(rules);
  pen.fillStyle = colours.ground;
  pen.fillRect(0, 0, columns * CELL, rows * CELL);
  pen.strokeStyle = colours.lines;
  pen.lineWidth = 1.5;
  // Stones lie on the crossings of lines, other marks between them.
  const inset = skin === "stones" ? CELL / 2 : 0;
  const [right, bottom] = [columns * CELL - inset, rows * CELL - inset];
  if (skin === "discs") return eachCell(rules, (x, y) => disc(pen, [x * SCALE, y * SCALE], 0.4, colours.lines));
  pen.beginPath();
  for (let x = inset; x <= right; x += CELL) line(pen, [x, inset], [x, bottom]);
  for (let y = inset; y <= bottom; y += CELL) line(pen, [inset, y], [right, y]);
  return pen.stroke();
}

/** Joined edges. @param {CanvasRenderingContext2D} pen @param {Rules} rules */
function drawEdges(pen, rules) {
  const [width, height] = [rules.columns * CELL, rules.rows * CELL];
  pen.setLineDash([9, 7]);
  pen.strokeStyle = INK;
  pen.lineWidth = 4;
  pen.beginPath();
  if (rules.wrap === "rows" || rules.wrap === "both") for (const x of [0, width]) line(pen, [x, 0], [x, height]);
  if (rules.wrap === "columns" || rules.wrap === "both") for (const y of [0, height]) line(pen, [0, y], [width, y]);
  pen.stroke();
  pen.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} pen @param {Rules} rules @param {number} cell @param {string} mark
 * @param {typeof COLOURS.tiles} colours */
function drawMark(pen, rules, cell, mark, colours) {
  const [x, y] = centre(rules, cell);
  const colour = mark === "X" ? colours.X : colours.O;
  pen.fillStyle = colours.lines;
  if (mark === BLOCKED) return pen.fillRect(x - CELL / 2, y - CELL / 2, CELL, CELL);
  if (skinOf(rules) !== "tiles") return disc(pen, [x, y], 0.42, colour);
  const reach = 0.26 * CELL;
  pen.strokeStyle = colour;
  pen.lineWidth = 6;
  pen.lineCap = "round";
  pen.beginPath();
  if (mark === "O") pen.arc(x, y, reach, 0, 2 * Math.PI);
  else {
    line(pen, [x - reach, y - reach], [x + reach, y + reach]);
    line(pen, [x + reach, y - reach], [x - reach, y + reach]);
  }
  return pen.stroke();
}

/** @param {CanvasRenderingContext2D} pen @param {Rules} rules @param {number[]} cells */
function drawLine(pen, rules, cells) {
  pen.lineCap = "round";
  for (const [width, colour] of /** @type {const} */ ([[9, "#ffffff"], [4, INK]])) {
    pen.lineWidth = width;
    pen.strokeStyle = colour;
    pen.beginPath();
    cells.forEach((cell, at) => {
      const before = cells[Math.max(0, at - 1)];
      const from = isBeside(place(rules, before), place(rules, cell)) ? before : cell;
      line(pen, centre(rules, from), centre(rules, cell));
    });
    pen.stroke();
  }
}

/** @param {CanvasRenderingContext2D} pen @param {number[]} at @param {number} size of a cell @param {string} colour */
function disc(pen, [x, y], size, colour) {
  pen.fillStyle = colour;
  pen.strokeStyle = "#0005";
  pen.lineWidth = 1;
  pen.beginPath();
  pen.arc(x, y, size * CELL, 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
}

/** @param {CanvasRenderingContext2D} pen @param {number[]} from @param {number[]} to */
function line(pen, from, to) {
  pen.moveTo(from[0], from[1]);
  pen.lineTo(to[0], to[1]);
}

/** @param {Rules} rules @param {number} cell */
function centre(rules, cell) {
  return place(rules, cell).map((length) => length * SCALE);
}
