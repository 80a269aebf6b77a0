"""PettingZoo: positions of its Connect Four and tic-tac-toe, and kinarow's action. Needs the extra ``pettingzoo``."""

from typing import Any, Protocol, Unpack

import numpy as np

import kinarow
from kinarow.library import LimitKeywords

_GAMES = {"connect_four": "connect-four", "tictactoe": "tic-tac-toe"}


class Env(Protocol):
    """The attributes of a ``pettingzoo.AECEnv`` that this module uses."""

    possible_agents: list[str]
    metadata: dict[str, Any]
    unwrapped: Any


def position_of(env: Env, agent: str) -> kinarow.Position:
    """Return the position that an agent observes, with the agent to move; the first agent plays X.

    Raises ``InputError`` unless ``env`` is ``connect_four_v3`` or ``tictactoe_v3``, perhaps wrapped.
    """
    name = str(env.metadata.get("name", ""))
    game = _GAMES.get(name.rpartition("_v")[0])
    if game is None:
        raise kinarow.InputError("/game", f"the environment is {' or '.join(_GAMES)}, not {name!r}")
    planes = np.asarray(env.unwrapped.observe(agent)["observation"])
    if game == "tic-tac-toe":
        planes = planes.transpose(1, 0, 2)  # its cells run down the columns
    begins = agent == env.possible_agents[0]
    own, other = (kinarow.X, kinarow.O) if begins else (kinarow.O, kinarow.X)
    board = planes[..., 0] * own + planes[..., 1] * other
    return kinarow.Position.from_rows(board, game=game, to_move="X" if begins else "O")


def best_action(
    env: Env, agent: str, *, level: int = 10, seed: int | None = None, **limits: Unpack[LimitKeywords]
) -> int:
    """Return the action that kinarow chooses for an agent; the keywords are those of ``best_move``."""
    position = position_of(env, agent)
    move = kinarow.best_move(position, level=level, seed=seed, **limits).move
    if move is None:
        raise kinarow.PositionError("/board", "the game is over")
    row, column = divmod(move, position.rules.columns)
    return column if position.rules.gravity else column * position.rules.rows + row
