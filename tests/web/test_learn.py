"""The game tree: examples, steps, keys, zoom."""

import re

import pytest

from tests.web.table import eventually, expect

LEARN = "view=learn"


def items(table):
    return table.page.get_by_role("treeitem")


def open_learn(sit_down, link=LEARN, **how):
    table = sit_down(link, **how)
    items(table).first.wait_for()
    return table


def open_lesson(sit_down, lesson="Skip what cannot matter", steps=60):
    table = open_learn(sit_down)
    table.press(lesson)
    table.page.get_by_text(f"Step 1 of {steps}").wait_for()
    table.press("Last step")
    return table


@pytest.mark.everyday
def test_the_lesson_begins_with_plain_minimax(sit_down):
    table = open_learn(sit_down)
    expect(table.page.get_by_text("Step 1 of 22")).to_be_visible()
    expect(table.page.get_by_role("switch", name="Skip what cannot matter")).not_to_be_checked()
    expect(items(table).locator(".worth", has_text=re.compile("win"))).to_have_count(0)
    expect(items(table), "a small game is shown as a whole").to_have_count(11)


def test_the_steps_play_by_themselves_until_they_are_stopped(sit_down):
    table = open_learn(sit_down)
    table.press("Play the steps")
    table.page.get_by_text("Step 3 of 22").wait_for()
    table.press("Pause")
    step = table.page.locator(".explain .count").inner_text()
    table.page.wait_for_timeout(1500)
    expect(table.page.locator(".explain .count")).to_have_text(step)


def test_a_search_that_stops_early_says_what_it_estimates_and_the_doomed_player_puts_off_the_loss(sit_down):
    table = open_lesson(sit_down, "Stop early and estimate", 24)
    expect(table.page.get_by_label("Look ahead")).to_have_value("2")
    table.page.locator(".node", has_text="−0.005").first.click()
    table.page.get_by_label("Look ahead").select_option("1")
    table.page.get_by_text("1 of 6", exact=True).wait_for()
    table.page.get_by_role("button", name="Last step").click()
    expect(table.page.get_by_role("heading", name="Best: a3, win in 1")).to_be_visible()
    table.press("Win soon, lose late")
    table.page.get_by_text("1 of 49").wait_for()
    table.page.get_by_text("194", exact=True).wait_for()
    table.press("Last step")
    table.page.get_by_role("heading", name="Best: b3, loss in 4").wait_for()


def test_every_example_opens(sit_down):
    table = open_learn(sit_down)
    for example in ("Holding the draw", "Upside down", "Stones that fall"):
        table.press(example)
        table.page.get_by_role("button", name=example, pressed=True).wait_for()
        table.page.get_by_text("Step 1 of").wait_for()
        table.press("Last step")
        table.page.locator(".node.best").nth(1).wait_for()


def test_branches_that_pruning_skips_are_greyed_out(sit_down):
    table = open_lesson(sit_down)
    expect(table.page.get_by_role("heading", name="Best: b2, win in 3")).to_be_visible()
    expect(items(table).filter(has_text="loss in 2").nth(1)).to_be_visible()
    expect(table.page.locator(".node.best")).to_have_count(4)
    expect(table.page.locator(".node.pruned")).to_have_count(4)
    expect(table.page.get_by_role("treeitem", name=re.compile("never looked at"))).to_have_count(4)
    table.page.get_by_role("switch", name="Skip what cannot matter").uncheck()
    table.page.get_by_text("1 of 45", exact=True).wait_for()
    table.press("Last step")
    expect(table.page.locator(".node.pruned")).to_have_count(0)


FONT_SIZE = "(text) => parseFloat(getComputedStyle(text).fontSize)"
SMALL = """() => [...document.querySelectorAll("#learn-view *, .top a")].filter((each) =>
  each.checkVisibility() && [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())
  && parseFloat(getComputedStyle(each).fontSize) < 14).map((each) => each.textContent)"""


