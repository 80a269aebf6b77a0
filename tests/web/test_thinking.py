"""What the page shows of how the service thinks: values, best line, verdict, score bar, requests."""

import json
import random
import re
import subprocess

import pytest


def never_asked_before() -> str:
    """A link to a gomoku opening that no server remembers, for remembered answers come at once."""
    middle = [row * 15 + column + 1 for row in range(4, 11) for column in range(4, 11)]
    return f"game=gomoku&moves={'.'.join(map(str, random.sample(middle, 4)))}&x=you&o=you"


def test_every_move_has_its_value_on_the_board_and_in_the_list(sit_down):
    """And a line is shown for the move under the mouse; values and line can be hidden apart."""
    table = sit_down("game=tic-tac-toe&moves=1.5.3&x=you&o=you")
    table.think_along()
    heat, listed = table.page.locator(".heat"), table.page.locator(".value-list li")
    assert (table.page.locator(".heat.draw").count(), table.page.locator(".heat.loss").count()) == (1, 5)
    listed.nth(2).hover()
    first = listed.nth(2).locator(".where").inner_text()
    assert "number 1 of the line shown" in table.cell(first).get_attribute("aria-label")
    table.press("Show all 6")
    assert listed.count() == 6
    assert "draw" in table.cell("b3").get_attribute("aria-label")
    assert "loss, 2 moves to the end" in table.cell("a2").get_attribute("aria-label")
    for switch, seen in (("Values on the board", (0, True)), ("Best line on the board", (0, False))):
        table.page.get_by_role("switch", name=switch).uncheck()
        assert (heat.count(), table.page.locator(".ghost").count() > 0) == seen


def test_proven_and_estimated_are_said_in_words(sit_down):
    """The best line stands on the board in numbered ghosts."""
    table = sit_down("game=tic-tac-toe&moves=1.4.2.5&x=you&o=you")
    table.think_along()
    assert (table.page.locator(".ghost").count(), table.page.locator(".badge text").inner_html()) == (1, "1")
    assert "number 1 of the line shown" in table.cell("c3").get_attribute("aria-label")
    panel = table.page.locator("#panel")
    assert panel.get_by_text("X wins: 1 move to the end").is_visible()
    assert panel.locator(".why").inner_text() == "X plays c3, completing a line."
    assert panel.get_by_text("Proven", exact=True).is_visible()
    table.open("game=gomoku&moves=113&x=you&o=you")
    table.think_along()
    panel.get_by_text("Estimate", exact=True).wait_for()
    assert table.page.locator(".heat").count() == 5
    table.press("Show all 224")
    assert table.page.locator(".value-list li").count() == 224


def test_a_lost_position_shows_defences_and_says_once_that_all_lose(sit_down):
    """White stands before an open four of Black; far corners are no defence."""
    table = sit_down("game=gomoku&moves=113.1.114.3.115.5.116&x=you&o=you")
    table.think_along()
    panel = table.page.locator("#panel")
    panel.get_by_text("All 218 moves lose in 2", exact=True).wait_for()
    where = table.page.locator(".value-list .where").all_inner_texts()
    assert where[:2] == ["g8", "l8"]
    assert "b15" not in where
    assert panel.get_by_text("loss, 2 moves to the end").count() == 0
    assert table.page.locator(".heat").count() == len(where)
    assert "loss" not in table.cell("b15").get_attribute("aria-label")


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
    table.page.get_by_role("switch", name="Think along").check()
    assert table.page.locator(".bar").count() >= 4
    graph = table.page.locator(".bars").bounding_box()
    moves = table.page.get_by_role("list", name="Moves").get_by_role("button").count()
    table.page.mouse.click(graph["x"] + graph["width"] * 1.5 / (moves + 1), graph["y"] + 10)
    assert "".join(table.board()).count("X") == 1


@pytest.mark.everyday
def test_nothing_shows_the_winner_before_it_is_asked_for(sit_down):
    """With Think along off, neither a hint nor the computer's own answers show a verdict, a line or a graph."""
    table = sit_down("game=tic-tac-toe&moves=1.2&x=you&o=computer&level=10")
    table.press("Hint")
    table.page.locator(".pointer").wait_for()
    table.cell("b2").click()
    table.wait_for_turn()
    told = table.page.locator(".heat, .ghost, .chip, .line-moves, .bars, .figures:not(.clock), .value-list li")
    assert told.locator("visible=true").count() == 0
    table.page.get_by_role("switch", name="Think along").check()
    table.page.locator(".chip").first.wait_for()


def test_the_line_expected_before_a_move_stays_as_an_old_one_until_new_values_come(sit_down):
    """The position lies past the opening book, whose lines end where it ends."""
    table = sit_down("game=connect-four&moves=39.32.25.38.37.40.30.33.18.23&x=you&o=you")
    table.think_along()
    table.page.locator("#verdict .chip").wait_for()  # until then the best move may change
    best = table.page.locator(".line-moves li").first.inner_text().split()[-1]
    table.page.route("**/analysis", lambda route: None)
    table.drop(int(best))
    table.page.get_by_text("Expected before this move (old)").wait_for()
    assert table.page.locator(".ghost").count() > 0
    assert table.page.locator(".badge.old").count() > 0


