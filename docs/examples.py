"""Writes what the examples print into the pages: ``python -m docs.examples``, for some ``… docs/rules.md``.

It starts a server, runs every example and writes the real answers into the pages, and makes their tables anew; the
tests run the same examples and compare.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from docs.tables import with_tables
from tests.support.examples import examples_of, pages
from tests.support.server import REPOSITORY, Server

_FLAT = re.compile(r"\{\s+([^{}\[\]]*?)\s+\}")


def pretty(text: str) -> str:
    shown = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    return _FLAT.sub(lambda match: "{" + re.sub(r"\s*\n\s*", " ", match[1]) + "}", shown) + "\n"


def rewrite(chosen: list[Path]) -> None:
    """Run the examples of these pages and write their answers into them."""
    with Server.started(KINAROW_WORKERS="1") as server:
        for page in chosen:
            lines = page.read_text("utf-8").splitlines(keepends=True)
            # From the end, so that the lines of those before stay where they are.
            for example in reversed(list(examples_of(page))):
                if example.answer is None:
                    continue
                try:
                    printed = example.run(server.url)
                except (AssertionError, subprocess.TimeoutExpired) as failure:
                    print(f"{example}: {failure}", file=sys.stderr)
                    continue
                if example.comparable(printed) != example.comparable(example.answer.text):
                    text = pretty(printed) if example.answer.language == "json" else printed
                    lines[example.answer.line : example.answer.end - 1] = text.splitlines(keepends=True)
                    print(f"rewrote {example}")
            page.write_text(with_tables("".join(lines)), "utf-8")


if __name__ == "__main__":
    rewrite([REPOSITORY / name for name in sys.argv[1:]] or pages())
