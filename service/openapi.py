"""Writes openapi.yaml from ``service/openapi-source.yaml``, the models, the problem types and answers of the app.

python -m service.openapi            asks the app for the answers and writes the file
python -m service.openapi --check    only tells whether it is up to date
"""

import argparse
import json
import re
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic.json_schema import models_json_schema

from kinarow.contract import answers, requests
from kinarow.contract import problems as kinds
from kinarow.contract.json_schema import ModelSchema, Schema
from kinarow.contract.problems import KINDS, MEDIA_TYPE, ProblemType
from kinarow.version import VERSION
from service.app import create_app
from service.http import events as stream
from service.http.parsing import JSON_TYPE
from service.settings import default_settings
from service.telemetry.logs import REQUEST_ID_HEADER

_TEXT = files("service").joinpath("openapi-source.yaml").read_text("utf-8")
_YAML_WIDTH = 110
_REF_TEMPLATE = "#/components/schemas/{model}"
_QUERIES = ("PictureRequest", "SolveRequest")  # models of query parameters, not of bodies

_BOARD_IN_A_QUERY: Schema = {
    "description": "The rows from top to bottom with `/` between them: `X`, `O`, `.` empty, `%23` blocked. By default "
    "the empty board of the known size.",
    "schema": {"type": "string", "pattern": "^[XO.#/]+$"},
    "example": "X.O/.X./..O",
}


def build(recorded: dict[str, Any]) -> Schema:
    """Return the document; its examples are the answers that ``record`` returned."""
    written = _written()
    components = written["components"]
    definitions = _schemas() | components["schemas"]
    return {
        "openapi": written["openapi"],
        "info": {**written["info"], "version": VERSION},
        "servers": written["servers"],
        "tags": written["tags"],
        "paths": {
            path: {method: _operation(path, each, definitions, recorded) for method, each in methods.items()}
            for path, methods in written["paths"].items()
        },
        # Two alternatives: a service without keys is open.
        "security": [{}, {"key": []}],
        "components": {
            **components,
            "schemas": {name: schema for name, schema in definitions.items() if name not in _QUERIES},
            "responses": {kind.name: _problem_response(kind, recorded) for kind in KINDS},
        },
    }


@cache
def _written() -> dict[str, Any]:
    written: dict[str, Any] = yaml.safe_load(_TEXT)
    return written


