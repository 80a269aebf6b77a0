"""Sizes of samples, and the node counts that several tests and pages quote."""

import pytest

NODES_OF_EMPTY_BOARD = {
    "minimax": 549_946,
    "alpha-beta": 20_866,
    "minimax with a table": 5_478,
    "alpha-beta with a table": 3_161,
    "minimax with a table and symmetry": 765,
    "alpha-beta with a table and symmetry": 744,
}
"""How many nodes a search of the empty 3 × 3 board visits."""


def sampled(name: str, everyday: int, full: int) -> pytest.MarkDecorator:
    """Run a test with both sizes of its sample as the argument ``name``; with the large one it is slow."""
    return pytest.mark.parametrize(name, [everyday, pytest.param(full, marks=pytest.mark.slow)])
