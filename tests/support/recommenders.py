"""A recommender that answers with the plain data of the contract, as the routes write it."""

from typing import Any

from kinarow import engine
from kinarow.contract.answers import AnalysisAnswer, MoveAnswer
from kinarow.engine import Question
from kinarow.game.position import Position
from kinarow.search.best_move import Listener
from kinarow.search_types import Limits, Stop
from service.searches import recommender


class Recommender(recommender.Recommender):
    """The service's recommender; ``options`` are the further fields of a question."""

    def move(self, position: Position, limits: Limits, *, stop: Stop | None = None, **options: Any) -> Any:
        """The answer of ``/move``."""
        question = Question(position, limits, **options).watched(stop)
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
        question = Question(position, limits, **options).watched(stop, progress)
        return AnalysisAnswer.of(position, *engine.analysis(question, self.ask)).model_dump()
