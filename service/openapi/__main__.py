"""Writes openapi.yaml, with answers of the app as examples.

python -m service.openapi            asks the app for the answers and writes the file
python -m service.openapi --check    only tells whether it is up to date
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from service import openapi
from service.app import create_app
from service.settings import default_settings

_CHANGING = re.compile(r'"(nodes|depth|elapsed_ms)":[0-9.e-]+')
_FIXED = {"nodes": "1000", "depth": "8", "elapsed_ms": "1.5"}
"""In place of what was measured, so that a change of the search leaves the document alone."""


def record() -> dict[str, Any]:
    """Ask an app of default settings for the answers of all examples, with fixed nodes, depths and times."""
    # No environment: the examples must not depend on where they are recorded.
    client = create_app(default_settings()).test_client()
    answers: dict[str, Any] = {}
    for path, examples in openapi.example_requests().items():
        texts = {name: client.post(path, json=body).text for name, body in examples.items()}
        answers[path] = {name: json.loads(_fixed(text)) for name, text in texts.items()}
    answers["/solve"] = {moves: client.get(f"/solve?pos={moves}").get_json() for moves in ["4453"]}
    answers["errors"] = {
        name: json.loads(client.post(path, data=body, content_type="application/json").data)
        for name, (path, body) in openapi.example_mistakes().items()
    }
    return answers


def _fixed(text: str) -> str:
    return _CHANGING.sub(lambda found: f'"{found[1]}":{_FIXED[found[1]]}', text)


def main(arguments: list[str] | None = None) -> int:
    """Write ``openapi.yaml``, or check it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m service.openapi", description="Generate openapi.yaml.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file would change")
    parser.add_argument("--output", type=Path, default=Path("openapi.yaml"), help="the file to write")
    options = parser.parse_args(arguments)
    wanted, file = openapi.as_yaml(openapi.build(record())), options.output
    if file.exists() and file.read_text("utf-8") == wanted:
        return 0
    if options.check:
        print(f"{file.name} is not up to date: run python -m service.openapi", file=sys.stderr)
        return 1
    file.write_text(wanted, "utf-8")
    print(f"wrote {file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
