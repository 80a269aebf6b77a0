"""The page's own rules against those of the engine."""

import json
import random
import re
from pathlib import Path

import pytest

from kinarow.errors import InputError
from kinarow.game.position import Position
from kinarow.game.rules import BLOCKED, EMPTY, NAMES, PRESETS, RULES, O, Rules, X
from kinarow.play.levels import FULL_STRENGTH, level_name
from kinarow.play.teaching import tree
from kinarow.reading.moves import read_moves
from kinarow.reading.records import read_record
from service.routes import page
from tests.support.positions import EVERY_GAME
from tests.support.written_boards import CASES, RECORDS, mutated, random_moves, random_request, service_reads
from tests.web.logic import ask

OWN = [
    Rules(3, 4, 3, gravity=True, misere=True), Rules(5, 5, 3, exact_goal=True),
    Rules(4, 6, 4, gravity=True, exact_goal=True), Rules(1, 5, 3), Rules(6, 1, 2, misere=True), Rules(3, 3, 1),
    Rules(4, 5, 3, wrap="rows"), Rules(4, 5, 4, gravity=True, wrap="rows"),
    Rules(5, 3, 3, wrap="columns", exact_goal=True), Rules(4, 4, 4, wrap="both", misere=True),
    Rules(4, 6, 4, wrap="both", exact_goal=True), Rules(1, 4, 2, wrap="both"),
    Rules(4, 4, 3, directions=("horizontal", "vertical")), Rules(5, 5, 3, directions=("antidiagonal",), wrap="rows"),
    Rules(6, 6, 4, caro=True), Rules(5, 7, 3, caro=True, exact_goal=True, directions=("vertical", "diagonal")),
    Rules(6, 6, 5, renju=True), Rules(2, 3, 3, layers=3), Rules(3, 2, 4, layers=4, gravity=True, misere=True),
    Rules(4, 4, 3, layers=4, exact_goal=True),
    *(rules for name in RULES for rules in [each for each in EVERY_GAME if name in each.special_names][:1]),
]  # fmt: skip
WITH_BLOCKED = [
    Position.from_text(".#./.../...", goal=3),
    Position.from_text("..#.#/...../.#.../..#..", goal=3, wrap="both"),
    Position.from_text("...../...../..#../#.#..", goal=3, gravity=True),
    Position.from_text("...../..#../.....", goal=3, exact_goal=True, directions=["horizontal", "diagonal"]),
    Position.from_text("......./..#..../......./....#../.......", goal=4, caro=True),
    Position.from_text(".../.../...//.../.#./...//.../.../...", goal=3, layers=3),
    Position.from_text(".#./...//.#./...//.../...", goal=3, layers=3, gravity=True),
]
SUPPORT = Path(__file__).parents[1] / "support"
STARTS = [Position.empty(rules) for rules in [*PRESETS.values(), *OWN]] + WITH_BLOCKED
GAMES_EACH = 8


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


RENJU = Rules(15, 15, 5, renju=True)


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


def test_the_page_and_the_engine_forbid_the_same_cells():
    """Those of boards on which overlines, fours and threes meet, and of those that need the recursion."""
    rng = random.Random(8)
    positions = [crowded(rng) for _ in range(200)]
    boards = [as_seen(position)[:2] for position in positions]
    seen = ask("forbidden", {"rules": RENJU.fields(), "boards": boards})
    assert sum(map(len, (forbidden for forbidden, _ in seen))) > 200
    assert seen == [[list(each.forbidden()), list(each.legal_moves())] for each in positions]


@pytest.mark.parametrize("name", RULES)
def test_the_page_knows_the_type_and_the_words_of_every_declared_rule(name):
    web = Path(page.__file__).parents[1] / "web"
    assert re.search(rf"^interface Rules {{[^}}]*^  {name}: ", (web / "types.d.ts").read_text("utf-8"), re.MULTILINE)
    if name not in ("goal", "misere", "exact_goal"):  # of which "rules.wins" and its like speak
        keys = (
            [f"{name}.{value}" for value in RULES[name].choices] if RULES[name].kind == "choice" else [f"rules.{name}"]
        )
        assert set(keys[1:] or keys) <= set(json.loads((web / "words" / "en.json").read_text("utf-8")))


