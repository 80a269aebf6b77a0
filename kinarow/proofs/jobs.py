"""Settles a claim by a tree of positions whose leaves are bounded searches of the engine, as jobs of other processes.

The tree is searched best first by proof numbers. A leaf is searched with a limit of nodes. If that settles nothing, the
limit grows where positions of as many marks are settled, and at last the replies become leaves. Positions that are
images of each other are one node.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.position_fields import read_position
from kinarow.game.rules import EMPTY, Rules, Side, other
from kinarow.proofs import check_proof
from kinarow.proofs.finding import Proof, Valuer, Values, head_of
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.maker_breaker import solver as maker_breaker

FIRST_NODES = 1_000_000  # the limit of the first search of a position, about a second
GROWTH, SEARCHES = 4, 3  # a position with the prover to move is searched again with more nodes, this often at most
BY = "jobs"  # of a file that holds a tree down to its leaves
OTHER_SHARE = 4  # the search of all moves gets this part of the nodes that mere blocking gets

Key = tuple[bool, bytes]  # whether the prover is to move, and the canonical cells
Job = tuple[Any, ...]  # the key of a position, and the arguments of ``settle``
Found = tuple[bool | None, int]  # whether the claim holds, None if that is unknown, and the nodes visited


class FileError(Exception):
    """A file of results that belongs to another claim or cannot be read."""


class Told(NamedTuple):
    """Whether the claim holds, None if this limit of nodes did not settle it, and the nodes of all jobs for it."""

    holds: bool | None
    limit: int
    nodes: int


def settle(position: Position, prover_moves: bool, wins: bool, limit: int) -> Found:
    """Search a position: whether the prover wins, or does not lose. The atlas and books are not asked."""
    budget = Budget(limit)
    blocking = maker_breaker.serves(position)
    if (
        blocking
        and maker_breaker.never_completes(position, budget, opponent_is_maker=prover_moves != wins, nodes=limit)[0]
    ):
        return not wins, budget.nodes
    share = max(1, limit // OTHER_SHARE) if blocking else limit
    found = search(position, Limits(share, max_depth=position.empties))
    value = found.score.value if prover_moves else -found.score.value
    holds = (value > 0 if wins else value >= 0) if found.proven else None
    return holds, budget.nodes + found.nodes


class Node:
    """A position of the tree, in its canonical form.

    ``to_prove`` and ``to_refute`` are its proof numbers: about how many leaves it takes to settle it that way.
    """

    __slots__ = ("children", "key", "limit", "parents", "position", "running", "to_prove", "to_refute")

    def __init__(self, key: Key, position: Position, limit: int) -> None:
        self.key, self.position, self.limit = key, position, limit
        self.children: list[tuple[int, Node]] = []
        self.parents: list[Node] = []
        moves = len(position.legal_moves())
        self.to_prove: float = 1 if self.prover_moves else moves
        self.to_refute: float = moves if self.prover_moves else 1
        self.running = False

    @property
    def prover_moves(self) -> bool:
        """Whether the prover is to move."""
        return self.key[0]

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds here; None if that is not known yet."""
        return True if self.to_prove == 0 else False if self.to_refute == 0 else None

    def replies(self) -> Iterator[bytes]:
        """The cells of the positions after each legal move, in canonical form."""
        return (self.position.play(move).canonical().position.cells for move in self.position.legal_moves())

    def know(self, holds: bool) -> None:
        """Keep what a job or the rules say."""
        self.to_prove, self.to_refute = (0, inf) if holds else (inf, 0)

    def counted_anew(self) -> bool:
        """Whether the numbers changed, which follow from those of the children."""
        prove, refute = ([getattr(child, name) for _, child in self.children] for name in ("to_prove", "to_refute"))
        numbers = (min(prove), sum(refute)) if self.prover_moves else (sum(prove), min(refute))
        before, (self.to_prove, self.to_refute) = (self.to_prove, self.to_refute), numbers
        return numbers != before

    def best_first(self) -> list["Node"]:
        """The open children, those first that are settled soonest in favour of the side to move."""
        name = "to_prove" if self.prover_moves else "to_refute"
        return sorted((child for _, child in self.children if child.holds is None), key=lambda c: getattr(c, name))


