"""The checker takes whole proofs, also those that are found here, and no damaged ones."""

import ast
import gzip
import hashlib
import json
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import DIRECTION_NAMES, Rules
from kinarow.proofs import check_proof, finding
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
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        for name in (
            [each.name for each in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "")]
        )
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported <= sys.stdlib_module_names


def test_it_says_what_a_file_proves_and_that_a_damaged_one_proves_nothing(tmp_path):
    rules = Rules(3, 4, 3)
    whole = tmp_path / "whole.proof.gz"
    both = proof_of(rules, 1, True).written() + proof_of(Rules(3, 3, 3), 2, False).written()
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
    *(Rules(rows, columns, 3) for rows, columns in ((3, 3), (3, 4), (4, 4), (2, 6))),
    Rules(4, 4, 4),
    Rules(4, 4, 3, gravity=True),
    Rules(4, 4, 4, gravity=True),
    Rules(4, 4, 4, gravity=True, exact_goal=True),
    Rules(4, 4, 3, gravity=True, misere=True),
    Rules(3, 4, 3, misere=True),
    Rules(3, 4, 3, misere=True, wrap="rows"),
    Rules(3, 5, 3, exact_goal=True),
    Rules(3, 3, 3, wrap="both"),
    Rules(3, 3, 2, directions=DIRECTION_NAMES[2:]),
    Rules(2, 3, 3, layers=2, gravity=True),
    Rules(2, 2, 2, layers=3, misere=True),
    Rules(3, 3, 3, blocked=1 << 5),
    Rules(3, 4, 3, gravity=True, blocked=1 << 9),
    Rules(3, 4, 3, marks="shared"),
    Rules(3, 4, 3, marks="shared", misere=True),
    Rules(1, 9, 3, marks="shared"),
]


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
    (Rules(3, 4, 3), 1, True),
    (Rules(4, 4, 4), 2, False),
    (Rules(4, 4, 4, gravity=True), 2, False),
    (Rules(3, 4, 3, misere=True), 2, False),
    (Rules(3, 3, 3, misere=True, marks="shared"), 1, True),
]


@pytest.mark.parametrize(("rules", "side", "wins"), FIVE, ids=str)
def test_a_changed_proof_is_noticed_or_still_proves_what_it_says(rules, side, wins):
    """What it says may have changed, but what is said to be proven is true."""
    whole, chance, proven = proof_of(rules, side, wins), random.Random(1), 0
    proof = whole.written()
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
    ],
    ids=str,
)  # fmt: skip
def test_a_first_line_that_says_nothing_is_refused(head):
    proof = proof_of(Rules(3, 3, 3), 2, False)
    with pytest.raises(check_proof.Unproven):
        check_proof.check(proof.head | head, proof.decisions)


@pytest.mark.parametrize(
    "data", [b"{}", b"[]\n", b"\x1f\x8b", b"[" * 60_000 + b"\n", b"\xff\n", b"{\n", b"\n", b'{"decisions":-1}\n']
)
def test_a_file_that_is_none_is_refused_without_a_traceback(tmp_path, capsys, data):
    file = tmp_path / "file"
    file.write_bytes(data)
    assert check_proof.main([str(file)]) == 1
    assert "NOT PROVEN" in capsys.readouterr().out


def test_bytes_left_over_are_refused(tmp_path):
    proof = proof_of(Rules(3, 4, 3), 1, True)
    longer = json.dumps(proof.head | {"decisions": len(proof.decisions) + 1}).encode() + b"\n" + proof.decisions + b"\0"
    file = tmp_path / "file"
    for data in (proof.written() + b"\0", longer):
        file.write_bytes(data)
        assert check_proof.main([str(file)]) == 1
    file.write_bytes(proof.written())
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