def test_the_page_and_the_engine_agree_on_random_games():
    rng, asked, expected = random.Random(7), [], []
    for start in STARTS * GAMES_EACH:
        moves, seen = random_game(start, rng)
        asked.append({"rules": start.rules.fields(), "cells": as_seen(start)[0], "moves": moves})
        expected.append(seen)
    assert [each for each in zip(asked, ask("games", asked), expected, strict=True) if each[1] != each[2]] == []


REFUSED = {
    "the counts may differ": "counts", "it cannot be": "turn", "empty cell under it": "floating",
    "must rest on the floor": "propped", "both sides have completed": "both", "but has a line already": "over",
    "no single last": "before", "both sides mark with X": "shared", "blocked": "blocked",
}  # fmt: skip
"""What the page calls that which is wrong with a board, by words of the engine."""


def random_board(rules: Rules, rng: random.Random) -> bytes:
    """Marks of both sides in turn or of one, wherever they stand; fallen under gravity; sometimes another change."""
    crowded, blocked = rng.choice([0.3, 0.6, 0.9]), rng.random() < 0.1
    shown = "XX" if rules.marks == "shared" else rng.choice(["XO", "XO", "XXO", "X"])
    cells = bytearray(rules.cells)
    filled = [cell for cell in range(rules.cells) if rng.random() < crowded]
    for at, cell in enumerate(rng.sample(filled, len(filled))):
        cells[cell] = b"\1\2"["XO".index(shown[at % len(shown)])]
    if rules.gravity:
        for stack in range(rules.stacks):
            places = range(stack, rules.cells, rules.stacks)
            marks = [cells[cell] for cell in (places if rules.rise > 0 else reversed(places)) if cells[cell]]
            for height, cell in enumerate(places if rules.rise > 0 else reversed(places)):
                cells[cell] = marks[height] if height < len(marks) else EMPTY
    if rng.random() < 0.2:
        cells[rng.randrange(rules.cells)] = rng.choice([EMPTY, X, O])
    if blocked:
        cells[rng.randrange(rules.cells)] = BLOCKED
    return bytes(cells)


def test_the_page_and_the_engine_refuse_the_same_boards_for_the_same_reason():
    rng = random.Random(11)
    asked, expected = [], []
    for start in [*PRESETS.values(), *OWN, Rules(1, 9, 1, marks="shared"), Rules(2, 5, 3, marks="shared", wrap="rows")]:
        for _ in range(60):
            cells, side = random_board(start, rng), rng.choice([None, None, X, O])
            board = cells.translate(bytes.maketrans(b"\0\1\2\3", b".XO#")).decode()
            asked.append({"rules": start.fields(), "cells": board, "toMove": side and NAMES[side]})
            try:
                expected.append([None, NAMES[Position.from_cells(start, cells, side).to_move]])
            except InputError as wrong:
                expected.append([next(code for words, code in REFUSED.items() if words in str(wrong)), None])
    found = [[each["wrong"], None if each["wrong"] else each["toMove"]] for each in ask("judged", asked)]
    assert [each for each in zip(asked, found, expected, strict=True) if each[1] != each[2]] == []
    assert {code for code, _ in expected} == {*REFUSED.values(), None}


def random_text(rng: random.Random) -> str | list[str]:
    """Rows of a few marks, of which two may mean the same thing, as one text or a list."""
    marks = rng.choice(["XO.", "xo-", "120", "❌⭕⬜", "🔴🟡⚪", "●○·", "XO3", "Х○•", "XO ", "XO.#"]) + rng.choice(
        ["", "", *"xO1Х⚪_ "]
    )
    rows = ["".join(rng.choices(marks, k=rng.choice([3, 3, 3, 4]))) for _ in range(rng.choice([1, 3, 3, 4]))]
    between = rng.choice(["/", "\n", "", "//", "/\n"])
    return rng.choice([rows, between.join(rows), between.join(rows) + between])


