"""What only some tests need: ``make dev`` installs it, and where it is missing the test is skipped."""

import sys
from pathlib import Path
from typing import Any

import pytest


def package(name: str) -> Any:
    """The imported module; at the top of a module of tests, its absence skips them all."""
    return pytest.importorskip(name, reason=f"{name} is not installed: make dev")


def tool(name: str) -> Path:
    """The path of a command of this environment."""
    path = Path(sys.executable).parent / name
    if not path.exists():
        pytest.skip(f"{name} is not installed: make dev")
    return path
