"""Reads the size and the rules from the fields of a request."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kinarow.errors import RuleError, several
from kinarow.game.rules import PRESETS, RULES, Rules, Size, read_directions
from kinarow.game.size import MAX_SIDE
from kinarow.reading.tables import USUAL_SIDE


def preset_size(game: str | None) -> Size | None:
    """Return the size of a preset's board, None without a preset."""
    return None if game is None else PRESETS[game].sides


def new_board_size(
    game: str | None, rows: int | None, columns: int | None, max_side: int = MAX_SIDE, layers: int | None = None
) -> Size:
    """Return the size of a new board: the given sides, otherwise the preset's, with one layer by default.

    Raise a ``RuleError`` for a side that is missing or longer than ``max_side``.
    """
    usual = preset_size(game)
    usual_sides = usual._asdict() if usual else {"layers": 1}
    sides: dict[str, int] = {}
    problems = []
    for name, given in (("rows", rows), ("columns", columns), ("layers", layers)):
        side = usual_sides.get(name) if given is None else given
        if side is None:
            problems.append((f"/{name}", f"{name} is required unless game names a preset"))
        elif side > max_side:
            problems.append((f"/{name}", f"at most {max_side} {name} are allowed here, not {side}"))
        else:
            sides[name] = side
    if problems:
        first, *others = problems
        raise RuleError(*first, *others)
    return Size(**sides)


def read_rules(fields: Mapping[str, Any], size: Size) -> Rules:
    """Return the rules that the fields of a request mean on a board of this size, or raise a ``RuleError``.

    A ``game`` needs a board of its usual size, unless ``rows`` and ``columns``, with layers also ``layers``, are sent.
    Other rule fields must agree with the game's rules.
    """
    game = fields.get("game")
    sent = {name: fields[name] for name in RULES if fields.get(name) is not None}
    if "directions" in sent:
        sent["directions"] = read_directions(sent["directions"])
    if game is None:
        if "goal" not in sent and size == (USUAL_SIDE, USUAL_SIDE, 1):  # the only board with a default
            sent["goal"] = USUAL_SIDE
        if "goal" not in sent:
            raise RuleError("/goal", f"goal is required{_games_of(size)}")
        return _rules(*size, **sent)
    preset = PRESETS[game]
    _check_size(game, size, fields)
    if size == preset.sides and not sent:
        return preset
    for name, value in sent.items():
        meant = getattr(preset, name)
        if value != meant:
            says = f"{game} means {name} {', '.join(meant) if isinstance(meant, tuple) else meant}".lower()
            raise RuleError("/game", f"{says}; leave out game or {name}", (f"/{name}", says))
    if preset.goal > max(size):
        raise RuleError("/game", f"{game} needs a side of {preset.goal}, the board is {size.in_words}")
    return _rules(*size, **{name: getattr(preset, name) for name in RULES})


@lru_cache(maxsize=256)
def _rules(rows: int, columns: int, layers: int, **fields: Any) -> Rules:
    """Return the rules with these fields; equal rules are nearly always one object, which speeds up look-ups."""
    made = Rules(rows, columns, layers=layers, **fields)
    return next((preset for preset in PRESETS.values() if preset == made), made)


def _check_size(game: str, size: Size, sent: Mapping[str, Any]) -> None:
    """Raise a ``RuleError`` if the size isn't the game's usual one, unless the request says every side."""
    usual = PRESETS[game].sides
    has_layers = max(size.layers, usual.layers) > 1
    names = ("rows", "columns", "layers") if has_layers else ("rows", "columns")
    if size == usual or all(sent.get(name) is not None for name in names):
        return
    has, this = (f"{several(each.rows, 'row')} of {each.columns}" for each in (usual, size))
    if has_layers:
        has, this = f"{several(usual.layers, 'layer')} of {has}", f"{several(size.layers, 'layer')} of {this}"
    say = "say " + " and ".join(f"{name} {getattr(size, name)}" for name in names)
    is_turned = size == Size(usual.columns, usual.rows, usual.layers)
    wrong = f"this board has {this}. {'Does it list columns? Send rows, or' if is_turned else 'For that size'} {say}"
    if "board" not in sent:
        said = " and ".join(f"{name} says {sent[name]}" for name in names if sent.get(name) is not None)
        wrong = f"{said}. For {this} {say}"
    raise RuleError("/game", f"{game} has {has}; {wrong}")


def _games_of(size: Size) -> str:
    """Return the end of the error about a missing goal: the games with boards of this size, if there are any."""
    games, board = [name for name, preset in PRESETS.items() if preset.sides == size], size.in_words
    if not games:
        return f" on a {board} board; only 3 × 3 has a default"
    *others, last = games
    if others:
        return f'; {board} is the board of {", ".join(others)} and {last}: send one of them as "game", or goal'
    needed = ["goal", *(name for name in RULES if getattr(PRESETS[last], name) is True)]
    return f'; {board} is the board of {last}: send "game": "{last}", or {" and ".join(needed)}'
