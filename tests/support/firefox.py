"""A page in Firefox, driven by WebDriver BiDi: Playwright would need a Firefox of its own."""

import itertools
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import package

PATIENCE_S = 30
READY = "performance.getEntriesByName('ready').length"
SIZE = {"width": 1366, "height": 650}
_PORT = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


class Firefox:
    """A browser with one page."""

    def __init__(self, address: str) -> None:
        self._socket = package("websocket").create_connection(
            f"{address}/session", timeout=PATIENCE_S, suppress_origin=True
        )
        self._ids = itertools.count(1)
        self.errors: list[str] = []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("browsingContext.setViewport", context=self.context, viewport=SIZE)

    def send(self, method: str, **params: Any) -> Any:
        """The result of a command; what the console says meanwhile is kept."""
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (told := json.loads(self._socket.recv())).get("id") != number:
            if told.get("method") == "log.entryAdded" and told["params"]["level"] in ("error", "warn"):
                self.errors.append(told["params"]["text"])
        assert told["type"] == "success", told
        return told["result"]

    def open(self, address: str) -> None:
        self.send("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def ask(self, expression: str) -> Any:
        """The value of an expression, which JSON can say."""
        target, words = {"context": self.context}, f"JSON.stringify({expression})"
        told = self.send("script.evaluate", expression=words, target=target, awaitPromise=True, userActivation=True)
        assert told["type"] == "success", told
        return json.loads(told["result"].get("value", "null"))

    def wait(self, expression: str) -> None:
        until = time.monotonic() + PATIENCE_S
        while not self.ask(f"Boolean({expression})"):
            assert time.monotonic() < until, f"{expression} never came true on {self.ask('document.body.innerText')}"
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """Click in the middle of an element, which has to be in sight."""
        place = "(box => ({ x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) }))"
        seen = "if (!each?.checkVisibility()) return; each.scrollIntoView({ block: 'center' })"
        found = f"(each => {{ {seen}; return {place}(each.getBoundingClientRect()) }})"
        # In one step, since the page may draw the element anew between two.
        self.wait(f"window.place = {found}(document.querySelector({json.dumps(selector)}))")
        at = self.ask("window.place")
        press = [{"type": step, "button": 0} for step in ("pointerDown", "pointerUp")]
        steps = [{"type": "pointerMove", **at}, *press]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        self.send("input.performActions", context=self.context, actions=[mouse])


@contextmanager
def started(profile: Path) -> Iterator[Firefox]:
    """A Firefox with a new profile in this folder; where there is none, the test is skipped."""
    package("websocket")
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("the page is tried in Firefox: apt-get install firefox-esr")
    words = (program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0")
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        try:
            yield Firefox(next(found[1] for line in process.stderr if (found := _PORT.search(line))))
        finally:
            process.kill()
