"""The page to play on: the files of ``service/web``, which use the HTTP API alone."""

from flask import Flask, Response

from service.api.assets import names_below, send_file
from service.api.problems import NOT_FOUND, Problem

FOLDER = "web"
_PAGE = "index.html"

# The page loads only its own files, asks only its own service, and must not be framed.
_SAFETY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def install(app: Flask) -> None:
    """Add ``/`` and the files below ``/web/`` to the app."""
    # Only files of this list are ever opened, so no path can lead out of the folder.
    shipped = names_below(FOLDER)

    def index() -> Response:
        return _safe(send_file(f"{FOLDER}/{_PAGE}"))

    def file(name: str) -> Response:
        path = f"{FOLDER}/{name}"
        if path not in shipped:
            raise Problem(NOT_FOUND, "The page has no such file.")
        return _safe(send_file(path))

    app.add_url_rule("/", "index", index, methods=["GET"])
    app.add_url_rule(f"/{FOLDER}/<path:name>", "web_file", file, methods=["GET"])


def _safe(response: Response) -> Response:
    response.headers.update(_SAFETY)
    return response
