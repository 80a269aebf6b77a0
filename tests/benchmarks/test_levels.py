"""The round robin of the levels counts and rates as it says."""

import csv
import math

import numpy as np

from benchmarks.levels import (
    GAMES,
    PLAYERS,
    Game,
    failures,
    match,
    play,
    rated,
    ratings,
    report,
    results,
    rounds,
    taken_up,
)
from kinarow.version import engine_version

NAME = "3 × 3, goal 3"


def test_a_round_has_every_two_players_meet_with_either_side_beginning():
    games = list(rounds(NAME, (1, 2, 3), most=2, seed=1))
    assert len(games) == 12
    assert len({seed for *_, seed in games}) == 12
    assert {(x, o) for _, x, o, _ in games} == {(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)}


def test_a_seed_plays_the_same_game_again():
    for seed in range(5):
        assert play(NAME, 3, 7, seed) == play(NAME, 3, 7, seed)
    assert {play(NAME, 1, 1, seed).score for seed in range(40)} == {0.0, 0.5, 1.0}


def test_a_match_counts_both_sides_from_the_players_view():
    games = [Game(NAME, 1, 2, 1.0), Game(NAME, 2, 1, 1.0), Game(NAME, 2, 1, 0.5), Game(NAME, 1, 2, 0.0)]
    found = match(results(games, NAME), 1, 2)
    assert found.games == 4
    assert found.mean == (1 + 0 + 0.5 + 0) / 4
    assert match(results(games, NAME), 2, 1).mean == 1 - found.mean
    assert match(results(games, NAME), 1, 3) is None
    assert not found.better
    assert not found.worse


def test_a_margin_is_that_of_the_normal_approximation():
    found = {(2, 1): np.array([49.0, 0.0, 149.0])}
    n = 200
    share = 150 / n
    assert math.isclose(match(found, 2, 1).margin, 1.96 * math.sqrt(share * (1 - share) / n), rel_tol=1e-9)
    assert match(found, 2, 1).better
    assert match(found, 1, 2).worse


def test_three_quarters_of_the_points_are_about_190_elo():
    values = ratings({(2, 1): np.array([250.0, 0.0, 750.0]), (3, 2): np.array([250.0, 0.0, 750.0])}, (1, 2, 3))
    assert values[1] == 0
    assert abs(values[2] - 400 * math.log10(3)) < 2
    assert abs(values[3] - 800 * math.log10(3)) < 4
    for player, rating in rated({(2, 1): np.array([25.0, 0.0, 75.0])}, (1, 2)).items():
        assert rating.low <= rating.value <= rating.high
        assert player == 1 or rating.low > 0


def test_levels_in_the_wrong_order_are_told():
    games = [Game(NAME, strong, weak, 1.0) for weak in PLAYERS for strong in PLAYERS if strong > weak] * 30
    assert failures(games, PLAYERS) == []
    told = failures(games + [Game(NAME, 5, 4, 0.0), Game(NAME, 7, 4, 0.0)] * 60, PLAYERS)
    assert [sum(words in line for line in told) for words in ("not rated", "worse", "not surely")] == [2, 1, 1]


def test_the_report_has_a_row_for_every_player():
    games = [Game(NAME, 1, 2, 0.0), Game(NAME, 2, 1, 0.5), Game(NAME, 0, 1, 0.5), Game(NAME, 1, 0, 1.0)] * 5
    text = report(games, (0, 1, 2))
    assert NAME in GAMES
    assert text.startswith(f"### {NAME}\n\n20 games.\n")
    assert [line.split(" | ")[0] for line in text.splitlines() if " to " in line] == ["| random", "| 1", "| 2"]
    assert "0.750 ± " in text


def test_a_run_that_was_ended_goes_on_where_it_was(tmp_path):
    record = tmp_path / "games.csv"
    games, file = taken_up(record)
    with file:
        assert games == []
        played = [play(NAME, 1, 2, 7), play(NAME, 2, 1, 8)]
        csv.writer(file).writerows(played)
        file.write(f"{NAME},1")  # the process was ended while it wrote
    again, file = taken_up(record)
    file.close()
    assert again == played
    record.write_text(record.read_text("utf-8").replace(engine_version(), "another"), "utf-8")
    assert taken_up(record)[0] == []
