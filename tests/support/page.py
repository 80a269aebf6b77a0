"""What tests of the page share: its tables of words, a static host, and axe-core."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.server import REPOSITORY

AXE = REPOSITORY / "tests" / "web" / "vendor" / "axe.min.js"  # axe-core 4.14.1, unchanged, with its licences beside it
WEB = REPOSITORY / "service" / "web"
TABLES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((WEB / "words").glob("*.json"))}
ENGLISH = TABLES["en"]


def forms(entry: str | dict[str, str]) -> list[str]:
    """The sentences of an entry: one, or one for each number."""
    return [entry] if isinstance(entry, str) else list(entry.values())


class Quiet(SimpleHTTPRequestHandler):
    """A static host that writes no log."""

    def log_message(self, *_):
        pass


@contextmanager
def served(folder: Path) -> Iterator[ThreadingHTTPServer]:
    """A static host of a folder; ``url`` is its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        server.url = f"http://127.0.0.1:{server.server_port}/"
        yield server
        server.shutdown()
