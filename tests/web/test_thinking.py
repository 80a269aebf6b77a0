"""What the page shows of how the service thinks: values, best line, verdict, score bar, nodes."""

import random
import re

import pytest

from tests.web.table import eventually, expect


def never_asked_before() -> str:
    """A link to a gomoku opening that no server remembers, for remembered answers come at once."""
    middle = [row * 15 + column + 1 for row in range(4, 11) for column in range(4, 11)]
    return f"game=gomoku&moves={'.'.join(map(str, random.sample(middle, 4)))}&x=you&o=you"


def test_every_move_has_its_value_on_the_board_and_in_the_list(sit_down):
    """And a line is shown for the move under the mouse, or where it is asked for."""
    table = sit_down("game=tic-tac-toe&moves=1.5.3&x=you&o=you")
    table.think_along()
    listed = table.page.locator(".value-list li")
    expect(table.page.locator(".heat.draw")).to_have_count(1)
    expect(table.page.locator(".heat.loss")).to_have_count(5)
    listed.nth(2).hover()
    first = listed.nth(2).locator(".where").inner_text()
    expect(table.cell(first)).to_have_attribute("aria-label", re.compile("number 1 of the line shown"))
    table.press("Show all 6")
    expect(listed).to_have_count(6)
    expect(table.cell("b3")).to_have_attribute("aria-label", re.compile("draw"))
    expect(table.cell("a2")).to_have_attribute("aria-label", re.compile("loss, 2 moves to the end"))
    table.page.get_by_role("switch", name="Values on the board").uncheck()
    expect(table.page.locator(".heat")).to_have_count(0)
    table.page.mouse.move(0, 0)
    expect(table.page.locator(".ghost")).to_have_count(0)
    table.page.get_by_role("switch", name="Best line on the board").check()
    expect(table.page.locator(".ghost").first).to_be_visible()


def test_proven_and_estimated_are_said_in_words(sit_down):
    """The best line stands on the board in numbered ghosts where it is asked for."""
    table = sit_down("game=tic-tac-toe&moves=1.4.2.5&x=you&o=you")
    table.think_along()
    table.page.get_by_role("switch", name="Best line on the board").check()
    expect(table.page.locator(".ghost")).to_have_count(1)
    expect(table.page.locator(".badge text")).to_have_text("1")
    expect(table.cell("c3")).to_have_attribute("aria-label", re.compile("number 1 of the line shown"))
    panel = table.page.locator("#panel")
    expect(table.page.locator("#headline")).to_have_text("X wins: 1 move to the end. Best: c3.")
    expect(panel.locator(".why")).to_have_text("X plays c3, completing a line.")
    expect(panel.get_by_text("Proven", exact=True)).to_be_visible()
    table.open("game=gomoku&moves=113&x=you&o=you")
    table.think_along()
    panel.get_by_text("Estimate", exact=True).wait_for()
    expect(table.page.locator(".heat")).to_have_count(5)
    table.press("Show all 224")
    expect(table.page.locator(".value-list li")).to_have_count(224)


def test_a_lost_position_shows_defences_and_says_once_that_all_lose(sit_down):
    """White stands before an open four of Black; far corners are no defence."""
    table = sit_down("game=gomoku&moves=113.1.114.3.115.5.116&x=you&o=you")
    table.think_along()
    panel = table.page.locator("#panel")
    panel.get_by_text("All 218 moves lose in 2", exact=True).wait_for()
    where = table.page.locator(".value-list .where").all_inner_texts()
    assert where[:2] == ["g8", "l8"]
    assert "b15" not in where
    expect(panel.get_by_text("loss, 2 moves to the end")).to_have_count(0)
    expect(table.page.locator(".heat")).to_have_count(len(where))
    expect(table.cell("b15")).not_to_have_attribute("aria-label", re.compile("loss"))


def test_depth_and_nodes_grow_while_the_search_runs(sit_down):
    table = sit_down(never_asked_before())
    table.page.evaluate(
        """() => {
          window.depths = [];
          const read = () => window.depths.push(document.querySelector('.figures.growing dd')?.textContent);
          new MutationObserver(read).observe(document.getElementById('thinking'), { childList: true, subtree: true });
        }"""
    )
    table.think_along()
    table.page.locator(".search-end").get_by_text("The search").wait_for(state="attached")
    depths = [int(depth) for depth in table.page.evaluate("window.depths") if depth]
    assert len(set(depths)) > 3
    assert depths == sorted(depths)