def test_words_can_be_read_and_next_stays_where_it_is(sit_down):
    table = open_lesson(sit_down)
    table.page.set_viewport_size({"width": 1024, "height": 768})
    assert table.page.evaluate(SMALL) == []
    place = table.page.locator("#step-next").bounding_box()
    tree, caption = (table.page.locator(part).bounding_box() for part in ("#tree", "#step-title"))
    assert tree["y"] + tree["height"] <= caption["y"]
    table.press("First step")
    for _ in range(30):
        table.press("Next")
        assert table.page.locator("#step-next").bounding_box() == place
    size = table.page.locator("#step-text").evaluate(FONT_SIZE)
    table.page.get_by_role("switch", name="For a projector").check()
    eventually(lambda: table.page.locator("#step-text").evaluate(FONT_SIZE) >= 1.3 * size)
    eventually(lambda: table.page.evaluate("document.documentElement.scrollHeight") <= 768)


def test_the_tree_is_walked_by_keyboard(sit_down):
    table = open_lesson(sit_down)
    keys = table.page.keyboard
    current = table.page.locator("[role=treeitem][aria-selected=true]")
    current.focus()
    keys.press("ArrowRight")
    expect(current).to_have_attribute("aria-level", "2")
    expect(current).to_have_text(re.compile("^X to a2, loss in 2"))
    for _ in range(4):
        keys.press("ArrowDown")
    expect(current).to_have_text(re.compile("^X to b2, win in 3"))
    expect(current).to_have_attribute("aria-expanded", "true")
    keys.press("ArrowLeft")
    expect(current).to_have_attribute("aria-expanded", "false")
    keys.press("Enter")
    expect(current).to_have_attribute("aria-expanded", "true")
    keys.press("ArrowRight")
    expect(current).to_have_attribute("aria-level", "3")
    keys.press("Home")
    expect(current).to_have_attribute("aria-level", "1")
    expect(current).to_be_focused()


def test_the_drawing_can_be_made_larger_and_smaller_and_opened_as_a_whole(sit_down):
    table = open_lesson(sit_down)
    root = items(table).and_(table.page.locator("[aria-level='1']"))
    width, few = root.bounding_box()["width"], items(table).count()
    table.press("Larger")
    eventually(lambda: root.bounding_box()["width"] > width)
    root.focus()
    table.page.keyboard.press("-")
    table.page.keyboard.press("-")
    eventually(lambda: root.bounding_box()["width"] < width)
    table.press("Open all")
    expect(items(table).nth(few)).to_be_visible()
    table.press("Open all")
    expect(items(table)).to_have_count(few)


def test_the_position_being_played_can_be_looked_into(sit_down):
    table = open_learn(sit_down, "game=tic-tac-toe&moves=1.5.9.2&x=you&o=you&view=learn")
    table.press("The position I am playing")
    table.page.get_by_text("Tic-tac-toe: X to move, 5 empty cells.").wait_for()
    table.page.get_by_role("link", name="Play").click()
    table.expect_board(["XO.", ".O.", "..X"])
    table = open_learn(sit_down, "game=connect-four&x=you&o=you&view=learn")
    table.page.get_by_role("button", name="The position I am playing").click(force=True)
    expect(table.page.get_by_text("That position has 42 empty cells")).to_be_visible()


def test_a_remote_leads_through_a_lesson_and_the_address_leads_back_to_its_step(sit_down):
    table = open_learn(sit_down, f"{LEARN}&lesson=2&step=7")
    count = table.page.locator(".explain .count")
    expect(count).to_have_text("Step 7 of 60")
    for key, step in (("PageDown", 8), ("ArrowRight", 9), (" ", 10), ("PageUp", 9), ("ArrowLeft", 8)):
        table.page.keyboard.press(key)
        expect(count).to_have_text(f"Step {step} of 60")
    table.expect_link("view=learn&lesson=2&step=8")
    table.page.keyboard.press("End")
    expect(count).to_have_text("Step 60 of 60")
    table.reload()
    expect(count).to_have_text("Step 60 of 60")
    table.page.keyboard.press("Home")
    expect(count).to_have_text("Step 1 of 60")
    table.page.get_by_role("button", name="Win soon, lose late").click()
    table.expect_link("view=learn&lesson=4&step=1")


