"""The guide: the built pages of ``docs/``, which are shipped in ``service/guide``."""

from flask import Flask
from werkzeug.utils import redirect

from service.api.assets import sender

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
    page = sender(FOLDER, {"Content-Security-Policy": _POLICY})
    app.add_url_rule("/guide", "guide", lambda: redirect("guide/", code=308), methods=["GET"])
    app.add_url_rule("/guide/", "guide_first", lambda: page(FIRST_PAGE), methods=["GET"])
    app.add_url_rule("/guide/<path:name>", "guide_page", page, methods=["GET"])