def test_the_graph_follows_the_game_and_leads_back_into_it(sit_down):
    table = sit_down("game=tic-tac-toe&x=you&o=computer")
    table.play_to_the_end()
    table.page.keyboard.press("Escape")
    table.page.get_by_role("switch", name="Think along").check()
    expect(table.page.locator(".graph .at").nth(3)).to_be_attached()
    graph = table.page.locator(".graph").bounding_box()
    moves = table.page.get_by_role("list", name="Moves").get_by_role("button").count()
    table.page.mouse.click(graph["x"] + graph["width"] / moves, graph["y"] + 10)
    expect(table.marks("X")).to_have_count(1)


@pytest.mark.everyday
def test_nothing_shows_the_winner_before_it_is_asked_for(sit_down):
    """With Think along off, neither a hint nor the computer's own answers show a verdict, a line or a graph."""
    table = sit_down("game=tic-tac-toe&moves=1.2&x=you&o=computer&level=10")
    table.press("Hint")
    table.page.locator(".pointer").wait_for()
    table.cell("b2").click()
    table.wait_for_turn()
    told = table.page.locator(".heat, .ghost, .chip, .line-moves, .graph, .figures, .value-list li")
    expect(told.locator("visible=true")).to_have_count(0)
    table.page.get_by_role("switch", name="Think along").check()
    table.page.locator(".chip").first.wait_for()


def test_the_line_expected_before_a_move_stays_as_an_old_one_until_new_values_come(sit_down):
    """The position lies past the opening book, whose lines end where it ends."""
    table = sit_down("game=connect-four&moves=39.32.25.38.37.40.30.33.18.23&x=you&o=you")
    table.think_along()
    table.page.locator("#verdict .chip").wait_for()  # until then the best move may change
    best = table.page.locator(".line-moves li").first.inner_text().split()[-1]
    table.page.get_by_role("switch", name="Best line on the board").check()
    table.page.route("**/analysis", lambda route: None)
    table.drop(int(best))
    table.page.get_by_text("Expected before this move (old)").wait_for()
    expect(table.page.locator(".ghost").first).to_be_visible()
    expect(table.page.locator(".badge.old").first).to_be_visible()


def place(row, column):
    return {"row": row, "column": column, "tile": row * 15 + column + 1}


def tell_progress(table, moves):
    """Some moves of a search that is under way; the next search tells nothing."""
    table.stream("analysis")
    table.page.get_by_role("switch", name="Think along").check()
    best = {"score": moves[0]["score"], "line": moves[0]["line"]}
    table.tell("progress", {"depth": 3, "nodes": 99, **best, "moves": moves})


def test_while_a_search_runs_its_best_move_and_what_is_proven_are_shown(sit_down):
    """Ranks from the second on mean nothing until those moves have been searched too."""
    table = sit_down("game=gomoku&moves=98.97&x=you&o=you")
    open_value = {"outcome": "unknown", "distance": None, "distance_is_bound": False, "proven": False}
    lines = [[place(7, column), place(0, column)] for column in range(8, 13)]
    scores = [0.5 - at / 10 for at in range(5)]
    moves = [{**line[0], **open_value, "score": score, "line": line} for line, score in zip(lines, scores, strict=True)]
    moves[4] |= {"score": -214, "outcome": "loss", "distance": 12, "proven": True}
    tell_progress(table, moves)
    table.page.get_by_text("The best moves so far").wait_for()
    expect(table.page.locator(".value-list li")).to_have_count(2)
    expect(table.page.locator(".value text")).to_have_text(["+.50", "L12"])
    table.page.locator(".value-list li").nth(1).hover()
    expect(table.cell("m15")).to_have_attribute("aria-label", re.compile("number 2 of the line shown"))
    table.page.get_by_role("switch", name="Best line on the board").check()
    table.cell("i8").click()
    table.page.get_by_text("Expected before this move (old)").wait_for()
    expect(table.cell("i15")).to_have_attribute("aria-label", re.compile("number 1 of the line expected before"))


def test_a_bounded_win_fits_its_stone_and_is_no_deeper_look(sit_down):
    table = sit_down("game=gomoku&moves=h8h7&you=both")
    won = {"score": 199, "outcome": "win", "distance": 27, "distance_is_bound": True, "proven": True}
    tell_progress(table, [{**place(7, 8), **won, "line": [place(7, 8)]}])
    text = table.page.locator(".value text")
    text.wait_for()
    expect(text).to_have_text("W≤27")
    assert text.evaluate("(text) => text.getBBox().width") <= 80
    expect(table.page.locator("#headline")).to_have_text("Black wins: at most 27 moves to the end. Best: i8.")


