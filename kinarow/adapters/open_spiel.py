"""OpenSpiel: the positions of its line games, and kinarow as a bot.

It needs the extra ``openspiel``.
"""

from typing import Any, Unpack

import kinarow
from kinarow.library import LimitKeywords

try:
    import pyspiel
except ImportError as missing:
    raise ImportError("kinarow.adapters.open_spiel needs OpenSpiel: pip install 'kinarow[openspiel]'") from missing

GAMES = ("tic_tac_toe", "connect_four", "mnk", "gomoku")
"""The games of OpenSpiel that kinarow plays."""


def start_of(game: pyspiel.Game) -> kinarow.Position:
    """The empty board of a game with its parameters; an ``InputError`` if the game is not in ``GAMES``.

    ``gomoku`` must have two dimensions.
    """
    name, given = game.get_type().short_name, game.get_parameters()
    fields: dict[str, Any]
    if name == "tic_tac_toe":
        fields = {"game": "tic-tac-toe"}
    elif name == "connect_four":
        fields = {"rows": given["rows"], "columns": given["columns"], "goal": given["x_in_row"], "gravity": True}
    elif name == "mnk":
        fields = {"rows": given["n"], "columns": given["m"], "goal": given["k"]}
    elif name == "gomoku" and given.get("dims", 2) == 2:
        fields = {"rows": given["size"], "columns": given["size"], "goal": given["connect"], "misere": given["anti"]}
        fields["wrap"] = "both" if given["wrap"] else "none"
    else:
        raise kinarow.InputError("/game", f"the game is {', '.join(GAMES)}, not {game}")
    return kinarow.Position.from_moves("", **fields)


def position_of(state: pyspiel.State) -> kinarow.Position:
    """The position of a state."""
    position = start_of(state.get_game())
    for action in state.history():
        cells = {_action(position, cell): cell for cell in position.legal_moves()}
        position = position.play(cells[action])
    return position


class KinarowBot(pyspiel.Bot):
    """A bot that plays kinarow's move; ``level``, ``seed`` and the limits are those of ``best_move``.

    A game that is not in ``GAMES`` raises ``InputError``.
    """

    def __init__(
        self, game: pyspiel.Game, *, level: int = 10, seed: int | None = None, **limits: Unpack[LimitKeywords]
    ) -> None:
        pyspiel.Bot.__init__(self)
        start_of(game)
        self._level, self._seed, self._limits = level, seed, limits

    def step(self, state: pyspiel.State) -> int:
        """The action in a state of the game."""
        position = position_of(state)
        move = kinarow.best_move(position, level=self._level, seed=self._seed, **self._limits).move
        if move is None:
            raise kinarow.PositionError("/board", "the game is over")
        return _action(position, move)


def _action(position: kinarow.Position, cell: int) -> int:
    return cell % position.rules.columns if position.rules.gravity else cell
