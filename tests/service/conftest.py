"""A client of the app in this process, every answer of which is checked against the OpenAPI document."""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from service.app import create_app
from service.settings import Settings, default_settings
from service.telemetry import logs
from tests.support.app import CHEAP, Asker, client_with


@pytest.fixture
def log_lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """The lines that the service has logged, as data."""
    lines: list[bytes] = []
    monkeypatch.setattr(logs.STREAM.buffer, "write", lambda line: (lines.append(bytes(line)), len(line))[1])
    own = logging.getLogger("service")
    before = own.handlers, own.propagate, own.level
    logs.configure("info")
    yield lambda: [json.loads(line) for line in lines]
    own.handlers, own.propagate = before[:2]
    own.setLevel(before[2])


@pytest.fixture(scope="session")
def settings() -> Settings:
    return default_settings(**CHEAP)


@pytest.fixture(scope="session")
def app(settings: Settings) -> Flask:
    return create_app(settings)


@pytest.fixture(scope="session")
def ask(app: Flask) -> Asker:
    """Asks the app and checks every answer against the document."""
    return Asker(app.test_client())


@pytest.fixture
def make_asker():
    return lambda **options: Asker(client_with(**options))
