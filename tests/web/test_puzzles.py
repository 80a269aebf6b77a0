"""A puzzle on the page: a wrong move and another try, the right one, the solution, and a link that leads to it."""

import json
import re
from pathlib import Path

import pytest

from kinarow.library import analyse
from tests.web.table import eventually, expect

STORED = json.loads((Path(__file__).parents[2] / "service/web/puzzles.json").read_text("utf-8"))


@pytest.mark.parametrize("connect_four", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_each_stored_puzzle_has_one_right_move(connect_four):
    chosen = [puzzle for puzzle in STORED if (puzzle["game"] == "connect-four") == connect_four]
    assert len(chosen) > 10
    for puzzle in chosen:
        played = puzzle["moves"] if isinstance(puzzle["moves"], str) else [tile - 1 for tile in puzzle["moves"]]
        moves = analyse(moves=played, game=puzzle["game"], max_nodes=5_000_000).moves
        right = [move.move + 1 for move in moves if move.outcome == puzzle["outcome"]]
        assert right == [puzzle["move"]["tile"]] == [puzzle["line"][0]["tile"]]
        assert all(move.proven for move in moves)


def on_board(rows):
    return next(puzzle for puzzle in STORED if puzzle["board"] == rows)


def click(table, tile):
    row, column = divmod(tile - 1, 3)
    table.cell(f"{'abc'[column]}{3 - row}").click()


@pytest.mark.slow
def test_a_puzzle_is_tried_solved_and_shared(sit_down):
    table = sit_down("game=tic-tac-toe")
    page = table.page
    page.locator("#games").get_by_role("button", name="A puzzle").click()
    said = page.locator("#puzzle p")
    said.wait_for()
    task = said.inner_text()
    puzzle = on_board(table.board())
    assert puzzle["to_move"] in task
    link = page.url
    wrong = next(t for t in range(1, 10) if "".join(puzzle["board"])[t - 1] == "." and t != puzzle["move"]["tile"])
    click(table, wrong)
    expect(said).to_have_text(re.compile("^[abc][123] does not (win|draw)[.]$"))
    table.expect_board(puzzle["board"])
    assert not [asked for asked in table.requests if asked.endswith("/move")]
    click(table, puzzle["move"]["tile"])
    page.wait_for_function("document.querySelector('#puzzle p').textContent.startsWith('Right')")
    table.press("Try again")
    table.press("Solution")
    page.locator("#status").get_by_text("The solution is ").wait_for()
    table.press("Another puzzle")
    page.wait_for_function("(old) => document.querySelector('#puzzle p').textContent.includes('to move')", arg=task)
    eventually(lambda: table.board() != puzzle["board"])
    again = sit_down(link.partition("#")[2])
    again.page.locator("#puzzle p").wait_for()
    expect(again.page.locator("#puzzle p")).to_have_text(task)
    again.press("Solution")
    again.page.locator("#status").get_by_text("The solution is ").wait_for()
    expect(again.page.locator("#puzzle")).to_contain_text(re.compile(r"(?<!\d)0 of \d+ solved"))
    eventually(lambda: "".join(again.board())[puzzle["move"]["tile"] - 1], puzzle["to_move"])


@pytest.mark.slow
def test_the_puzzle_of_the_day_comes_first_and_progress_is_kept(sit_down):
    table = sit_down("game=tic-tac-toe")
    page = table.page
    today = page.evaluate("Math.floor((Date.now() - new Date().getTimezoneOffset() * 60000) / 86400000)")
    puzzle = STORED[today % len(STORED)]
    for _ in range(2):
        page.get_by_role("link", name="Puzzles").click()
        page.locator("#puzzle p").wait_for()
        table.expect_board(puzzle["board"])
    page.locator(f"#board [data-cell='{puzzle['move']['tile'] - 1}']").click()
    page.get_by_text(f"1 of {len(STORED)} solved · 1 day in a row").wait_for()
    page.reload()
    table.wait_for_mark("ready")
    page.get_by_role("link", name="Puzzles").click()
    page.wait_for_function("(rows) => document.querySelector('#puzzle p')?.textContent.includes('to move')")
    eventually(lambda: table.board() != puzzle["board"])
    page.get_by_text("1 day in a row").wait_for()
    expect(page.get_by_role("button", name="Today's puzzle")).to_be_hidden()


def test_nothing_gives_a_puzzle_away_before_it_is_solved_or_given_up(sit_down):
    """Think along was on before, in the puzzle and in the next one it is not, and after both it is on again."""
    table = sit_down("game=tic-tac-toe")
    table.think_along()
    table.page.get_by_role("link", name="Puzzles").click()
    parts = ".heat, .ghost, .pointer, .value-list li, .evaluation:not(.off), #headline:not(:empty)"
    told = table.page.locator(parts).locator("visible=true")
    along = table.page.get_by_role("switch", name="Think along")
    seen = []
    for _ in range(2):
        expect(table.page.locator("#status")).to_contain_text("to move and")
        seen.append(table.board())
        expect(told).to_have_count(0)
        expect(along).not_to_be_checked()
        expect(along).to_be_disabled()
        expect(table.page.locator("#hint")).to_have_attribute("aria-disabled", "true")
        table.page.keyboard.press("t")
        table.page.keyboard.press("h")
        expect(told).to_have_count(0)
        if len(seen) == 1:
            table.press("Another puzzle")
    assert not [asked for asked in table.requests if asked.endswith("/move")]
    table.reload()
    expect(table.page.locator("#status")).to_contain_text("to move and")
    expect(told).to_have_count(0)
    table.press("Solution")
    expect(along).to_be_checked()
    expect(table.page.locator("#headline")).not_to_be_empty()


def test_a_puzzle_that_is_asked_for_while_the_server_is_away_comes_when_it_is_back(sit_down):
    table = sit_down("view=learn")
    table.expected_statuses.add("ERR_FAILED")
    table.page.route("**/puzzles.json", lambda route: route.abort())
    table.page.get_by_role("link", name="Puzzles").click()
    expect(table.notice).to_contain_text("The server cannot be reached.")
    table.page.unroute("**/puzzles.json")
    table.press("Try now")
    expect(table.page.locator("#puzzle")).to_be_visible()
    expect(table.page.locator("#status")).to_contain_text("to move and")
