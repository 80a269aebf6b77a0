"""The OpenAPI document and its browser, the problem types, ``/llms.txt`` and the guide; all work offline."""

import json
import mimetypes
import re
from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from flask import Blueprint, Response, render_template
from markupsafe import Markup, escape
from werkzeug.security import safe_join
from werkzeug.utils import redirect
from werkzeug.wrappers import Response as Redirect

from kinarow.contract.problems import KINDS, NOT_FOUND, PROBLEMS_PATH, Problem
from service.http import words
from service.http.responses import bytes_response, file_response, read
from service.http.services import services

_FOLDER = "routes/static"
_DOCUMENT = "../openapi.yaml"  # beside the package
_ASSETS = frozenset({"docs.css", "docs.js", "theme.js", "swagger-ui.css", "swagger-ui-bundle.js"})

GUIDE = Path(str(files("service"))) / "guide"
"""The folder in which ``make guide`` builds ``docs/`` as pages; missing until then."""
FIRST_PAGE = "README.html"

THEME_SCRIPT = "sha256-ySvT2PEZeueHGC1y2crNuNTfphBynFPP7i+U21fEgX0="
"""Digest of the only inline script, which chooses light or dark before the first paint."""

# Unlike other pages, these have inline styles, this inline script and a search form.
_POLICY = (
    f"default-src 'none'; script-src 'self' '{THEME_SCRIPT}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)

_HEAD = re.compile(r'<nav aria-label="Pages">.*?</nav>', re.DOTALL)
_PAGES = ("Pages", "Play", "Learn", "Puzzles", "Atlas", "Guide")

blueprint = Blueprint("docs", __name__)


@blueprint.get("/docs")
def get_docs() -> Response:
    """Return the page to browse the OpenAPI document."""
    return _english_page(partial(_page, words.language(), has_keys=services().keys is not None))


@blueprint.get("/docs/")
def redirect_to_docs() -> Redirect:
    """Redirect to the page by a relative URL, since a proxy may serve everything below a path."""
    return redirect("../docs", code=308)


@blueprint.get("/docs/<name>")
def get_asset(name: str) -> Response:
    """Return a script or a style of the page."""
    if name not in _ASSETS:
        raise Problem(NOT_FOUND, "The documentation has no such file.")
    return file_response(f"{_FOLDER}/{name}")


@blueprint.get(PROBLEMS_PATH)
def get_problems() -> Response:
    """Return the page of all problem types."""
    return _english_page(partial(_problems_page, words.language()))


@blueprint.get("/openapi.yaml")
def get_yaml() -> Response:
    """Return the OpenAPI document as YAML."""
    return file_response(_DOCUMENT)


@blueprint.get("/openapi.json")
def get_json() -> Response:
    """Return the OpenAPI document as JSON."""
    return bytes_response(_json, "application/json")


@blueprint.get("/llms.txt")
def get_llms_txt() -> Response:
    """Return what a language model needs to call the service."""
    return file_response(f"{_FOLDER}/llms.txt")


def _english_page(page: Callable[[], bytes]) -> Response:
    """Return a page with English text below a head in the language of the request."""
    response = bytes_response(page, "text/html")
    response.vary.add("Accept-Language")
    return response


@blueprint.get("/guide")
def redirect_to_guide() -> Redirect:
    """Redirect to the first page by a relative URL, as ``redirect_to_docs`` does."""
    return redirect("guide/", code=308)


@blueprint.get("/guide/")
def get_guide() -> Response:
    """Return the guide's first page."""
    return get_guide_page(FIRST_PAGE)


@blueprint.get("/guide/<path:name>")
def get_guide_page(name: str) -> Response:
    """Return a file of the guide, read at each request; the head of a page is in the language of the request."""
    path = safe_join(str(GUIDE), name)
    if path is None or not Path(path).is_file():
        missing = "No guide is built; run make guide. /docs is always here."
        raise Problem(NOT_FOUND, "The guide has no such page." if (GUIDE / FIRST_PAGE).is_file() else missing)
    language, media_type = words.language(), mimetypes.guess_type(name)[0] or "application/octet-stream"
    is_translated = media_type == "text/html" and language != words.ENGLISH

    def page() -> bytes:
        data = Path(path).read_bytes()
        return _translate_head(data.decode(), language).encode() if is_translated else data

    response = bytes_response(page, media_type)
    if media_type == "text/html":
        response.vary.add("Accept-Language")
    response.headers["Content-Security-Policy"] = _POLICY
    return response


def _translate_head(page: str, language: str) -> str:
    """Translate the navigation of an English page."""
    say = words.translator(language)

    def translated(head: re.Match[str]) -> str:
        text = head[0].replace("<nav ", f'<nav lang="{language}" ')
        for name in _PAGES:
            text = re.sub(f'(?<=[">]){name}(?=[<"])', say(f"page.{name.lower()}"), text)
        return text

    return _HEAD.sub(translated, page, count=1)


@cache
def _page(language: str, *, has_keys: bool) -> bytes:
    return _render("docs.html", language, has_keys=has_keys)


def _render(template: str, language: str, **values: Any) -> bytes:
    say = words.translator(language)
    return render_template(template, text_language=words.ENGLISH, language=language, say=say, **values).encode()


@cache
def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI document; treat it as read-only."""
    # libyaml, in PyYAML's wheels, takes a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Any] = yaml.load(read(_DOCUMENT), Loader=loader)  # noqa: S506
    return found


@cache
def _json() -> bytes:
    return json.dumps(openapi_document(), ensure_ascii=False).encode() + b"\n"


@cache
def _problems_page(language: str) -> bytes:
    return _render("problems.html", language, kinds=KINDS, with_code=_with_code)


def _with_code(text: str) -> Markup:
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped
