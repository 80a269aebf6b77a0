"""Searches that answer with the plain data of the contract, as the routes write it."""

import json
from typing import Any

from kinarow import engine
from kinarow import searches as searching
from kinarow.contract.answers import AnalysisAnswer, MoveAnswer
from kinarow.engine import Question
from kinarow.game.position import Position
from kinarow.search.best_move import Listener
from kinarow.search_types import Limits, Stop
from service.searches.limiter import Load, Overloaded, SearchLimiter
from tests.support.app import request_of
from tests.support.contract import check_answer

PLENTY = Limits(max_nodes=10**7)


class Searches(searching.Searches):
    """The service's searches; ``options`` are the further fields of a question."""

    def move(self, position: Position, limits: Limits, *, stop: Stop | None = None, **options: Any) -> Any:
        """The answer of ``/move``."""
        question = Question(position, limits, **options).with_stop(stop)
        return MoveAnswer.of(position, *engine.move(question, self.ask)).model_dump()

    def analysis(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: Stop | None = None,
        progress: Listener | None = None,
        **options: Any,
    ) -> Any:
        """The answer of ``/analysis``."""
        question = Question(position, limits, **options).with_stop(stop, progress)
        return AnalysisAnswer.of(position, *engine.analysis(question, self.ask)).model_dump()


def checked(position: Position, limits: Limits, *, analysis: bool = False, **options: Any) -> Any:
    """The answer of searches that were asked nothing before, which keeps the contract."""
    fresh = Searches(1 << 20)
    answer = (fresh.analysis if analysis else fresh.move)(position, limits, **options)
    check_answer(request_of(position, limits) | options, answer, analysis=analysis)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    return answer


class CountingSlots(SearchLimiter):
    """Slots for all searches; counts those that take one."""

    def __init__(self):
        super().__init__(Load(running=1, waiting=1), 1)
        self.passed = 0

    def in_slot(self, compute, stop=None, *, lane=False):
        self.passed += 1
        return compute()


class NoSlots(CountingSlots):
    """Has room for nothing but what is found in place."""

    def in_slot(self, compute, stop=None, *, lane=False):
        raise Overloaded("queue_full")
