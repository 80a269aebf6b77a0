"""The words of the page and of the atlas in their languages: the tables of ``service/web/words``."""

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from flask import request

from service.http.responses import PACKAGE

_FOLDER = "web/words"
ENGLISH = "en"  # where a request names no language that there is a table for
_OF_OTHER_PAGES = ("atlas.", "missing.")

Say = Callable[..., str]
"""What stands under a key, with values for the places in braces."""


@cache
def tables() -> dict[str, dict[str, Any]]:
    """Return the words by language; missing ones are English."""
    folder = files(PACKAGE).joinpath(*_FOLDER.split("/"))
    found = {file.name.removesuffix(".json"): json.loads(file.read_bytes()) for file in folder.iterdir()}
    return {language: found[ENGLISH] | table for language, table in found.items()}


@cache
def of_page(language: str) -> dict[str, Any]:
    """Return the words that the page needs, without those of other pages."""
    return {key: entry for key, entry in tables()[language].items() if not key.startswith(_OF_OTHER_PAGES)}


def language() -> str:
    """Return the language of a request: the one that its query names, else the first that it accepts."""
    named = request.args.get("lang", "")
    return named if named in tables() else request.accept_languages.best_match(tables(), ENGLISH)


@cache
def speaker(language: str) -> Say:
    """Return a function that says words of a language."""
    table = tables()[language]

    def say(key: str, **values: object) -> str:
        entry = table[key]
        if not isinstance(entry, str):
            entry = entry.get("one", entry["other"]) if values.get("count") == 1 else entry["other"]
        return str(entry).format(**values)

    return say
