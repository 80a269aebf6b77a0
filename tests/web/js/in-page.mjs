/** What tests ask of a page: each function is evaluated in it, alone. */

export const wrongPlaces = (least) => {
  const seen = (each) => each.checkVisibility({ visibilityProperty: true })
    && getComputedStyle(each).clipPath === "none" && !each.closest(".visually-hidden, .skip");
  const name = (each) => `${each.localName}${each.id ? "#" + each.id : ""}.${each.className?.baseVal ?? each.className}`
    + ` "${(each.ariaLabel ?? each.textContent).trim().slice(0, 30)}"`;
  const style = (each) => getComputedStyle(each);
  const up = (each) => (each ? [each, ...up(each.parentElement)] : []);
  // What scrolls or stays by itself lies over or beside the rest, and is looked at by itself.
  const layer = (each) => up(each).find((part) => part === document.body
    || ["sticky", "fixed"].includes(style(part).position)
    || part.matches("dialog, [popover]") || /auto|scroll/.test(style(part).overflow));
  const clip = (each, box) => up(each.parentElement).filter((part) => style(part).overflow !== "visible")
    .map((part) => part.getBoundingClientRect())
    .reduce((cut, part) => ({ left: Math.max(cut.left, part.left), top: Math.max(cut.top, part.top),
      right: Math.min(cut.right, part.right), bottom: Math.min(cut.bottom, part.bottom) }), box);
  const modal = document.querySelector("dialog[open]");
  const all = [...(modal ?? document.body).querySelectorAll("*")].filter(seen);
  const controls = all.filter((each) => each.matches("a, button, select, input, summary, textarea")
    && !each.matches("[type=radio].visually-hidden")).map((each) => {
    const held = each.matches("input") && each.closest("label");
    return held && seen(held) ? held : each;
  });
  const owns = (each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const texts = all.filter((each) => owns(each) && !each.closest("select, textarea, noscript, svg, .cell"));
  const wrong = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push(`the page is ${root.scrollWidth} wide`);
  for (const each of new Set(controls)) {
    const { width, height } = each.getBoundingClientRect();
    const isInText = each.matches("a") && each.closest("p, .atlas");
    if (!isInText && Math.min(width, height) < least) wrong.push(`${name(each)} is ${width} x ${height}`);
  }
  const boxes = (each) => {
    if (controls.includes(each)) return [each.getBoundingClientRect()];
    return [...each.childNodes].filter((node) => node.nodeType === 3).flatMap((node) => {
      const range = document.createRange();
      range.selectNode(node);
      return [...range.getClientRects()];
    });
  };
  const placed = [...new Set([...controls, ...texts])].flatMap((each) => boxes(each)
    .map((box) => ({ each, layer: layer(each), ...clip(each, box) }))
    .filter((box) => box.right - box.left > 1 && box.bottom - box.top > 1));
  for (const [at, a] of placed.entries()) {
    for (const b of placed.slice(at + 1)) {
      if (a.layer !== b.layer || a.each.contains(b.each) || b.each.contains(a.each)) continue;
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 2 && down > 4) wrong.push(`${name(a.each)} and ${name(b.each)} overlap by ${across} x ${down}`);
    }
  }
  for (const each of texts) {
    const scrolls = up(each).some((part) => /auto|scroll/.test(style(part).overflowX) && part !== root);
    for (const box of boxes(each)) {
      if (!scrolls && (box.left < -0.5 || box.right > innerWidth + 0.5)) wrong.push(`${name(each)} leaves the window`);
    }
    const held = up(each).find((part) => part.matches("button, td, th, .card, .chip, label.switch, summary"));
    if (!held) continue;
    const around = held.getBoundingClientRect();
    for (const box of boxes(each)) {
      if (box.right > around.right + 1 || box.left < around.left - 1 || box.bottom > around.bottom + 3) {
        wrong.push(`${name(each)} leaves ${name(held)}`);
      }
    }
  }
  for (const each of all) {
    const { overflowX, overflowY, textOverflow } = style(each);
    if (each.closest("svg, .visually-hidden, .board")) continue;
    if (/hidden|clip/.test(overflowX) && each.scrollWidth > each.clientWidth + 1) wrong.push(`${name(each)} is cut`);
    if (textOverflow === "ellipsis") wrong.push(`${name(each)} may be shortened`);
  }
  const rows = (parts) => new Set([...document.querySelectorAll(parts)].filter(seen)
    .map((each) => Math.round(each.getBoundingClientRect().top))).size;
  for (const parts of [".top nav a", ".lessons li"]) if (rows(parts) > 1) wrong.push(`${parts} in ${rows(parts)} rows`);
  const [mark, keys] = [".wordmark", "#keys"].map((part) => document.querySelector(part)?.getBoundingClientRect());
  if (keys?.width && keys.top > mark.bottom) wrong.push("the settings are in another row");
  const names = controls.filter((each) => !each.matches(".atlas a, .move, label, select, input"))
    .map((each) => (each.ariaLabel ?? each.innerText).trim()).filter(Boolean);
  const twice = names.filter((each, at) => names.indexOf(each) !== at);
  if (twice.length) wrong.push(`twice: ${twice}`);
  return [...new Set(wrong)];
};

