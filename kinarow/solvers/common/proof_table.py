"""Sizes of proof tables, and the record of a game's symmetries."""

from typing import Any

from kinarow.game.geometry import geometry
from kinarow.game.rules import Rules
from kinarow.solvers.common.capacity import MAX_SYMMETRIES, PROOF_BUCKET_WORDS


def table_words(buckets_log2: int) -> int:
    """Size in 64-bit words of a table of ``2 ** buckets_log2`` buckets of 64 bytes."""
    return ((1 << buckets_log2) + 1) * PROOF_BUCKET_WORDS


def write_images(images: Any, maps: list[dict[int, int]]) -> None:
    """Write symmetries into a record of ``IMAGES_DTYPE``.

    Args:
        images: the record.
        maps: for each symmetry, a map from each bit to its image; at most 8, the identity first, with all inverses.
    """
    images["count"] = len(maps)
    for number, image in enumerate(maps):
        for place, other in image.items():
            images["image"][number, place] = other
        images["inverse"][number] = maps.index({other: place for place, other in image.items()})


def few_symmetries(rules: Rules, places: list[int]) -> list[dict[int, int]]:
    """Up to eight symmetries of the empty board, the identity first and with each also its inverse, as maps of bits.

    Args:
        rules: the game.
        places: the bit of each cell.
    """
    found = geometry(rules).stabiliser(rules.empty_board)
    if len(found) > MAX_SYMMETRIES:
        found = [each for each in found if all(each[other] == cell for cell, other in enumerate(each))]
    return [
        {places[cell]: places[other] for cell, other in enumerate(each)} for each in found[:MAX_SYMMETRIES]
    ]
