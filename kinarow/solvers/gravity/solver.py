"""The exact solver for boards with gravity that fit 64 bits: proves value and distance, or bounds them."""

from struct import pack_into
from typing import Any, NamedTuple

from kinarow.cores import helping, usable_cores
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.shared_library import Library
from kinarow.search_types import KnownBounds, Stop
from kinarow.solvers.common.bounds import Bounds, games_of
from kinarow.solvers.common.budget import Budget, Part
from kinarow.solvers.common.capacity import ANY_MOVE, ENDLESS_NODES, has_bitboard
from kinarow.solvers.common.layout import GAME_DTYPE
from kinarow.solvers.common.record import offset_of
from kinarow.solvers.common.table_pool import POOL, Table
from kinarow.solvers.gravity.layout import BUCKET_WORDS, LAST_GENERATION, MOST_THREADS, PATHS_WORDS, STATE_DTYPE

kernels = Library("gravity")
game_of = games_of(kernels, GAME_DTYPE)

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal"})
MOST_ENTRIES_LOG2 = 23
MOST_ENDLESS_ENTRIES_LOG2 = 26

HELPED_NODES = 1_000_000  # nodes before helper threads start (a fifth of a second)
DOUBLINGS = 2  # of the table, before threads share it and after every BUCKET_NODES nodes a bucket
BUCKET_NODES = 20
WATCHED_EMPTIES = 22  # threads publish the positions that they search down to this number of empty cells (measured)
PASS_NODES = 20_000_000  # limit of the final search in one thread, which makes the move independent of helpers

NODE_NS = 2_000  # nanoseconds of the most expensive node, roughly
_GENERATION = offset_of(STATE_DTYPE, "generation")  # ``begun`` follows


def fits(rules: Rules) -> bool:
    """Return True if this solver supports the rules and the board."""
    return rules.within(RULES_HANDLED) and rules.plain and rules.gravity and has_bitboard(rules.rows, rules.columns)


