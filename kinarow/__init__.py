"""The best move, and how good it is, on any k-in-a-row board.

>>> import kinarow
>>> position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
>>> kinarow.best_move(position).outcome
'draw'

Importing the package loads no kernel; a solver opens its compiled library for its first search.
"""

from kinarow.errors import InputError, NotationError, PositionError, RuleError
from kinarow.game.position import Ending, Position
from kinarow.game.records import Record
from kinarow.game.rules import PRESETS, O, Rules, X
from kinarow.library import analyse, best_move, label, read_record, review, solved
from kinarow.play.review import Review, ReviewedMove
from kinarow.score import Score
from kinarow.search.best_move import warm_up
from kinarow.search.bulk import bulk_values
from kinarow.search.known.atlas import Entry
from kinarow.search_types import Analysis, Limits, MoveValue, SearchInfo, SearchResult, SearchStopped, Stop
from kinarow.version import VERSION

__version__ = VERSION

__all__ = [
    "PRESETS", "Analysis", "Ending", "Entry", "InputError", "Limits", "MoveValue", "NotationError", "O", "Position",
    "PositionError", "Record", "Review", "ReviewedMove", "RuleError", "Rules", "Score", "SearchInfo", "SearchResult",
    "SearchStopped", "Stop", "X", "__version__", "analyse", "best_move", "bulk_values", "label", "read_record",
    "review", "solved", "warm_up",
]  # fmt: skip
