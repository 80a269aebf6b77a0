"""The OpenAPI document, the page to browse it, the list of problem types, and ``/llms.txt``; all work offline."""

import json
import re
from functools import cache
from typing import Any

import yaml
from flask import Blueprint, Response, render_template
from markupsafe import Markup, escape
from werkzeug.utils import redirect
from werkzeug.wrappers import Response as Redirect

from kinarow.contract.problems import KINDS, NOT_FOUND, PROBLEMS_PATH, Problem
from service.http import words
from service.http.assets import Asset, read, send, shipped
from service.http.services import services

_FOLDER = "routes/static"
_DOCUMENT = "../openapi.yaml"  # beside the package
_ASSETS = frozenset({"docs.css", "docs.js", "theme.js", "swagger-ui.css", "swagger-ui-bundle.js"})

blueprint = Blueprint("docs", __name__)


@blueprint.get("/docs")
def get_docs() -> Response:
    """The page to browse the document."""
    language = words.language()
    return _varied(_page(language, has_keys=services().keys is not None))


@blueprint.get("/docs/")
def redirect_to_docs() -> Redirect:
    """Redirect to the page; relative, so that a proxy may serve everything below a path."""
    return redirect("../docs", code=308)


@blueprint.get("/docs/<name>")
def get_asset(name: str) -> Response:
    """A script or a style of the page."""
    if name not in _ASSETS:
        raise Problem(NOT_FOUND, "The documentation has no such file.")
    return send(shipped(f"{_FOLDER}/{name}"))


@blueprint.get(PROBLEMS_PATH)
def get_problems() -> Response:
    """The page of all types of problems."""
    return _varied(_problems_page(words.language()))


@blueprint.get("/openapi.yaml")
def get_yaml() -> Response:
    """The document as YAML."""
    return send(shipped(_DOCUMENT))


@blueprint.get("/openapi.json")
def get_json() -> Response:
    """The document as JSON."""
    return send(_json())


@blueprint.get("/llms.txt")
def get_llms_txt() -> Response:
    """What a language model needs to call the service."""
    return send(shipped(f"{_FOLDER}/llms.txt"))


def _varied(page: Asset) -> Response:
    response = send(page)
    response.vary.add("Accept-Language")
    return response


@cache
def _page(language: str, *, has_keys: bool) -> Asset:
    """The page, its text in English and its head in a language; it shows no padlocks if the service has no keys."""
    return _english("docs.html", language, has_keys=has_keys)


def _english(template: str, language: str, **values: Any) -> Asset:
    say = words.speaker(language)
    text = render_template(template, text_language=words.ENGLISH, language=language, say=say, **values)
    return Asset(text.encode(), "text/html")


@cache
def document() -> dict[str, Any]:
    """The document that the service sends; treat it as read-only."""
    # PyYAML's wheels have libyaml, which reads it in a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Any] = yaml.load(read(_DOCUMENT), Loader=loader)  # noqa: S506
    return found


@cache
def _json() -> Asset:
    return Asset(json.dumps(document(), ensure_ascii=False).encode() + b"\n", "application/json")


@cache
def _problems_page(language: str) -> Asset:
    """Every type of problem, each at the anchor that its ``type`` names."""
    return _english("problems.html", language, kinds=KINDS, with_code=_with_code)


def _with_code(text: str) -> Markup:
    """A text whose parts between backticks are code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped
