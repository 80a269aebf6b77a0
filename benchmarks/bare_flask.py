"""The yardstick: a Flask route that returns a constant as long as an answer of ``POST /move``, and nothing else."""

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
