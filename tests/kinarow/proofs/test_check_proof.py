"""``kinarow prove`` and ``kinarow check``: whole proofs are taken, down to their leaves, and no damaged ones."""

import gzip
import hashlib
import json
import random
import re
import subprocess
import sys
from dataclasses import replace
from itertools import permutations

import pytest

from kinarow.commands.cli import main
from kinarow.commands.prove import NOT_PROVEN
from kinarow.game.position import Position
from kinarow.game.rules import DIRECTION_NAMES, Rules
from kinarow.proofs import check_proof, finding
from kinarow.proofs.finding import ARGUMENTS, game_of
from kinarow.search.known import atlas, proofs
from tests.support import oracle
from tests.support.samples import sampled
from tests.support.server import REPOSITORY

CHECKER = REPOSITORY / "checker" / "check_proof.py"


def proof_of(rules, side, wins):
    return finding.prove(Position.empty(rules), side, wins)


def test_the_checker_is_one_file_that_needs_the_standard_library_alone():
    source = CHECKER.read_text("utf-8")
    assert len(source.splitlines()) <= 400
    assert {*re.findall(r"^ *(?:import|from) (\w+)", source, re.MULTILINE)} <= sys.stdlib_module_names


def test_it_says_what_a_file_proves_and_that_a_damaged_one_proves_nothing(tmp_path):
    rules = Rules(3, 4, 3)
    whole = tmp_path / "whole.proof.gz"
    both = proof_of(rules, 1, True).to_bytes() + proof_of(Rules(3, 3, 3), 2, False).to_bytes()
    whole.write_bytes(gzip.compress(both, mtime=0))
    damaged = tmp_path / "damaged.proof"
    damaged.write_bytes(both[:-1])

    def run(*files):
        return subprocess.run([sys.executable, "-I", CHECKER, *files], capture_output=True, text=True, check=False)

    good, bad = run(whole), run(damaged, tmp_path / "missing")
    assert good.returncode == 0
    assert good.stdout.splitlines()[0].startswith(
        "proven: X wins within 7 plies; rows: 3, columns: 4, goal: 3; X to move"
    )
    assert good.stdout.splitlines()[1].startswith("proven: O does not lose within 9 plies")
    assert (bad.returncode, bad.stderr) == (1, "")
    assert bad.stdout.count("NOT PROVEN") == 2


SMALL = [
    *(Rules(rows, columns, 3) for rows, columns in ((3, 3), (3, 4), (4, 4), (2, 6))), Rules(4, 4, 4),
    Rules(4, 4, 3, gravity=True), Rules(4, 4, 4, gravity=True), Rules(4, 4, 4, gravity=True, exact_goal=True),
    Rules(4, 4, 3, gravity=True, misere=True), Rules(3, 4, 3, misere=True), Rules(3, 4, 3, misere=True, wrap="rows"),
    Rules(3, 5, 3, exact_goal=True), Rules(3, 3, 3, wrap="both"), Rules(3, 3, 2, directions=DIRECTION_NAMES[2:]),
    Rules(2, 3, 3, layers=2, gravity=True), Rules(2, 2, 2, layers=3, misere=True), Rules(3, 3, 3, blocked=1 << 5),
    Rules(3, 4, 3, gravity=True, blocked=1 << 9), Rules(3, 4, 3, marks="shared"),
    Rules(3, 4, 3, marks="shared", misere=True), Rules(1, 9, 3, marks="shared"),
]  # fmt: skip


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_what_is_true_is_found_and_checked_and_what_is_wrong_is_not(rules):
    entry = atlas.find(rules)
    value = oracle.score(rules, rules.empty_board, 1) if entry is None or rules.cells < 10 else entry.score.value
    for side in (1, 2):
        worth = value if side == 1 else -value
        for wins in (False, True):
            try:
                proof = proof_of(rules, side, wins)
            except finding.NotFound:
                assert worth < wins
            else:
                assert worth >= wins
                found = check_proof.check(proof.head, proof.decisions)
                assert found[:2] == ("XO"[side - 1], "win" if wins else "not-lose")
                assert found[2] <= rules.cells
                assert not wins or found[2] >= rules.cells + 1 - abs(value)


FIVE = [
    (Rules(3, 4, 3), 1, True), (Rules(4, 4, 4), 2, False), (Rules(4, 4, 4, gravity=True), 2, False),
    (Rules(3, 4, 3, misere=True), 2, False), (Rules(3, 3, 3, misere=True, marks="shared"), 1, True),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "side", "wins"), FIVE, ids=str)
