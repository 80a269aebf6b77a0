"""The baseline: a Flask route that returns a constant as long as an answer of ``POST /move``.

``python -m benchmarks.bare_flask`` serves it under the same gunicorn as ``kinarow serve``.
"""

import os

from flask import Flask, Response

SIZE_VARIABLE = "BARE_FLASK_BYTES"

app = Flask(__name__, static_folder=None)
_BODY = ("{" + '"a":1,' * 1000)[: int(os.environ.get(SIZE_VARIABLE, "600"))].encode()


@app.post("/move")
def move() -> Response:
    """Return the constant."""
    return Response(_BODY, mimetype="application/json")


@app.get("/readyz")
def readyz() -> str:
    """Return 200, since the app is ready from the start."""
    return "ready"


if __name__ == "__main__":
    from gevent import monkey

    monkey.patch_all()
    from service.server.startup import prepare

    settings = prepare()
    from service.server.application import Application

    class Bare(Application):
        """The service's gunicorn application with the bare app."""

        def load(self) -> Flask:  # type: ignore[override]
            return app

    Bare(settings).run()
