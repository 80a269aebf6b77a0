"""Answers do not depend on what was asked before, by whom, in which order, or which worker answers."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from kinarow.game.rules import Rules
from kinarow.search_types import Limits
from service.app import create_app
from service.settings import default_settings
from tests.support.app import request_of, without_cost
from tests.support.positions import RULE_FLAGS, random_position

REQUESTS = 1000
THREADS = 6
BUDGETS = (60, 400, 2500)
BOARDS = [
    *((3, 3, 3), (3, 4, 3), (4, 4, 3), (4, 4, 4), (4, 5, 4), (5, 5, 4), (6, 7, 4), (7, 7, 5), (8, 8, 5)),
    *((9, 9, 4), (9, 9, 5), (10, 10, 9), (15, 15, 5)),
]


def questions():
    """A thousand different requests: mixed rules, sizes, marks and small budgets."""
    rng = random.Random(2026)
    found = {}
    while len(found) < REQUESTS:
        rules = Rules(*rng.choice(BOARDS), *rng.choice(RULE_FLAGS))
        position = random_position(rng, rules, rng.randint(0, rules.cells // 2))
        if position is not None:
            limits = Limits(rng.choice(BUDGETS if rules.cells <= 64 else BUDGETS[:2]))
            fields = request_of(position, limits)
            found[repr(fields)] = fields
    return list(found.values())


@pytest.mark.timeout(300)
def test_a_thousand_answers_are_the_same_in_another_order_from_threads_and_from_two_workers(live_server):
    """In this process one after the other; of a server's two workers backwards and from several threads."""
    asked = questions()
    client = create_app(default_settings()).test_client()
    first = []
    for fields in asked:
        response = client.post("/move", json=fields)
        assert response.status_code == 200, response.text
        first.append(without_cost(response.get_json()))

    def ask(fields):
        while True:
            answer = live_server.post("/move", fields)
            if answer.status != 503:  # busy: ask again
                assert answer.status == 200, answer.body
                return without_cost(answer.json)

    with ThreadPoolExecutor(THREADS) as threads:
        second = list(threads.map(ask, reversed(asked)))[::-1]
    different = [fields for fields, one, other in zip(asked, first, second, strict=True) if one != other]
    assert not different, different[:3]
