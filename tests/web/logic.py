"""The page's modules without a page: run by Node, with the games that the service writes into its page."""

import json
import os
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from service.app import create_app
from service.settings import default_settings
from tests.support import npm

FOLDER = Path(__file__).parent / "js"
OLDEST_NODE = (20, 19)  # the first that takes a module for one by its text, as a browser does by the page that loads it
WITHIN_S = 120


def client() -> FlaskClient:
    return create_app(default_settings()).test_client()


def games() -> str:
    """What the service writes into the page, in JSON."""
    written = re.search(r'name="games" content="([^"]*)', client().get("/").text)
    assert written
    return unescape(written[1])


def run(*arguments: object, data: Any = None) -> str:
    done = subprocess.run(
        [npm.node(OLDEST_NODE), "--no-warnings", *map(str, arguments)],
        cwd=FOLDER, input=json.dumps(data), env=os.environ | {"GAMES": games()},
        capture_output=True, text=True, timeout=WITHIN_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ask(question: str, data: Any = None) -> Any:
    """The answer to a question of ``js/ask.mjs``."""
    return json.loads(run("ask.mjs", question, data=data))
