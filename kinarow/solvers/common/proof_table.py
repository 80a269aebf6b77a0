"""Sizes of proof tables, and the symmetries and lines of a game by its bits."""

from collections.abc import Iterable, Mapping
from typing import Any

from kinarow.game.geometry import geometry
from kinarow.game.rules import Rules
from kinarow.solvers.common.capacity import MAX_SYMMETRIES, PROOF_BUCKET_WORDS

BUCKET_BYTES = 8 * PROOF_BUCKET_WORDS


def table_words(buckets_log2: int) -> int:
    """Size in 64-bit words of a table of ``2 ** buckets_log2`` buckets of 64 bytes."""
    return ((1 << buckets_log2) + 1) * PROOF_BUCKET_WORDS


def write_images(images: Any, maps: list[dict[int, int]], lines: Iterable[int] = ()) -> None:
    """Write symmetries into a record of ``IMAGES_DTYPE``: maps of bits, the identity first, with all inverses.

    Without all lines, as masks, ``images.mirror`` is of no use.
    """
    images["count"] = len(maps)
    for number, image in enumerate(maps):
        for place, other in image.items():
            images["image"][number, place] = other
        inverse = images["inverse"][number] = maps.index({other: place for place, other in image.items()})
        fixed = images["fixed"][number] = sum(1 << place for place, other in image.items() if place == other)
        if number == inverse and number > 0:
            pairs = [1 << place | 1 << other for place, other in image.items() if place != other]
            images["mirror"][number] = all(any(line & pair == pair for pair in pairs) for line in lines if line & fixed)


def few_symmetries(rules: Rules, board: bytes, places: Mapping[int, int]) -> list[dict[int, int]]:
    """The symmetries of a board, at most as many as a record holds, as maps of the bits in ``places``.

    The identity is the first, and the inverse of each is among them. If there are too many, the ones kept are their
    own inverses and leave few cells in place: they serve mirror play.
    """
    symmetries = geometry(rules).stabiliser(board)
    if len(symmetries) > MAX_SYMMETRIES:
        symmetries = [each for each in symmetries if all(each[other] == cell for cell, other in enumerate(each))]
        symmetries[1:] = sorted(symmetries[1:], key=lambda each: sum(other == cell for cell, other in enumerate(each)))
    return [{place: places[each[cell]] for cell, place in places.items()} for each in symmetries[:MAX_SYMMETRIES]]
