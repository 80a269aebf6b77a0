"""A recommender that answers with the plain data of the contract, as the routes write it."""

from typing import Any

from service.answers import recommender


class Recommender(recommender.Recommender):
    """The service's recommender; ``move`` and ``analysis`` return the fields of their answers."""

    def move(self, *args: Any, **options: Any) -> Any:
        return super().move(*args, **options).fields()

    def analysis(self, *args: Any, **options: Any) -> Any:
        return super().analysis(*args, **options).fields()
