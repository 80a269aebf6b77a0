"""The page to play on: the files of ``service/web``, which use the HTTP API alone."""

import json
import posixpath
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from flask import Flask, Response, request

from kinarow.game.rules import PRESETS, RULES, Rule
from kinarow.play.levels import SOLVED_CELLS, SOLVED_GAMES
from service.http.assets import PACKAGE, Asset, read, send, sender

FOLDER = "web"
_PAGE = "index.html"
_LANGUAGE = "en"
_GAMES = '<meta name="games" content="">'
"""Where the page has the rules, the games with a name and what the service can do, so that it needs no request."""
_WORDS = f'<meta name="words" lang="{_LANGUAGE}" content="">'
"""Where it has its words in the visitor's language."""

_STYLES = ("site", "base", "board", "play", "learn")
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "(.+?)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)

# The page loads only its own files, asks only its own service, and must not be framed.
_SAFETY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def install(app: Flask, max_nodes: int) -> None:
    """Add ``/`` and the files below ``/web/`` to the app; the page asks for at most so many nodes."""
    tables = {file.name.removesuffix(".json"): file for file in files(PACKAGE).joinpath(FOLDER, "words").iterdir()}
    pages = {language: _page(max_nodes, language, json.loads(file.read_bytes())) for language, file in tables.items()}
    shipped = sender(FOLDER, _SAFETY)

    def index() -> Response:
        response = send(pages[request.accept_languages.best_match(pages, _LANGUAGE)])
        response.headers.update(_SAFETY)
        response.vary.add("Accept-Language")
        return response

    def web_file(name: str) -> Response:
        if name not in _joined():
            return shipped(name)
        response = send(_joined()[name])
        response.headers.update(_SAFETY)
        return response

    app.add_url_rule("/", "index", index, methods=["GET"])
    app.add_url_rule(f"/{FOLDER}/<path:name>", "web_file", web_file, methods=["GET"])


def _page(max_nodes: int, language: str, words: dict[str, Any]) -> Asset:
    said = {
        "rules": {rule.name: _declared(rule) for rule in RULES.values()},
        "games": {name: preset.short_fields() for name, preset in PRESETS.items()},
        "solved": {"cells": SOLVED_CELLS, "games": SOLVED_GAMES},
        "maxNodes": max_nodes,
    }
    text = read(f"{FOLDER}/{_PAGE}").decode().replace(_GAMES, _GAMES.replace('""', _attribute(said)))
    own = _WORDS.replace(f'"{_LANGUAGE}"', f'"{language}"').replace('""', _attribute(words))
    return Asset(text.replace(_WORDS, own).encode(), "text/html")


def _declared(rule: Rule) -> dict[str, Any]:
    return {"kind": rule.kind, "default": rule.default, "choices": rule.choices, "notWith": rule.not_with}


def _attribute(content: dict[str, Any]) -> str:
    return f'"{escape(json.dumps(content, ensure_ascii=False, separators=(",", ":")))}"'


@cache
def _joined() -> dict[str, Asset]:
    """What the page fetches: its styles, the scripts for the first board and those that follow, each as one file."""
    first = _needed("main.js")
    later = [module for module in _needed("later.js") if module not in first]
    wired = 'export const { wire } = modules["later.js"];'
    first_lines = ("export const modules = {};", *map(_scoped, first))
    later_lines = ('import { modules } from "./first.js";', *map(_scoped, later), wired)
    return {
        "page.css": Asset(b"".join(read(f"{FOLDER}/css/{name}.css") for name in _STYLES), "text/css"),
        "first.js": Asset("\n".join(first_lines).encode(), "text/javascript"),
        "later.js": Asset("\n".join(later_lines).encode(), "text/javascript"),
    }


@cache
def _needed(module: str) -> tuple[str, ...]:
    """A module and all that it cannot begin without, in the order in which they can begin."""
    imported = [_path(module, name) for _, name in _IMPORT.findall(_script(module))]
    return (*dict.fromkeys(each for needed in imported for each in _needed(needed)), module)


def _scoped(module: str) -> str:
    """A module as a function of its own, which takes what it imports out of ``modules`` and adds what it exports."""
    text = _IMPORT.sub(lambda found: f'const {found[1]} = modules["{_path(module, found[2])}"];', _script(module))
    names = ", ".join(name for _, name in _EXPORT.findall(text))
    inner = _EXPORT.sub(r"\1", text)
    return f'modules["{module}"] = await (async () => {{\n{inner}return {{ {names} }};\n}})();'


def _script(module: str) -> str:
    return read(f"{FOLDER}/js/{module}").decode()


def _path(module: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), name))
