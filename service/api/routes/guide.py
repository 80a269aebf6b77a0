"""The guide: the built pages of ``docs/``, which are shipped in ``service/guide``."""

from flask import Flask, Response
from werkzeug.utils import redirect

from service.api.assets import names_below, send_file
from service.api.problem_kinds import NOT_FOUND, Problem

FOLDER = "guide"
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
    # Only files of this list are ever opened, so no path can lead out of the folder.
    shipped = names_below(FOLDER)

    def page(name: str) -> Response:
        path = f"{FOLDER}/{name}"
        if path not in shipped:
            raise Problem(NOT_FOUND, "The guide has no such page.")
        response = send_file(path)
        response.headers["Content-Security-Policy"] = _POLICY
        return response

    app.add_url_rule("/guide", "guide", lambda: redirect("guide/", code=308), methods=["GET"])
    app.add_url_rule("/guide/", "guide_first", lambda: page(FIRST_PAGE), methods=["GET"])
    app.add_url_rule("/guide/<path:name>", "guide_page", page, methods=["GET"])
