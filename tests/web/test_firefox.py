"""A visit to all views in Firefox, driven by WebDriver BiDi: Playwright would need a Firefox of its own."""

import itertools
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import package

websocket = package("websocket")

PATIENCE_S = 30
SIZE = {"width": 1366, "height": 650}
_PORT = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


class Firefox:
    """A browser with one page."""

    def __init__(self, address: str) -> None:
        self._socket = websocket.create_connection(f"{address}/session", timeout=PATIENCE_S, suppress_origin=True)
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
        element = f"document.querySelector({json.dumps(selector)})"
        self.wait(f"{element}?.checkVisibility()")
        self.ask(f"{element}.scrollIntoView({{ block: 'center' }}) ?? null")
        at = self.ask(f"{place}({element}.getBoundingClientRect())")
        press = [{"type": step, "button": 0} for step in ("pointerDown", "pointerUp")]
        steps = [{"type": "pointerMove", **at}, *press]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        self.send("input.performActions", context=self.context, actions=[mouse])


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("the page is tried in Firefox: apt-get install firefox-esr")
    words = (program, "--headless", "--no-remote", "--profile", tmp_path, "--remote-debugging-port", "0")
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        try:
            yield Firefox(next(found[1] for line in process.stderr if (found := _PORT.search(line))))
        finally:
            process.kill()


READY = "performance.getEntriesByName('ready').length"


@pytest.mark.slow
def test_a_visit_to_all_views(firefox, site):
    address = site.rstrip("/")
    firefox.open(f"{address}/#game=tic-tac-toe&level=10")
    firefox.wait(READY)
    assert firefox.ask("document.querySelector('#board').clientHeight") >= 0.75 * SIZE["height"]
    firefox.click("[data-cell='4']")
    firefox.wait("document.querySelectorAll('[role=gridcell][aria-disabled]').length === 2")
    firefox.click("[name=thinkAlong]")
    firefox.wait("document.querySelectorAll('.value-list li').length === 5")
    firefox.click("#hint")
    firefox.wait("document.querySelector('.pointer')")

    firefox.open(f"{address}/?game=tic-tac-toe&moves=a3c1b2c3a1&you=both")
    firefox.wait(READY)
    firefox.click("#review")
    firefox.wait("document.querySelectorAll('.move-list .best').length")

    firefox.click("#keys")
    firefox.wait("document.querySelector('#keys-dialog').open")
    firefox.click("#keys-dialog .primary")
    firefox.click("#new-game")
    firefox.wait("document.querySelector('#setup').open")
    firefox.click("#setup-cancel")
    firefox.click("#more-button")
    firefox.click("#edit")
    firefox.wait("document.querySelector('#editor').checkVisibility()")
    firefox.click("#edit-cancel")

    firefox.click("#to-learn")
    firefox.wait("document.querySelectorAll('[role=treeitem]').length")
    firefox.click("#step-last")
    firefox.wait("document.querySelector('.node.best')")
    firefox.click("#to-puzzles")
    firefox.wait("document.querySelector('#puzzle').checkVisibility() && document.querySelector('#puzzle p')")
    firefox.open(f"{address}/#game=qubic")
    firefox.wait("document.querySelector('#space').checkVisibility() && document.querySelector('#space *')")

    for path, content in (("atlas", ".atlas td a"), ("docs", ".opblock")):
        firefox.open(f"{address}/{path}")
        firefox.wait(f"document.querySelector('{content}')")
    assert firefox.errors == []
