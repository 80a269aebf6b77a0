"""The examples of the documentation: a block to run and, right after it, the block with what it prints.

A page is Markdown. A fenced block in a language of ``RUNNERS`` is run; a ``json`` or ``text`` block that
follows it, with one line of prose between them at most, is what it prints. A block that is not run has a
comment above it that says why::

    <!-- not run: it installs packages -->
    ```sh
    make serve
    ```
"""

import contextlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from tests.support.commands import run
from tests.support.server import REPOSITORY

DOCUMENTED_URL = "http://127.0.0.1:8000"
RUN_WITHIN_S = 120

RUNNERS = {
    "sh": ("bash", "-euo", "pipefail", "-c"),
    "python": (sys.executable, "-c"),
    "js": ("node", "--input-type=module", "-e"),
}
"""How a block of each language is run: a program that takes it as its last argument."""

BROWSER_LANGUAGE = "html"  # blocks in it are pages; the tests open them in a browser

OUTPUTS = ("json", "text")
NEVER_RUN = {"{eval-rst}": "it takes the library's reference from docstrings, whose examples tests/kinarow runs"}
"""Languages of which no block is run, and why."""


EXEMPT = {
    "docs/operating.md": "its commands change a machine or a cluster; tests/system/deploy checks the files they use",
    "docs/public-instance.md": "its commands set up a machine; tests/system/deploy checks the files they use",
    "docs/security.md": "its commands serve until they are stopped; tests/service/http/test_auth.py tries keys",
    "docs/scaling.md": "its commands load a machine for minutes and print times",
    "docs/performance.md": "its commands are benchmarks that run for minutes and print times",
    "docs/bounds.md": "its commands are benchmarks that run for minutes",
    "docs/large-boards.md": "its commands are matches that run for minutes",
    "docs/integrations/boardgame-io.md": "tests/clients plays whole games by the same code",
    "docs/integrations/kaggle.md": "tests/service/routes plays whole games by the same code",
    "docs/integrations/piskvork.md": "tests/kinarow/protocols plays whole games by the same code",
}
"""Pages of which a block need not be run, and why; what has an answer beside it is run all the same."""

VARYING = {"elapsed_ms", "cached"}  # fields that differ from run to run

_NOT_RUN = re.compile(r"^<!-- not run: (?P<why>.+) -->$")
_VARYING_IN_TEXT = re.compile(
    r"\b[\d,.]+ ms\b|\"elapsed_ms\": ?[\d.]+|\"cached\": ?(?:true|false)| +\d+\.\d{3}$", re.MULTILINE
)
"""Times: milliseconds in words and in JSON, and seconds with three decimals at the end of a line."""


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, its language and text, and why it is not run where the page says so."""

    page: Path
    line: int
    end: int
    language: str
    text: str
    not_run: str | None

    def __str__(self) -> str:
        return f"{self.page.relative_to(REPOSITORY)}:{self.line}"


@dataclass(frozen=True)
class Example:
    """A block that is run, and the block with what it prints, if any."""

    block: Block
    answer: Block | None

    def __str__(self) -> str:
        return str(self.block)

    @property
    def program(self) -> str:
        """What this machine must have for it."""
        return RUNNERS[self.block.language][0]

    def run(self, url: str) -> str:
        """What the command prints with the server at this URL; an ``AssertionError`` if it failed."""
        command = (*RUNNERS[self.block.language], self.block.text.replace(DOCUMENTED_URL, url))
        # It sees the programs of this environment first, and no settings.
        path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
        own = {"PATH": path, "HOME": str(Path.home()), "LANG": "C.UTF-8"}
        return run(*command, environment=own, seconds=RUN_WITHIN_S).replace(url, DOCUMENTED_URL)

    def comparable(self, text: str) -> Any:
        """The printed text without what differs from run to run; None if it should be JSON and is not."""
        if self.answer is None or self.answer.language != "json":
            return _VARYING_IN_TEXT.sub("…", text.strip())
        with contextlib.suppress(json.JSONDecodeError):
            return without_varying(json.loads(text))


def pages() -> list[Path]:
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    found, not_run = [], None
    for token in MarkdownIt().parse(page.read_text("utf-8")):
        if token.type == "fence" and token.map:
            found.append(Block(page, token.map[0] + 1, token.map[1], token.info, token.content, not_run))
        if token.level == 0:
            said = _NOT_RUN.match(token.content) if token.type == "html_block" else None
            not_run = said["why"] if said else None
    return found


def examples_of(page: Path) -> Iterator[Example]:
    """The blocks of a page that are run, each with what it prints."""
    exempt = page.relative_to(REPOSITORY).as_posix() in EXEMPT
    lines = page.read_text("utf-8").splitlines()
    every = blocks(page)
    for block, following in zip(every, [*every[1:], None], strict=False):
        if block.language not in RUNNERS or block.not_run:
            continue
        answer = None
        if following is not None and following.language in OUTPUTS and not following.not_run:
            between = lines[block.end : following.line - 1]
            if sum(bool(line) for line in between) <= 1:
                answer = following
        if answer is not None or not exempt:
            yield Example(block, answer)


def examples() -> list[Example]:
    return [example for page in pages() for example in examples_of(page)]


def web_pages() -> list[Block]:
    return [
        block for page in pages() for block in blocks(page)
        if block.language == BROWSER_LANGUAGE and not block.not_run
    ]  # fmt: skip


def unexplained() -> list[Block]:
    """The blocks that are neither run nor say why not."""
    run = [example for page in pages() for example in examples_of(page)]
    known = {block for example in run for block in (example.block, example.answer)}
    return [
        block for page in pages() for block in blocks(page)
        if block not in known and not block.not_run and block.language not in (*NEVER_RUN, BROWSER_LANGUAGE)
        and page.relative_to(REPOSITORY).as_posix() not in EXEMPT
    ]  # fmt: skip


def without_varying(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_varying(inner) for name, inner in value.items() if name not in VARYING}
    if isinstance(value, list):
        return [without_varying(inner) for inner in value]
    return value