def test_a_changed_proof_is_noticed_or_still_proves_what_it_says(rules, side, wins):
    """What it says may have changed, but what is said to be proven is true."""
    whole, chance, proven = proof_of(rules, side, wins), random.Random(1), 0
    proof = whole.to_bytes()
    for _ in range(200):
        data = bytearray(proof)
        kind, at = chance.randrange(4), chance.choice([chance.randrange(len(data)), data.index(b"\n") + 1])
        if kind == 0:
            data[at % len(data)] = chance.randrange(256)
        elif kind == 1:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 2:
            del data[at : at + chance.randrange(1, 4)]
        else:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 4)))
        try:
            found = [(head, check_proof.check(head, body)) for head, body in check_proof.proofs(bytes(data))]
        except (check_proof.Unproven, ValueError, RecursionError):
            continue
        for head, (won_by, claim, _) in found:
            if (head["rules"], head["board"]) == (whole.head["rules"], whole.head["board"]):
                assert (won_by, claim) == ("XO"[side - 1], "win" if wins else "not-lose")
                continue
            fields = {name: tuple(v) if isinstance(v, list) else v for name, v in head["rules"].items()}
            if fields["goal"] > max(fields["rows"], fields["columns"]):
                continue  # no rules of ours, and nobody completes a line
            cells = bytes(".XO#".index(mark) for mark in "".join(head["board"]))
            changed = replace(Rules(**fields), blocked=sum(1 << cell for cell, mark in enumerate(cells) if mark == 3))
            score = oracle.score(changed, cells, "XO".index(head["to_move"]) + 1)
            assert score * (1 if won_by == head["to_move"] else -1) >= (claim == "win")
            proven += 1
    assert proven < 200


@pytest.mark.parametrize(("rules", "side", "wins"), FIVE, ids=str)
def test_a_proof_with_the_sides_exchanged_is_refused(rules, side, wins):
    proof = proof_of(rules, side, wins)
    for change in ({"side": "OX"[side - 1]}, {"to_move": "O"}, *([] if wins else [{"claim": "win"}])):
        with pytest.raises(check_proof.Unproven):
            check_proof.check(proof.head | change, proof.decisions)


@pytest.mark.parametrize(
    "head",
    [
        {"rules": {"rows": 10**30}}, {"rules": {"rows": True}}, {"rules": {"renju": True}}, {"rules": {"new": 1}},
        {"rules": []}, {"board": ["XXX", "...", "..."]}, {"board": [".."] * 3}, {"board": 7}, {"board": ["?.."] * 3},
        {"by": "magic"}, {"by": ["moves"]}, {"by": None}, {"side": 1}, {"claim": "draw"}, {"to_move": []},
        {"rules": {"rows": 3, "columns": 3, "goal": 3, "directions": ["up"]}}, {"by": "pairing"}, {"by": "mirror"},
        {"engine": 5}, {"rules": {"rows": 3.0, "columns": 3, "goal": 3}},
        {"rules": {"rows": 3, "columns": 3, "goal": 3, "gravity": True}, "board": [".#.", "...", "..."]},
        {"rules": {"rows": 3, "columns": 3, "goal": 3, "gravity": True}, "board": ["...", ".#.", ".X."]},
    ],
    ids=str,
)  # fmt: skip
def test_a_first_line_that_says_nothing_is_refused(head):
    proof = proof_of(Rules(3, 3, 3), 2, False)
    with pytest.raises(check_proof.Unproven):
        check_proof.check(proof.head | head, proof.decisions)


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b"[]\n",
        b"\x1f\x8b",
        b"[" * 60_000 + b"\n",
        b"\xff\n",
        b"{\n",
        b"\n",
        b'{"decisions":-1}\n',
        b"",
        gzip.compress(b"", mtime=0),
        b"\xff" * 9000,
    ],
)
def test_a_file_that_is_none_is_refused_without_a_traceback(tmp_path, capsys, data):
    file = tmp_path / "file"
    file.write_bytes(data)
    assert check_proof.main([str(file)]) == 1
    said = capsys.readouterr().out
    assert "NOT PROVEN" in said
    assert len(said) < 500


