"""A Gymnasium environment: a game against kinarow for each preset. Importing this registers ``kinarow/<game>-v0``.

::

    import gymnasium, kinarow.gym

    env = gymnasium.make("kinarow/connect-four-v0", opponent_level=3, reward="value")
    envs = gymnasium.make_vec("kinarow/tic-tac-toe-v0", num_envs=64)

It needs the extra ``gym``.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import kinarow
from kinarow.errors import check_type, shown
from kinarow.game.rules import RuleKeywords, check_fields
from kinarow.search_types import MAX_INTEGER

try:
    import gymnasium
except ImportError as missing:
    raise ImportError("kinarow.gym needs Gymnasium: pip install 'kinarow[gym]'") from missing
from gymnasium import spaces

ILLEGAL_REWARD = {"result": -1.0, "value": -2.0}
"""The reward of an illegal action: that of a lost game (``result``), or of the worst possible move (``value``)."""

_OVER = kinarow.Position.from_moves([0], rows=1, columns=1, goal=1)
_OPTIONS = {"opponent_level", "opponent_seed", "agent_begins", "reward", "max_nodes", "render_mode"}
_RENDER_MODES = ("ansi",)
_VIEWS = {kinarow.X: np.array([0, 1, -1, 2], np.int8), kinarow.O: np.array([0, -1, 1, 2], np.int8)}


class KinarowEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """A game of one side against the engine. An illegal action loses the game.

    An observation has 1 for a mark of the agent, -1 for one of the opponent, 2 for a blocked cell, otherwise 0. An
    action is a cell, counted row by row from 0; under gravity a stack, on a flat board the column.

    Args:
        game: a preset.
        opponent_level: playing strength, 1 to 10.
        opponent_seed: makes the opponent's moves a function of the position; by default each game has its own seed,
            which ``reset(seed=…)`` repeats.
        agent_begins: True if the agent makes the first move; None draws it for each game.
        reward: ``result`` is 1, 0 or -1 at the end of the game. ``value`` rewards each move with its value minus the
            value of the best move, from -2 to 0. A value is the expected result: 1, 0 or -1 if it is proven. The engine
            has no expected result for unproven values with gravity, in misère and on other shapes; then a value is its
            estimate, strictly between -1 and 1, which orders moves but isn't a chance of winning. ``info["proven"]`` is
            True if both values are proven.
        max_nodes: node limit of each search, for the opponent's move and for the reward.
        render_mode: ``ansi`` makes ``render`` return the board as text.
        options: rule fields, ``rows``, ``columns`` and ``layers``, as in ``Position.from_moves``.

    Raises:
        kinarow.InputError: the game is unknown, or an argument has an invalid value.
        TypeError: an argument has the wrong type or an unknown name.
    """

    metadata: dict[str, Any] = {"render_modes": list(_RENDER_MODES), "render_fps": 1}  # noqa: RUF012 - as its base

    def __init__(
        self,
        game: str | None = None,
        *,
        opponent_level: int = 10,
        opponent_seed: int | None = None,
        agent_begins: bool | None = True,
        reward: Literal["result", "value"] = "result",
        max_nodes: int = 20_000,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        check_fields(options, RuleKeywords.__optional_keys__ | _OPTIONS)
        if reward not in list(ILLEGAL_REWARD):
            raise kinarow.InputError("/reward", f"reward is {' or '.join(map(repr, ILLEGAL_REWARD))}, not {reward!r}")
        if render_mode not in (None, *_RENDER_MODES):
            raise kinarow.InputError("/render_mode", f"render_mode is 'ansi' or None, not {render_mode!r}")
        if agent_begins is not None:
            check_type("agent_begins", agent_begins, (bool, "True, False or None"))
        # Nothing is searched in a finished game, but the arguments are checked.
        kinarow.best_move(_OVER, level=opponent_level, seed=opponent_seed, max_nodes=max_nodes)
        self._fields = {"game": game, **options}
        self.position = kinarow.Position.from_moves("", **self._fields)
        self._level, self._given_seed, self._agent_begins = opponent_level, opponent_seed, agent_begins
        self._reward, self._limits = reward, kinarow.Limits(max_nodes)
        self._seed: int | None = None
        self.render_mode = render_mode
        rules = self.position.rules
        shape = (rules.rows, rules.columns) if rules.layers == 1 else (rules.layers, rules.rows, rules.columns)
        self._actions = rules.stacks if rules.gravity else rules.cells
        self.observation_space = spaces.Box(-1, 2, shape, np.int8)
        self.action_space = spaces.Discrete(self._actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin a game, with the opponent's move if it begins. ``options["moves"]`` are made before."""
        check_fields(options or {}, frozenset({"moves"}))
        start = kinarow.Position.from_moves((options or {}).get("moves", ""), **self._fields)
        if start.is_over:
            raise kinarow.InputError("/moves", "the game is over after these moves")
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(MAX_INTEGER))
        self._seed = drawn if self._given_seed is None else self._given_seed
        begins = self.np_random.integers(2) if self._agent_begins is None else self._agent_begins
        self.side = kinarow.X if begins else kinarow.O
        self.position = start
        if start.to_move != self.side:
            self._play_opponent()
        return self._view(), self._info()

    def step(self, action: np.int64) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Make the agent's move, then the opponent's if the game goes on."""
        if self._seed is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        given, reward, more = np.asarray(action), 0.0, {}
        if given.shape != () or given.dtype.kind not in "iu":
            raise TypeError(f"an action is a whole number, not {shown(action)}")
        cell = self._moves().get(int(given))
        if cell is None:
            return self._view(), ILLEGAL_REWARD[self._reward], True, False, self._info() | {"illegal": True}
        if self._reward == "value":
            reward, more["proven"] = self._value_loss(cell)
        self.position = self.position.play(cell)
        if not self.position.is_over:
            self._play_opponent()
        winner = self.position.winner
        if self._reward == "result" and winner is not None:
            reward = 1.0 if winner == self.side else -1.0
        return self._view(), reward, self.position.is_over, False, self._info() | more

    def action_masks(self) -> NDArray[np.bool_]:
        """Return True for legal actions; after the end of the game all are True."""
        mask = np.zeros(self._actions, bool)
        mask[list(self._moves()) or slice(None)] = True  # a masked softmax needs one
        return mask

    def render(self) -> str | None:
        """Return the board as text."""
        return str(self.position) if self.render_mode == "ansi" else None

    def _moves(self) -> dict[int, int]:
        """Return the legal actions and their cells; empty if the game is over."""
        return {} if self.position.is_over else {cell % self._actions: cell for cell in self.position.legal_moves()}

    def _view(self) -> NDArray[np.int8]:
        return _VIEWS[self.side][np.asarray(self.position)]

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8)}

    def _play_opponent(self) -> None:
        result = kinarow.best_move(self.position, self._limits, level=self._level, seed=self._seed)
        assert result.move is not None
        self.position = self.position.play(result.move)

    def _value_loss(self, cell: int) -> tuple[float, bool]:
        """Return the value of a move minus the value of the best move, from -2 to 0, and True if both are proven."""
        best = kinarow.best_move(self.position, self._limits)
        if cell in best.best_moves:
            return 0.0, best.proven
        played = kinarow.best_move(self.position, self._limits, only=[cell])
        # The search of a single move sees more of it, and may even value it above the best move.
        return min(0.0, _value(played) - _value(best)), best.proven and played.proven


def _value(result: kinarow.SearchResult) -> float:
    """Return the expected result, or else the estimate, from -1 to 1."""
    return max(-1.0, min(1.0, result.score.value)) if result.expected is None else result.expected


for _name in kinarow.PRESETS:
    gymnasium.register(f"kinarow/{_name}-v0", "kinarow.gym:KinarowEnv", kwargs={"game": _name})
