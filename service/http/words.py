"""The texts of the page and the atlas in all languages, from ``service/web/words``."""

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from flask import request

from service.http.responses import PACKAGE

_FOLDER = "web/words"
ENGLISH = "en"  # the fallback
_OF_OTHER_PAGES = ("atlas.", "missing.")

Translate = Callable[..., str]
"""Return the text of a key, with values for its placeholders."""


@cache
def tables() -> dict[str, dict[str, Any]]:
    """Return the texts by language and key; missing translations are English."""
    folder = files(PACKAGE).joinpath(*_FOLDER.split("/"))
    found = {file.name.removesuffix(".json"): json.loads(file.read_bytes()) for file in folder.iterdir()}
    return {language: found[ENGLISH] | table for language, table in found.items()}


@cache
def page_words(language: str) -> dict[str, Any]:
    """Return the texts of the game page, without those of the atlas and the 404 page."""
    return {key: entry for key, entry in tables()[language].items() if not key.startswith(_OF_OTHER_PAGES)}


def language() -> str:
    """Return the language that the request names as ``lang``, else the best match of ``Accept-Language``."""
    named = request.args.get("lang", "")
    return named if named in tables() else request.accept_languages.best_match(tables(), ENGLISH)


@cache
def translator(language: str) -> Translate:
    """Return the function that looks up texts of a language."""
    table = tables()[language]

    def say(key: str, **values: object) -> str:
        entry = table[key]
        if not isinstance(entry, str):
            entry = entry.get("one", entry["other"]) if values.get("count") == 1 else entry["other"]
        return str(entry).format(**values)

    return say
