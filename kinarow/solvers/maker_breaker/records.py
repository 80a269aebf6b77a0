"""Makes the record of a Maker-Breaker game."""

from typing import Any

import numpy as np

from kinarow.solvers.common.proof_table import write_images
from kinarow.solvers.maker_breaker.layout import GAME_DTYPE


def new_game(lines: list[int], cells: int, symmetries: list[dict[int, int]], off: int = 0) -> Any:
    """The game of some lines: a record array of length one.

    Args:
        lines: at most 256 bitboards of the cells that the maker lacks, none of them 0.
        cells: the number of cells, at most 64: the bits 0 to ``cells - 1``.
        symmetries: maps of the cells that map the set of lines to itself, the identity first.
        off: the sum of the ``OFF_...`` switches.
    """
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    game["off"], game["cells"], game["lines"] = off, cells, len(lines)
    game["line"][0, : len(lines)] = lines
    write_images(game[0].images, symmetries)
    return game
