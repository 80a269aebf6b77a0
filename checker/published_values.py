"""Published values of empty boards, with their sources."""

from collections.abc import Iterator
from typing import NamedTuple

from kinarow.game.rules import PRESETS, Rules

ALLIS = "Allis, A Knowledge-Based Approach of Connect-Four, 1988"
C4 = "Steininger, c4, github.com/ChristopheSteininger/c4, 2025"
CHARATSIDIS = "Charatsidis, Solving Four-in-a-Row on 9 × 4 and 10 × 4 Boards, 2017"
GOLOMB = "Golomb and Hales, Hypercube Tic-Tac-Toe, 2002"
HALES = "Hales and Jewett, Regularity and Positional Games, 1963"
HOEY = "Hoey, rec.games.abstract, 11 December 1996"
HSU = "Hsu et al., On solving the 7,7,5-game and the 8,8,5-game, 2020"
PATASHNIK = "Patashnik, Qubic: 4 × 4 × 4 tic-tac-toe, 1980"
STEELE = "Steele and Larremore, Misere Connect Four is Solved, arXiv:2410.05551, 2024"
TORUS = "Optimal Games of Tic Tac Torus, codegolf.stackexchange.com"
UITERWIJK = "Uiterwijk, Solving Strong and Weak 4-in-a-Row, 2019"

LAST_SIDE = 8

CONNECT_FOUR = {
    4: "=16 =20 -24 =28 -32 -36 -40 -44 -48",
    5: "=20 =25 =30 =35 +39 +41 +47 +51",
    6: "=24 =30 -36 +41 -48 -52 +59",
    7: "=28 =35 +41 =49 +53 +55",
    8: "=32 =40 -48 +55 -62",
    9: "=36 =45 +53 =63",
    10: "=40 =50 -60 +69",
    11: "=44 =55 +63",
    12: "=48 =60 -72",
    13: "=52 =65",
}
"""By rows, for 4, 5, 6 … columns: + if the first side wins, - if the second, = for a draw; and the last move (c4)."""
_OUTCOMES = {"+": "win", "-": "loss", "=": "draw"}


class Published(NamedTuple):
    """The outcome for the side that begins, the source, and the number of the last move if it is known."""

    outcome: str
    source: str
    last_move: int | None = None


def _connect_four() -> Iterator[tuple[Rules, Published]]:
    for rows, line in CONNECT_FOUR.items():
        for columns, value in enumerate(line.split(), start=4):
            yield Rules(rows, columns, 4, gravity=True), Published(_OUTCOMES[value[0]], C4, int(value[1:]))


def _free_placement() -> Iterator[tuple[Rules, Published]]:
    for columns in range(3, LAST_SIDE + 1):
        for rows in range(1, columns + 1):
            for goal in range(3, columns + 1):
                if value := _of_free_placement(rows, columns, goal):
                    yield Rules(rows, columns, goal), value


def _of_free_placement(rows: int, columns: int, goal: int) -> Published | None:
    """Return the value of a board with ``rows <= columns``, if it is published."""
    if rows < goal:
        return Published("draw", UITERWIJK)
    match goal:
        case 3:
            return Published("draw" if columns == 3 else "win", UITERWIJK)
        case 4 if rows == 4 or columns == 5:
            return Published("draw", CHARATSIDIS if columns > 6 else UITERWIJK)
        case 4:
            return Published("win", UITERWIJK)
        case 5 if rows == columns >= 7:
            return Published("draw", HSU)
    return Published("draw", HALES) if rows == columns == goal else None


PUBLISHED: dict[Rules, Published] = {
    **dict(_connect_four()),
    **dict(_free_placement()),
    PRESETS["connect-four"]: Published("win", f"{ALLIS}; {C4}", 41),
    PRESETS["qubic"]: Published("win", PATASHNIK),
    Rules(6, 7, 4, gravity=True, misere=True): Published("loss", STEELE),
    Rules(3, 3, 3, misere=True): Published("draw", GOLOMB),
    Rules(3, 3, 3, layers=3): Published("win", GOLOMB),
    Rules(3, 3, 3, layers=3, misere=True): Published("win", f"{HOEY}; {GOLOMB}"),
    Rules(3, 3, 3, wrap="both"): Published("win", TORUS, 7),
}
