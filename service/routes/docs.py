"""The OpenAPI document as YAML and JSON, the page to browse it, and the list of problem types; all work offline."""

import html
import json
import re
from functools import cache
from typing import Any

import yaml
from flask import Flask, Response
from werkzeug.utils import redirect

from kinarow.contract.problem_kinds import KINDS, NOT_FOUND, PROBLEMS_PATH, Kind, Problem
from service.http.assets import Asset, read, send, shipped
from service.http.auth import HAS_KEYS

_FOLDER = "routes/static"
_ASSETS = frozenset({"docs.css", "docs.js", "theme.js", "swagger-ui.css", "swagger-ui-bundle.js"})
_CODE = re.compile("`([^`]+)`")


def install(app: Flask) -> None:
    """Add the routes to the app; where the service has no keys, the page shows no padlocks."""
    body = b"<body>" if app.config.get(HAS_KEYS) else b'<body class="keyless">'
    page = Asset(read(f"{_FOLDER}/docs.html").replace(b"<body>", body), "text/html")

    def asset(name: str) -> Response:
        if name not in _ASSETS:
            raise Problem(NOT_FOUND, "The documentation has no such file.")
        return send(shipped(f"{_FOLDER}/{name}"))

    app.add_url_rule("/docs", "docs", lambda: send(page), methods=["GET"])
    app.add_url_rule("/docs/", "docs_slash", lambda: redirect("../docs", code=308), methods=["GET"])
    app.add_url_rule("/docs/<name>", "docs_asset", asset, methods=["GET"])
    app.add_url_rule(PROBLEMS_PATH, "problems", lambda: send(_problems_page()), methods=["GET"])
    app.add_url_rule("/openapi.yaml", "openapi_yaml", lambda: send(_yaml()), methods=["GET"])
    app.add_url_rule("/openapi.json", "openapi_json", lambda: send(_json()), methods=["GET"])


@cache
def _yaml() -> Asset:
    return Asset(read("openapi.yaml"), "application/yaml")


@cache
def document() -> dict[str, Any]:
    """The document that the service sends; treat it as read-only."""
    # PyYAML's wheels have libyaml, which reads it in a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Any] = yaml.load(read("openapi.yaml"), Loader=loader)  # noqa: S506
    return found


@cache
def _json() -> Asset:
    return Asset(json.dumps(document(), ensure_ascii=False).encode() + b"\n", "application/json")


@cache
def _problems_page() -> Asset:
    """Every type of problem, each at the anchor that its ``type`` names."""
    rows = "\n".join(map(_row, KINDS))
    return Asset(read(f"{_FOLDER}/problems.html").replace(b"<!-- kinds -->", rows.encode()), "text/html")


def _row(kind: Kind) -> str:
    meaning = _CODE.sub(r"<code>\1</code>", html.escape(kind.meaning))
    return (
        f'<tr id="{kind.name}"><td>{kind.status}</td><td><code>{kind.name}</code></td>'
        f"<td>{html.escape(kind.title)}<p>{meaning}</p></td></tr>"
    )
