"""OpenSpiel: the positions of its line games, and kinarow as a bot. Needs the extra ``openspiel``."""

from collections.abc import Iterable
from typing import Any, Unpack

import kinarow
from kinarow.library import LimitKeywords

try:
    import pyspiel
except ImportError as missing:
    raise ImportError("kinarow.adapters.open_spiel needs OpenSpiel: pip install 'kinarow[openspiel]'") from missing

GAMES = ("tic_tac_toe", "connect_four", "mnk", "gomoku")
"""OpenSpiel's games that kinarow plays."""

WRAPPERS = ("misere", "start_at", "cached_tree", "zerosum")
"""OpenSpiel's wrappers of a game that kinarow understands."""


def first_position(game: pyspiel.Game) -> kinarow.Position:
    """Return the first position of a game; raise ``InputError`` unless it is one of ``GAMES``, perhaps wrapped.

    ``gomoku`` must have two dimensions, or three without ``wrap``.
    """
    fields, actions = _read(game)
    return _after(kinarow.Position.from_moves([], **fields), actions)


def _read(game: pyspiel.Game) -> tuple[dict[str, Any], list[int]]:
    """Return a game's rules, and the actions that its wrappers (``history``) make before the game begins."""
    name = game.get_type().short_name
    given = game.get_type().parameter_specification | game.get_parameters()  # some games leave out their defaults
    fields: dict[str, Any]
    if name in WRAPPERS:
        inner = dict(given["game"])
        fields, actions = _read(pyspiel.load_game(inner.pop("name"), inner))
        if name == "misere":
            fields["misere"] = not fields.get("misere", False)
        return fields, actions + [int(action) for action in given.get("history", "").split(";") if action]
    if name == "tic_tac_toe":
        fields = {"rows": 3, "columns": 3, "goal": 3}
    elif name == "connect_four":
        fields = {"rows": given["rows"], "columns": given["columns"], "goal": given["x_in_row"], "gravity": True}
    elif name == "mnk":
        fields = {"rows": given["n"], "columns": given["m"], "goal": given["k"]}
    elif name == "gomoku" and (given["dims"] == 2 or (given["dims"] == 3 and not given["wrap"])):
        fields = {"rows": given["size"], "columns": given["size"], "goal": given["connect"], "misere": given["anti"]}
        fields |= {"wrap": "both" if given["wrap"] else "none", "layers": given["size"] ** (given["dims"] - 2)}
    else:
        raise kinarow.InputError(
            "/game", f"kinarow does not play {game}; pass {', '.join(GAMES)}, alone or inside {', '.join(WRAPPERS)}"
        )
    return fields, []


def position_of(state: pyspiel.State) -> kinarow.Position:
    """Return the position of a state; raise ``InputError`` if its history doesn't begin at the game's first state."""
    game = state.get_game()
    replayed = game.new_initial_state()
    for action in state.history():
        if not replayed.is_terminal() and action in replayed.legal_actions():
            replayed.apply_action(action)
    if str(replayed) != str(state):
        raise kinarow.InputError("/moves", "the state's history must start at the game's first state")
    return _after(first_position(game), state.history())


def _after(position: kinarow.Position, actions: Iterable[int]) -> kinarow.Position:
    for action in actions:
        cells = {_action(position, cell): cell for cell in position.legal_moves()}
        position = position.play(cells[action])
    return position


class KinarowBot(pyspiel.Bot):
    """A bot that plays kinarow's move; ``level``, ``seed`` and the limits are those of ``best_move``.

    Raises ``InputError`` for an unknown game.
    """

    def __init__(
        self, game: pyspiel.Game, *, level: int = 10, seed: int | None = None, **limits: Unpack[LimitKeywords]
    ) -> None:
        pyspiel.Bot.__init__(self)
        first_position(game)
        self._level, self._seed, self._limits = level, seed, limits

    def step(self, state: pyspiel.State) -> int:
        """Return the action in a state of the game."""
        position = position_of(state)
        move = kinarow.best_move(position, level=self._level, seed=self._seed, **self._limits).move
        if move is None:
            raise kinarow.PositionError("/board", "the game is over")
        return _action(position, move)


def _action(position: kinarow.Position, cell: int) -> int:
    return cell % position.rules.columns if position.rules.gravity else cell
