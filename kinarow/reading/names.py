"""Names of fields and games as people write them."""

import re
from collections.abc import Collection
from difflib import get_close_matches

from kinarow.errors import RuleError, quoted
from kinarow.game.rules import PRESETS
from kinarow.reading import tables

_FIELDS = {
    other.replace("_", ""): field for field, others in tables.FIELDS.items() for other in (field, *others.split())
}
_GAMES = {other.replace("-", ""): game for game in PRESETS for other in (game, *tables.GAMES.get(game, "").split())}
_LEFT_OUT = str.maketrans("", "", " -_'’.")
_NUMBERS = re.compile("[0-9]+|three|four|five|six")
_LONGEST = 60
_NEAR_FIELD, _NEAR_GAME = 0.75, 0.8  # the least similarity of a suggestion by ``difflib``, from 0 to 1


def _plain(name: str) -> str:
    """Return a name as in the keys of ``_FIELDS`` and ``_GAMES``: in small letters without blanks and signs."""
    return name[:_LONGEST].lower().replace("è", "e").translate(_LEFT_OUT)


def game_name(name: str) -> str:
    """Return the preset of a name such as ``Connect 4``; for an unknown name a ``RuleError`` suggests the nearest."""
    plain = _plain(name)
    if plain in _GAMES:
        return _GAMES[plain]
    # Suggest only names with the same numbers: for connect5 never connect4.
    numbers = {*_NUMBERS.findall(plain)}
    others = {each: {*_NUMBERS.findall(each)} for each in _GAMES}
    fitting = [each for each, has in others.items() if {*filter(str.isdigit, has)} <= numbers <= has]
    near = get_close_matches(plain, fitting, 1, _NEAR_GAME)
    hint = f"did you mean {_GAMES[near[0]]}? The" if near else "the"
    raise RuleError("/game", f"no such game: {quoted(name)}; {hint} games are {', '.join(PRESETS)}")


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return a hint for the error about an unknown field; empty unless one of ``known`` is certainly meant."""
    plain = _plain(name)
    meant = _FIELDS.get(plain)
    if meant is None and plain.isalpha():
        # Only the nearest field itself counts: if a synonym is nearer, its field need not be meant.
        near = get_close_matches(plain, _FIELDS, 1, _NEAR_FIELD)
        meant = next((_FIELDS[each] for each in near if each == _FIELDS[each].replace("_", "")), None)
    is_known = bool(meant) and all(field in known for field in (meant or "").split(" and "))
    return f"; did you mean {meant}?" if is_known else ""
