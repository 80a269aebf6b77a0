# The public names: `__init__.py` imports each from its module when it is first used.

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

__version__: str
