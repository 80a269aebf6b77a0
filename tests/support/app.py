"""The app in this process, what every answer of it must be like, and what requests share."""

import json
import tempfile
from collections.abc import Iterable
from typing import Any

from flask.testing import FlaskClient
from openapi_schema_validator import OAS30Validator
from werkzeug.test import TestResponse

from kinarow.contract.problems import KINDS
from kinarow.game.position import Position
from kinarow.search_types import Limits
from service.app import create_app
from service.routes import docs
from service.settings import default_settings

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
    document = docs.openapi_document()
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
    whole = {"components": docs.openapi_document()["components"], **schema}
    OAS30Validator(whole).validate(value)


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
    paths = docs.openapi_document()["paths"].items()
    return [(method.upper(), path, described) for path, methods in paths for method, described in methods.items()]


def bodies() -> dict[str, tuple[Any, list[str]]]:
    """For every path that takes a body: the first example of the document, and the names of all fields."""
    found = {}
    for _, path, described in operations():
        if "requestBody" in described:
            content = described["requestBody"]["content"]["application/json"]
            schema = docs.openapi_document()["components"]["schemas"][content["schema"]["$ref"].rsplit("/", 1)[-1]]
            found[path] = next(iter(content["examples"].values()))["value"], sorted(schema["properties"])
    return found


def client_with(*, searching: Any = None, keys: Iterable[str] = (), **settings: Any) -> FlaskClient:
    with tempfile.NamedTemporaryFile("w") as file:
        file.writelines(f"{key}\n" for key in keys)
        file.flush()
        given = {**CHEAP, **settings} | ({"api_keys_file": file.name} if keys else {})
        return create_app(default_settings(**given), searches=searching).test_client()


def check_problem(response, status):
    """Fail unless it is a problem of this status, in the one shape there is."""
    assert (response.status_code, response.mimetype) == (status, "application/problem+json")
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Request-ID"]
    assert "ETag" not in response.headers
    problem = json.loads(response.data)
    validate(problem, {"$ref": "#/components/schemas/Problem"})
    assert set(problem) <= {"type", "title", "status", "detail", "instance", "errors", "games"}
    assert problem["status"] == status
    assert {(kind.type, kind.title, kind.status) for kind in KINDS} >= {(problem["type"], problem["title"], status)}
    assert problem["instance"] == response.request.path
    assert ("errors" in problem) == (status == 422)
    return problem


def check_refused(response, *pointers):
    """Fail unless it is a 422 that names these fields and no other."""
    problem = check_problem(response, 422)
    assert [error["pointer"] for error in problem["errors"]] == list(pointers)
    assert all(len(error["detail"]) < 300 for error in problem["errors"])
    return problem


class Broken:
    """Searches that fail."""

    def __init__(self, error):
        self.error = error

    def ask(self, *_):
        raise self.error
