"""A client of the app in this process, every answer of which is checked against the OpenAPI document."""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from kinarow.game.position import Position
from kinarow.search_types import Limits
from service.app import create_app
from service.routes import docs
from service.settings import Settings, default_settings
from service.telemetry import logs

CHEAP = {"default_nodes": 2_000, "default_nodes_large": 2_000, "max_nodes": 100_000}
"""Settings with which even hostile boards are answered at once."""


class Asker:
    """Asks an app, and checks of every answer that the document foresees it."""

    def __init__(self, client: FlaskClient) -> None:
        self._client = client

    def post(self, path: str, fields: Any = None, **options: Any) -> TestResponse:
        options = {"content_type": "application/json", "data": json.dumps(fields), **options}
        return self._checked(path, "post", self._client.post(path, **options))

    def get(self, path: str, **options: Any) -> TestResponse:
        return self._checked(path.partition("?")[0], "get", self._client.get(path, **options))

    def answer(self, path: str, fields: Any) -> Any:
        """The data that answer a right request, which no cache may keep."""
        response = self.post(path, fields)
        assert response.status_code == 200, response.text
        assert response.headers["Cache-Control"] == "no-store"
        return response.get_json()

    def _checked(self, path: str, method: str, response: TestResponse) -> TestResponse:
        check_documented(path, method, response)
        return response


def check_documented(path: str, method: str, response: TestResponse) -> None:
    """Fail unless the document has this path with this status, type and shape of body."""
    document = docs.document()
    described = document["paths"][path][method]["responses"][str(response.status_code)]
    if "$ref" in described:
        described = document["components"]["responses"][described["$ref"].rsplit("/", 1)[-1]]
    for header in described["headers"]:
        if header != "ETag":
            assert header in response.headers, f"{header} is documented"
    content = described.get("content")
    if content is None:
        assert response.data == b""
        return
    assert response.mimetype in content
    if response.mimetype.endswith("json"):
        validate(response.get_json(force=True), content[response.mimetype]["schema"])


def validate(value: Any, schema: dict[str, Any]) -> None:
    whole = {"components": docs.document()["components"], **schema}
    jsonschema.Draft202012Validator(whole).validate(value)


def request_of(position: Position, limits: Limits | None = None) -> dict[str, Any]:
    """What asks for the value of a position within limits."""
    rules = position.rules
    told = {name: getattr(limits, name, None) for name in ("max_nodes", "max_depth", "time_limit_ms")}
    return {
        "board": [list(row) for row in position.board], "rows": rules.rows, "columns": rules.columns,
        "goal": rules.goal, "gravity": rules.gravity, "misere": rules.misere, "exact_goal": rules.exact_goal,
        "to_move": "XO"[position.to_move - 1], **{name: value for name, value in told.items() if value is not None},
    }  # fmt: skip


def without_cost(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer without what may differ between two askings."""
    search = {name: value for name, value in answer["search"].items() if name not in ("elapsed_ms", "cached")}
    return {**answer, "search": search}


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    paths = docs.document()["paths"].items()
    return [(method.upper(), path, described) for path, methods in paths for method, described in methods.items()]


def bodies() -> dict[str, tuple[Any, list[str]]]:
    """For every path that takes a body: the first example of the document, and the names of all fields."""
    found = {}
    for _, path, described in operations():
        if "requestBody" in described:
            content = described["requestBody"]["content"]["application/json"]
            schema = docs.document()["components"]["schemas"][content["schema"]["$ref"].rsplit("/", 1)[-1]]
            found[path] = next(iter(content["examples"].values()))["value"], sorted(schema["properties"])
    return found


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


def client_with(*, recommender: Any = None, **settings: Any) -> FlaskClient:
    made = create_app(default_settings(**{**CHEAP, **settings}), recommender=recommender)
    return made.test_client()


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
