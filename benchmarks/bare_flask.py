"""The yardstick: a Flask route that returns a constant as long as an answer of ``POST /move``, and nothing else.

``python -m benchmarks.bare_flask`` serves it as ``kinarow serve`` serves the service.
"""

import os

from flask import Flask, Response

SIZE_VARIABLE = "BARE_FLASK_BYTES"

app = Flask(__name__, static_folder=None)
_BODY = ("{" + '"a":1,' * 1000)[: int(os.environ.get(SIZE_VARIABLE, "600"))].encode()


@app.post("/move")
def move() -> Response:
    """The constant."""
    return Response(_BODY, mimetype="application/json")


@app.get("/readyz")
def readyz() -> str:
    """Ready from the start."""
    return "ready"


if __name__ == "__main__":
    from gevent import monkey

    monkey.patch_all()
    from service.server.startup import prepare

    settings = prepare()
    from service.server.application import Application

    class Bare(Application):
        """The same gunicorn with another app."""

        def load(self) -> Flask:  # type: ignore[override]
            return app

    Bare(settings).run()