def test_what_the_page_reads_of_boards_moves_and_records_the_service_reads_alike():
    """The page reads the strict form: what it refuses the service may read."""
    rng = random.Random(5)
    tables = [json.loads(SUPPORT.joinpath(name).read_text("utf-8")) for name in ("accepted.json", "refused.json")]
    requests = [random_request(rng, [*PRESETS]) for _ in range(400)]
    requests += [row["request"] for table in tables for row in table if "moves" not in row["request"]]
    requests += [
        {"board": random_text(rng), **rng.choice([{}, {"rows": 3}, {"layers": 2, "goal": 2}])} for _ in range(3000)
    ]
    for request, found in zip(requests, ask("read", requests), strict=True):
        said = service_reads(request)
        # The page takes a missing goal from the game shown.
        assert isinstance(found, str) or found == said or (isinstance(said, str) and "goal" in said), request
    own = Rules(4, 12, 4, gravity=True), Rules(4, 9, 4, gravity=True), Rules(3, 3, 3, layers=2, gravity=True)
    moves = [(random_moves(rng, rules), rules) for rules in [*PRESETS.values(), *own] * 60]
    for (text, rules), found in zip(
        moves, ask("moves", [[text, rules.fields()] for text, rules in moves]), strict=True
    ):
        assert found is None or found == [list(each) for each in read_moves(text, rules)], text
    spoilt = [(mutated(RECORDS[case["file"]], rng), case["fields"]) for case in rng.choices(CASES, k=900)]
    records = [(data.decode("utf-8", "replace").removeprefix("\ufeff"), fields) for data, fields in spoilt]
    found = ask("records", [list(each) for each in records])
    assert sum(each is not None for each in found) > 40
    for (text, fields), each in zip(records, found, strict=True):
        if each is not None and "\ufeff" not in text:
            record = read_record(text, fields)
            cells, side, *_ = as_seen(record.start)
            assert each == [cells, side, list(record.moves), record.players, record.result], text


def test_the_games_that_the_page_writes_are_read_to_the_same_games():
    """As SGF from any board without blocked cells, and as moves from the empty board."""
    rng = random.Random(3)
    begun = [
        Position.from_text("X../.O./..X", goal=3),
        Position.from_text("....../....../X.O...", goal=3, gravity=True),
    ]
    starts = [*(Position.empty(rules) for rules in [*PRESETS.values(), *OWN]), *begun]
    games = [(start, random_game(start, rng)[0]) for start in starts if start.rules.layers == 1]
    sent = [{"rules": start.rules.fields(), "cells": as_seen(start)[0], "moves": moves} for start, moves in games]
    count = 0
    for (start, moves), (sgf, text) in zip(games, ask("written", sent), strict=True):
        fields = start.rules.fields()
        for written in (sgf, text if start not in begun else None):
            if written:
                record = read_record(written, fields)
                assert (record.start, list(record.moves)) == (start, moves), written
                count += 1
    assert count > 50


TREES = [
    Position.from_text("XOX/OOX/...", goal=3),
    Position.from_text("O.O/..X/..X", goal=3, misere=True),
    Position.from_text("X.../O.../XXO./OXOX", goal=3, gravity=True, to_move="O"),
    Position.from_text("XO.X/O..O/.#OX", goal=4, wrap="both"),
    Position.from_text("XO./O.X/...", goal=3, directions=["horizontal", "diagonal"]),
    Position.from_text("XO./..O/X.X//OXO/X.X/O.O", goal=3, layers=2),
    Position.from_text("X../..X/X..", game="notakto"),
]


@pytest.mark.parametrize("how", [{}, {"pruning": False}, {"max_depth": 2}, {"pruning": False, "max_depth": 1}], ids=str)
def test_a_page_without_a_service_draws_the_trees_of_the_engine(how):
    asked = []
    for position in TREES:
        cells, side, *_ = as_seen(position)
        asked.append({"position": {"rules": position.rules.fields(), "cells": cells, "toMove": side}, **how})
    known = [tree(position, max_nodes=100_000, **how) for position in TREES]
    assert ask("trees", asked) == json.loads(json.dumps(known))


def test_the_page_has_the_presets_of_the_engine():
    known = {name: json.loads(json.dumps(rules.fields())) for name, rules in PRESETS.items()}
    assert ask("presets") == known


def test_the_page_calls_levels_as_the_engine_does():
    own = Rules(2, 8, 3), Rules(1, 17, 4), Rules(6, 7, 4, True, misere=True), Rules(7, 6, 4, True)
    asked = [(level, rules) for rules in (*PRESETS.values(), *own) for level in range(1, FULL_STRENGTH + 1)]
    names = ask("levels", [[level, rules.fields()] for level, rules in asked])
    for (level, rules), found in zip(asked, names, strict=True):
        name = level_name(level, rules)
        assert found == (f"Level {level} · {name}" if name else f"Level {level}"), rules
