"""Every state of the page at every size: nothing overlaps, no text is cut, all can be hit, nothing scrolls sideways."""

import pytest

from tests.web.table import expect

SIZES = [(1366, 650), (1366, 768), (1300, 850), (1920, 1080), (1024, 768), (390, 844), (320, 640), (844, 390)]

by_size = "{0[0]}x{0[1]}".format

WRONG = """(least) => {
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
}"""


def as_it_is(table):
    pass


def reviewed(table):
    table.page.locator("#review").click()
    expect(table.page.locator("#statistics")).to_be_visible()
    table.page.locator("#move-back").click()


def thought_about(table):
    table.think_along()


def a_puzzle(table):
    table.page.locator("#to-puzzles").click()
    expect(table.page.locator("#puzzle .next button").first).to_be_visible()


def a_lesson(table):
    expect(table.page.get_by_role("treeitem").first).to_be_visible()


def the_editor(table):
    table.page.keyboard.press("e")
    expect(table.page.locator("#editor")).to_be_visible()


def a_game_of_ones_own(table):
    table.page.locator("#new-game").click()
    table.page.locator("input[value=custom]").check()


def the_settings(table):
    table.page.locator("#keys").click()


def the_atlas(table):
    table.page.goto(f"{table.url}atlas")


def the_api(table):
    table.page.goto(f"{table.url}docs")
    expect(table.page.locator(".opblock").first).to_be_visible()


STATES = {
    "first visit": ("", as_it_is),
    "game": ("game=gomoku&moves=h8h7i9i7g7j10&you=both", as_it_is),
    "values": ("game=tic-tac-toe&moves=b2&you=both", thought_about),
    "layers": ("game=qubic&moves=1.64&you=both", thought_about),
    "review": ("game=connect-four&moves=44533345&you=both", reviewed),
    "end": ("game=tic-tac-toe&moves=1.4.2.5.3&you=X", as_it_is),
    "puzzle": ("", a_puzzle),
    "learn": ("view=learn", a_lesson),
    "editor": ("game=connect-four&moves=44", the_editor),
    "own game": ("", a_game_of_ones_own),
    "settings": ("", the_settings),
    "atlas": ("", the_atlas),
}


@pytest.mark.parametrize(
    ("state", "language"),
    [
        *((state, "en") for state in STATES),
        *((state, each) for state in ("game", "learn") for each in ("fr", "es", "ja")),
    ],
)
def test_a_state_is_whole_at_every_size(sit_down, state, language):
    link, act = STATES[state]
    table = sit_down(link, locale=language)
    act(table)
    found = {}
    for width, height in SIZES:
        table.page.set_viewport_size({"width": width, "height": height})
        table.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if wrong := table.page.evaluate(WRONG, 24):
            found[f"{width}x{height}"] = wrong
    assert found == {}


SHIFTS = """() => new Promise((done) => {
  const found = [];
  new PerformanceObserver((list) => found.push(...list.getEntries())).observe({ type: "layout-shift", buffered: true });
  const where = ({ sources }) => sources.map(({ node }) => node?.id || node?.className || node?.localName);
  const unasked = () => found.filter((each) => !each.hadRecentInput).map((each) => [each.value, ...where(each)]);
  setTimeout(() => done(unasked()), 2000);
})"""
ARRIVALS = {
    "first visit": ("", {}),
    "link": ("game=gomoku&moves=h8h7i9&you=both", {}),
    "think along": ("", {"kinarow.along": "on"}),
}


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 650), (390, 844)], ids=by_size)
@pytest.mark.parametrize("arrival", ARRIVALS)
def test_nothing_moves_while_the_page_arrives(sit_down, arrival, size):
    """The sum of layout shifts from the first paint to two seconds after all is there."""
    link, kept = ARRIVALS[arrival]
    table = sit_down(size=size, still=False)
    table.page.evaluate("(kept) => Object.assign(localStorage, kept)", kept)
    table.page.goto("about:blank")
    table.open(link)
    shifts = table.page.evaluate(SHIFTS)
    assert sum(value for value, *_ in shifts) < 0.001, shifts


@pytest.mark.parametrize("size", [(844, 390), (320, 640)], ids=by_size)
def test_gomoku_opens_with_its_coordinates(sit_down, size):
    table = sit_down("game=gomoku", size=size)
    frame = table.page.locator("#board-frame").bounding_box()
    letters = table.page.locator("#board .coordinates text")
    for name in ("a", "1"):
        box = letters.get_by_text(name, exact=True).first.bounding_box()
        assert frame["x"] <= box["x"]
        assert box["y"] + box["height"] <= frame["y"] + frame["height"] + 1


@pytest.mark.parametrize("size", [(1366, 650), (390, 844)], ids=by_size)
def test_labels_of_a_tree_stay_at_their_boards(sit_down, size):
    """They are as wide as their boards or nearly so, and cover the branches that pass below them."""
    table = sit_down("view=learn&lesson=3&step=24", size=size)
    expect(table.page.locator(".explain .count")).to_contain_text("24")
    for node in table.page.locator(".node:not(.pruned)").all():
        board, label = node.locator(".mini").bounding_box(), node.locator(".worth").bounding_box()
        if board and label:
            assert abs(board["x"] + board["width"] / 2 - label["x"] - label["width"] / 2) <= 1
            assert label["width"] <= board["width"] + 40
