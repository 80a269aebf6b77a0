"""The best move, and how good it is, on any k-in-a-row board.

>>> import kinarow
>>> position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
>>> kinarow.best_move(position).outcome
'draw'

Importing the package is quick: each name is imported when it is first used, from the module that ``__init__.pyi`` says.
"""

import importlib
import re

from kinarow.version import VERSION

__version__ = VERSION

_STUB = __spec__.loader.get_data(f"{__file__}i").decode()
_MODULE_OF = {name: module for module, name in re.findall(r"from (\S+) import (\w+)", _STUB)}
__all__ = [*_MODULE_OF, "__version__"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_MODULE_OF[name]), name)
    return value
