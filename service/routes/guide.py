"""The guide: the pages that ``make guide`` builds from ``docs/``. A checkout has none until then."""

from importlib.resources import files
from pathlib import Path

from flask import Flask, Response, send_from_directory
from werkzeug.utils import redirect

from service.http.assets import send, shipped

FOLDER = Path(str(files("service"))) / "guide"
FIRST_PAGE = "README.html"

THEME_SCRIPT = "sha256-ySvT2PEZeueHGC1y2crNuNTfphBynFPP7i+U21fEgX0="
"""Digest of the only inline script in each page: it chooses light or dark before anything is drawn."""

# Unlike other pages, these have inline styles, this inline script and a search form.
_POLICY = (
    f"default-src 'none'; script-src 'self' '{THEME_SCRIPT}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def install(app: Flask) -> None:
    """Add ``/guide/`` and the files below it to the app."""
    app.add_url_rule("/guide", "guide", lambda: redirect("guide/", code=308), methods=["GET"])
    app.add_url_rule("/guide/", "guide_first", first_page, methods=["GET"])
    app.add_url_rule("/guide/<path:name>", "guide_page", page, methods=["GET"])


def first_page() -> Response:
    """The guide's first page, or a page that says how to build the guide."""
    if (FOLDER / FIRST_PAGE).is_file():
        return page(FIRST_PAGE)
    response = send(shipped("routes/static/guide-missing.html"))
    response.status_code = 404
    return response


def page(name: str) -> Response:
    """One file of the guide, read anew for each request: the guide may be built while the service runs."""
    response = send_from_directory(FOLDER, name)
    response.headers["Content-Security-Policy"] = _POLICY
    return response
