/** Makes a picture of the board as it is seen, to be copied or kept. */

/** The longer side. */
const SIZE_PX = 1000;
/** What style sheets decide of a drawing. */
const STYLES = ["display", "fill", "fill-opacity", "opacity", "stroke", "stroke-dasharray", "stroke-dashoffset",
  "stroke-linecap", "stroke-opacity", "stroke-width", "stop-color", "font-family", "font-weight"];

/** @param {SVGSVGElement} drawing @returns {Promise<Blob>} a PNG */
export async function pictureOf(drawing) {
  const { width, height } = drawing.viewBox.baseVal;
  const copy = plain(drawing);
  copy.prepend(plain(/** @type {SVGElement} */ (document.querySelector(".sprite defs"))));
  const scale = SIZE_PX / Math.max(width, height);
  const image = new Image(width * scale, height * scale);
  copy.setAttribute("width", String(image.width));
  copy.setAttribute("height", String(image.height));
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}

/** A copy that looks the same without style sheets. @template {SVGElement} E @param {E} element @returns {E} */
function plain(element) {
  const copy = /** @type {E} */ (element.cloneNode(true));
  const copies = [copy, ...copy.querySelectorAll("*")];
  [element, ...element.querySelectorAll("*")].forEach((each, at) => {
    const style = getComputedStyle(each);
    for (const name of STYLES) copies[at].setAttribute(name, style.getPropertyValue(name));
    if (each.localName === "circle") copies[at].setAttribute("r", style.r);
  });
  return copy;
}
