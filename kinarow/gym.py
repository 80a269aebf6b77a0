"""Gymnasium environments: a game against kinarow for each preset. Importing this registers ``kinarow/<game>-v0``.

::

    import gymnasium, kinarow.gym

    env = gymnasium.make("kinarow/connect-four-v0", opponent_level=3, reward="value")
    envs = gymnasium.make_vec("kinarow/tic-tac-toe-v0", num_envs=64)  # a ``KinarowVectorEnv``

It needs the extra ``gym``.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import kinarow
from kinarow import engine
from kinarow.engine import Question
from kinarow.errors import WHOLE, check_type, shown
from kinarow.game.position import Canonical
from kinarow.game.rules import Side, check_fields
from kinarow.library import SizedRuleKeywords
from kinarow.play import levels
from kinarow.play.levels import MoveDistribution
from kinarow.search_types import MAX_INTEGER

try:
    import gymnasium
except ImportError as missing:
    raise ImportError("kinarow.gym needs Gymnasium: pip install 'kinarow[gym]'") from missing
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

ILLEGAL_REWARD = {"result": -1.0, "value": -2.0}
"""The reward of an illegal action: that of a lost game (``result``), or of the worst possible move (``value``)."""

MOST_POSITIONS = 50_000
"""The most positions that a vector environment caches."""

_OVER = kinarow.Position.from_moves([0], rows=1, columns=1, goal=1)
_FIELDS = SizedRuleKeywords.__optional_keys__
_OPTIONS = {"opponent_level", "opponent_seed", "agent_begins", "reward", "max_nodes", "render_mode"}
_RENDER_MODES = ("ansi",)
_VIEWS = {kinarow.X: np.array([0, 1, -1, 2], np.int8), kinarow.O: np.array([0, -1, 1, 2], np.int8)}


class _Game:
    """The checked options of an environment, and the actions, views and rewards that follow from them."""

    def __init__(
        self,
        game: str | None,
        *,
        opponent_level: int = 10,
        opponent_seed: int | None = None,
        agent_begins: bool | None = True,
        reward: Literal["result", "value"] = "result",
        max_nodes: int = 20_000,
        render_mode: str | None = None,
        **fields: Any,
    ) -> None:
        check_fields(fields, _FIELDS | _OPTIONS)
        if reward not in list(ILLEGAL_REWARD):
            raise kinarow.InputError("/reward", f"reward is {' or '.join(map(repr, ILLEGAL_REWARD))}, not {reward!r}")
        if render_mode not in (None, *_RENDER_MODES):
            raise kinarow.InputError("/render_mode", f"render_mode is 'ansi' or None, not {render_mode!r}")
        if agent_begins is not None:
            check_type("agent_begins", agent_begins, (bool, "True, False or None"))
        # Nothing is searched in a finished game, but the arguments are checked.
        kinarow.best_move(_OVER, level=opponent_level, seed=opponent_seed, max_nodes=max_nodes)
        self._fields = {"game": game, **fields}
        self.start = kinarow.Position.from_moves("", **self._fields)
        self.level, self.given_seed, self.begins = opponent_level, opponent_seed, agent_begins
        self.reward, self.limits = reward, kinarow.Limits(max_nodes)
        rules = self.start.rules
        self.shape = (rules.rows, rules.columns) if rules.layers == 1 else (rules.layers, rules.rows, rules.columns)
        self.actions = rules.stacks if rules.gravity else rules.cells
        self.observation_space = spaces.Box(-1, 2, self.shape, np.int8)
        self.action_space = spaces.Discrete(self.actions)

    def read_start(self, options: dict[str, Any] | None) -> kinarow.Position:
        """Return the first position after ``reset`` with these options."""
        check_fields(options or {}, frozenset({"moves"}))
        start = kinarow.Position.from_moves((options or {}).get("moves", ""), **self._fields)
        if start.is_over:
            raise kinarow.InputError("/moves", "the game is over after these moves")
        return start

    def draw(self, random: np.random.Generator) -> tuple[int, bool]:
        """Return ``(seed of the opponent, True if the agent begins)`` for a new game."""
        drawn = int(random.integers(MAX_INTEGER))
        begins = bool(random.integers(2) if self.begins is None else self.begins)
        return drawn if self.given_seed is None else self.given_seed, begins

    def moves(self, position: kinarow.Position) -> dict[int, int]:
        """Return the legal actions and their cells; empty if the game is over."""
        if position.ending().state != "ongoing":
            return {}
        return {cell % self.actions: cell for cell in position.legal_moves()}

    def mask(self, moves: Iterable[int]) -> NDArray[np.int8]:
        """Return 1 for legal actions, 0 for others. After the end all are 1, since a masked softmax needs one."""
        mask = np.zeros(self.actions, np.int8)
        mask[list(moves) or slice(None)] = 1
        return mask

    def view(self, position: kinarow.Position, side: Side) -> NDArray[np.int8]:
        """Return the observation of a side."""
        return _VIEWS[side][np.frombuffer(position.cells, np.uint8)].reshape(self.shape)

    def result(self, position: kinarow.Position, side: Side) -> float:
        """Return the result for a side: 1, 0 or -1; 0 while the game goes on."""
        winner = position.ending().winner
        return 0.0 if winner is None else 1.0 if winner == side else -1.0

    def best(self, position: kinarow.Position) -> kinarow.SearchResult:
        """Return the best move, with which the agent's move is compared."""
        return kinarow.best_move(position, self.limits)

    def opponent_choice(self, position: kinarow.Position) -> MoveDistribution | kinarow.SearchResult:
        """Return the probabilities from which the opponent draws; at full strength, the result with the best moves."""
        if self.level < levels.FULL_STRENGTH:
            return levels.move_distribution(position, self.level, self.limits)
        return engine.move(Question(position, self.limits, wants_reasons=False))[0]

    def value_loss(self, position: kinarow.Position, cell: int, best: kinarow.SearchResult) -> tuple[float, bool]:
        """Return the value of a move minus the value of the best move, from -2 to 0, and True if both are proven."""
        if cell in best.best_moves:
            return 0.0, best.proven
        played = kinarow.best_move(position, self.limits, only=[cell])
        # The search of a single move sees more of it, and may even value it above the best move.
        return min(0.0, _value(played) - _value(best)), best.proven and played.proven


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

    def __init__(self, game: str | None = None, **options: Any) -> None:
        self._game = _Game(game, **options)
        self.position = self._game.start
        self._seed: int | None = None
        self.render_mode = options.get("render_mode")
        self.observation_space, self.action_space = self._game.observation_space, self._game.action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin a game, with the opponent's move if it begins. ``options["moves"]`` are made before."""
        start = self._game.read_start(options)
        super().reset(seed=seed)
        self._seed, begins = self._game.draw(self.np_random)
        self.side = kinarow.X if begins else kinarow.O
        self.position = start
        if start.to_move != self.side:
            self._play_opponent()
        return self._game.view(self.position, self.side), self._info()

    def step(self, action: np.int64) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Make the agent's move, then the opponent's if the game goes on."""
        if self._seed is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        game, reward, more = self._game, 0.0, {}
        cell = game.moves(self.position).get(int(_actions(action, ())))
        if cell is None:
            more = {"illegal": True}
            return game.view(self.position, self.side), ILLEGAL_REWARD[game.reward], True, False, self._info() | more
        if game.reward == "value":
            reward, more["proven"] = game.value_loss(self.position, cell, game.best(self.position))
        self.position = self.position.play(cell)
        if self.position.ending().state == "ongoing":
            self._play_opponent()
        if game.reward == "result":
            reward = game.result(self.position, self.side)
        over = self.position.ending().state != "ongoing"
        return game.view(self.position, self.side), reward, over, False, self._info() | more

    def action_masks(self) -> NDArray[np.bool_]:
        """Return True for legal actions; after the end of the game all are True."""
        return self._game.mask(self._game.moves(self.position)).astype(bool)

    def render(self) -> str | None:
        """Return the board as text."""
        return str(self.position) if self.render_mode == "ansi" else None

    def _play_opponent(self) -> None:
        result = kinarow.best_move(self.position, self._game.limits, level=self._game.level, seed=self._seed)
        assert result.move is not None
        self.position = self.position.play(result.move)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._game.mask(self._game.moves(self.position))}


def _actions(given: Any, shape: tuple[int, ...]) -> NDArray[np.integer[Any]]:
    """Return actions as an integer array; raise ``TypeError`` if they have another shape or type."""
    actions = np.asarray(given)
    if actions.shape != shape or actions.dtype.kind not in "iu":
        wanted = f"{shape[0]} actions are an array of as many whole numbers" if shape else "an action is a whole number"
        raise TypeError(f"{wanted}, not {shown(given)}")
    return actions


def _value(result: kinarow.SearchResult) -> float:
    """Return the expected result, or else the estimate, from -1 to 1."""
    return max(-1.0, min(1.0, result.score.value)) if result.expected is None else result.expected


class _Node:
    """A position that games of a vector environment have reached, with its cached search results."""

    def __init__(self, game: _Game, position: kinarow.Position) -> None:
        self.position = position
        self.moves = game.moves(position)
        self.over = not self.moves
        self.mask = game.mask(self.moves)
        self.views = {side: game.view(position, side) for side in (kinarow.X, kinarow.O)}
        self.children: dict[int, _Node] = {}
        self.best: kinarow.SearchResult | None = None
        self.losses: dict[int, tuple[float, bool]] = {}
        self.form: Canonical | None = None
        self.choice: MoveDistribution | kinarow.SearchResult | None = None  # for the canonical form


class _SharedPositions:
    """A cache of positions and their search results, which the boards of a vector environment share."""

    def __init__(self, game: _Game) -> None:
        self._game = game
        self._nodes: dict[bytes, _Node] = {}
        self._choices: dict[bytes, MoveDistribution | kinarow.SearchResult] = {}
        self.pool = ThreadPoolExecutor(os.cpu_count())  # kernels release the GIL

    def node(self, position: kinarow.Position) -> _Node:
        """Return the node of a position, a new node if it isn't cached."""
        key = position.cells + bytes([position.to_move])
        known = self._nodes.get(key)
        if known is None:
            if len(self._nodes) >= MOST_POSITIONS:
                self._nodes.clear()
                self._choices.clear()
            known = self._nodes[key] = _Node(self._game, position)
        return known

    def after(self, node: _Node, cell: int) -> _Node:
        """Return the node after a move."""
        child = node.children.get(cell)
        if child is None:
            child = node.children[cell] = self.node(node.position.play(cell))
        return child

    def find_choices(self, nodes: Iterable[_Node]) -> None:
        """Search the opponent's missing choices; symmetric positions are searched once."""
        forms = {node: node.position.canonical() for node in nodes if node.choice is None}
        unknown = {form.position.cells: form.position for form in forms.values()}
        unknown = {cells: position for cells, position in unknown.items() if cells not in self._choices}
        self._choices |= zip(unknown, self._map(self._game.opponent_choice, list(unknown.values())), strict=True)
        for node, form in forms.items():
            node.form, node.choice = form, self._choices[form.position.cells]

    def choose(self, node: _Node, seed: int) -> int:
        """Return the opponent's move for a seed, as ``best_move`` does."""
        assert node.form is not None
        if isinstance(node.choice, MoveDistribution):
            move: int | None = levels.sample(node.form.position, self._game.level, node.choice, seed)
        else:
            assert node.choice is not None
            move = levels.move_among_best(node.form.position, node.choice, seed)
        assert move is not None
        return node.form.to_original[move]

    def find_losses(self, made: Iterable[tuple[_Node, int]]) -> None:
        """Search the missing value losses of moves."""
        unknown = [(node, cell) for node, cell in dict.fromkeys(made) if cell not in node.losses]
        nodes = list({node: None for node, _ in unknown if node.best is None})
        for node, best in zip(nodes, self._map(lambda node: self._game.best(node.position), nodes), strict=True):
            node.best = best
        lost = self._map(lambda move: self._game.value_loss(move[0].position, move[1], move[0].best), unknown)
        for (node, cell), loss in zip(unknown, lost, strict=True):
            node.losses[cell] = loss

    def _map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        return list(self.pool.map(function, items) if len(items) > 1 else map(function, items))


