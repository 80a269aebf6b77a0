"""The examples of the documentation: a shell block and, right after it, the block with what it prints.

``python -m tests.docs.examples`` starts a server, runs every example and writes the real answers into
the pages; the tests run the same examples and compare.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.settings import PREFIX, Settings
from tests.docs.settings_table import BEGIN, END, settings_table
from tests.support.server import REPOSITORY, Server

DOCUMENTED_URL = "http://127.0.0.1:8000"
RUN_WITHIN_S = 60
VARYING = {"elapsed_ms", "cached"}
"""Fields that differ from run to run."""

_BLOCK = r"(?:(?!```).*\n)*?"
_EXAMPLE = re.compile(
    rf"^```sh\n(?P<command>{_BLOCK})```\n\n(?:[^`\n].*\n+)?```(?P<kind>json|text)\n(?P<answer>{_BLOCK})```$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Example:
    """One example: where it stands, what to type, and what is printed."""

    page: Path
    line: int
    command: str
    kind: str
    answer: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(REPOSITORY)}:{self.line}"

    def run(self, url: str) -> str:
        """What the command prints with the server at this URL.

        Raises:
            RuntimeError: it failed.
        """
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.command.replace(DOCUMENTED_URL, url)],
            cwd=REPOSITORY,
            env={
                "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
                "HOME": str(Path.home()),
            },
            capture_output=True,
            text=True,
            timeout=RUN_WITHIN_S,
        )
        if done.returncode:
            raise RuntimeError(f"{self}: exit code {done.returncode}: {done.stderr}")
        return done.stdout.replace(url, DOCUMENTED_URL)

    def comparable(self, text: str) -> Any:
        """The printed text without what differs from run to run."""
        return without_varying(json.loads(text)) if self.kind == "json" else text.strip()


def pages() -> list[Path]:
    """All pages that may hold examples."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def examples() -> list[Example]:
    """Every example of the documentation."""
    return [example for page in pages() if page.exists() for example in _on_page(page)]


def _on_page(page: Path) -> Iterator[Example]:
    text = page.read_text("utf-8")
    for match in _EXAMPLE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Example(page, line, match["command"], match["kind"], match["answer"])


def without_varying(value: Any) -> Any:
    """JSON data without the fields that differ from run to run."""
    if isinstance(value, dict):
        return {name: without_varying(inner) for name, inner in value.items() if name not in VARYING}
    if isinstance(value, list):
        return [without_varying(inner) for inner in value]
    return value


_FLAT = re.compile(r"\{\s+([^{}\[\]]*?)\s+\}")


def pretty(text: str) -> str:
    """JSON as the pages show it: indented, with small objects on one line."""
    shown = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    return _FLAT.sub(lambda match: "{" + re.sub(r"\s*\n\s*", " ", match[1]) + "}", shown) + "\n"


def rewrite() -> None:
    """Run every example and write its answer into its page."""
    with Server.started(KINAROW_WORKERS="1") as server:
        for page in pages():
            text = page.read_text("utf-8")
            for example in _on_page(page):
                printed = example.run(server.url)
                answer = pretty(printed) if example.kind == "json" else printed
                if example.comparable(printed) != example.comparable(example.answer or "{}"):
                    text = text.replace(
                        f"```{example.kind}\n{example.answer}```", f"```{example.kind}\n{answer}```", 1
                    )
                    print(f"rewrote {example}")
            page.write_text(text, "utf-8")


def rewrite_settings() -> None:
    """Write the table of settings into the README."""
    readme = REPOSITORY / "README.md"
    before, begin, rest = readme.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    readme.write_text(f"{before}{begin}\n{settings_table(Settings, PREFIX)}\n{end}{after}", "utf-8")


if __name__ == "__main__":
    rewrite_settings()
    rewrite()
