"""Sends requests to a checkout's console script: to its server, JSON lines, MCP and commands."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.replay.requests import Fields, Http, Request

READY_WITHIN_S = 600  # the first start of a checkout may compile its kernels
ANSWER_WITHIN_S = 600
STOP_WITHIN_S = 30

SETTINGS = {
    "KINAROW_WORKERS": "1",
    "KINAROW_SEARCHES": "1",
    "KINAROW_MAX_TIME_MS": "600000",  # only nodes and plies end a search
    "KINAROW_MAX_NODES": "5000",
    "KINAROW_DEFAULT_NODES": "3000",
    "KINAROW_DEFAULT_NODES_LARGE": "200",
    "KINAROW_LOG_LEVEL": "error",
    "COLUMNS": "120",
}
HEADERS = (
    "content-type",
    "cache-control",
    "vary",
    "allow",
    "location",
    "access-control-allow-origin",
    "access-control-expose-headers",
)
"""The compared headers. Of ``ETag`` only the presence is compared, since its value depends on the library's files."""

_MILLISECONDS = re.compile(r"[\d,.]+ ms")


class Checkout(contextlib.ExitStack):
    """A checkout with its ``.venv``; the process of a channel starts with its first request.

    ``settings`` override ``SETTINGS``.

    Raises:
        ValueError: the environment has no ``kinarow``, or imports one from elsewhere.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__()
        self._folder = folder.resolve()
        self._script = self._folder / ".venv/bin/kinarow"
        own = {name: value for name, value in os.environ.items() if not name.startswith(("KINAROW_", "PYTHON"))}
        self._environment = {**own, **SETTINGS, **settings}
        self.searches = self._environment["KINAROW_SEARCHES"]
        self._channels: dict[str, Any] = {}
        if not self._script.exists():
            raise ValueError(f"{self._script} is missing: install the checkout into its .venv")
        python = self._script.with_name("python")
        code = "import kinarow; print(kinarow.__file__)"
        found = subprocess.check_output([python, "-I", "-c", code], cwd="/", env=self._environment, text=True).strip()
        if not Path(found).is_relative_to(self._folder):
            raise ValueError(f"{python} imports {found}, which is not in the checkout")

    def ask(self, request: Request) -> Fields:
        """Return the answer as JSON data, with milliseconds in texts masked."""
        if request.channel not in self._channels:
            self._channels[request.channel] = _CHANNELS[request.channel](self)
        answer: Fields = self._channels[request.channel].ask(request.content)
        return answer

    def start(self, *words: str, **streams: Any) -> "subprocess.Popen[bytes]":
        """Start a command, to be stopped at exit."""
        process = subprocess.Popen([self._script, *words], cwd=self._folder, env=self._environment, **streams)
        self.callback(_stop, process)
        return process

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        return subprocess.run(
            [self._script, *words],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ANSWER_WITHIN_S,
        )


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.stdin is not None:
        process.stdin.close()
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class _Server:
    """``kinarow serve`` on a free loopback port."""

    def __init__(self, checkout: Checkout) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])
        log = checkout.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
        process = checkout.start("serve", "--host=127.0.0.1", f"--port={self._port}", stdout=log, stderr=log)
        end = time.monotonic() + READY_WITHIN_S
        while not self._is_ready():
            if time.monotonic() > end or process.poll() is not None:
                log.seek(0)
                raise RuntimeError(f"the server is not ready:\n{log.read().decode(errors='replace')}")
            time.sleep(0.1)

    def _is_ready(self) -> bool:
        try:
            return bool(self.ask(Http("GET", "/readyz"))["status"] == 200)
        except OSError:
            return False

    def ask(self, request: Http) -> Fields:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_WITHIN_S)
        with contextlib.closing(connection):
            connection.request(request.method, request.target, request.body, dict(request.headers))
            response = connection.getresponse()
            body = response.read().decode("utf-8", "replace")
        headers: Fields = {name: response.headers[name] for name in HEADERS if name in response.headers}
        headers["allow"] = sorted(headers.get("allow", "").split(", "))  # their order is not fixed
        headers["etag"] = "etag" in response.headers
        return {"status": response.status, "headers": headers, "body": _body(body, headers.get("content-type", ""))}


def _body(text: str, media_type: str) -> Any:
    if "json" in media_type and text:
        return json.loads(text)
    if "event-stream" not in media_type:
        return text
    events = []
    for block in filter(None, text.split("\n\n")):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            events.append({**lines, "data": json.loads(lines["data"])})
    return {"events": events}


class _JsonLines:
    """``kinarow jsonl``."""

    def __init__(self, checkout: Checkout) -> None:
        self._process = checkout.start(
            "jsonl", f"--searches={checkout.searches}", stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, line: bytes) -> Fields:
        _write(self._process, line)
        events = [_read(self._process)]
        while events[-1].get("event") == "progress":
            events.append(_read(self._process))
        return {"progress": events[:-1], "answer": events[-1]}


class _Tools:
    """``kinarow mcp`` on standard input and output."""

    def __init__(self, checkout: Checkout) -> None:
        self._process = checkout.start("mcp", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._calls = 0
        client = {"name": "replay", "version": "1"}
        self._call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        _write(self._process, json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode())

    def ask(self, tool: tuple[str, Fields]) -> Fields:
        name, arguments = tool
        answer = self._call("tools/call", {"name": name, "arguments": arguments})
        for content in answer.get("result", {}).get("content", ()):
            content["text"] = _parsed(content.get("text"))
        return answer

    def _call(self, method: str, parameters: Fields) -> Fields:
        self._calls += 1
        call = {"jsonrpc": "2.0", "id": self._calls, "method": method, "params": parameters}
        _write(self._process, json.dumps(call).encode())
        while (answer := _read(self._process)).get("id") != self._calls:
            pass  # a notification
        return answer


class _Commands:
    """Commands that answer one request."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout

    def ask(self, words: tuple[str, ...]) -> Fields:
        done = self._checkout.run(*words)
        return {"exit": done.returncode, "output": _parsed(done.stdout), "errors": _parsed(done.stderr)}


_CHANNELS: dict[str, Any] = {"http": _Server, "jsonl": _JsonLines, "mcp": _Tools, "cli": _Commands}


def _write(process: "subprocess.Popen[bytes]", line: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()


def _read(process: "subprocess.Popen[bytes]") -> Fields:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args} ended with {process.wait()}")
    answer: Fields = json.loads(line)
    return answer


def _parsed(text: Any) -> Any:
    """Parse a text as JSON or JSON lines; return any other text as its lines."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return _MILLISECONDS.sub("… ms", text).splitlines()