def table_size_hint(empties: int, node_limit: int) -> int:
    """Return a good table size in 64-bit words: a power of two from 8 to 2**24, endless to 2**27 (1 GB)."""
    most = MOST_ENTRIES_LOG2 if node_limit < ENDLESS_NODES else MOST_ENDLESS_ENTRIES_LOG2
    entries = min(node_limit, 1 << min(most, empties))
    return BUCKET_WORDS * (1 << max(0, (max(1, entries // 4) - 1).bit_length()))


class SharedTable(NamedTuple):
    """A transposition table for searches of a position and its successors. It doesn't change exact values."""

    rules: Rules
    table: Table

    def __enter__(self) -> "SharedTable":
        return self

    def __exit__(self, *failure: object) -> None:
        self.table.pool.take_back(self.table)


def shared_table(position: Position, node_limit: int) -> SharedTable:
    """Return a table for searches of an ongoing position and its successors, each with at most ``node_limit`` nodes."""
    return SharedTable(position.rules, _new_table(position, node_limit))


def _new_table(position: Position, node_limit: int) -> Table:
    size = table_size_hint(position.empties, node_limit)
    table = POOL.borrow("gravity", size + PATHS_WORDS, LAST_GENERATION)
    pack_into("2Q", table.state_of(STATE_DTYPE).array, _GENERATION, table.generation, 0)  # before the first search
    return table


def solve(
    position: Position,
    budget: Budget,
    shared: SharedTable | None = None,
    known: KnownBounds | None = None,
    threads: int = 1,
) -> Bounds:
    """Narrow the ``known`` bounds of an ongoing position as far as the budget allows.

    Neither ``threads`` nor ``shared``, a table of the position or a predecessor, changes an exact value or its move.
    """
    if shared is not None:
        return _solve(position, budget, shared.table, known, threads)
    with _new_table(position, budget.node_limit) as table:
        return _solve(position, budget, table, known, threads)


def _solve(position: Position, budget: Budget, table: Table, known: KnownBounds | None, threads: int) -> Bounds:
    (game, bits), state = game_of(position.rules), table.state_of(STATE_DTYPE)
    budget.set_poll_interval(NODE_NS)
    lower, upper, candidates = -position.rules.cells, position.rules.cells, ANY_MOVE
    if known is not None:
        lower, upper = max(lower, known.lower), min(upper, known.upper)
        candidates = sum(1 << bits.places[move] for move in known.candidates)
    root = game, state, *bits.bitboards(position)
    memory = budget.pointer, table.pointer, table.result
    # On fewer cells threads publish nothing, and a small table has no room for it.
    if threads == 1 or budget.nodes_left <= HELPED_NODES or position.empties < WATCHED_EMPTIES:
        kernels.solve(*root, lower, upper, candidates, *memory)
        return bits.bounds(table.result.array)
    with budget.part(nodes=HELPED_NODES) as alone:
        kernels.solve(*root, lower, upper, candidates, *memory)
    found = bits.bounds(table.result.array)
    if alone.finished or budget.is_spent():
        return found
    start = max(lower, found.lower), min(upper, found.upper)
    proof = _proven_with_helpers(root, start, budget, table, threads)
    if proof is None:
        reached = bits.bounds(table.result.array)
        return reached if reached.lower > start[0] else reached._replace(lower=found.lower, move=found.move)
    # Search once more in one thread: the move is the first that reaches the value, as without helpers.
    bounds = bits.bounds(proof)
    with budget.part(nodes=PASS_NODES) as last:
        kernels.solve(*root, bounds.lower, bounds.lower, candidates if lower == upper else ANY_MOVE, *memory)
    if last.finished:
        return bits.bounds(table.result.array)
    budget.expire()
    if bounds.lower == start[0] > found.lower:
        return found._replace(upper=bounds.upper)  # What was known beforehand is no claim for a move.
    return bounds._replace(line=(bounds.move,))


def _proven_with_helpers(
    root: tuple[Any, ...], start: tuple[int, int], budget: Budget, table: Table, threads: int
) -> Any:
    """Return the ``RESULT`` of the thread that finishes first, or None at the end of the budget; grow the table."""
    state, result, proof = root[1], table.result.array, None
    threads = min(threads or usable_cores(), MOST_THREADS)
    state.array["threads"] = threads
    while proof is None and not budget.is_spent():
        buckets = kernels.share_table(state, table.pointer, DOUBLINGS)
        nodes = buckets * BUCKET_NODES // threads if buckets <= state.array["last_mask"][0] else None
        proof = _proven_by_threads(root, start, budget.part(nodes=nodes), budget, table, threads)
        start = int(result["lower"][0]), int(result["upper"][0])
    return proof


def _proven_by_threads(
    root: tuple[Any, ...], start: tuple[int, int], part: Part, budget: Budget, table: Table, threads: int
) -> Any:
    """Return the ``RESULT`` of the thread that finishes first within ``part``, or None."""
    game, state, *marks = root
    state.array["thread"], state.array["watched"] = 0, WATCHED_EMPTIES
    proofs: list[Any] = []
    idle = list(range(1, threads))
    begin, begun = table.result.array.copy(), state.array.copy()

    def helper(stop: Stop) -> None:
        own_state, result, own_budget = begun.copy(), begin.copy(), budget.for_helper()
        own_state["thread"] = number = idle.pop()
        with stop.also_stops(own_budget):
            kernels.prove(game, own_state, *marks, *start, own_budget.pointer, table.pointer, result)
        idle.append(number)
        if not own_budget.is_spent():
            proofs.append(result)
            part.cut()

    with part, helping(helper, threads - 1):
        kernels.prove(game, state, *marks, *start, budget.pointer, table.pointer, table.result)
    if part.finished:
        return table.result.array
    return proofs[0] if proofs and not budget.is_spent() else None
