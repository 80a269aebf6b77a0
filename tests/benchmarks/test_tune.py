"""The commands that tune and measure the large-board search: they run, can be resumed, and say what they found."""

import math

from benchmarks import engine_depth, tune


def tuner(path, only=("killer_order", "threat_bonus")):
    """A tuner with very short games."""
    return tune.Tuner(path, nodes=20, games=4, target=25, names=only)


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
