"""A real Redis server for tests: on a free loopback port, paused, killed and started again as they wish."""

import contextlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.support.server import free_port

ANSWERS_WITHIN_S = 10


class RedisServer:
    """A running server that keeps nothing on disk; ``client`` is a patient one of it."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = redis.Redis(port=self.port, socket_timeout=ANSWERS_WITHIN_S)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    @contextlib.contextmanager
    def started(cls) -> Iterator["RedisServer"]:
        """Start a server, wait until it answers, and kill it at the end; skips the test where there is none."""
        if shutil.which("redis-server") is None:
            pytest.skip("redis-server is not installed")
        with tempfile.TemporaryDirectory(prefix="kinarow-redis-") as folder:
            server = cls(Path(folder))
            server.start()
            try:
                yield server
            finally:
                server.client.close()
                server.kill()

    def start(self) -> None:
        """Start it, empty, on the same port as before."""
        self._process = subprocess.Popen(
            ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "no"],
            cwd=self._folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + ANSWERS_WITHIN_S
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            assert time.monotonic() < deadline, "redis-server does not start"
            time.sleep(0.01)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            # A paused process is killed all the same.
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """Stop it from running; its connections stay open."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
