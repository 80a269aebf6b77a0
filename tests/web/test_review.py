"""The review of a finished game."""

import re

import pytest

from kinarow.contract.answers import ReviewAnswer
from tests.web.table import IN_PAGE, eventually, expect

GAME = "game=tic-tac-toe&moves=1.2.3.4.5.6.7&x=you&o=you"


def expect_said(table, words):
    """Shown and announced."""
    expect(table.status).to_have_text(words)
    expect(table.announced).to_have_text(words)


def test_every_move_gets_its_grade_and_the_better_move_is_shown(sit_down):
    table = sit_down(GAME)
    table.press("Review this game")
    items = table.page.get_by_role("list", name="Moves").get_by_role("button")
    expect(items).to_have_count(7)
    items.nth(0).get_by_text("best").wait_for()  # the first move is graded last
    expect(items.nth(3)).to_contain_text("mistake")
    items.nth(3).click()
    table.expect_board(["XOX", "O..", "..."])
    expect(table.cell("b2")).to_have_attribute("aria-label", re.compile("better for O"))
    expect(table.page.locator(".better-ring").first).to_be_visible()
    expect(table.page.locator(".badge.grade")).to_have_text("?")
    expect(table.page.get_by_text("O plays a2: mistake")).to_be_visible()


def test_after_a_game_its_review_is_summed_up_and_leads_to_the_first_mistake(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a1c3b2b3c1a3&you=X")
    table.press("Review this game")
    table.statistics()
    rows = table.page.get_by_role("table").locator("tbody tr").all_inner_texts()
    assert [row.split("\n")[0] for row in rows[:2]] == ["Accuracy", "Mean loss"]
    assert "33%" in rows[0]
    expect(table.page.get_by_role("button", name="Play level 4")).to_be_visible()


def test_a_mistake_is_looked_at_again_from_the_side_that_made_it(sit_down):
    """After a3 c1 X plays a2; that O's c1 was a mistake too, and b2 better, is not shown to X."""
    table = sit_down("game=tic-tac-toe&moves=a3c1a2a1b1c2c3b2b3&you=X&level=1")
    table.press("Review this game")
    table.press("Learn from the mistakes")
    task = "You played a2, which loses. Find a better move."
    expect_said(table, task)
    table.expect_board(["X..", "...", "..O"])
    expect(table.page.get_by_role("gridcell").and_(table.page.locator(":focus"))).to_be_visible()
    marked = table.page.locator(".ghost, .better-ring, .pointer, .heat")
    expect(marked).to_have_count(0)
    table.cell("b3").click()
    expect_said(table, "Not b3: another move gets more.")
    table.press("Try again")
    expect(table.status).to_have_text(task)
    table.press("Show the better move")
    expect_said(table, "Better: c3, a1 (win).")
    expect(table.cell("c3")).to_have_attribute("aria-label", re.compile("better for X"))
    expect(table.page.locator(".better-ring")).to_have_count(2)
    expect(marked).to_have_count(2)
    table.cell("c3").click()
    table.wait_for_status("^Right: c3 is better.")
    table.page.wait_for_timeout(600)
    expect(table.marks("O"), "the computer does not answer").to_have_count(1)
    table.press("Done")
    expect(table.marks(".")).to_have_count(0)


def test_a_variation_keeps_the_grades_and_the_graph_of_the_game(sit_down):
    """What was better is not mixed with what is best now, and another game has no grades."""
    table = sit_down(GAME)
    table.press("Review this game")
    table.page.get_by_text("Statistics").wait_for()
    grades, points = table.page.locator(".move-list .grade"), table.page.locator(".graph .at")
    expect(grades).to_have_count(6)
    expect(points).to_have_count(7)
    moves, better = (
        table.page.get_by_role("list", name="Moves").get_by_role("button"),
        table.page.locator(".better-ring"),
    )
    moves.nth(2).click()
    expect(better.first).to_be_visible()
    table.think_along()
    expect(better).to_have_count(0)
    table.page.get_by_role("switch", name="Think along").uncheck()
    moves.nth(1).click()
    table.cell("c1").click()
    expect(grades).to_have_count(6)
    expect(points).to_have_count(7)
    expect(table.page.locator(".variation .grade")).to_have_count(0)
    table.more("Restart")
    table.cell("c1").click()
    expect(grades).to_have_count(0)


def graded(column: int, side: str, grade: str) -> dict:
    cell = {"row": 0, "column": column, "tile": column + 1}
    value = {"score": 0.1, "outcome": "unknown", "distance": None, "distance_is_bound": False, "proven": False}
    value |= {"expected": None, "stopped_by": "nodes", "missed": None}
    best = {"best_moves": [{"row": 1, "column": 1, "tile": 5}], "best_score": 0.4, "best_outcome": "unknown"}
    return {"move": cell, "to_move": side, **value, **best, "grade": grade, "graded_by": "estimate"}


def answer_with(moves: list[dict], cut_by_time: int = 0) -> dict:
    """A whole answer with these grades; it has every field of the contract, or this fails."""
    counts = dict.fromkeys(("moves", "best", "inaccuracies", "mistakes", "blunders", "unclear", "lost_over"), 0)
    side = {**counts, "accuracy": None, "lost": None}
    summary = {"X": side, "O": side, "cut_by_time": cut_by_time}
    answer = {"state": "ongoing", "winner": None, "winning_cells": [], "moves": moves, "summary": summary}
    return ReviewAnswer.model_validate(answer).model_dump(mode="json")


def test_grades_are_shown_as_they_come(sit_down):
    table = sit_down("game=tic-tac-toe&moves=1.2&x=you&o=you")
    moves = [graded(0, "X", "best"), graded(1, "O", "mistake")]
    table.stream("review")
    table.press("Review the moves so far")
    table.page.get_by_text("Grading 2 moves").wait_for()
    table.tell("move", {"index": 1, **moves[1]})
    table.page.get_by_text("1 of 2 moves graded").wait_for()
    items = table.page.get_by_role("list", name="Moves").get_by_role("button")
    expect(items.nth(1)).to_contain_text("mistake")
    expect(items.nth(1)).to_contain_text("by estimate")
    expect(table.page.get_by_text("O plays b3: mistake (by estimate)")).to_be_visible()
    table.tell("result", answer_with(moves))
    table.statistics()
    expect(table.page.get_by_role("progressbar")).to_be_hidden()


def test_the_expected_result_is_shown_where_the_service_tells_it(sit_down):
    """In the grade's tooltip, in the note and in the graph; a service without it is shown by its scores."""
    table = sit_down("game=tic-tac-toe&moves=1.2.3&x=you&o=you")
    told = {"expected": 0.5, "score": 0.01}
    moves = [graded(0, "X", "best") | told, graded(1, "O", "mistake") | told, graded(2, "X", "best")]
    table.page.route("**/review", lambda route: route.fulfill(json=answer_with(moves)))
    table.press("Review the moves so far")
    grades = table.page.locator(".move .grade")
    grades.nth(2).wait_for()
    titles = grades.evaluate_all("(all) => all.map(({ title }) => title)")
    assert titles[0] == "nothing was better: expected result +0.50"
    assert titles[2] == "nothing was better: estimate +0.10"
    table.page.locator(".move").nth(1).click()
    expect(table.page.locator(".review-note")).to_contain_text("expected result +0.50")
    points = table.page.locator(".graph .at").evaluate_all("(all) => all.map((at) => Number(at.getAttribute('y')))")
    assert points[0] == pytest.approx(96 - points[1])
    assert points[0] < points[2] < 48


@pytest.mark.parametrize("cut", [0, 1])
def test_a_review_that_time_has_cut_short_says_so(sit_down, cut):
    table = sit_down("game=tic-tac-toe&moves=1.2&x=you&o=you")
    answer = answer_with([graded(0, "X", "best"), graded(1, "O", "mistake")], cut_by_time=cut)
    table.page.route("**/review", lambda route: route.fulfill(json=answer))
    table.press("Review the moves so far")
    expect(table.page.locator(".move .grade")).to_have_count(2)
    said = table.page.get_by_text("This review was cut short by time; grades may change.")
    expect(said).to_be_visible(visible=bool(cut))


def test_thinking_longer_grades_one_move_again(sit_down):
    table = sit_down("game=tic-tac-toe&moves=1.2&x=you&o=you")
    longer = {**graded(1, "O", "mistake"), "graded_by": "proof"}
    answers = [[graded(0, "X", "best"), graded(1, "O", "unclear")], [longer]]
    asked = []

    def answer(route) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(json=answer_with(answers[len(asked) - 1]))

    table.page.route("**/review", answer)
    table.press("Review the moves so far")
    table.press("Think longer")
    table.page.get_by_text("O plays b3: mistake, estimate").wait_for()
    assert asked[1]["board"] == ["X..", "...", "..."]
    assert (asked[1]["first"], asked[1]["moves"]) == ("O", [2])
    assert asked[1]["max_nodes"] > 1_000_000
    expect(table.page.get_by_role("button", name="Think longer")).to_be_hidden()


def test_thinking_longer_asks_for_no_more_than_the_service_allows(sit_down):
    """The service says its limit on the page."""
    limit = 300_000
    table = sit_down("game=gomoku&moves=113.98.97&x=you&o=you")
    asked = []

    def page(route) -> None:
        text = route.fetch().text()
        assert "maxNodes&#34;:" in text
        route.fulfill(content_type="text/html", body=re.sub(r"(maxNodes&#34;:)\d+", rf"\g<1>{limit}", text))

    def answer(route) -> None:
        asked.append(route.request.post_data_json.get("max_nodes", 0))
        route.fulfill(json=answer_with([graded(0, "X", "unclear")] * len(route.request.post_data_json["moves"])))

    table.page.route(table.url, page)
    table.page.route("**/review", answer)
    table.reload()
    table.press("Review the moves so far")
    table.press("Think longer")
    table.page.get_by_role("button", name="Think longer", disabled=False).wait_for()
    assert asked == [0, limit]


def test_the_game_is_stepped_through_by_buttons_and_keys(sit_down):
    table = sit_down(GAME)
    table.press("First position")
    table.expect_board(["...", "...", "..."])
    table.press("Next move")
    table.expect_board(["X..", "...", "..."])
    table.page.keyboard.press("ArrowRight")
    table.expect_board(["XO.", "...", "..."])
    table.page.keyboard.press("End")
    expect(table.page.get_by_text("Move 7 of 7")).to_be_visible()
    table.page.keyboard.press("ArrowLeft")
    expect(table.page.get_by_text("Move 6 of 7")).to_be_visible()


def test_going_back_and_playing_another_move_keeps_both(sit_down):
    table = sit_down("game=tic-tac-toe&moves=b2a3c1&you=both")
    for _ in range(2):
        table.press("Previous move")
    table.cell("b3").click()
    aside = table.page.locator(".variation")
    expect(aside).to_contain_text("b3")
    table.expect_link("tree=b2a3(b3)c1")
    table.press("Promote this line")
    table.expect_link("tree=b2b3(a3c1)")
    aside.get_by_role("button").last.click()
    table.expect_board(["O..", ".X.", "..X"])
    table.reload()
    table.expect_board(["O..", ".X.", "..X"])
    table.press("Previous move")
    table.press("Delete from here")
    expect(aside).to_have_count(0)
    table.expect_board(["...", ".X.", "..."])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("game", ["tic-tac-toe", "connect-four", "gomoku"])
def test_what_a_review_marks_is_seen_on_every_board(sit_down, game, dark):
    """The better move, the sign of the one played, and the graph with its legend stand out at least 3 to 1."""
    moves = {"tic-tac-toe": "a3b3", "connect-four": "41", "gomoku": "h8a1"}[game]
    table = sit_down(f"game={game}&moves={moves}&you=both", dark=dark)
    answer = answer_with([graded(0, "X", "best"), graded(1, "O", "mistake")])
    table.page.route("**/review", lambda route: route.fulfill(json=answer))
    table.press("Review the moves so far")
    expect(table.page.locator(".badge.grade")).to_have_count(1)
    for boards in ("classic", "slate", "contrast"):
        table.page.locator("#boards").evaluate(
            "(list, name) => { list.value = name; list.dispatchEvent(new Event('change')) }", boards
        )
        found = table.page.evaluate(IN_PAGE["contrasts"])
        assert found.pop("legend"), boards
        assert {name: value for name, value in found.items() if value < 3} == {}, boards


@pytest.mark.parametrize(("plies", "note"), [(8, ""), (12, "Longer: b2 (lasts 12 moves longer).")])
def test_in_a_lost_position_no_move_has_a_grade_and_a_much_longer_defence_is_noted(sit_down, plies, note):
    """The API's grade stays; the end is told with the move that turned it, and an inaccuracy has one colour."""
    table = sit_down("game=tic-tac-toe&moves=a3b3a2b2a1&you=O")
    lost = {"graded_by": "proof", "outcome": "loss", "best_outcome": "loss", "score": -20, "best_score": plies - 20}
    moves = [graded(0, "X", "best"), graded(1, "O", "mistake"), graded(0, "X", "inaccuracy"),
             graded(1, "O", "inaccuracy") | lost, graded(0, "X", "best")]  # fmt: skip
    table.page.route("**/review", lambda route: route.fulfill(json=answer_with(moves)))
    table.press("Review this game")
    expect(table.status).to_have_text("You lost in 5 moves; move 2 was the turn.")
    expect(table.page.locator(".move .grade")).to_have_count(4)
    table.page.locator(".move").nth(3).click()
    expect(table.page.locator("#review-note")).to_have_text(re.compile(rf"moves? to the end\. ?{re.escape(note)}$"))
    expect(table.page.locator(".badge.grade, .better-ring")).to_have_count(0)
    table.page.locator(".move").nth(2).click()
    drawn = [(".move .inaccuracy", "color"), (".badge.inaccuracy circle", "fill"), (".sign.inaccuracy", "fill")]
    style = "([part, name]) => getComputedStyle(document.querySelector(part))[name]"
    assert len({table.page.evaluate(style, each) for each in drawn}) == 1


def test_the_graph_says_what_a_move_was_at_the_pointer_and_at_the_move_shown(sit_down):
    table = sit_down(GAME)
    table.press("Review this game")
    expect(table.page.locator("#statistics")).to_be_visible()
    words, graph = table.page.locator("#chart p"), table.page.locator(".graph")
    expect(words).to_have_text("7. a1 ✓ win, 1 move to the end")
    box = graph.bounding_box()
    table.page.mouse.move(box["x"] + box["width"] * 2 / 7, box["y"] + 40)
    expect(words).to_have_text(re.compile(r"^2\. b3 \? loss, \d moves to the end$"))
    table.page.mouse.move(0, 0)
    table.page.keyboard.press("ArrowLeft")
    expect(words).to_have_text("6. c2 loss, 2 moves to the end")
    assert box["height"] == 96


def test_a_block_and_a_win_that_were_missed_are_called_so_and_a_review_is_not_a_pause(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a3b2b3a1a2c1&you=X")
    table.press("Review the moves so far")
    moves = table.page.get_by_role("list", name="Moves").get_by_role("button")
    expect(moves.nth(0)).to_contain_text("best")
    moves.nth(3).click()
    expect(table.page.locator("#review-note")).to_contain_text("O plays a1: mistake, missed the block")
    moves.nth(4).click()
    expect(table.page.locator("#review-note")).to_contain_text("missed the win")
    expect(table.page.locator("#status")).to_have_text("Reviewing the game")


def lies_above(upper, lower) -> bool:
    box = upper.bounding_box()
    return box["y"] + box["height"] <= lower.bounding_box()["y"] + 1


@pytest.mark.parametrize("size", [(1366, 650), (390, 844), (844, 390)], ids="{0[0]}x{0[1]}".format)
def test_in_a_review_the_move_shown_is_in_sight(sit_down, size):
    moves = "".join(f"{column}{row}" for row in (1, 4, 7) for column in "abcdefghijklmno")
    table = sit_down(f"game=gomoku&you=both&moves={moves}", size=size)
    grades = [graded(at, "XO"[at % 2], "mistake" if at % 3 else "best") for at in range(45)]
    for at, grade in enumerate(grades):
        row, column = 14 - 3 * (at // 15), at % 15
        grade["move"] = {"row": row, "column": column, "tile": 15 * row + column + 1}
    table.page.route("**/review", lambda route: route.fulfill(json=answer_with(grades)))
    table.page.locator("#review").click()
    expect(table.page.locator(".move .grade")).to_have_count(45)
    foot, current = table.page.locator(".foot"), table.page.locator(".move[aria-current]")
    for button in ("Previous move", "First position", "Next move", "Last position"):
        table.press(button)
        if button != "First position":
            expect(current).to_be_in_viewport()
            eventually(lambda: lies_above(current, foot))