class _Dumper(yaml.SafeDumper):
    """Writes YAML without anchors, and texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def as_yaml(data: Schema) -> str:
    """Write a document as YAML, keys in their order."""
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_YAML_WIDTH)
    return text


def _schemas() -> dict[str, Schema]:
    """Return the schemas of all models that ``service/openapi-source.yaml`` names, and of the models they contain."""
    named = sorted({"Problem", *re.findall(r"\b(?:request|answer|data|fields): (\w+)", _TEXT)})
    models = [getattr(requests, name, None) or getattr(answers, name, None) for name in named]
    _, schemas = models_json_schema(
        [(model, "validation") for model in models if model is not None],
        ref_template=_REF_TEMPLATE,
        schema_generator=ModelSchema,
    )
    definitions: dict[str, Schema] = schemas["$defs"]
    # Each request of a batch is read separately.
    definitions["MovesRequest"]["properties"]["requests"]["items"] = _ref("MoveRequest")
    return {name: definitions[name] for name in sorted(definitions)}


def _operation(path: str, written: Schema, definitions: dict[str, Schema], recorded: dict[str, Any]) -> Schema:
    copied = ("operationId", "tags", "summary", "description")
    operation: Schema = {name: written[name] for name in copied if name in written}
    if "parameters" in written:
        operation["parameters"] = _parameters(written["parameters"], definitions)
    if "request" in written:
        content = {"schema": _ref(written["request"]), "examples": written["examples"]}
        operation["requestBody"] = {"required": True, "content": {JSON_TYPE: content}}
    operation["responses"] = {
        "200": _ok(written, recorded.get(path, {})),
        **{status: {"description": text, "headers": _headers({})} for status, text in written.get("other", {}).items()},
        **_failures(written.get("failures", [])),
    }
    return operation


def _ok(written: Schema, recorded: dict[str, Any]) -> Schema:
    """Return the response 200 with recorded answers as its examples."""
    body: Schema = {"schema": _ref(written["answer"]) if "answer" in written else {"type": written["type"]}}
    if "example" in written:
        body["example"] = written["example"]
    shown = written.get("examples") or {name: {} for name in written.get("recorded", ())}
    if shown:
        summaries = {name: {"summary": each["summary"]} if each else {} for name, each in shown.items()}
        body["examples"] = {name: {**summary, "value": recorded[name]} for name, summary in summaries.items()}
    content = {written.get("media", JSON_TYPE): body}
    if "events" in written:
        content[stream.MEDIA_TYPE] = _stream(
            **written["events"], answer=written["answer"], example=recorded[next(iter(shown))]
        )
    return {
        "description": "The answer.",
        "headers": _headers(written.get("headers", _written()["not-kept"])),
        "content": content,
    }


def _stream(event: str, data: str, answer: str, example: dict[str, Any]) -> Schema:
    """Return the content of an event stream with an example made from the answer."""
    if event == "move":
        first = {"index": len(example["moves"]) - 1, **example["moves"][-1]}
    else:
        fields = answers.AnalysisProgress.model_fields
        first = {"depth": 5, "nodes": 6, **{name: example[name] for name in fields if name in example}}
    lines = (
        f"event: {event}",
        f"data: {json.dumps(first)}",
        "",
        "event: result",
        "data: { … the whole answer in one line … }",
    )
    return {
        "schema": {
            "type": "string",
            "description": f"Events `{event}` (`{data}`), then one `result` (`{answer}`) or `error` (`Problem`).",
        },
        "example": "\n".join(lines) + "\n\n",
    }


def _parameters(written: list[Schema], definitions: dict[str, Schema]) -> list[Schema]:
    """Return the parameters of an operation; the entry ``fields`` stands for all fields of the request."""
    parameters = []
    for each in written:
        fields = definitions[each["fields"]]["properties"] if "fields" in each else {}
        parameters += [_field_parameter(name, field) for name, field in fields.items()] or [each]
    return [{"name": each["name"], "in": "query", "required": False, **each} for each in parameters]


def _field_parameter(name: str, field: Schema) -> Schema:
    if name == "board":
        return {"name": name, **_BOARD_IN_A_QUERY}
    schema = {key: value for key, value in field.items() if key not in ("description", "example")}
    listed = {"style": "form", "explode": False} if schema.get("type") == "array" else {}
    return {"name": name, "description": field["description"], "schema": schema, **listed}


def _ref(model: str) -> Schema:
    return {"$ref": _REF_TEMPLATE.format(model=model)}


def _headers(described_as: dict[str, str]) -> Schema:
    described = {name: {"description": text, "schema": {"type": "string"}} for name, text in described_as.items()}
    return {REQUEST_ID_HEADER: {"$ref": f"#/components/headers/{REQUEST_ID_HEADER}"}, **described}


def _failures(names: list[str]) -> Schema:
    locked = [kinds.UNAUTHORIZED.name] if kinds.INVALID_REQUEST.name in names else []
    status = {kind.name: str(kind.status) for kind in KINDS}
    return {
        status[name]: {"$ref": f"#/components/responses/{name}"}
        for name in (*names, *locked, kinds.INTERNAL_ERROR.name)
    }


def _problem_response(kind: ProblemType, recorded: dict[str, Any]) -> Schema:
    content: Schema = {"schema": _ref("Problem")}
    if kind.name in recorded["errors"]:
        content["example"] = recorded["errors"][kind.name]
    return {
        "description": f"{kind.title}. {kind.meaning}",
        "headers": _headers({**_written()["not-kept"], **_written()["problem-headers"].get(kind.name, {})}),
        "content": {MEDIA_TYPE: content, **({"text/html": {}} if kind is kinds.LINE_TOO_LONG else {})},
    }


_CHANGING = re.compile(r'"(nodes|depth|elapsed_ms)":[0-9.e-]+')
_FIXED = {"nodes": "1000", "depth": "8", "elapsed_ms": "1.5"}
"""Replace measured values, so that a change of the search doesn't change the document."""


def record() -> dict[str, Any]:
    """Return an app's answers to all examples by path and name, with fixed nodes, depths and times."""
    # No environment: the examples must not depend on where they are recorded.
    client = create_app(default_settings()).test_client()
    answers: dict[str, Any] = {}
    for path, methods in _written()["paths"].items():
        examples = methods.get("post", {}).get("examples", {})
        texts = {name: client.post(path, json=example["value"]).text for name, example in examples.items()}
        answers[path] = {
            name: json.loads(_CHANGING.sub(lambda found: f'"{found[1]}":{_FIXED[found[1]]}', text))
            for name, text in texts.items()
        }
    answers["/solve"] = {moves: client.get(f"/solve?pos={moves}").get_json() for moves in ["4453"]}
    answers["errors"] = {
        name: client.post(each["path"], data=each["body"], content_type=JSON_TYPE).get_json(force=True)
        for name, each in _written()["mistakes"].items()
    }
    return answers


def main(arguments: list[str] | None = None) -> int:
    """Write or check ``openapi.yaml``; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m service.openapi", description="Generate openapi.yaml.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file would change")
    parser.add_argument("--output", type=Path, default=Path("openapi.yaml"), help="the file to write")
    options = parser.parse_args(arguments)
    wanted, file = as_yaml(build(record())), options.output
    if file.exists() and file.read_text("utf-8") == wanted:
        return 0
    if options.check:
        print(f"{file.name} is not up to date: run python -m service.openapi", file=sys.stderr)
        return 1
    file.write_text(wanted, "utf-8")
    print(f"wrote {file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
