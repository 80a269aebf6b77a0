"""The page's own rules against those of the engine."""

import json
import random
import re
from dataclasses import fields
from html import escape
from pathlib import Path

import pytest

from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY, NAMES, PRESETS, O, Preset, Rules, X

FIELDS = tuple(field.name for field in fields(Preset))
"""The rules, as the page knows them too."""

OWN = [
    Rules(3, 4, 3, gravity=True, misere=True),
    Rules(5, 5, 3, exact_goal=True),
    Rules(4, 6, 4, gravity=True, exact_goal=True),
    Rules(1, 5, 3),
    Rules(6, 1, 2, misere=True),
    Rules(3, 3, 1),
    Rules(4, 5, 3, wrap="rows"),
    Rules(4, 5, 4, gravity=True, wrap="rows"),
    Rules(5, 3, 3, wrap="columns", exact_goal=True),
    Rules(4, 4, 4, wrap="both", misere=True),
    Rules(4, 6, 4, wrap="both", exact_goal=True),
    Rules(1, 4, 2, wrap="both"),
    Rules(4, 4, 3, directions=("horizontal", "vertical")),
    Rules(5, 5, 3, directions=("antidiagonal",), wrap="rows"),
    Rules(6, 6, 4, caro=True),
    Rules(5, 7, 3, caro=True, exact_goal=True, directions=("vertical", "diagonal")),
    Rules(6, 6, 5, renju=True),
    Rules(2, 3, 3, layers=3),
    Rules(3, 2, 4, layers=4, gravity=True, misere=True),
    Rules(4, 4, 3, layers=4, exact_goal=True),
]
WITH_BLOCKED = [
    Position.from_text(".#./.../...", goal=3),
    Position.from_text("..#.#/...../.#.../..#..", goal=3, wrap="both"),
    Position.from_text("...../...../..#../#.#..", goal=3, gravity=True),
    Position.from_text("...../..#../.....", goal=3, exact_goal=True, directions=["horizontal", "diagonal"]),
    Position.from_text("......./..#..../......./....#../.......", goal=4, caro=True),
    Position.from_text(".../.../...//.../.#./...//.../.../...", goal=3, layers=3),
    Position.from_text(".#./...//.#./...//.../...", goal=3, layers=3, gravity=True),
]
NAMED = {
    name: Rules(**{field: getattr(preset, field) for field in FIELDS}) for name, preset in PRESETS.items()
}
STARTS = [Position.empty(rules) for rules in [*NAMED.values(), *OWN]] + WITH_BLOCKED
RECURSION = Path(__file__).parent.parent / "support" / "renju_recursion.txt"
GAMES_EACH = 8
REPLAY = """async ([rules, cells, games]) => {
  const { legalMoves, ending, play } = await import("./web/js/shared/rules.js");
  const look = (position) => {
    const { state, winner, lines } = ending(position);
    const cells = [...new Set(lines.flat())].sort((a, b) => a - b);
    return [position.cells, position.toMove, legalMoves(position), state, winner, cells];
  };
  return games.map((moves) => {
    let position = { rules, cells, toMove: "X" };
    const seen = [look(position)];
    for (const cell of moves) seen.push(look((position = play(position, cell))));
    return seen;
  });
}"""


def as_seen(position: Position) -> list:
    ending = position.ending()
    cells = position.cells.translate(bytes.maketrans(b"\0\1\2\3", b".XO#")).decode()
    moves = list(position.legal_moves()) if ending.state == "ongoing" else []
    winner = None if ending.winner is None else NAMES[ending.winner]
    return [cells, NAMES[position.to_move], moves, ending.state, winner, list(ending.winning_cells)]


def random_game(position: Position, rng: random.Random) -> tuple[list[int], list]:
    moves: list[int] = []
    seen = [as_seen(position)]
    while position.ending().state == "ongoing":
        moves.append(rng.choice(position.legal_moves()))
        position = position.play(moves[-1])
        seen.append(as_seen(position))
    return moves, seen


@pytest.fixture(scope="module")
def page(browser, site):
    page = browser.new_page()
    page.goto(site)
    yield page
    page.close()


