"""The page to play on: the files of ``service/web``, which use the HTTP API alone."""

import json
from html import escape
from typing import Any

from flask import Flask, Response

from kinarow.game.rules import PRESETS, Rules
from kinarow.play.levels import SOLVED_CELLS, SOLVED_GAMES
from service.api.assets import read, send, sender

FOLDER = "web"
_PAGE = "index.html"
_GAMES = '<meta name="games" content="">'
"""Where the page has the games with a name, so that it needs no request to offer them, and what the service can do."""

# The page loads only its own files, asks only its own service, and must not be framed.
_SAFETY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def install(app: Flask, max_nodes: int) -> None:
    """Add ``/`` and the files below ``/web/`` to the app; the page asks for at most so many nodes."""
    page = _page(max_nodes)

    def index() -> Response:
        response = send(page, "text/html")
        response.headers.update(_SAFETY)
        return response

    app.add_url_rule("/", "index", index, methods=["GET"])
    app.add_url_rule(f"/{FOLDER}/<path:name>", "web_file", sender(FOLDER, _SAFETY), methods=["GET"])


def _page(max_nodes: int) -> bytes:
    said = {
        "games": {name: _said(preset) for name, preset in PRESETS.items()},
        "solved": {"cells": SOLVED_CELLS, "games": SOLVED_GAMES},
        "maxNodes": max_nodes,
    }
    content = escape(json.dumps(said, separators=(",", ":")))
    text = read(f"{FOLDER}/{_PAGE}").decode()
    return text.replace(_GAMES, _GAMES.replace('""', f'"{content}"')).encode()


def _said(preset: Rules) -> dict[str, Any]:
    """The fields of a preset that are not the default."""
    usual = Rules(preset.rows, preset.columns, preset.goal).fields()
    always = ("rows", "columns", "goal")
    return {name: value for name, value in preset.fields().items() if name in always or value != usual[name]}
