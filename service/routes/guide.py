"""The guide: the pages that ``make guide`` builds from ``docs/``. A checkout has none until then."""

import re
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response, render_template, request, send_from_directory
from werkzeug.utils import redirect
from werkzeug.wrappers import Response as Redirect

from service.http import words

FOLDER = Path(str(files("service"))) / "guide"
FIRST_PAGE = "README.html"

THEME_SCRIPT = "sha256-ySvT2PEZeueHGC1y2crNuNTfphBynFPP7i+U21fEgX0="
"""Digest of the only inline script in each page: it chooses light or dark before anything is drawn."""

# Unlike other pages, these have inline styles, this inline script and a search form.
_POLICY = (
    f"default-src 'none'; script-src 'self' '{THEME_SCRIPT}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

_HEAD = re.compile(r'<nav aria-label="Pages">.*?</nav>', re.DOTALL)
_PAGES = ("Pages", "Play", "Learn", "Puzzles", "Atlas", "Guide")

blueprint = Blueprint("guide", __name__)


@blueprint.get("/guide")
def redirect_to_first_page() -> Redirect:
    """Redirect to the first page; relative, so that a proxy may serve everything below a path."""
    return redirect("guide/", code=308)


@blueprint.get("/guide/")
def get_first_page() -> Response:
    """The guide's first page, or a page that says how to build the guide."""
    if (FOLDER / FIRST_PAGE).is_file():
        return get_page(FIRST_PAGE)
    return Response(render_template("guide-missing.html"), 404, headers={"Cache-Control": "no-cache"})


@blueprint.get("/guide/<path:name>")
def get_page(name: str) -> Response:
    """One file of the guide, read anew for each request: the guide may be built while the service runs.

    The text is English; the head of a page is in the language of the request.
    """
    language = words.language()
    response = send_from_directory(FOLDER, name, conditional=False)
    if response.mimetype == "text/html":
        response.direct_passthrough = False
        response.set_data(_with_head(response.get_data(as_text=True), language))
        response.add_etag(overwrite=True)
        response.vary.add("Accept-Language")
    response.make_conditional(request)
    response.headers["Content-Security-Policy"] = _POLICY
    return response


def _with_head(page: str, language: str) -> str:
    """The page with the names of its head in a language."""
    if language == words.ENGLISH:
        return page
    say = words.speaker(language)

    def translated(head: re.Match[str]) -> str:
        text = head[0].replace("<nav ", f'<nav lang="{language}" ')
        for name in _PAGES:
            text = re.sub(f'(?<=[">]){name}(?=[<"])', say(f"page.{name.lower()}"), text)
        return text

    return _HEAD.sub(translated, page, count=1)