RENJU = Rules(15, 15, 5, renju=True)
FORBIDDEN = """async ([rules, boards]) => {
  const { forbiddenCells, legalMoves } = await import("./web/js/shared/rules.js");
  return boards.map(([cells, toMove]) => {
    const position = { rules, cells, toMove };
    return [[...forbiddenCells(position)], legalMoves(position)];
  });
}"""


def crowded(rng: random.Random) -> Position:
    """A board of Renju with many stones of the side that began, close together, and no line."""
    while True:
        cells = bytearray(RENJU.cells)
        near = [row * 15 + column for row in range(3, 12) for column in range(3, 12)]
        black = rng.randint(12, 24)
        for cell in rng.sample(near, black):
            cells[cell] = X
        free = [cell for cell, mark in enumerate(cells) if mark == EMPTY]
        for cell in rng.sample(free, black):
            cells[cell] = O
        position = Position(RENJU, bytes(cells), X)
        if position.ending().state == "ongoing" and not Position(RENJU, bytes(cells), O).ending().winner:
            return position


@pytest.mark.parametrize("seed", range(8))
def test_the_page_and_the_engine_forbid_the_same_cells(page, seed):
    """Those of boards on which overlines, fours and threes meet, and of those that need the recursion."""
    rng = random.Random(seed)
    positions = [crowded(rng) for _ in range(25)]
    boards = [as_seen(position)[:2] for position in positions]
    seen = page.evaluate(FORBIDDEN, [fields_of(RENJU), boards])
    assert sum(map(len, (forbidden for forbidden, _ in seen))) > 25
    assert seen == [[list(each.forbidden()), list(each.legal_moves())] for each in positions]


def test_the_page_and_the_engine_follow_the_recursion_of_renju(page):
    """On boards where four finders agree; see the file."""
    lines = [line.split() for line in RECURSION.read_text("utf-8").splitlines() if not line.startswith("#")]
    boards = [[board.replace("/", ""), "X"] for board, _ in lines]
    seen = page.evaluate(FORBIDDEN, [fields_of(RENJU), boards])
    names = [sorted(write_move(cell, RENJU) for cell in forbidden) for forbidden, _ in seen]
    assert names == [sorted(told.split(",")) for _, told in lines]


def fields_of(rules: Rules) -> dict:
    return {name: getattr(rules, name) for name in FIELDS}


@pytest.mark.parametrize("start", STARTS, ids=lambda start: f"{start.rules} {'/'.join(start.rows)}")
def test_the_page_and_the_engine_agree_on_random_games(page, start):
    rng = random.Random(7)
    games = [random_game(start, rng) for _ in range(GAMES_EACH)]
    cells = as_seen(start)[0]
    asked = [fields_of(start.rules), cells, [moves for moves, _ in games]]
    assert page.evaluate(REPLAY, asked) == [seen for _, seen in games]


def test_the_page_has_the_presets_of_the_engine(page):
    presets = page.evaluate("import('./web/js/shared/catalogue.js').then(({ PRESETS }) => PRESETS)")
    known = {name: json.loads(json.dumps(fields_of(rules))) for name, rules in NAMED.items()}
    assert presets == known


def test_a_preset_whose_rules_the_page_does_not_know_is_not_offered(browser, site):
    """Another one that is new has its name from the API."""
    page = browser.new_page()
    games = {
        "tic-tac-toe": {"rows": 3, "columns": 3, "goal": 3},
        "six-in-a-row": {"rows": 9, "columns": 9, "goal": 6},
        "hidden": {"rows": 4, "columns": 4, "goal": 4, "portals": True},
    }
    text = re.sub(
        r'(name="presets" content=")[^"]*',
        lambda found: found[1] + escape(json.dumps(games)),
        page.request.get(site).text(),
    )
    page.route(site.rstrip("/") + "/", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto(site)
    names = page.locator(".tile-button .card-name").all_text_contents()
    assert {"Tic-tac-toe", "Six in a row"} < set(names)
    assert "Hidden" not in names
    page.close()
