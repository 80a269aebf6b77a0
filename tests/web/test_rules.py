"""The page's own rules against those of the engine."""

import json
import random
import re
from dataclasses import asdict
from html import escape

import pytest

from kinarow.position import Position
from kinarow.rules import NAMES, PRESETS, Rules

FIELDS = ("rows", "columns", "goal", "gravity", "misere", "exact_goal", "wrap", "directions")
"""The rules that the page knows."""

DEFAULTS = asdict(Rules(1, 1, 1))
OFFERED = {
    name: Rules(**asdict(preset))
    for name, preset in PRESETS.items()
    if all(value == DEFAULTS[field] for field, value in asdict(preset).items() if field not in FIELDS)
}
"""The presets with no other rules."""

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
]
BLOCKED = [
    Position.from_text(".#./.../...", goal=3),
    Position.from_text("..#.#/...../.#.../..#..", goal=3, wrap="both"),
    Position.from_text("...../...../..#../#.#..", goal=3, gravity=True),
    Position.from_text("...../..#../.....", goal=3, exact_goal=True, directions=["horizontal", "diagonal"]),
]
STARTS = (
    [Position.empty(rules) for rules in OFFERED.values()] + [Position.empty(rules) for rules in OWN] + BLOCKED
)
GAMES_EACH = 8
REPLAY = """async ([rules, cells, games]) => {
  const { legalMoves, ending, play } = await import("./web/js/rules.js");
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
    presets = page.evaluate("import('./web/js/games.js').then(({ PRESETS }) => PRESETS)")
    known = {name: json.loads(json.dumps(fields_of(rules))) for name, rules in OFFERED.items()}
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
    names = page.locator(".tile-button .card-name").all_inner_texts()
    assert names[:2] == ["Tic-tac-toe", "Six in a row"]
    assert "Hidden" not in names
    page.close()
