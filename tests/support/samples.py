"""Sizes of samples: a small one for every day, a large one for the full suite."""

import pytest


def sampled(name: str, everyday: int, full: int) -> pytest.MarkDecorator:
    """Run a test with both sizes of its sample as the argument ``name``; with the large one it is slow."""
    return pytest.mark.parametrize(name, [everyday, pytest.param(full, marks=pytest.mark.slow)])
