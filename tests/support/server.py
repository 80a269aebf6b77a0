"""A real server process for tests: started on a free loopback port, asked over HTTP, stopped by its id."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).parent.parent.parent
READY_WITHIN_S = 120
"""The first start compiles every kernel; later ones take two or three seconds."""

STOP_WITHIN_S = 30
ANSWER_WITHIN_S = 60


@dataclass(frozen=True)
class Answer:
    """What the server answered: status, headers (names in lower case) and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Server:
    """A running server: ``url`` is where it listens, and ``process`` its master process."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self._log = log

    @property
    def log(self) -> str:
        """All that the server has written to its two outputs."""
        return self._log.read_text("utf-8", errors="replace")

    @classmethod
    @contextlib.contextmanager
    def started(
        cls,
        command: Sequence[str] | None = None,
        *,
        cwd: Path = REPOSITORY,
        environment: Mapping[str, str] | None = None,
        ready: bool = True,
        port: int | None = None,
        pass_fds: Sequence[int] = (),
        stderr: int = subprocess.STDOUT,
        **settings: str,
    ) -> Iterator["Server"]:
        """Start a server, by default ``kinarow serve`` of this tree, wait for ``/readyz``, and stop it at the end.

        ``environment`` is all but the settings, by default this process's; ``settings`` are variables, such as
        ``KINAROW_WORKERS="1"``. By default the port is free. A server that ends, or is not ready in time, is a
        ``RuntimeError`` with its log, to which standard error goes unless ``stderr`` is another file.
        """
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and threading.current_thread() is threading.main_thread():
            signal.signal(
                signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM)
            )  # unwinds, so the server is stopped
        port = port or free_port()
        own = os.environ if environment is None else environment
        with tempfile.NamedTemporaryFile(prefix="kinarow-server-", suffix=".log") as log:
            process = subprocess.Popen(
                list(command or (sys.executable, "-m", "kinarow.commands.cli", "serve")),
                cwd=cwd,
                env={**own, "KINAROW_HOST": "127.0.0.1", "KINAROW_PORT": str(port), **settings},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=stderr,
                pass_fds=pass_fds,
                # A group to end it by; in a session of its own Linux would share the cores out between sessions.
                process_group=0,
            )
            server = cls(process, port, Path(log.name))
            try:
                if ready:
                    server.wait_until_ready()
                yield server
            finally:
                server.stop()

    def wait_until_ready(self, seconds: float = READY_WITHIN_S, path: str = "/readyz") -> None:
        """Ask until the answer is yes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError):
                if self.get(path).status == 200:
                    return
            time.sleep(0.02)
        raise RuntimeError(f"{path} does not say yes; exit code {self.process.poll()}:\n{self.log}")

    def stop(self) -> int:
        """End it as an operator would; what does not end in time is killed. Returns the exit code."""
        return end_group(self.process)

    def told(self, series: str) -> float:
        """The value of a series in its metrics, such as ``searches_running``; 0 if it is not there."""
        found = re.search(rf"^kinarow_{re.escape(series)} (\S+)$", self.get("/metrics").body.decode(), re.MULTILINE)
        return float(found[1]) if found else 0.0

    def get(self, path: str, **headers: str) -> Answer:
        """Send a GET request."""
        return self._send(urllib.request.Request(self.url + path, headers=headers))

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        """Send a POST request; a body that is not bytes is sent as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self._send(
            urllib.request.Request(self.url + path, data=data, headers={"Content-Type": "application/json", **headers})
        )

    def _send(self, request: urllib.request.Request) -> Answer:
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_WITHIN_S) as response:
                return _answer(response, response.status)
        except urllib.error.HTTPError as error:
            with error:
                return _answer(error, error.code)


def _answer(response: Any, status: int) -> Answer:
    """The answer with its body read."""
    return Answer(status, {name.lower(): value for name, value in response.headers.items()}, response.read())


def end_group(process: "subprocess.Popen[bytes]") -> int:
    """End the master process of a group of its own by SIGTERM, or the whole group; the exit code."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode


def free_port() -> int:
    """A loopback port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Event(NamedTuple):
    """One event: its name and its data."""

    name: str
    data: Any


def read_events(text: str) -> list[Event]:
    """The events of a whole stream, comments left out.

    An ``AssertionError`` says that the text is no stream of events with JSON data of one line each.
    """
    assert text.endswith("\n\n")
    events = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        if block.startswith(":"):
            continue
        number, name, data = block.split("\n")
        assert number == f"id: {len(events) + 1}"
        assert name.startswith("event: ")
        assert data.startswith("data: ")
        events.append(Event(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events