class KinarowVectorEnv(VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """Many games at once, created by ``gymnasium.make_vec("kinarow/<game>-v0", num_envs=64)``.

    Board ``i`` behaves like a ``KinarowEnv`` with the same options and seed. A position is searched once, even if many
    boards reach it; different positions are searched on all cores. The step after the end of a game ignores the action
    and begins a new game (``AutoresetMode.NEXT_STEP``). The seed of board ``i`` is ``seed + i`` or ``seed[i]``.

    Raises:
        kinarow.InputError, TypeError: as ``KinarowEnv``.
    """

    def __init__(self, num_envs: int = 1, game: str | None = None, **options: Any) -> None:
        check_type("num_envs", num_envs, WHOLE)
        if num_envs < 1:
            raise kinarow.InputError("/num_envs", f"num_envs is 1 or more, not {num_envs}")
        self._game = _Game(game, **options)
        self._shared = _SharedPositions(self._game)
        self.num_envs = num_envs
        self.metadata = KinarowEnv.metadata | {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.render_mode = options.get("render_mode")
        self.single_observation_space, self.single_action_space = self._game.observation_space, self._game.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._start = self._shared.node(self._game.start)
        self._randoms = [np.random.default_rng() for _ in range(num_envs)]
        self._nodes = [self._start] * num_envs
        self._sides = [kinarow.X] * num_envs
        self._seeds = [0] * num_envs
        self._ended = np.ones(num_envs, bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin all games; ``options["moves"]`` are made before."""
        start = self._shared.node(self._game.read_start(options))
        if seed is not None:
            given: Any = seed
            is_list = isinstance(given, Sequence | np.ndarray)
            seeds = given if is_list else [given + board for board in range(self.num_envs)]
            if len(seeds) != self.num_envs:
                raise kinarow.InputError("/seed", f"{len(seeds)} seeds for {self.num_envs} boards; pass one for each")
            for board, each in enumerate(seeds):
                if each is not None:
                    self._randoms[board] = gymnasium.utils.seeding.np_random(each)[0]
        self._begin(range(self.num_envs), start)
        self._ended = np.zeros(self.num_envs, bool)
        return self._observations(), self._masks()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Make the agents' moves and the opponents' replies; begin new games where the last step ended one."""
        game, count = self._game, self.num_envs
        rewards, illegal, moved = np.zeros(count), np.zeros(count, bool), {}
        given = zip(self._nodes, _actions(actions, (count,)).tolist(), self._ended.tolist(), strict=True)
        for board, (node, action, ended) in enumerate(given):
            if not ended:
                cell = node.moves.get(action)
                if cell is None:
                    illegal[board], rewards[board] = True, ILLEGAL_REWARD[game.reward]
                else:
                    moved[board] = cell
        proven = self._reward_by_value(rewards, moved) if game.reward == "value" else {}
        for board, cell in moved.items():
            self._nodes[board] = self._shared.after(self._nodes[board], cell)
        begun = self._ended.nonzero()[0].tolist()
        self._play_opponent([board for board in moved if not self._nodes[board].over])
        self._begin(begun, self._start)
        ended = illegal.copy()
        for board in moved:
            if self._nodes[board].over:
                ended[board] = True
                if game.reward == "result":
                    rewards[board] = game.result(self._nodes[board].position, self._sides[board])
        self._ended = ended
        return (
            self._observations(),
            rewards,
            ended.copy(),
            np.zeros(count, bool),
            self._masks() | proven | ({"illegal": illegal, "_illegal": illegal.copy()} if illegal.any() else {}),
        )

    def render(self) -> tuple[str, ...] | None:
        """Return the boards as text."""
        return tuple(str(node.position) for node in self._nodes) if self.render_mode == "ansi" else None

    def close_extras(self, **_: Any) -> None:
        """Shut down the search threads."""
        self._shared.pool.shutdown()

    def _begin(self, boards: Iterable[int], start: _Node) -> None:
        waiting = []
        for board in boards:
            self._seeds[board], begins = self._game.draw(self._randoms[board])
            self._sides[board] = kinarow.X if begins else kinarow.O
            self._nodes[board] = start
            if start.position.to_move != self._sides[board]:
                waiting.append(board)
        self._play_opponent(waiting)

    def _play_opponent(self, boards: Sequence[int]) -> None:
        """Make the opponent's moves on these boards."""
        self._shared.find_choices(self._nodes[board] for board in boards)
        for board in boards:
            node = self._nodes[board]
            self._nodes[board] = self._shared.after(node, self._shared.choose(node, self._seeds[board]))

    def _reward_by_value(self, rewards: NDArray[Any], moved: dict[int, int]) -> dict[str, NDArray[np.bool_]]:
        """Set each reward to the move's value loss; return ``info`` with ``proven`` for each board."""
        self._shared.find_losses((self._nodes[board], cell) for board, cell in moved.items())
        proven, known = np.zeros((2, self.num_envs), bool)
        for board, cell in moved.items():
            rewards[board], proven[board] = self._nodes[board].losses[cell]
            known[board] = True
        return {"proven": proven, "_proven": known} if moved else {}

    def _observations(self) -> NDArray[np.int8]:
        return np.stack([node.views[side] for node, side in zip(self._nodes, self._sides, strict=True)])

    def _masks(self) -> dict[str, Any]:
        return {
            "action_mask": np.stack([node.mask for node in self._nodes]),
            "_action_mask": np.ones(self.num_envs, bool),
        }


for _name in kinarow.PRESETS:
    gymnasium.register(
        f"kinarow/{_name}-v0",
        "kinarow.gym:KinarowEnv",
        kwargs={"game": _name},
        vector_entry_point="kinarow.gym:KinarowVectorEnv",
    )
