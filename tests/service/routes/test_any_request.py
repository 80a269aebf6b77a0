"""Any request of the random ones that compare two checkouts: its answer is one that the contract allows."""

import json
from urllib.parse import parse_qsl

import pytest

from benchmarks.replay.checkouts import SETTINGS
from benchmarks.replay.requests import requests
from kinarow.contract import problems
from kinarow.settings import PREFIX
from service.app import create_app
from service.settings import default_settings
from tests.support.contract import check_answer, check_review, check_tree
from tests.support.samples import sampled

CHECKED = {"/move", "/analysis", "/review", "/tree"}
NUMBERS = {"rows", "columns", "layers", "goal", "max_nodes", "max_depth", "level", "seed", "top"}
SWITCHES = {"gravity", "misere", "exact_goal", "caro", "renju"}


def in_query(name, value):
    """A parameter as the field of a body."""
    if name in NUMBERS:
        return int(value)
    if name in SWITCHES:
        return value == "true"
    return value.split(",") if name == "directions" else value


def asked_and_answered(client, sent):
    """The path, the fields and the answer of a request; several of ``/moves``, none of other paths."""
    path, _, query = sent.target.partition("?")
    if path not in (*CHECKED, "/moves") or ("Accept", "text/event-stream") in sent.headers:
        return
    response = client.open(sent.target, method=sent.method, data=sent.body, headers=dict(sent.headers))
    if response.status_code != 200 or sent.method not in ("GET", "POST"):
        assert response.status_code in {kind.status for kind in problems.KINDS} | {200}
        return
    answer = response.get_json()
    if sent.method == "GET":
        yield path, {name: in_query(name, value) for name, value in parse_qsl(query)}, answer
    elif path == "/moves":
        asked = json.loads(sent.body)["requests"]
        pairs = zip(asked, answer["answers"], strict=True)
        yield from (("/move", fields, each["answer"]) for fields, each in pairs if each["answer"])
    else:
        yield path, json.loads(sent.body), answer


@pytest.fixture(scope="module")
def client():
    given = {name.removeprefix(PREFIX).lower(): value for name, value in SETTINGS.items() if name.startswith(PREFIX)}
    return create_app(default_settings(**given)).test_client()


@sampled("count", 120, 1500)
def test_any_answer_is_one_that_the_contract_allows(client, count):
    checked = dict.fromkeys(CHECKED, 0)
    for request in requests(count, 1, frozenset({"http"})):
        for path, fields, answer in asked_and_answered(client, request.content):
            if path == "/review":
                check_review(fields, answer)
            elif path == "/tree":
                check_tree(fields, answer)
            else:
                check_answer(fields, answer, analysis=path == "/analysis")
            checked[path] += 1
    assert all(checked.values())
