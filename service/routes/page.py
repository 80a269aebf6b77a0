"""The game page: the files of ``service/web``, which use the HTTP API and the engine for browsers."""

import json
import mimetypes
import posixpath
from base64 import b64encode
from functools import cache, partial
from hashlib import blake2b, sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, render_template

from kinarow.contract.problems import NOT_FOUND, Problem
from kinarow.game.rules import PRESETS, RULES, Needs, Rule
from kinarow.play.levels import FULL_STRENGTH, SOLVED_CELLS, SOLVED_GAMES
from kinarow.reading.tables import FOR_JAVASCRIPT
from service.http import words
from service.http.responses import PACKAGE, bytes_response, file_response, read
from service.http.services import services

FOLDER = "web"
_MODULES = f"{FOLDER}/js"

_FIRST_GAME = "connect-four"  # its board is painted before any script has arrived
_STYLES = ("site", "base", "board", "play", "learn")
_SCRIPTS = {"first.js": "main.js", "later.js": "later.js", "rest.js": "rest.js"}
"""Scripts and their entry modules, for the first board, the first move and everything else."""

# The URL fragment never reaches the server, so this hides the default board until the script has parsed it.
_EARLY = 'if (location.hash || location.search) document.documentElement.className = "early linked";'
_EARLY_HASH = b64encode(sha256(_EARLY.encode()).digest()).decode()

# The page loads only its own files, among them WebAssembly, and calls only its own service.
POLICY = (
    f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-{_EARLY_HASH}'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
_SAFETY = {"Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'", "Referrer-Policy": "no-referrer"}
ENGINE_FOLDER = Path(str(files(PACKAGE))) / FOLDER / "engine"
_FOREVER = "public, max-age=31536000, immutable"

blueprint = Blueprint("page", __name__)


@blueprint.get("/")
def get_index() -> Response:
    """Return the page in the language of the request."""
    response = bytes_response(partial(page, services().settings.max_nodes, words.language()), "text/html")
    response.headers.update(_SAFETY)
    response.vary.add("Accept-Language")
    return response


@blueprint.get(f"/{FOLDER}/<path:name>")
def get_file(name: str) -> Response:
    """Return a script, a style or a picture of the page."""
    if name in _bundles():
        response = bytes_response(lambda: _bundles()[name], str(mimetypes.guess_type(name)[0]))
    elif name in _file_names():
        response = file_response(f"{FOLDER}/{name}")
    else:
        raise Problem(NOT_FOUND, f"The {FOLDER} has no such file.")
    response.headers.update(_SAFETY)
    return response


@blueprint.get(f"/{FOLDER}/engine/<digest>/<name>")
def get_engine(digest: str, name: str) -> Response:
    """Return a file of the engine for browsers. Its URL has the engine's digest, so it never changes."""
    if digest != engine() or f"engine/{name}" not in _file_names():
        raise Problem(NOT_FOUND, "No such file of the browser's engine; reload the page.")
    response = file_response(f"{FOLDER}/engine/{name}")
    response.headers.update(_SAFETY | {"Cache-Control": _FOREVER})
    return response


def load() -> None:
    """Build the scripts and styles before the workers are forked."""
    _bundles()


@cache
def engine() -> str:
    """Return the digest of the engine's files, which ``make browser`` writes; empty without them."""
    parts = [file.read_bytes() for file in sorted(ENGINE_FOLDER.glob("*"))]
    return blake2b(b"".join(parts), digest_size=8).hexdigest() if parts else ""


@cache
def _file_names() -> frozenset[str]:
    """Return the paths of the page's files. Only these are opened, so no request can leave the folder."""
    root = Path(str(files(PACKAGE))) / FOLDER
    return frozenset(file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file())


@cache
def page(max_nodes: int, language: str, policy: str = "") -> bytes:
    """Return the page's HTML with all data for the first board.

    ``policy`` is the Content-Security-Policy of a page that needs no service.
    """
    games = {
        "rules": {rule.name: _declaration(rule) for rule in RULES.values()},
        "games": {name: preset.short_fields() for name, preset in PRESETS.items()},
        "solved": {"cells": SOLVED_CELLS, "games": SOLVED_GAMES},
        "fullStrength": FULL_STRENGTH,
        "maxNodes": max_nodes,
        "reading": FOR_JAVASCRIPT,
        "engine": engine(),
        "service": not policy,
    }
    return render_template(
        "index.html",
        language=language,
        games=_to_json(games),
        words=_to_json(words.page_words(language)),
        early=_EARLY,
        first=PRESETS[_FIRST_GAME],
        policy=policy,
    ).encode()


def _declaration(rule: Rule) -> dict[str, Any]:
    needs = {name: value for name, value in rule.needs._asdict().items() if value != Needs._field_defaults[name]}
    return {
        "kind": rule.kind, "default": rule.default, "choices": rule.choices, "notWith": rule.not_with, "needs": needs,
    }  # fmt: skip


def _to_json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


@cache
def _bundles() -> dict[str, bytes]:
    """Return the built files by name: the styles, the scripts and the tables of words."""
    from service.http import bundle  # only a process that serves the page loads tree-sitter

    return {
        "page.css": "".join(_style(name) for name in _STYLES).encode(),
        **{
            name: text.encode()
            for name, text in bundle.bundles(
                _SCRIPTS, lambda path: read(posixpath.normpath(f"{_MODULES}/{path}"))
            ).items()
        },
        **{f"words/{language}.json": _to_json(words.page_words(language)).encode() for language in words.tables()},
    }


def _style(name: str) -> str:
    first, *others = read(f"{FOLDER}/css/{name}.css").decode().split("/*")
    text = "".join((first, *(each.partition("*/")[2] for each in others))).replace('url("../', 'url("')
    return "".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip())
