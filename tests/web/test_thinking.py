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


def test_every_move_has_its_value_on_the_board_and_in_the_list(sit_down, picture):
    table = sit_down("game=tic-tac-toe&moves=1.5.3&x=you&o=you")
    table.think_along()
    assert table.page.locator(".heat.draw").count() == 1
    assert table.page.locator(".heat.loss").count() == 5
    assert table.page.locator(".value-list li").count() == 6
    assert "draw" in table.cell("B1").get_attribute("aria-label")
    assert "loss in 2" in table.cell("A2").get_attribute("aria-label")
    picture(table, "values")


def test_the_best_line_stands_on_the_board_in_numbered_ghosts(sit_down):
    table = sit_down("game=tic-tac-toe&moves=1.4.2.5&x=you&o=you")
    table.think_along()
    assert table.page.locator(".ghost").count() == 1
    assert table.page.locator(".badge text").inner_html() == "1"
    assert "number 1 of the best line" in table.cell("C1").get_attribute("aria-label")


def test_proven_and_estimated_are_said_in_words(sit_down):
    table = sit_down("game=tic-tac-toe&moves=1.4.2.5&x=you&o=you")
    table.think_along()
    panel = table.page.get_by_role("tabpanel")
    assert panel.get_by_text("X wins in 1 move, whatever O does").is_visible()
    assert panel.get_by_text("Proven", exact=True).is_visible()
    table.open("game=gomoku&moves=113&x=you&o=you")
    table.think_along()
    assert panel.get_by_text("Estimate", exact=True).is_visible()
    assert table.page.locator(".heat").count() == 15 * 15 - 1
    assert table.page.locator(".value text").count() < 20, "only the best few are written out"


def test_values_and_line_can_be_hidden_apart(sit_down):
    table = sit_down("game=tic-tac-toe&moves=5&x=you&o=you")
    table.think_along()
    table.page.get_by_role("switch", name="Values on the board").uncheck()
    assert table.page.locator(".heat").count() == 0
    assert table.page.locator(".ghost").count() > 0
    table.page.get_by_role("switch", name="Best line on the board").uncheck()
    assert table.page.locator(".ghost").count() == 0


@pytest.mark.needs("text/event-stream")
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
    depths = [int(depth) for depth in table.page.evaluate("window.depths") if depth]
    assert len(set(depths)) > 3
    assert depths == sorted(depths)


def test_the_score_bar_follows_the_game_and_leads_back_into_it(sit_down):
    table = sit_down("game=tic-tac-toe&x=you&o=computer")
    while not table.is_over():
        table.cell(table.empties()[0]).click()
        table.wait_for_turn()
    bars = table.page.locator(".bars rect:not(.shown)")
    assert bars.count() >= 4
    slider = table.page.get_by_role("slider", name="Move shown")
    slider.fill("1")
    assert "".join(table.board()).count("X") == 1
    assert slider.get_attribute("aria-valuetext") == "after move 1, A1"


def test_each_step_shows_its_request_and_response(sit_down, picture):
    table = sit_down("game=tic-tac-toe&x=you&o=computer")
    table.cell("A1").click()
    table.wait_for_status("Your turn")
    table.tab("Requests")
    table.page.get_by_text("The computer's move for O").click()
    table.page.locator(".exchanges pre").first.wait_for()
    request, response = table.page.locator(".exchanges pre").all_inner_texts()
    assert json.loads(request) == {"game": "tic-tac-toe", "board": ["X..", "...", "..."], "to_move": "O"}
    assert json.loads(response)["move"]["tile"] == 5
    picture(table, "exchange")


def test_the_copied_curl_command_gets_the_same_answer(sit_down):
    table = sit_down("game=tic-tac-toe&moves=1.4.2.5&x=you&o=you")
    table.press("Hint")
    table.page.locator(".pointer").wait_for()
    table.tab("Requests")
    table.page.locator(".exchanges summary").first.click()
    table.press("Copy as curl")
    table.page.get_by_text("Copied").wait_for()
    command = table.page.evaluate("navigator.clipboard.readText()")
    assert re.match(r"curl -s 'http://127\.0\.0\.1:\d+/move' ", command)
    answer = json.loads(
        subprocess.run(["bash", "-c", command], capture_output=True, check=True, timeout=30).stdout
    )
    assert answer["move"] == {"row": 0, "column": 2, "tile": 3}


def test_a_finished_game_asks_nothing_more(sit_down):
    table = sit_down("game=tic-tac-toe&moves=1.4.2.5.3&x=you&o=computer")
    table.page.get_by_role("switch", name="Think along").check()
    table.page.wait_for_timeout(500)
    assert not [asked for asked in table.requests if asked.endswith(("/move", "/analysis"))]
