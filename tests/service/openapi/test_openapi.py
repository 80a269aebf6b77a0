"""openapi.yaml: exactly what the code generates, a valid document, and true of every answer."""

import json
import re
from pathlib import Path

import pytest
import yaml
from openapi_spec_validator import OpenAPIV30SpecValidator

from kinarow.contract.problems import KINDS
from kinarow.game.rules import RULES
from service import openapi
from service.openapi import main, record
from service.routes import docs
from tests.support.app import validate

ROOT = Path(__file__).parents[3]
FILE = ROOT / "openapi.yaml"
HOW = "it is not what the code generates: run make openapi"


def test_the_file_is_what_the_code_generates():
    assert FILE.read_text("utf-8") == openapi.as_yaml(openapi.build(record())), HOW


def test_the_check_on_the_command_line_agrees(capsys, tmp_path):
    assert main(["--check", "--output", str(FILE)]) == 0
    assert main(["--check", "--output", str(tmp_path / "stale.yaml")]) == 1
    assert "not up to date" in capsys.readouterr().err


def test_a_validator_passes_the_file_which_has_no_anchors_and_no_tabs():
    text = FILE.read_text("utf-8")
    document = yaml.load(text, yaml.CSafeLoader)
    assert document["openapi"] == "3.0.3"
    assert list(OpenAPIV30SpecValidator(document).iter_errors()) == []
    assert not [line for line in text.splitlines() if " &id" in line or " *id" in line or "\t" in line]


def test_typed_languages_can_hold_every_field_and_its_description():
    text = json.dumps({**docs.openapi_document(), "info": {}}, ensure_ascii=False)
    assert re.findall(r'"(?:anyOf|oneOf|const|links)":|"(?:description|summary)": "[^"]{301}', text) == []


def test_every_path_of_the_app_is_in_the_document(app):
    # Pages for people and their files are no operations; nor is this document as YAML, which generated clients
    # cannot read.
    files = {
        "/", "/docs", "/docs/", "/docs/<name>", "/guide", "/guide/", "/guide/<path:name>", "/openapi.yaml",
        "/problems", "/web/<path:name>", "/web/engine/<digest>/<name>", "/atlas", "/atlas/proofs/<name>", "/llms.txt",
    }  # fmt: skip
    served = {(rule.rule, method.lower()) for rule in app.url_map.iter_rules() for method in rule.methods}
    served = {(path, method) for path, method in served if path not in files and method not in ("head", "options")}
    documented = {(path, method) for path, methods in docs.openapi_document()["paths"].items() for method in methods}
    assert served == documented


def examples():
    for path, methods in docs.openapi_document()["paths"].items():
        for method, operation in methods.items():
            bodies = [("request", operation.get("requestBody", {}).get("content", {}))]
            bodies += [(status, response.get("content", {})) for status, response in operation["responses"].items()]
            for where, content in bodies:
                for media in content.values():
                    for name, shown in media.get("examples", {}).items():
                        yield pytest.param(shown["value"], media["schema"], id=f"{method} {path} {where} {name}")
    for name, response in docs.openapi_document()["components"]["responses"].items():
        for media in response["content"].values():
            if "example" in media:
                yield pytest.param(media["example"], media["schema"], id=name)


@pytest.mark.parametrize(("value", "schema"), list(examples()))
def test_every_example_is_valid(value, schema):
    validate(value, schema)


def test_every_field_parameter_and_kind_of_problem_is_described():
    models = docs.openapi_document()["components"]["schemas"]
    # What Kaggle's package sends is described by Kaggle.
    for name in [name for name in models if not name.startswith("Kaggle")]:
        for field, schema in models[name].get("properties", {}).items():
            assert "description" in schema or "$ref" in schema, f"{name}.{field}"
    assert all(parameter["description"] for parameter in docs.openapi_document()["paths"]["/move"]["get"]["parameters"])
    assert {kind.name for kind in KINDS} <= docs.openapi_document()["components"]["responses"].keys()


def test_the_requests_repeat_the_declared_rules():
    schemas = yaml.load(FILE.read_text("utf-8"), yaml.CSafeLoader)["components"]["schemas"]
    fields = schemas["TreeRequest"]["properties"]
    position = {"board", "moves", "first", "to_move", "composed", "rows", "columns", "layers", "game"}
    assert RULES.keys() <= fields.keys(), "run make openapi"
    assert fields.keys() - RULES.keys() == position | {"max_depth", "pruning"}
    for name, rule in RULES.items():
        assert fields[name] == schemas["AnalysisRequest"]["properties"][name]
        types = {"integer": "integer", "switch": "boolean", "choice": "string", "list": "array"}
        assert fields[name]["type"] == types[rule.kind]
        assert fields[name].get("items", fields[name]).get("enum", []) == [*rule.choices]
        assert fields[name]["description"] == rule.description
