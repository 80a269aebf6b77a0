"""The guide: the pages that ``make guide`` builds from ``docs/``. A checkout has none until then."""

from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response, render_template, send_from_directory
from werkzeug.utils import redirect
from werkzeug.wrappers import Response as Redirect

FOLDER = Path(str(files("service"))) / "guide"
FIRST_PAGE = "README.html"

THEME_SCRIPT = "sha256-ySvT2PEZeueHGC1y2crNuNTfphBynFPP7i+U21fEgX0="
"""Digest of the only inline script in each page: it chooses light or dark before anything is drawn."""

# Unlike other pages, these have inline styles, this inline script and a search form.
_POLICY = (
    f"default-src 'none'; script-src 'self' '{THEME_SCRIPT}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

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
    """One file of the guide, read anew for each request: the guide may be built while the service runs."""
    response = send_from_directory(FOLDER, name)
    response.headers["Content-Security-Policy"] = _POLICY
    return response
