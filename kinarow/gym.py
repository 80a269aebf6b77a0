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
"""The reward of an illegal action by the kind of reward: that of a lost game, or of the worst possible move."""

MOST_POSITIONS = 50_000
"""The most positions that a vector environment remembers."""

_OVER = kinarow.Position.from_moves([0], rows=1, columns=1, goal=1)
_FIELDS = SizedRuleKeywords.__optional_keys__
_OPTIONS = {"opponent_level", "opponent_seed", "agent_begins", "reward", "max_nodes", "render_mode"}
_RENDER_MODES = ("ansi",)
_VIEWS = {kinarow.X: np.array([0, 1, -1, 2], np.int8), kinarow.O: np.array([0, -1, 1, 2], np.int8)}


class _Game:
    """The options of an environment, checked, and what they say of a position."""

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

    def start_of(self, options: dict[str, Any] | None) -> kinarow.Position:
        """Return the position from which ``reset`` with these options begins."""
        check_fields(options or {}, frozenset({"moves"}))
        start = kinarow.Position.from_moves((options or {}).get("moves", ""), **self._fields)
        if start.is_over:
            raise kinarow.InputError("/moves", "the game is over after these moves")
        return start

    def draw(self, random: np.random.Generator) -> tuple[int, bool]:
        """Draw the opponent's seed for a game, and whether the agent begins."""
        drawn = int(random.integers(MAX_INTEGER))
        begins = bool(random.integers(2) if self.begins is None else self.begins)
        return drawn if self.given_seed is None else self.given_seed, begins

    def moves(self, position: kinarow.Position) -> dict[int, int]:
        """Return the cell of each legal action; empty if the game is over."""
        if position.ending().state != "ongoing":
            return {}
        return {cell % self.actions: cell for cell in position.legal_moves()}

    def mask(self, moves: Iterable[int]) -> NDArray[np.int8]:
        """Return 1 for each legal action; all are 1 after the end, where a masked softmax needs one."""
        mask = np.zeros(self.actions, np.int8)
        mask[list(moves) or slice(None)] = 1
        return mask

    def view(self, position: kinarow.Position, side: Side) -> NDArray[np.int8]:
        """Return the board as a side observes it."""
        return _VIEWS[side][np.frombuffer(position.cells, np.uint8)].reshape(self.shape)

    def result(self, position: kinarow.Position, side: Side) -> float:
        """Return the result for a side: 1, 0 or -1; 0 while the game goes on."""
        winner = position.ending().winner
        return 0.0 if winner is None else 1.0 if winner == side else -1.0

    def best(self, position: kinarow.Position) -> kinarow.SearchResult:
        """Search for the best move, which a move is compared with."""
        return kinarow.best_move(position, self.limits)

    def choice(self, position: kinarow.Position) -> MoveDistribution | kinarow.SearchResult:
        """Return what the opponent's move is drawn from: probabilities, or the best moves at full strength."""
        if self.level < levels.FULL_STRENGTH:
            return levels.move_distribution(position, self.level, self.limits)
        return engine.move(Question(position, self.limits, wants_reasons=False))[0]

    def lost(self, position: kinarow.Position, cell: int, best: kinarow.SearchResult) -> tuple[float, bool]:
        """Return the value of a move minus that of the best one, from -2 to 0, and True if both are proven."""
        if cell in best.best_moves:
            return 0.0, best.proven
        played = kinarow.best_move(position, self.limits, only=[cell])
        # A search for one move may see more of it than the search for the best one did.
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
        agent_begins: whether the agent makes the first move; None leaves it to chance.
        reward: ``result`` is 1, 0 or -1 at the end of the game; ``value`` is, for each move, its value minus that of
            the best move, from -2 to 0. A value is the expected result, 1, 0 or -1 if it is proven. Where the engine
            has no expected result (unproven with gravity, in misère and on other shapes) a value is its estimate,
            strictly between -1 and 1, which orders moves but is no chance of winning. ``info["proven"]`` says whether
            both values are proven.
        max_nodes: what a search of the opponent or for the reward may spend.
        render_mode: ``ansi`` makes ``render`` return the board as text.
        options: rule fields and ``rows``, ``columns`` and ``layers`` as of ``Position.from_moves``.

    Raises:
        kinarow.InputError: there is no such game, or a value is none that an argument may have.
        TypeError: an argument has another type, or another name than these.
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
        """Begin a game; the opponent moves if it is to move. ``options`` may have the ``moves`` made before."""
        start = self._game.start_of(options)
        super().reset(seed=seed)
        self._seed, begins = self._game.draw(self.np_random)
        self.side = kinarow.X if begins else kinarow.O
        self.position = start
        if start.to_move != self.side:
            self._answer()
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
            reward, more["proven"] = game.lost(self.position, cell, game.best(self.position))
        self.position = self.position.play(cell)
        if self.position.ending().state == "ongoing":
            self._answer()
        if game.reward == "result":
            reward = game.result(self.position, self.side)
        over = self.position.ending().state != "ongoing"
        return game.view(self.position, self.side), reward, over, False, self._info() | more

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal; all are True after the end of the game."""
        return self._game.mask(self._game.moves(self.position)).astype(bool)

    def render(self) -> str | None:
        """Return the board as text."""
        return str(self.position) if self.render_mode == "ansi" else None

    def _answer(self) -> None:
        result = kinarow.best_move(self.position, self._game.limits, level=self._game.level, seed=self._seed)
        assert result.move is not None
        self.position = self.position.play(result.move)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._game.mask(self._game.moves(self.position))}


def _actions(given: Any, shape: tuple[int, ...]) -> NDArray[np.integer[Any]]:
    """Return actions as an array of this shape; raise ``TypeError`` for others."""
    actions = np.asarray(given)
    if actions.shape != shape or actions.dtype.kind not in "iu":
        wanted = f"{shape[0]} actions are an array of as many whole numbers" if shape else "an action is a whole number"
        raise TypeError(f"{wanted}, not {shown(given)}")
    return actions


def _value(result: kinarow.SearchResult) -> float:
    """Return the expected result, or the estimate where there is none, from -1 to 1."""
    return max(-1.0, min(1.0, result.score.value)) if result.expected is None else result.expected


class _Node:
    """A position that games of a vector environment have reached, and what was found out about it."""

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
        self.choice: MoveDistribution | kinarow.SearchResult | None = None  # in the canonical form


class _Memory:
    """Positions of one game with what is known of them, so that many boards share each search."""

    def __init__(self, game: _Game) -> None:
        self._game = game
        self._nodes: dict[bytes, _Node] = {}
        self._choices: dict[bytes, MoveDistribution | kinarow.SearchResult] = {}
        self.pool = ThreadPoolExecutor(os.cpu_count())  # kernels hold no interpreter lock

    def node(self, position: kinarow.Position) -> _Node:
        """Return the node of a position."""
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
        """Search the opponent's moves where they are unknown; symmetric positions are searched once."""
        forms = {node: node.position.canonical() for node in nodes if node.choice is None}
        unknown = {form.position.cells: form.position for form in forms.values()}
        unknown = {cells: position for cells, position in unknown.items() if cells not in self._choices}
        self._choices |= zip(unknown, self._each(self._game.choice, list(unknown.values())), strict=True)
        for node, form in forms.items():
            node.form, node.choice = form, self._choices[form.position.cells]

    def choose(self, node: _Node, seed: int) -> int:
        """Return the move that a seed chooses, as ``best_move`` does."""
        assert node.form is not None
        if isinstance(node.choice, MoveDistribution):
            move: int | None = levels.sample(node.form.position, self._game.level, node.choice, seed)
        else:
            assert node.choice is not None
            move = levels.move_among_best(node.form.position, node.choice, seed)
        assert move is not None
        return node.form.to_original[move]

    def find_losses(self, made: Iterable[tuple[_Node, int]]) -> None:
        """Search how much these moves lose, if it is unknown."""
        unknown = [(node, cell) for node, cell in dict.fromkeys(made) if cell not in node.losses]
        nodes = list({node: None for node, _ in unknown if node.best is None})
        for node, best in zip(nodes, self._each(lambda node: self._game.best(node.position), nodes), strict=True):
            node.best = best
        lost = self._each(lambda move: self._game.lost(move[0].position, move[1], move[0].best), unknown)
        for (node, cell), loss in zip(unknown, lost, strict=True):
            node.losses[cell] = loss

    def _each(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        return list(self.pool.map(function, items) if len(items) > 1 else map(function, items))


class KinarowVectorEnv(VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """Many games of one kind; ``gymnasium.make_vec("kinarow/<game>-v0", num_envs=64)`` makes it.

    Board ``i`` does what a ``KinarowEnv`` with the same options and seed does. Positions that several boards or earlier
    games reach are searched once, others at the same time on all cores. A finished game begins anew with the next step,
    which ignores the action (``AutoresetMode.NEXT_STEP``). The seed of board ``i`` is ``seed + i``, or ``seed[i]``.

    Raises:
        kinarow.InputError, TypeError: as ``KinarowEnv``.
    """

    def __init__(self, num_envs: int = 1, game: str | None = None, **options: Any) -> None:
        check_type("num_envs", num_envs, WHOLE)
        if num_envs < 1:
            raise kinarow.InputError("/num_envs", f"num_envs is 1 or more, not {num_envs}")
        self._game = _Game(game, **options)
        self._memory = _Memory(self._game)
        self.num_envs = num_envs
        self.metadata = KinarowEnv.metadata | {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.render_mode = options.get("render_mode")
        self.single_observation_space, self.single_action_space = self._game.observation_space, self._game.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._start = self._memory.node(self._game.start)
        self._randoms = [np.random.default_rng() for _ in range(num_envs)]
        self._nodes = [self._start] * num_envs
        self._sides = [kinarow.X] * num_envs
        self._seeds = [0] * num_envs
        self._ended = np.ones(num_envs, bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin all games; ``options`` may have the ``moves`` made before."""
        start = self._memory.node(self._game.start_of(options))
        if seed is not None:
            given: Any = seed
            is_list = isinstance(given, Sequence | np.ndarray)
            seeds = given if is_list else [given + board for board in range(self.num_envs)]
            if len(seeds) != self.num_envs:
                raise kinarow.InputError("/seed", f"a list of seeds has {self.num_envs}, not {len(seeds)}")
            for board, each in enumerate(seeds):
                if each is not None:
                    self._randoms[board] = gymnasium.utils.seeding.np_random(each)[0]
        self._begin(range(self.num_envs), start)
        self._ended = np.zeros(self.num_envs, bool)
        return self._observations(), self._masks()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Make the agents' moves, then the opponents' where games go on; begin games that ended before."""
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
        proven = self._lost(rewards, moved) if game.reward == "value" else {}
        for board, cell in moved.items():
            self._nodes[board] = self._memory.after(self._nodes[board], cell)
        begun = self._ended.nonzero()[0].tolist()
        self._answer([board for board in moved if not self._nodes[board].over])
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
        """End the threads that search."""
        self._memory.pool.shutdown()

    def _begin(self, boards: Iterable[int], start: _Node) -> None:
        waiting = []
        for board in boards:
            self._seeds[board], begins = self._game.draw(self._randoms[board])
            self._sides[board] = kinarow.X if begins else kinarow.O
            self._nodes[board] = start
            if start.position.to_move != self._sides[board]:
                waiting.append(board)
        self._answer(waiting)

    def _answer(self, boards: Sequence[int]) -> None:
        """Make the opponent's move on these boards."""
        self._memory.find_choices(self._nodes[board] for board in boards)
        for board in boards:
            node = self._nodes[board]
            self._nodes[board] = self._memory.after(node, self._memory.choose(node, self._seeds[board]))

    def _lost(self, rewards: NDArray[Any], moved: dict[int, int]) -> dict[str, NDArray[np.bool_]]:
        """Write how much the moves lose into the rewards; returns whether their values are proven."""
        self._memory.find_losses((self._nodes[board], cell) for board, cell in moved.items())
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
