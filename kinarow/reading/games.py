"""Games to judge as files hold them: JSON lines, an array, one object, and replays of Kaggle's environments."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from kinarow import strict_json
from kinarow.errors import NotationError

NO_MOVE = -1  # stands for an action that is no move: a column that no board has


def read_games(text: str) -> Iterator[tuple[int, object]]:
    """Yield ``(number, game)`` for each game of a text, in JSON lines with the number of the line, from 1.

    A game that is not JSON is a ``NotationError``. Bytes that were not UTF-8 are lone surrogates in ``text``.
    """
    whole = _parsed(text)
    if isinstance(whole, NotationError):
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        games = [(number, _parsed(line)) for number, line in lines]
        if any(isinstance(game, dict) for _, game in games):
            yield from games
        elif lines:
            yield 1, whole
        return
    yield from enumerate(whole if isinstance(whole, list) else [whole], 1)


def _parsed(text: str) -> object:
    """Return the value of a JSON text, or a ``NotationError`` that says why it has none."""
    try:
        return strict_json.parse(text.encode("utf-8", "surrogateescape"))
    except strict_json.NotJson as wrong:
        return NotationError("", str(wrong))


def is_replay(game: object) -> bool:
    """Return True if a game has the fields of a replay of Kaggle's environments."""
    kinds = {"name": str, "configuration": Mapping, "steps": list}
    return isinstance(game, Mapping) and all(isinstance(game.get(name), kind) for name, kind in kinds.items())


def of_replay(replay: Mapping[str, Any]) -> dict[str, Any]:
    """Return a replay of Kaggle's environments as a game with players, or raise a ``NotationError``."""
    name = replay["name"]
    if name not in _REPLAYS:
        raise NotationError("/name", f"replays of {', '.join(_REPLAYS)} are read, not of {name!r}")
    if replay["configuration"].get("initialActions"):
        raise NotationError("/configuration", "a replay that begins after initial actions is not read")
    try:
        teams = (replay.get("info") or {}).get("TeamNames") or ("player 1", "player 2")
        return {**_REPLAYS[name](replay), "players": dict(zip("XO", teams, strict=True))}
    except (LookupError, TypeError, ValueError, AttributeError):
        raise NotationError("", "the replay is damaged or incomplete; download it again") from None


def _of_connectx(replay: Mapping[str, Any]) -> dict[str, Any]:
    """Return the game of Kaggle's ConnectX: an action is a column from 0, made by the agent that was active."""
    settings = replay["configuration"]
    actions = [
        made["action"]
        for before, after in pairwise(replay["steps"])
        for agent, made in zip(before, after, strict=True)
        if agent["status"] == "ACTIVE"
    ]
    moves = [{"column": NO_MOVE if action is None else int(action)} for action in actions]
    return {**_gravity(settings["rows"], settings["columns"], settings["inarow"]), "moves": moves}


def _of_connect_four(replay: Mapping[str, Any]) -> dict[str, Any]:
    """Return the game of OpenSpiel's Connect Four, whose actions are columns from 0."""
    sizes = replay["configuration"].get("openSpielGameParameters") or {}
    rules = _gravity(sizes.get("rows", 6), sizes.get("columns", 7), sizes.get("x_in_row", 4))
    return {**rules, "moves": [{"column": int(action)} for action in _actions(replay)]}


def _of_tic_tac_toe(replay: Mapping[str, Any]) -> dict[str, Any]:
    """Return the game of OpenSpiel's tic-tac-toe, whose actions are cells from 0."""
    return {"game": "tic-tac-toe", "moves": [int(action) + 1 for action in _actions(replay)]}


def _actions(replay: Mapping[str, Any]) -> list[Any]:
    """Return the actions of a game of OpenSpiel; an invalid action, which ended the game, comes last."""
    last = [agent["action"]["submission"] for agent in replay["steps"][-1] if agent["status"] == "INVALID"]
    return [*replay["info"]["actionHistory"], *(NO_MOVE if action is None else action for action in last)]


def _gravity(rows: int, columns: int, goal: int) -> dict[str, Any]:
    return {"rows": rows, "columns": columns, "goal": goal, "gravity": True}


_REPLAYS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "connectx": _of_connectx,
    "open_spiel_connect_four": _of_connect_four,
    "open_spiel_tic_tac_toe": _of_tic_tac_toe,
}
