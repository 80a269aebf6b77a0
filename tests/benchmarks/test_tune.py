"""The commands that tune and measure the large-board search: they run, can be resumed, and say what they found."""

import json
import math
import re

from benchmarks import engine_depth, tune
from benchmarks.arena import Tally
from kinarow.solvers.large_boards.search.tunables import DEFAULTS


def tuner(path, only=("killer_order", "threat_bonus")):
    """A tuner with very short games."""
    return tune.Tuner(path, nodes=20, games=4, target=25, names=only)


def test_every_number_of_the_tunables_can_be_reached_and_changed():
    """A change shows at its place and nowhere else."""
    for value in DEFAULTS.values():
        for place in tune.places(value):
            old = tune.number_at(value, place)
            changed = tune.with_number(value, place, old + 1)
            assert tune.number_at(changed, place) == old + 1
            assert tune.with_number(changed, place, old) == value


def test_the_sequential_test_prefers_what_the_results_say():
    """Draws say nothing, wins speak for the step, losses against it, and ever more games decide."""
    assert tune.likelihood(Tally(0, 50, 0), 25) == 0
    assert tune.likelihood(Tally(60, 0, 40), 25) > 0 > tune.likelihood(Tally(50, 0, 50), 25)
    assert tune.likelihood(Tally(700, 0, 500), 25) > tune.SURE > tune.likelihood(Tally(7, 0, 5), 25)


def test_a_tuning_goes_on_where_it_was_ended(tmp_path):
    """The state file holds all that the next run needs; steps follow from their number alone."""
    path = tmp_path / "tune.json"
    said = []
    first = tuner(path)
    assert first.verdict(2, said.append) == "no step was kept: the defaults stand"
    step = first.propose()
    assert step == tuner(path).propose()
    first.try_step(step, math.inf, said.append)
    assert "step 1" in said[-1]
    again = tuner(path)
    assert again.steps == 1
    assert again.best == first.best
    assert again.propose() != step


def test_a_step_that_changes_no_game_ends_early_and_is_not_tried_again(tmp_path):
    """A path alone would bring the same step again, for a number of one can only be moved by one."""
    only = ("aspiration_depth",)
    said = []
    idle = tune.Tuner(tmp_path / "tune.json", nodes=20, games=400, target=25, names=only)
    # Searches of twenty nodes never get that deep.
    idle.try_step(tune.Step("aspiration_depth", (), 3, 4), math.inf, said.append)
    wins, draws, losses = (int(number) for number in re.findall(r"[+=-](\d+)", said[-1])[:3])
    assert wins == losses
    assert wins + draws + losses == 2 * tune.ALIKE_PAIRS
    tried = {"aspiration_depth 3 -> 4"}
    again = tune.Tuner(tmp_path / "tune.json", nodes=20, games=2, target=25, names=only)
    for _ in range(3):
        step = again.propose()
        again.try_step(step, math.inf, said.append)
        tried.add(str(step))
    assert tried == {"aspiration_depth 3 -> 4", "aspiration_depth 3 -> 2"}


def test_the_verdict_names_the_stronger_numbers(tmp_path, monkeypatch):
    """Most games won, lost, and as many won as lost by the tuned numbers."""
    path = tmp_path / "tune.json"
    path.write_text(json.dumps({"best": {"killer_order": 7}, "steps": 3, "sizes": {}}))
    words = {(18, 0, 2): "stronger", (2, 0, 18): "weaker", (10, 0, 10): "not shown to be stronger"}
    for games, word in words.items():
        monkeypatch.setattr(tune, "match", lambda *_, games=games, **__: Tally(*games))
        verdict = tuner(path).verdict(20, lambda line: None)
        assert verdict.startswith(f"the tuned numbers are {word} than the defaults: +{games[0]}")


def test_depths_are_measured_and_shown(tmp_path, monkeypatch):
    """A small run: the same nodes and depths again, and a table with a line for each board."""
    row = engine_depth.row(9, 2, 4000)
    again = engine_depth.row(9, 2, 4000)
    assert (row.depth, row.branching, row.nodes_to_depth) == (again.depth, again.branching, again.nodes_to_depth)
    assert row.depth >= 2
    page = tmp_path / "page.md"
    page.write_text(f"before\n{engine_depth.BEGIN}\nold\n{engine_depth.END}\nafter\n")
    monkeypatch.setattr(engine_depth, "PAGE", page)
    engine_depth.write_table([row, row._replace(size=25, branching=None)], 4000)
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "| 9 × 9 |" in text
    assert "| 25 × 25 |" in text


def test_the_page_has_its_table():
    """The documented figures are there: `python -m benchmarks.engine_depth --write` puts them in."""
    table = engine_depth.PAGE.read_text("utf-8").partition(engine_depth.BEGIN)[2].partition(engine_depth.END)[0]
    assert [line.split()[1] for line in table.splitlines() if "×" in line] == [str(size) for size in engine_depth.SIZES]
