"""Gymnasium environments: a game against kinarow for each preset. Importing this registers ``kinarow/<game>-v0``.

import gymnasium, kinarow_gym
env = gymnasium.make("kinarow/connect-four-v0", opponent_level=3, reward="value")
"""

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import kinarow
from kinarow.game.field_types import check_keywords
from kinarow.game.rules import RuleKeywords

MAX_SEED = 2**53 - 1
ILLEGAL = {"result": -1.0, "value": -2.0}
"""The reward of a move that is not possible: a lost game, and the most that a move can lose."""


_OVER = kinarow.Position.from_moves([1], rows=1, columns=1, goal=1)
_FIELDS = {"rows", "columns", "layers", *RuleKeywords.__optional_keys__}


class KinarowEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """A game of one side against the engine. A move that is not possible loses the game.

    An observation has 1 for a mark of the agent, -1 for one of the opponent, 2 for a blocked cell, else 0. An action
    is a cell, counted row by row from 0; under gravity a stack, on a flat board the column.

    Args:
        game: a preset.
        opponent_level: playing strength, 1 to 10.
        opponent_seed: makes the opponent's moves a function of the position; by default each game has its own,
            which ``reset(seed=…)`` repeats.
        agent_begins: whether the agent makes the first move; None leaves it to chance.
        reward: ``result`` is 1, 0 or -1 at the end of the game; ``value`` is, for each move, its value minus that of
            the best move, from -2 to 0. A value is the expected result. Where that is not known (unproven with gravity,
            in misère and on other shapes) it is the engine's estimate, between -1 and 1, which tells better from worse
            but no chance of winning. ``info["proven"]`` says whether both values are proven.
        max_nodes: what a search of the opponent or for the reward may spend.
        render_mode: ``ansi`` makes ``render`` return the board as text.
        fields: rule fields and ``rows``, ``columns`` and ``layers`` as of ``Position.from_moves``.

    Raises:
        kinarow.InputError: there is no such game, or a value is none that an argument may have.
        TypeError: an argument has another type, or another name than these.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - as in the base class

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
        **fields: Any,
    ) -> None:
        check_keywords(fields, _FIELDS)
        if reward not in ILLEGAL:
            raise kinarow.InputError("/reward", f"reward is {' or '.join(map(repr, ILLEGAL))}, not {reward!r}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise kinarow.InputError("/render_mode", f"render_mode is 'ansi' or None, not {render_mode!r}")
        if not isinstance(agent_begins, bool | None):
            raise TypeError(f"agent_begins is True, False or None, not {agent_begins!r}")
        # Nothing is searched in a game that is over, but the arguments are checked.
        kinarow.best_move(_OVER, level=opponent_level, seed=opponent_seed, max_nodes=max_nodes)
        self.position = self._start = kinarow.Position.from_moves("", game=game, **fields)
        self._level, self._given_seed, self._begins = opponent_level, opponent_seed, agent_begins
        self._reward, self._limits = reward, kinarow.Limits(max_nodes)
        self._seed = opponent_seed
        self.render_mode = render_mode
        rules = self._start.rules
        self._shape = (rules.rows, rules.columns) if rules.layers == 1 else (rules.layers, rules.rows, rules.columns)
        self._actions = rules.stacks if rules.gravity else rules.cells
        self.observation_space = spaces.Box(-1, 2, self._shape, np.int8)
        self.action_space = spaces.Discrete(self._actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin a game; the opponent moves if it begins."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(MAX_SEED))
        self._seed = drawn if self._given_seed is None else self._given_seed
        begins = bool(self.np_random.integers(2)) if self._begins is None else self._begins
        self.side = kinarow.X if begins else kinarow.O
        self.position = self._start
        if not begins:
            self._answer()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Make the agent's move, then the opponent's if the game goes on."""
        cell = self._moves().get(int(action))
        if cell is None:
            return self._observation(), ILLEGAL[self._reward], True, False, {**self._info(), "illegal": True}
        reward, proven = self._lost(cell) if self._reward == "value" else (0.0, True)
        self.position = self.position.play(cell)
        if self.position.ending().state == "ongoing":
            self._answer()
        ending = self.position.ending()
        if self._reward == "result" and ending.winner:
            reward = 1.0 if ending.winner == self.side else -1.0
        more = {"proven": proven} if self._reward == "value" else {}
        return self._observation(), reward, ending.state != "ongoing", False, self._info() | more

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are possible; none after the end of the game."""
        mask = np.zeros(self._actions, bool)
        mask[list(self._moves())] = True
        return mask

    def render(self) -> str | None:  # type: ignore[override]
        """The board as text."""
        return str(self.position) if self.render_mode == "ansi" else None

    def _moves(self) -> dict[int, int]:
        """The cell of each possible action."""
        if self.position.ending().state != "ongoing":
            return {}
        return {cell % self._actions: cell for cell in self.position.legal_moves()}

    def _answer(self) -> None:
        result = kinarow.best_move(self.position, self._limits, level=self._level, seed=self._seed)
        assert result.move is not None
        self.position = self.position.play(result.move)

    def _lost(self, cell: int) -> tuple[float, bool]:
        """The value of the move minus that of the best one, from -2 to 0, and whether both are proven."""
        best = kinarow.best_move(self.position, self._limits)
        if cell in best.best_moves:
            return 0.0, best.proven
        played = kinarow.best_move(self.position, self._limits, only=[cell + 1])
        # A search for one move may see more of it than the search for the best one did.
        return min(0.0, _value(played) - _value(best)), best.proven and played.proven

    def _observation(self) -> NDArray[np.int8]:
        other = kinarow.O if self.side == kinarow.X else kinarow.X
        values = np.zeros(4, np.int8)
        values[[self.side, other, 3]] = 1, -1, 2
        return values[np.frombuffer(self.position.cells, np.uint8)].reshape(self._shape)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8)}


def _value(result: kinarow.SearchResult) -> float:
    """From -1 to 1: the expected result, where that is not known the estimate, which alone lies in this range too."""
    return result.score.value if result.expected is None else result.expected


for _game in kinarow.PRESETS:
    gymnasium.register(f"kinarow/{_game}-v0", KinarowEnv, kwargs={"game": _game})
