"""The page's own rules against those of the engine."""

import random

import pytest

from kinarow.position import Position
from kinarow.rules import NAMES, PRESETS, Rules, X

FLAT = {name: preset for name, preset in PRESETS.items() if preset.wrap == "none"}
"""The games that the page offers: those on plain boards."""

OWN = [
    Rules(3, 4, 3, gravity=True, misere=True),
    Rules(5, 5, 3, exact_goal=True),
    Rules(4, 6, 4, gravity=True, exact_goal=True),
    Rules(1, 5, 3),
    Rules(6, 1, 2, misere=True),
    Rules(3, 3, 1),
]
GAMES_EACH = 8
REPLAY = """async ([rules, games]) => {
  const { emptyPosition, legalMoves, ending, play } = await import("./web/js/rules.js");
  const look = (position) => {
    const { state, winner, lines } = ending(position);
    const cells = [...new Set(lines.flat())].sort((a, b) => a - b);
    return [position.cells, position.toMove, legalMoves(position), state, winner, cells];
  };
  return games.map((moves) => {
    let position = emptyPosition(rules, "X");
    const seen = [look(position)];
    for (const cell of moves) seen.push(look((position = play(position, cell))));
    return seen;
  });
}"""


def as_seen(position: Position) -> list:
    ending = position.ending()
    cells = position.cells.translate(bytes.maketrans(b"\0\1\2", b".XO")).decode()
    moves = list(position.legal_moves()) if ending.state == "ongoing" else []
    winner = None if ending.winner is None else NAMES[ending.winner]
    return [cells, NAMES[position.to_move], moves, ending.state, winner, list(ending.winning_cells)]


def random_game(rules: Rules, rng: random.Random) -> tuple[list[int], list]:
    position = Position(rules, bytes(rules.cells), X)
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


@pytest.mark.parametrize(
    "rules",
    [Rules(p.rows, p.columns, p.goal, p.gravity, p.misere, p.exact_goal) for p in FLAT.values()] + OWN,
    ids=str,
)
def test_the_page_and_the_engine_agree_on_random_games(page, rules):
    rng = random.Random(7)
    games = [random_game(rules, rng) for _ in range(GAMES_EACH)]
    fields = {
        name: getattr(rules, name) for name in ("rows", "columns", "goal", "gravity", "misere", "exact_goal")
    }
    assert page.evaluate(REPLAY, [fields, [moves for moves, _ in games]]) == [seen for _, seen in games]


def test_the_page_has_the_presets_of_the_engine(page):
    presets = page.evaluate("import('./web/js/rules.js').then(({ PRESETS }) => PRESETS)")
    fields = ("rows", "columns", "goal", "gravity", "misere", "exact_goal")
    assert presets == {name: {field: getattr(p, field) for field in fields} for name, p in FLAT.items()}