@pytest.mark.everyday
def test_nodes_and_times_are_shown_to_those_who_ask(sit_down):
    table = sit_down("game=tic-tac-toe&moves=b2a3")
    table.think_along()
    expect(table.page.locator("body")).not_to_contain_text(re.compile(r"\bms\b|Nodes"), use_inner_text=True)
    expect(table.page.get_by_role("link", name="API")).to_be_visible()
    table.set("Nodes and times", True)
    table.reload()
    table.think_along()
    table.page.locator("#search-figures").get_by_text("Nodes").wait_for()


def test_without_values_the_moves_are_listed_and_a_finished_game_asks_nothing_more(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a3a2b3b2&you=both")
    moves = table.page.get_by_role("list", name="Moves").get_by_role("button").all_text_contents()
    assert moves == ["Move 1, X a3", "Move 2, O a2", "Move 3, X b3", "Move 4, O b2"]
    table.cell("c3").click()
    expect(table.page.get_by_role("button", name="Review this game")).to_be_visible()
    table.page.keyboard.press("Escape")
    table.page.get_by_role("switch", name="Think along").check()
    table.page.wait_for_timeout(500)
    assert not [asked for asked in table.requests if asked.endswith(("/move", "/analysis"))]
    table.press("Review this game")
    table.statistics()


def test_the_bar_says_who_is_ahead_only_while_the_visitor_thinks_along(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a1c3b2b3&you=both")
    bar = table.page.locator(".evaluation")
    expect(bar).to_be_hidden()
    table.think_along()
    expect(bar).to_have_attribute("aria-label", "X wins: 3 moves to the end")
    for told in (table.page.locator("#headline"), table.announced):
        expect(told).to_have_text("X wins: 3 moves to the end. Best: a3.")
    expect(bar).to_have_attribute("style", re.compile("--share: ?100%"))
    table.page.get_by_role("switch", name="Think along").uncheck()
    expect(bar).to_be_hidden()


def test_stones_bear_the_numbers_of_their_moves(sit_down):
    """Off, the last five, all: key M goes on to the next, and the page remembers which."""
    table = sit_down("game=gomoku&moves=h8h7i9g7j10k11f7g8&you=both")
    numbers = table.page.locator("#board .number")
    for shown in (["4", "5", "6", "7", "8"], list("12345678"), []):
        table.page.keyboard.press("m")
        expect(numbers).to_have_text(shown)
    table.page.keyboard.press("m")
    table.reload()
    expect(numbers).to_have_count(5)
    expect(table.cell("g8")).to_have_attribute("aria-label", "g8, White, move 8, last move")
    expect(table.cell("h8")).to_have_attribute("aria-label", "h8, Black")
    table.page.locator("#move-back").click()
    expect(numbers).to_have_text(["3", "4", "5", "6", "7"])


def test_the_best_three_moves_have_their_lines_and_a_click_plays_one(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a3&you=both")
    table.think_along()
    table.page.locator("#verdict .chip").wait_for()
    listed = table.page.locator(".value-list li")
    expect(listed.locator(".line-after")).to_have_count(3)
    expect(listed.first.locator(".line-after")).to_have_text(re.compile(r"^[a-c][1-3]( [a-c][1-3]){3,}$"))
    move = listed.nth(1).get_by_role("button")
    name = move.inner_text()
    move.click()
    expect(table.cell(name)).to_have_attribute("aria-label", re.compile(", O, last move"))
    expect(table.page.get_by_role("list", name="Moves").get_by_role("button")).to_have_count(2)


def test_the_value_of_a_column_stands_above_it_once(sit_down):
    table = sit_down("game=connect-four&moves=44535361&you=both", size=(390, 844))
    table.think_along()
    values = table.page.locator("#board .value text")
    expect(values).to_have_count(7)
    well = table.page.locator("#board .well").bounding_box()
    for column, value in enumerate(sorted((each.bounding_box() for each in values.all()), key=lambda box: box["x"])):
        assert value["y"] + value["height"] <= well["y"] + 2
        assert int((value["x"] + value["width"] / 2 - well["x"]) / well["width"] * 7) == column
    expect(table.page.locator("#board .best-ring")).to_have_count(1)
    expect(table.page.locator(".ghost")).to_have_count(0)
    expect(table.page.locator("#headline")).to_have_text("Red wins: 1 move to the end. Best: column 7.")
    table.press("Settings and keys")
    table.page.get_by_label("Values where stones fall").select_option("stones")
    table.press("Done")
    solved = table.page.request.get(f"{table.url}solve?pos=44535361").json()["score"]
    eventually(lambda: sorted(values.all_text_contents()), sorted(str(each).replace("-", "−") for each in solved))
    expect(table.page.locator(".value-list .chip").first).to_have_text(str(max(solved)))