@pytest.mark.parametrize("size", [(1300, 850), (1280, 720), (1024, 768)], ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize("lesson", [1, 2, 3])
def test_for_a_projector_boards_grow_and_captions_have_28_pixels(sit_down, lesson, size):
    table = open_learn(sit_down, f"{LEARN}&lesson={lesson}&step=99", size=size)
    width = lambda: table.page.locator("[aria-level='1'] .mini").bounding_box()["width"]  # noqa: E731
    before = width()
    table.page.get_by_role("switch", name="For a projector").check()
    eventually(lambda: width() >= max(110, before))
    assert table.page.locator("#step-text").evaluate(FONT_SIZE) == 28
    frame = table.page.locator("#tree").bounding_box()["height"]
    boards = [node.bounding_box() for node in items(table).all()]
    assert max(box["y"] + box["height"] for box in boards) - min(box["y"] for box in boards) >= 0.7 * frame


def test_a_printed_lesson_is_one_sheet_with_the_tree_and_its_legend(sit_down):
    table = open_learn(sit_down, f"{LEARN}&lesson=2&step=60")
    expect(table.page.locator(".node.best").first).to_be_visible()
    table.page.emulate_media(media="print")
    expect(table.page.locator(":is(button, input, select, nav)").locator("visible=true")).to_have_count(0)
    expect(table.page.locator("#learn-view .legend")).to_be_visible()
    assert table.page.locator(".sheet-holder").evaluate("(sheet) => sheet.getBoundingClientRect().width") <= 1001
    assert len(re.findall(rb"/Type\s*/Page\b", table.page.pdf(prefer_css_page_size=True))) == 1


SIZES = [(1366, 650), (1366, 768), (1024, 768), (1920, 1080), (390, 844), (320, 640), (844, 390)]
SIZES_OF_TREE = """(tree) => [tree.scrollWidth <= tree.clientWidth, tree.scrollHeight <= tree.clientHeight,
  ...[[".node:not(.spare) .mini", (each) => each.getBoundingClientRect().width >= 20],
    [".worth", (each) => parseFloat(getComputedStyle(each).fontSize) >= 12]]
    .map(([part, isLarge]) => [...tree.querySelectorAll(part)].every(isLarge)),
  tree.getBoundingClientRect().bottom <= document.querySelector(".explain").getBoundingClientRect().bottom,
  document.querySelector(".explain").getBoundingClientRect().bottom <= innerHeight]"""


@pytest.mark.parametrize("projector", [False, True], ids=["desk", "projector"])
@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize("lesson", [1, 2, 3, 4])
def test_a_tree_fits_its_frame_under_the_heads_of_its_columns(sit_down, lesson, size, projector):
    """Whole, or on a phone a few plies of it; nothing has to be scrolled for the tree, its words and the steps."""
    table = open_learn(sit_down, f"{LEARN}&lesson={lesson}&step=99", size=size, touch=size[0] < 1000)
    table.page.get_by_role("switch", name="For a projector").set_checked(projector and size > (1000,) and size[1] > 700)
    heads = table.page.locator(".tree-heads p")
    expect(heads.first).to_have_text(re.compile("X chooses the highest|O chooses the lowest"))
    expect(table.page.get_by_text("good for the side to move first")).to_be_visible()
    table.page.evaluate("scrollTo(0, 0)")
    for _ in range(4):
        eventually(lambda: table.page.locator("#tree").evaluate(SIZES_OF_TREE), [True] * 6)
        table.page.locator("#step-back").click()
