"""The round robin of the levels plays, goes on where it was ended, and reports."""

import csv

from benchmarks.levels import play, report, rounds, taken_up

NAME = "3 × 3, goal 3"


def test_a_round_robin_goes_on_where_it_was_and_has_a_row_for_every_player(tmp_path):
    """Every two players meet with either side beginning; the seed of a game plays it again."""
    record = tmp_path / "games.csv"
    planned = list(rounds(NAME, (1, 2, 3), most=2, seed=1))
    assert {(x, o) for _, x, o, _ in planned} == {(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)}
    games, file = taken_up(record)
    with file:
        assert games == []
        played = [play(*game) for game in planned]
        csv.writer(file).writerows(played)
        file.write(f"{NAME},1")  # the process was ended while it wrote
    again, file = taken_up(record)
    file.close()
    assert again == played == [play(*game) for game in planned]
    text = report(again, (1, 2, 3))
    assert text.startswith(f"### {NAME}\n\n12 games.\n")
    assert [line.split(" | ")[0] for line in text.splitlines() if " to " in line] == ["| 1", "| 2", "| 3"]
