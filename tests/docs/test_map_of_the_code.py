"""The map of the code in CONTRIBUTING.md is the tree of the two packages."""

import re
from pathlib import Path

from tests.support.server import REPOSITORY

PACKAGES = ("kinarow", "service")
INSIDE = ("web", "guide", "data", "static")
"""Folders that hold no code of ours to look for; the map may name them, but not what is below them."""


def mapped() -> list[Path]:
    """Every path of the table; a name without a folder is in the folder of the name before it."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    found = []
    for cell in re.findall(r"^\| (`(?:kinarow|service)/[^|]*) \|", text, re.MULTILINE):
        first, *others = (REPOSITORY / name for name in re.findall(r"`([^`]+)`", cell))
        found += [first, *(first.parent / other.name for other in others)]
    return found


def tree() -> set[Path]:
    """The folders of both packages, and the modules at their top."""
    found = set()
    for package in (REPOSITORY / name for name in PACKAGES):
        found |= {module for module in package.glob("*.py") if module.name != "__init__.py"}
        found |= {
            folder for folder in package.rglob("*")
            if folder.is_dir() and folder.name != "__pycache__"
            and not any(parent.name in INSIDE for parent in folder.parents)
        }  # fmt: skip
    return found


def test_the_map_names_every_folder_and_every_module_at_the_top() -> None:
    """Each once, and nothing that is not there."""
    names = [path.relative_to(REPOSITORY).as_posix() for path in mapped()]
    assert {name for name in names if names.count(name) > 1} == set()
    optional = {path for path in tree() if path.name in INSIDE}
    assert {path.relative_to(REPOSITORY).as_posix() for path in tree() - set(mapped()) - optional} == set()
    assert {path.relative_to(REPOSITORY).as_posix() for path in set(mapped()) - tree()} == set()
