"""A claim settled by jobs: the same as by other solvers, whatever comes back first, and never searched twice."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kinarow.commands.cli import main
from kinarow.game.position import Position
from kinarow.game.rules import O, Rules, X
from kinarow.proofs.jobs import Results, Told, Tree, settle
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from tests.support.commands import package
from tests.support.processes import wait_for

BOARD = ["--rows", "4", "--columns", "5", "--goal", "4", "--gravity", "--side", "O", "--claim", "not-lose"]
COMMAND = [sys.executable, "-m", "kinarow.commands.cli", "prove"]
GAMES = [
    Rules(4, 4, 4, gravity=True),
    Rules(4, 4, 3),
    Rules(4, 4, 4, misere=True),
    Rules(3, 4, 3, misere=True, gravity=True),
    Rules(4, 4, 4, wrap="both"),
    Rules(3, 4, 3, marks="shared", misere=True),
    Rules(3, 4, 3, blocked=1),
]


def run(tree, order=0):
    """Search a tree in this process. Of three jobs given out, the one at ``order`` is learnt first."""
    given, jobs = [], tree.jobs()
    while not tree.is_settled():
        while len(given) < 3 and (job := next(jobs, None)) is not None:
            given.append(job)
        if given:  # else earlier results have settled the root
            key, *asked = given.pop(order % len(given))
            yield key, tree.learn(key, settle(*asked))


@pytest.mark.parametrize("rules", GAMES, ids=str)
@pytest.mark.parametrize("side", [X, O])
@pytest.mark.parametrize("wins", [True, False])
@pytest.mark.parametrize("order", [0, -1])
def test_jobs_find_what_one_search_finds(rules, side, wins, order):
    empty = Position.empty(rules)
    value = search(empty, Limits(10**8, max_depth=empty.empties)).score.value * (1 if side == X else -1)
    tree = Tree(empty, side, wins, {}, first_nodes=20)
    found = list(run(tree, order))
    assert tree.root.holds is (value > 0 if wins else value >= 0)
    assert len(found) == len({(key, told.limit) for key, told in found})  # no search twice


def test_images_of_a_position_are_one_node():
    tree = Tree(Position.empty(Rules(4, 4, 4)), O, False, {}, first_nodes=1)
    for _ in zip(range(5), run(tree), strict=False):
        pass
    assert len(tree.root.children) == 3
    forms = {key[1] for key in tree.nodes}
    assert all(node.position.canonical().position.cells in forms for node in tree.nodes.values())


def test_no_job_is_given_out_below_a_settled_position():
    tree = Tree(Position.empty(Rules(5, 6, 4)), X, True, {}, first_nodes=300)
    for _ in run(tree):
        job = next(tree.jobs(), None)
        waiting, open_keys = [tree.root], set()
        while waiting:
            node = waiting.pop()
            if node.holds is None and node.key not in open_keys:
                open_keys.add(node.key)
                waiting += [child for _, child in node.children]
        if job is not None:
            assert job[0] in open_keys
            tree.nodes[job[0]].running = False
    assert tree.root.holds


def test_a_stopped_run_goes_on_without_a_search_twice(tmp_path):
    file, empty = tmp_path / "results", Position.empty(Rules(4, 5, 4, gravity=True))
    first = Tree(empty, O, False, {}, first_nodes=500)
    results = Results(file, empty, O)
    done = {}
    for _, (key, told) in zip(range(6), run(first), strict=False):
        results.add(False, key, told)
        done[key] = told.limit
    with file.open("ab") as half:
        half.write(b'{"side":"O","wins":fal')
    again = Results(file, empty, O)
    assert again.told(True) == {}
    later = Tree(empty, O, False, again.told(False), first_nodes=500)
    assert all(key not in done or told.limit > done[key] for key, told in run(later))
    assert later.root.holds is True
    results.add(False, (True, b"\0"), Told(None, 1, 1))
    assert all(json.loads(line) for line in file.read_text().splitlines())


def test_the_command_resumes_and_its_proof_is_checked(tmp_path, capsys):
    options = [*BOARD, "--nodes", "500", "--jobs", str(tmp_path / "jobs"), "--output", str(tmp_path / "proof")]
    assert main(["prove", *options, "--processes", "2"]) == 0
    assert "O does not lose" in capsys.readouterr().out
    before = (tmp_path / "jobs").read_bytes(), (tmp_path / "proof").read_bytes()
    assert main(["prove", *options, "--processes", "1"]) == 0
    assert ((tmp_path / "jobs").read_bytes(), (tmp_path / "proof").read_bytes()) == before
    assert main(["prove", "--rows", "4", "--columns", "4", "--goal", "4", *options[-4:]]) == 1
    assert "another position" in capsys.readouterr().err


def test_a_wrong_claim_is_refuted(tmp_path, capsys):
    options = ["--rows", "3", "--columns", "4", "--goal", "3", "--side", "O", "--claim", "not-lose", "--nodes", "20"]
    assert main(["prove", *options, "--jobs", str(tmp_path / "jobs"), "--processes", "1"]) == 3
    assert "the claim is wrong" in capsys.readouterr().err


def test_a_tree_is_searched_again_and_a_damaged_one_is_noticed(tmp_path, capsys):
    tree, jobs = tmp_path / "tree", tmp_path / "jobs"
    options = [*BOARD, "--nodes", "500", "--processes", "1", "--jobs", str(jobs), "--output", str(tree)]
    assert main(["prove", *options, "--tree"]) == 0
    assert main(["check", str(tree)]) == 0
    assert "searched again: O does not lose; X to move; " in capsys.readouterr().out
    head, *lines = tree.read_bytes().splitlines(keepends=True)
    tree.write_bytes(gzip.compress(tree.read_bytes()))
    assert main(["check", str(tree)]) == 0
    assert capsys.readouterr().out.startswith("searched again")
    turned = head.replace(b'"not-lose"', b'"win"')
    others = [
        head.replace(b'"not-lose"', b'"draw"'), head.replace(b'"not-lose"', b"[]"), head.replace(b'"X"', b'"x"'),
        head.replace(b'"goal"', b'"gaol":4,"goal"'), b"[" * 60_000 + b"\n",
    ]  # fmt: skip
    deep = [head, b"[" * 60_000 + b"\n"]
    for damaged in (
        *([head, *lines[:-1]], [head, *lines[1:]], [turned, *lines], [head], deep),
        *([other, *lines] for other in others),
    ):
        tree.write_bytes(b"".join(damaged))
        assert main(["check", str(tree)]) == 1
        assert capsys.readouterr().out.startswith("NOT PROVEN")


@pytest.mark.slow
@pytest.mark.alone
def test_a_cluster_finds_the_same_though_a_worker_dies(tmp_path):
    """A worker of a Dask cluster that is killed costs at most its own job."""
    distributed = package("distributed")
    jobs, proof = tmp_path / "jobs", tmp_path / "proof"
    options = ["--rows", "5", "--columns", "6", "--goal", "4", "--claim", "win", "--nodes", "300"]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        command = [*COMMAND, *options, "--jobs", str(jobs), "--output", str(proof)]
        with subprocess.Popen(
            [*command, "--dask", cluster.scheduler_address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as found:
            wait_for(lambda: found.poll() is not None or (jobs.exists() and len(jobs.read_bytes().splitlines()) > 5))
            assert found.poll() is None
            os.kill(cluster.workers[0].pid, signal.SIGKILL)
            told, said = found.communicate(timeout=240)
    assert found.returncode == 0, said
    assert "proven: X wins" in told


@pytest.mark.slow
def test_a_process_that_dies_costs_its_own_job(tmp_path):
    jobs = tmp_path / "jobs"
    options = ["--rows", "5", "--columns", "6", "--goal", "4", "--claim", "win", "--nodes", "300", "--processes", "2"]
    command = [*COMMAND, *options, "--jobs", str(jobs), "--output", str(tmp_path / "proof")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as found:
        wait_for(lambda: found.poll() is not None or (jobs.exists() and len(jobs.read_bytes().splitlines()) > 5))
        children = Path(f"/proc/{found.pid}/task/{found.pid}/children").read_text().split()
        workers = [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
        os.kill(int(workers[0]), signal.SIGKILL)
        told, said = found.communicate(timeout=240)
    assert found.returncode == 0, said
    assert "proven: X wins" in told
