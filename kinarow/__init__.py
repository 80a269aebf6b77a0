"""The best move, and how good it is, on any k-in-a-row board.

>>> import kinarow
>>> position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
>>> kinarow.best_move(position).outcome
'draw'

Importing the package is quick: each name is imported from its module when it is first used.
"""

import importlib
from typing import TYPE_CHECKING

from kinarow.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:  # what type checkers and editors read of the table below
    from kinarow.errors import InputError as InputError
    from kinarow.errors import NotationError as NotationError
    from kinarow.errors import PositionError as PositionError
    from kinarow.errors import RuleError as RuleError
    from kinarow.game.position import Ending as Ending
    from kinarow.game.position import Position as Position
    from kinarow.game.rules import PRESETS as PRESETS
    from kinarow.game.rules import O as O
    from kinarow.game.rules import Rules as Rules
    from kinarow.game.rules import X as X
    from kinarow.library import analyse as analyse
    from kinarow.library import best_move as best_move
    from kinarow.library import label as label
    from kinarow.library import read_record as read_record
    from kinarow.library import review as review
    from kinarow.library import solved as solved
    from kinarow.play.review import Review as Review
    from kinarow.play.review import ReviewedMove as ReviewedMove
    from kinarow.reading.records import Record as Record
    from kinarow.score import Score as Score
    from kinarow.search.best_move import warm_up as warm_up
    from kinarow.search.bulk import bulk_values as bulk_values
    from kinarow.search.known.atlas import Entry as Entry
    from kinarow.search_types import Analysis as Analysis
    from kinarow.search_types import Limits as Limits
    from kinarow.search_types import MoveValue as MoveValue
    from kinarow.search_types import SearchInfo as SearchInfo
    from kinarow.search_types import SearchResult as SearchResult
    from kinarow.search_types import SearchStopped as SearchStopped
    from kinarow.search_types import Stop as Stop

_NAMES = {
    "kinarow.errors": ("InputError", "NotationError", "PositionError", "RuleError"),
    "kinarow.game.position": ("Ending", "Position"),
    "kinarow.reading.records": ("Record",),
    "kinarow.game.rules": ("PRESETS", "O", "Rules", "X"),
    "kinarow.library": ("analyse", "best_move", "label", "read_record", "review", "solved"),
    "kinarow.play.review": ("Review", "ReviewedMove"),
    "kinarow.score": ("Score",),
    "kinarow.search.best_move": ("warm_up",),
    "kinarow.search.bulk": ("bulk_values",),
    "kinarow.search.known.atlas": ("Entry",),
    "kinarow.search_types": ("Analysis", "Limits", "MoveValue", "SearchInfo", "SearchResult", "SearchStopped", "Stop"),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}
__all__ = [*_MODULE_OF, "__version__"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # for type checkers it would mean that the package has every name

    def __getattr__(name: str) -> object:
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(_MODULE_OF[name]), name)
        return value