def place(row, column):
    return {"row": row, "column": column, "tile": row * 15 + column + 1}


def tell_progress(table, moves):
    """Some moves of a search that is under way; the next search tells nothing."""
    table.stream("analysis")
    table.page.get_by_role("switch", name="Think along").check()
    best = {"score": moves[0]["score"], "line": moves[0]["line"]}
    table.tell("progress", {"depth": 3, "nodes": 99, **best, "moves": moves})


def test_the_best_five_moves_are_shown_while_the_search_runs(sit_down):
    table = sit_down("game=gomoku&moves=98.97&x=you&o=you")
    open_value = {"outcome": "unknown", "distance": None, "distance_is_bound": False, "proven": False}
    lines = [[place(7, column), place(0, column)] for column in range(8, 13)]
    scores = [0.5 - at / 10 for at in range(5)]
    moves = [{**line[0], **open_value, "score": score, "line": line} for line, score in zip(lines, scores, strict=True)]
    tell_progress(table, moves)
    table.page.get_by_text("The best moves so far").wait_for()
    assert table.page.locator(".value-list li").count() == 5
    assert table.page.locator(".value text").all_text_contents() == ["+.50", "+.40", "+.30", "+.20", "+.10"]
    table.page.locator(".value-list li").nth(1).hover()
    assert "number 2 of the line shown" in table.cell("j15").get_attribute("aria-label")
    table.cell("i8").click()
    table.page.get_by_text("Expected before this move (old)").wait_for()
    assert "number 1 of the line expected before" in table.cell("i15").get_attribute("aria-label")


def test_a_bounded_win_fits_its_stone_and_is_no_deeper_look(sit_down):
    table = sit_down("game=gomoku&moves=h8h7&you=both")
    won = {"score": 199, "outcome": "win", "distance": 27, "distance_is_bound": True, "proven": True}
    tell_progress(table, [{**place(7, 8), **won, "line": [place(7, 8)]}])
    text = table.page.locator(".value text")
    text.wait_for()
    assert text.text_content() == "W≤27"
    assert text.evaluate("(text) => text.getBBox().width") <= 80
    assert table.page.locator("#headline").inner_text() == "Black wins: at most 27 moves to the end"


@pytest.mark.everyday
def test_requests_nodes_and_times_are_shown_to_developers_alone(sit_down):
    table = sit_down("game=tic-tac-toe&moves=b2a3")
    table.think_along()
    told = table.page.locator("#exchanges, #search-figures, #clock")
    assert told.locator("visible=true").count() == 0
    assert not re.search(r"\bms\b|Nodes", table.page.locator("body").inner_text())
    assert table.page.get_by_role("link", name="API").is_visible()
    table.developer()
    table.reload()
    table.think_along()
    table.page.locator("#search-figures").get_by_text("Nodes").wait_for()
    assert table.page.locator(".exchanges summary").first.is_visible()


def test_each_step_shows_its_request_and_response_and_curl_gets_the_same(sit_down):
    table = sit_down("game=tic-tac-toe&x=you&o=computer")
    table.cell("a3").click()
    table.wait_for_status("Your turn")
    command = table.curl()
    assert table.page.get_by_text("The computer's move for O").is_visible()
    request, response = map(json.loads, table.page.locator(".exchanges pre").all_inner_texts())
    assert request == {"game": "tic-tac-toe", "board": ["X..", "...", "..."], "to_move": "O"}
    assert re.match(r"curl -s 'http://127\.0\.0\.1:\d+/move' ", command)
    answer = json.loads(subprocess.run(["bash", "-c", command], capture_output=True, check=True, timeout=30).stdout)
    assert answer["move"] == response["move"] == {"row": 1, "column": 1, "tile": 5}


def test_without_values_the_moves_are_listed_and_a_finished_game_asks_nothing_more(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a3a2b3b2&you=both")
    moves = table.page.get_by_role("list", name="Moves").get_by_role("button").all_text_contents()
    assert moves == ["Move 1, X a3", "Move 2, O a2", "Move 3, X b3", "Move 4, O b2"]
    table.cell("c3").click()
    table.page.get_by_role("switch", name="Think along").check()
    table.page.wait_for_timeout(500)
    assert not [asked for asked in table.requests if asked.endswith(("/move", "/analysis"))]
    table.press("Review this game")
    table.statistics()


def test_the_bar_says_who_is_ahead_only_while_the_visitor_thinks_along(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a1c3b2b3&you=both")
    bar = table.page.locator(".evaluation")
    assert not bar.is_visible()
    table.think_along()
    assert bar.get_attribute("aria-label") == "X wins: 3 moves to the end"
    assert table.page.locator("#headline").inner_text() == bar.get_attribute("aria-label")
    assert bar.evaluate("(bar) => bar.style.getPropertyValue('--share')") == "100%"
    table.page.get_by_role("switch", name="Think along").uncheck()
    assert not bar.is_visible()


def test_the_computers_clock_counts_its_moves(sit_down):
    table = sit_down("game=tic-tac-toe")
    table.cell("b2").click()
    table.wait_for_status("Your turn")
    clock = table.page.locator(".clock")
    assert "O thought" in clock.inner_text()
    table.more("Restart")
    assert clock.inner_text() == ""
