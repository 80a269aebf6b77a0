"""Records the answers of the documentation's examples, and writes openapi.yaml.

python -m service.commands.openapi            asks the app for the answers and writes both files
python -m service.commands.openapi --check    only tells whether they are up to date
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from service import logs
from service.api import openapi
from service.api.openapi import EXAMPLES_FILE, as_yaml, build
from service.app import create_app
from service.settings import default_settings

_TIME = re.compile(r'"elapsed_ms":[0-9.e-]+')
EXAMPLES = Path(openapi.__file__).with_name(EXAMPLES_FILE)


def record() -> dict[str, Any]:
    """Ask an app of default settings for the answers of all examples; the times in them are set to 0."""
    # No environment: the examples must not depend on where they are recorded.
    client = create_app(default_settings(), write_log=lambda line: None).test_client()
    answers: dict[str, Any] = {}
    for path, examples in openapi.example_requests().items():
        texts = {name: client.post(path, json=body).text for name, body in examples.items()}
        answers[path] = {name: json.loads(_TIME.sub('"elapsed_ms":0.0', text)) for name, text in texts.items()}
    answers["/solve"] = {moves: client.get(f"/solve?pos={moves}").get_json() for moves in ["4453"]}
    answers["errors"] = {
        name: json.loads(client.post(path, data=body, content_type="application/json").data)
        for name, (path, body) in openapi.example_mistakes().items()
    }
    return answers


def main(arguments: list[str] | None = None) -> int:
    """Write the recorded answers and ``openapi.yaml``, or check them; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m service.commands.openapi", description="Generate openapi.yaml.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    parser.add_argument("--output", type=Path, default=Path("openapi.yaml"), help="the file to write")
    options = parser.parse_args(arguments)
    logs.configure("warning")
    answers = record()
    wanted = {
        EXAMPLES: json.dumps(answers, indent=1, ensure_ascii=False) + "\n",
        options.output: as_yaml(build(answers)),
    }
    stale = [file for file, text in wanted.items() if not file.exists() or file.read_text("utf-8") != text]
    for file in stale:
        if options.check:
            print(f"{file.name} is not up to date: run python -m service.commands.openapi", file=sys.stderr)
        else:
            file.write_text(wanted[file], "utf-8")
            print(f"wrote {file.name}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