def test_without_files_the_checker_says_what_it_takes():
    done = subprocess.run([sys.executable, CHECKER], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "python3 check_proof.py FILE" in done.stderr


def test_a_draw_in_misere_is_proven_by_avoiding_lines_without_a_value():
    proof = finding.prove(Position.empty(Rules(4, 4, 4, misere=True)), 1, False, lambda *_: pytest.fail("it asked"))
    assert proof.head["by"] == "moves"
    assert check_proof.check(proof.head, proof.decisions)[:2] == ("X", "not-lose")


def test_positions_alike_but_for_a_symmetry_or_for_marks_without_lines_have_one_decision():
    """With a decision for each position there were 1,629 and 13. On a ring of five there is no half a side."""
    for rules, side, most in ((Rules(3, 4, 3, misere=True, wrap="rows"), 2, 500), (Rules(3, 4, 3), 1, 9)):
        assert len(proof_of(rules, side, True).decisions) <= most
    ring = proof_of(Rules(1, 5, 3, misere=True, wrap="both"), 2, True)
    assert check_proof.check(ring.head, ring.decisions)[:2] == ("O", "win")


def test_blocking_takes_the_marks_that_are_soonest_proven_and_answers_replies_alike_once():
    """With the first mark that blocks every line, and an answer to each reply, there were 19,831."""
    assert len(finding.by_blocking(Position.empty(Rules(6, 7, 5)), 2).decisions) < 600


def test_stacks_may_cross_in_a_follow_up():
    """O answers in the other half of the board, and above that it follows up."""
    proof = proof_of(Rules(4, 6, 5, gravity=True), 2, False)
    assert proof.decisions.count(check_proof.FOLLOW_UP) >= 2
    assert len(proof.decisions) < 30


def test_a_file_with_bytes_left_over_proves_nothing(tmp_path, capsys):
    proof = proof_of(Rules(3, 4, 3), 1, True)
    longer = json.dumps(proof.head | {"decisions": len(proof.decisions) + 1}).encode() + b"\n" + proof.decisions + b"\0"
    file = tmp_path / "file"
    for data in (proof.to_bytes() + b"\0", longer):
        file.write_bytes(data)
        assert check_proof.main([str(file)]) == 1
        assert capsys.readouterr().out.startswith("NOT PROVEN")
    file.write_bytes(proof.to_bytes())
    assert check_proof.main([str(file)]) == 0


@sampled("every", 8, 1)
def test_the_proofs_of_the_package_hold_and_the_atlas_names_them(every):
    """All of them take CPython a few seconds."""
    assert proofs.FILE.stat().st_size <= 200_000
    named = {
        reason["file"]: (reason["sha256"], entry.rules, side, entry.outcome)
        for entry in atlas.shipped().values()
        for side, reason in entry.known_by.items()
        if reason is not None and reason["by"] == "proof"
    }
    for name, data in list(proofs.shipped().items())[::every]:
        digest, rules, side, outcome = named[name]
        ((head, decisions),) = check_proof.proofs(data)
        assert hashlib.sha256(data).hexdigest() == digest
        assert (head["rules"], head["board"]) == (
            finding.game_of(Position.empty(rules))[0],
            Position.empty(rules).board,
        )
        assert check_proof.check(head, decisions)[:2] == (side, "not-lose" if outcome == "draw" else "win")


def test_a_proof_is_written_and_checked(tmp_path, capsys):
    file = tmp_path / "a.proof"
    asked = ["--rows", "3", "--columns", "4", "--goal", "3", "--processes", "1", "--output", str(file)]
    assert main(["prove", *asked]) == 0
    assert capsys.readouterr().out == (
        f"{file}: proven: X wins within 7 plies; rows: 3, columns: 4, goal: 3; X to move; 9 decisions\n"
    )
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out.startswith("proven: X wins within 7 plies")
    head = json.loads(file.read_bytes().partition(b"\n")[0])
    assert (head["by"], head["board"], head["decisions"]) == ("moves", ["...."] * 3, 9)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["X.O/.X./..O", "--to-move", "X", "--claim", "win"], NOT_PROVEN),
        (["XXX/OO./..."], 2),
        (["--game", "renju"], NOT_PROVEN),
    ],
)
def test_the_exit_code_says_whether_a_proof_was_found(tmp_path, options, code):
    file = tmp_path / "a.proof"
    assert main(["prove", *options, "--processes", "1", "--output", str(file)]) == code
    assert file.exists() == (code == 0)