class Tree:
    """The search for one claim: ``jobs`` gives what to search next, ``learn`` takes what was found.

    ``told`` has the results of earlier runs by position; ``first_nodes`` is the limit of the first search.
    """

    def __init__(
        self, position: Position, side: Side, wins: bool, told: dict[Key, Told], first_nodes: int = FIRST_NODES
    ) -> None:
        self.wins, self.told, self.first_nodes = wins, told, first_nodes
        self.nodes: dict[Key, Node] = {}
        self.settled_with = {key[1].count(EMPTY) for key, result in told.items() if result.holds is not None}
        self.root = self._node(position, position.to_move == side)
        self._plant()

    def is_settled(self) -> bool:
        """Whether it is known if the claim holds."""
        return self.root.holds is not None

    def jobs(self) -> Iterator[Job | None]:
        """The next jobs for ``settle``; None where a result must come first. Ends when the root is settled."""
        while not self.is_settled():
            leaf = self._leaf(self.root, set(), first_only=True) or self._leaf(self.root, set(), first_only=False)
            if leaf is None:
                yield None
            elif self._is_told(leaf):
                continue
            elif leaf.limit > self.first_nodes and not self._is_worth_more(leaf):
                self._expand(leaf)
            else:
                leaf.running = True
                yield leaf.key, leaf.position, leaf.prover_moves, self.wins, leaf.limit

    def learn(self, key: Key, found: Found) -> Told:
        """Take the result of a job."""
        leaf = self.nodes[key]
        leaf.running = False
        earlier = self.told[key].nodes if key in self.told else 0
        told = self.told[key] = Told(found[0], leaf.limit, earlier + found[1])
        if told.holds is not None:
            self.settled_with.add(leaf.position.empties)
        if not leaf.children:
            self._is_told(leaf)
        return told

    def begin_again(self) -> None:
        """No job is running any more: what was given out and not learnt is lost."""
        for node in self.nodes.values():
            node.running = False

    def progress(self) -> str:
        """What has been searched and what is open, for people."""
        nodes, open_leaves, waiting, seen = sum(told.nodes for told in self.told.values()), 0, [self.root], set[Key]()
        while waiting:
            node = waiting.pop()
            if node.holds is None and node.key not in seen:
                seen.add(node.key)
                open_leaves += not node.children
                waiting += (child for _, child in node.children)
        settled = sum(child.holds is not None for _, child in self.root.children)
        return (
            f"{len(self.told):,} positions searched, {nodes:,} nodes, {open_leaves:,} open leaves, "
            f"{settled} of {len(self.root.children)} first moves settled"
        )

    def solution(self) -> Iterator[Node]:
        """The positions that the settled root rests on: one move of the prover, every reply; each once."""
        waiting, seen = [self.root], set[Key]()
        while waiting:
            node = waiting.pop()
            if node.key in seen:
                continue
            seen.add(node.key)
            yield node
            children = [child for _, child in node.children if child.holds == self.root.holds]
            waiting += children[:1] if node.prover_moves == self.root.holds else children

    def written(self, position: Position, side: Side) -> Proof:
        """The solution as a file: a line for each position, with the prover's move or the nodes that settle it."""
        lines = []
        for node in self.solution():
            line: dict[str, Any] = {"prover_moves": node.prover_moves, "cells": node.key[1].hex()}
            if not node.children and node.key in self.told:
                lines.append(line | {"nodes": self.told[node.key].limit})
            elif node.children and node.prover_moves:
                lines.append(line | {"move": next(move for move, child in node.children if child.holds)})
        head = head_of(position, side, self.wins, BY, 0) | {"positions": len(lines)}
        return Proof(head, b"".join(map(_line, lines)))

    def _node(self, position: Position, prover_moves: bool) -> Node:
        form = position.canonical().position
        key = prover_moves, form.cells
        if key not in self.nodes:
            node = self.nodes[key] = Node(key, form, self.first_nodes)
            over = form.final_score()
            if over is not None:
                value = over.value if prover_moves else -over.value
                node.know(value > 0 if self.wins else value >= 0)
        return self.nodes[key]

    def _leaf(self, node: Node, seen: set[Key], *, first_only: bool) -> Node | None:
        """The leaf that settles most, of those that are not running; None if all run.

        With ``first_only`` the prover has only its best moves, so a proof with them needs all of these leaves.
        """
        seen.add(node.key)
        if not node.children:
            return None if node.running else node
        children = node.best_first()
        for child in children[:1] if first_only and node.prover_moves else children:
            if child.key not in seen and (leaf := self._leaf(child, seen, first_only=first_only)) is not None:
                return leaf
        return None

    def _is_told(self, leaf: Node) -> bool:
        """Whether a leaf has a result for its limit, which is used."""
        told = self.told.get(leaf.key)
        if told is None or (told.holds is None and told.limit < leaf.limit):
            return False
        if told.holds is not None:
            leaf.know(told.holds)
        elif leaf.prover_moves and leaf.limit < self.first_nodes * GROWTH ** (SEARCHES - 1):
            leaf.limit *= GROWTH
            leaf.to_prove *= GROWTH
        else:
            self._expand(leaf)
            return True
        self._count(leaf.parents)
        return True

    def _is_worth_more(self, leaf: Node) -> bool:
        """Whether a search of a leaf with a higher limit is likely to settle it: one of as many marks is settled."""
        return leaf.position.empties in self.settled_with

    def _plant(self) -> None:
        """Grow the tree that earlier runs had, so that what they settled needs no search."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            told = self.told.get(node.key)
            if told is None or node.children or node.holds is not None:
                continue
            if told.holds is not None:
                node.know(told.holds)
                self._count(node.parents)
            elif any((not node.prover_moves, cells) in self.told for cells in node.replies()):
                self._expand(node)
                waiting += (child for _, child in node.children)

    def _expand(self, leaf: Node) -> None:
        known = set[Key]()
        for move in ordered_moves(leaf.position):
            child = self._node(leaf.position.play(move), not leaf.prover_moves)
            if child.key not in known:
                known.add(child.key)
                if leaf.prover_moves and not child.parents:
                    child.to_prove *= len(known)  # a later move waits until the earlier ones get that much harder
                child.parents.append(leaf)
                leaf.children.append((move, child))
        self._count([leaf])

    def _count(self, changed: list[Node]) -> None:
        waiting = list(changed)
        while waiting:
            node = waiting.pop()
            if node.counted_anew():
                waiting += node.parents


@lru_cache(maxsize=64)
def _lines_through(rules: Rules) -> tuple[tuple[int, ...], ...]:
    lines = {sum(1 << cell for cell in cells) for _, (cells, _) in geometry(rules).directed_lines}
    return tuple(tuple(line for line in lines if line >> cell & 1) for cell in range(rules.cells))


def ordered_moves(position: Position) -> list[int]:
    """The legal moves, those first on which most depends: lines of either side that lack few marks."""
    both = position.marks(position.to_move), position.marks(other(position.to_move))
    through = _lines_through(position.rules)

    def weight(cell: int) -> float:
        lines = through[cell]
        return sum(4.0 ** -(line & ~a).bit_count() for a, b in (both, both[::-1]) for line in lines if not line & b)

    sign = 1 if position.rules.misere else -1
    place = {cell: index for index, cell in enumerate(position.geometry.move_order)}
    return sorted(position.legal_moves(), key=lambda cell: (sign * weight(cell), place[cell]))


def searches(data: bytes) -> tuple[dict[str, Any], list[Job]]:
    """The first line of a written tree, and the jobs that it rests on, all of which must say that the claim holds.

    ``Unproven``: a move or a reply is missing, or the first line is none of a proof.
    """
    head, *lines = map(json.loads, data.splitlines())
    check_proof.Game(head["rules"], head["board"])
    known = {head["side"], head["to_move"]} <= {"X", "O"} and head["claim"] in ("win", "not-lose")
    check_proof.need(known, "side and to_move are X or O, and claim is win or not-lose")
    asked = {(line["prover_moves"], bytes.fromhex(line["cells"])): line for line in lines}
    position = read_position({**head["rules"], "board": head["board"], "to_move": head["to_move"], "composed": True})
    wins, waiting = head["claim"] == "win", [(position, head["to_move"] == head["side"])]
    jobs: dict[Key, Job] = {}
    seen = set[Key]()
    while waiting:
        position, prover_moves = waiting.pop()
        form = position.canonical().position
        key, over = (prover_moves, form.cells), form.final_score()
        line = asked.get(key, {})
        if key in seen:
            continue
        seen.add(key)
        if over is not None:
            value = over.value if prover_moves else -over.value
            check_proof.need(value > 0 if wins else value >= 0, "a game ends otherwise")
        elif "nodes" in line:
            jobs[key] = key, form, prover_moves, wins, line["nodes"]
        else:
            check_proof.need(not prover_moves or line.get("move") in form.legal_moves(), "a move is missing")
            moves = [line["move"]] if prover_moves else form.legal_moves()
            waiting += [(form.play(move), not prover_moves) for move in moves]
    return head, list(jobs.values())


class Decided:
    """The values for ``by_moves``: in the tree those of its solution, below its leaves those of another valuer."""

    def __init__(self, tree: Tree, below: Valuer) -> None:
        self.moves = {node.key: node for node in tree.solution() if node.prover_moves and node.children}
        self.below = below

    def __call__(self, rules: Rules, boards: NDArray[np.int8], side: Side) -> Values:
        """The scores of the positions for the side to move, and its best moves, in order."""
        best, left = np.zeros(boards.shape, np.bool_), []
        for index, cells in enumerate(boards):
            form = Position(rules, cells.tobytes(), side).canonical()
            node = self.moves.get((True, form.position.cells))
            if node is None:
                left.append(index)
            else:
                move = next(move for move, child in node.children if child.holds)
                best[index, form.to_original[move]] = True
        scores = np.ones(len(boards))
        if left:
            scores[left], best[left] = self.below(rules, boards[left], side)
        return scores, best


class Results:
    """The file of results, one line of JSON each after one that says for which game; lines are only added.

    A claim is part of each line, so one file may serve several. ``FileError``: it is for another position.
    """

    def __init__(self, path: Path, position: Position, side: Side) -> None:
        self.path, self.side = path, "XO"[side - 1]
        fields = head_of(position, side, False, "jobs", 0)
        head = {name: fields[name] for name in ("rules", "board", "to_move")}
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        if lines and not lines[-1].endswith(b"\n"):  # a run was stopped while it wrote
            with path.open("r+b") as file:
                file.truncate(sum(map(len, lines[:-1])))
            del lines[-1]
        try:
            self.known: list[Any] = [json.loads(line) for line in lines]
        except ValueError:
            raise FileError(f"{path} is no file of results") from None
        if not lines:
            self._write(head)
        elif self.known.pop(0) != head:
            raise FileError(f"{path} has the results of another position")

    def told(self, wins: bool) -> dict[Key, Told]:
        """The results of earlier runs for a claim."""
        of = [self.side, wins]
        return {
            (line["prover_moves"], bytes.fromhex(line["cells"])): Told(line["holds"], line["limit"], line["nodes"])
            for line in self.known
            if [line["side"], line["wins"]] == of
        }

    def add(self, wins: bool, key: Key, told: Told) -> None:
        """Write a result down."""
        place = {"prover_moves": key[0], "cells": key[1].hex()}
        self._write({"side": self.side, "wins": wins, **place, **told._asdict()})

    def _write(self, line: dict[str, Any]) -> None:
        with self.path.open("ab") as file:
            file.write(_line(line))


def _line(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"