export const layoutShifts = () => new Promise((done) => {
  const found = [];
  new PerformanceObserver((list) => found.push(...list.getEntries())).observe({ type: "layout-shift", buffered: true });
  const where = ({ sources }) => sources.map(({ node }) => node?.id || node?.className || node?.localName);
  const unasked = () => found.filter((each) => !each.hadRecentInput).map((each) => [each.value, ...where(each)]);
  setTimeout(() => done(unasked()), 2000);
});

export const contrasts = () => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const parts = [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const of = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
  const grounds = { tiles: [["#board .tile", "fill"]], discs: [["#board .well", "fill"]],
    stones: [["stop.wood-light", "stopColor"], ["stop.wood-deep", "stopColor"]] };
  const board = grounds[document.querySelector("#board").dataset.skin].map(([where, name]) => of(where, name));
  const [fill, edge] = [of(".badge.grade circle", "fill"), of(".badge.grade circle", "stroke")];
  const graph = of(".graph", "backgroundColor");
  const edgeOfArea = contrast(of(".graph .outline", "stroke"), graph);
  const area = (side) => Math.max(contrast(of(`.graph .for-${side}`, "fill"), graph), edgeOfArea);
  return {
    ring: Math.min(...board.map((ground) => contrast(of(".better-ring circle", "stroke"), ground))),
    badge: Math.min(...board.map((ground) => Math.max(contrast(fill, ground), contrast(edge, ground)))),
    sign: contrast(of(".badge.grade text", "fill"), fill),
    x: area("x"), o: area("o"),
    cursor: contrast(of(".graph .shown", "stroke"), graph),
    legend: ["x", "o"].every((side) =>
      of(`.swatch.for-${side}`, "backgroundColor") === of(`.graph .for-${side}`, "fill")),
  };
};

export const places = () => {
  const parts = document.querySelectorAll("#board .cell, .player :is(select, button), .foot button, #status,"
    + " #running, #again, .along input, .top a, .top button");
  const seen = [...parts, document.querySelector(".wordmark svg")].filter((part) => part.checkVisibility());
  return seen.map((part) => {
    const { left, top, right, bottom } = part.getBoundingClientRect();
    return [part.dataset.cell ?? part.id ?? "", left, top, right, bottom];
  });
};

export const allOnTop = (part) => [...part.querySelectorAll("button")].filter((each) => each.checkVisibility())
  .every((each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return each.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });

export const listsCutOff = () => [...document.querySelectorAll(".player select")].filter((list) => {
  const { width } = list.getBoundingClientRect();
  list.style.position = "fixed";
  return list.getBoundingClientRect().width > width + 0.5;
}).length;

export const streamWithoutEnd = (path) => {
  const real = window.fetch;
  window.fetch = async (asked, options) => {
    if (asked !== path) return real(asked, options);
    const body = new ReadableStream({ start: (stream) => {
      window.tell = (event, data) => stream.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${data}\n\n`));
    } });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
};

/** Answers to one path are kept, also where the page takes its request back, until `letGo`. */
export const holdBack = (held) => {
  const real = window.fetch;
  window.held = [];
  window.fetch = async (path, options = {}) => {
    if (path !== held) return real(path, options);
    const response = await real(path, { ...options, signal: undefined });
    if (window.held) await new Promise((resolve) => window.held.push(resolve));
    return response;
  };
};

export const letGo = async () => {
  for (const resolve of window.held.splice(0)) resolve();
  await new Promise((resolve) => setTimeout(resolve, 500));
};

export const countSounds = () => {
  window.clicks = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { window.clicks += 1; start.call(this, at); };
};

export const textsShown = () => [...document.querySelectorAll("body *")].flatMap((each) => {
  if (!each.checkVisibility() || each.closest("code, input, option, [lang]:not(html)")) return [];
  const own = [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent);
  return [...own, each.getAttribute("aria-label"), each.title].filter(Boolean);
});

export const headPlaces = () => [...document.querySelectorAll(".top > *, .top a")].filter((each) => each.checkVisibility())
  .map((each) => each.getBoundingClientRect()).map(({ left, right }) => [left, right]);

export const timesOfMoves = async ([folder, moves]) => {
  const { createAnswers } = await import(`${folder}kinarow-answers.js`);
  const answers = await createAnswers({ baseUrl: folder });
  await answers.move({ game: "connect-four", moves: [], max_nodes: 1 });
  const times = [];
  for (const each of moves) {
    const began = performance.now();
    await answers.move({ game: "connect-four", moves: each });
    times.push(performance.now() - began);
  }
  return times;
};

export const reviews = async ([folder, games]) => {
  const { createAnswers } = await import(`${folder}kinarow-answers.js`);
  const answers = await createAnswers({ baseUrl: folder });
  const reviews = [];
  for (const game of games) reviews.push(await answers.review(game));
  return reviews;
};

export const boardDrawn = (parts) => document.querySelector("#board .drawing").getAttribute("viewBox").concat(
  ...[...document.querySelectorAll(`#board :is(${parts})`)].map((each) => each.outerHTML.replace(
    /[-\d.]+/g, (number) => isNaN(number) ? number : Math.round(number * 10) / 10)));