def test_what_a_proof_proves_names_the_position(tmp_path, capsys):
    asked = ["X.O/.X./..O", "--to-move", "X", "--side", "O", "--processes", "1", "--output", str(tmp_path / "a")]
    assert main(["prove", *asked]) == 0
    said = "O does not lose within 5 plies; rows: 3, columns: 3, goal: 3, board: X.O/.X./..O; X to move"
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("command", [["prove", "--output"], ["puzzles", "--page"]], ids=" ".join)
def test_a_file_that_cannot_be_written_costs_no_search(tmp_path, capsys, command):
    for path, why in ((tmp_path, "it is a folder"), (tmp_path / "no" / "a", "there is no folder")):
        with pytest.raises(SystemExit, match="2"):
            main([*command, str(path), "--game", "tic-tac-toe"])
        assert f"{path} cannot be written: {why}" in capsys.readouterr().err


def test_processes_find_the_same_proof(tmp_path):
    asked = ["--rows", "4", "--columns", "5", "--goal", "4", "--gravity", "--side", "O", "--claim", "not-lose"]
    for processes in ("1", "2"):
        assert main(["prove", *asked, "--processes", processes, "--output", str(tmp_path / processes)]) == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


BOARDS = (
    Rules(3, 3, 3), Rules(3, 3, 3, gravity=True), Rules(2, 4, 3, wrap="rows"),
    Rules(4, 3, 3, gravity=True, blocked=1 << 10), Rules(2, 5, 2, gravity=True), Rules(3, 3, 2, wrap="both"),
    Rules(1, 8, 3), Rules(2, 2, 2, layers=2), Rules(2, 2, 3, gravity=True, layers=3),
    Rules(3, 3, 3, blocked=1 << 4, directions=("horizontal", "vertical")),
)  # fmt: skip
EVERY_RULE = [
    replace(rules, misere=misere, exact_goal=exact, marks=marks)
    for rules in BOARDS
    for marks in ("own", "shared")
    for misere in (False, True)
    for exact in (False, True)
]
EVERYDAY = [rules for rules in EVERY_RULE if rules.cells < 10 and not rules.misere]


def crossings(game, marks):
    """Ways in which stacks may cross, up to a cell of each, most of which they may not."""
    cells = [cell for cell in check_proof.bits(game.free & ~marks) if game.gravity]
    yield from permutations(cells, 2)
    yield from permutations(cells[-4:], 4)


def positions(rules):
    """Every ongoing position of a game, with the side to move."""
    waiting, met = [(rules.empty_board, 1)], set()
    while waiting:
        cells, side = waiting.pop()
        if (cells, side) in met:
            continue
        met.add((cells, side))
        yield cells, side
        for cell in oracle.moves(rules, cells, side):
            after = oracle.put(rules, cells, cell, side)
            if not oracle.lines_through(rules, after, cell):
                waiting.append((after, 3 - side))


@pytest.mark.parametrize(
    "rules", [pytest.param(r, marks=[] if r in EVERYDAY else [pytest.mark.slow], id=str(r)) for r in EVERY_RULE]
)
def test_no_argument_claims_what_minimax_denies(rules):
    _, game = game_of(Position.empty(rules))
    for cells, to_move in positions(rules):
        score = oracle.score(rules, cells, to_move)
        for side in (1, 2):
            position = Position(rules, cells, to_move)
            marks = position.marks(side), position.marks(3 - side)
            for wins in (False, True):
                if score * (1 if side == to_move else -1) < wins:
                    for by in ARGUMENTS:
                        assert not game.holds(by, *marks, side == to_move, wins), (by, position.board, to_move, side)
                    for crossed in crossings(game, sum(marks)):
                        assert not game.holds("follow-up", *marks, side == to_move, wins, crossed), position.board


@pytest.mark.parametrize("by", ARGUMENTS)
def test_each_argument_proves_something(by):
    """So that the comparisons are none of nothing."""
    examples = (Rules(4, 3, 3), Rules(2, 3, 3), Rules(2, 3, 3, misere=True), Rules(2, 4, 3, gravity=True, misere=True))
    games = [game_of(Position.empty(rules))[1] for rules in examples]
    assert any(game.holds(by, 0, 0, moves, False) for game in games for moves in (False, True))
    _, misere = game_of(Position.empty(Rules(3, 4, 4, misere=True)))
    assert by not in ("pairing", "mirror") or any(misere.holds(by, 0, 0, moves, False) for moves in (False, True))
