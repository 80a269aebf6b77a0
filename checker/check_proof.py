#!/usr/bin/env python3
"""Checks proofs of k-in-a-row boards: python3 check_proof.py FILE…

docs/proofs.md describes the files. This program has its own rules. A set of cells is an integer, bit ``1 << cell``; a
position is two sets, the marks of the *prover*, the side of the claim, and of the *opponent*.
"""

import json
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from operator import and_
from typing import Any

PAIRING, MARK_AND_PAIRING, FOLLOW_UP, MISSING = 250, 251, 252, 253  # bytes of leaves, and no byte; others are cells
MOST_CELLS, MOST_BYTES, MOST_LINE = 250, 1 << 28, 1 << 16  # of a board, a decompressed file, and its line of JSON
MOST_KEPT = 36_000_000  # stored positions, or windows of these: either takes 4 GB
STEPS = {"horizontal": (0, 0, 1), "vertical": (0, 1, 0), "diagonal": (0, 1, 1), "antidiagonal": (0, 1, -1)}
RINGS = {"none": (False, False), "rows": (False, True), "columns": (True, False), "both": (True, True)}
NUMBERS, SWITCHES = ("rows", "columns", "layers", "goal"), ("gravity", "misere", "exact_goal")
DEFAULTS: dict[str, Any] = {"layers": 1, "wrap": "none", "directions": list(STEPS), "marks": "own"}
DEFAULTS |= dict.fromkeys((*SWITCHES, "caro", "renju"), False)


class Unproven(Exception):
    """The file proves nothing; the message says why."""


def need(holds: object, why: str) -> None:
    """Raise ``Unproven`` with the reason unless ``holds``."""
    if not holds:
        raise Unproven(why)


def bits(cells: int) -> Iterator[int]:
    """Yield the cells of a set in ascending order."""
    while cells:
        yield (cells & -cells).bit_length() - 1
        cells &= cells - 1


def mapped(image: list[int], cells: int) -> int:
    """Return the image of a set of cells."""
    return sum(1 << image[cell] for cell in bits(cells))


def pairing(windows: tuple[int, ...]) -> int | None:
    """Return the cells of disjoint pairs, one in each window; None if there are no such pairs."""
    # *Pairing.* The prover answers a mark on a pair by the other cell, and else marks any cell, which never harms it
    # without gravity. So the opponent completes no window with a pair. Successive windows share a pair as long as they
    # have two cells in common; each such group gets two cells by augmenting paths.
    groups, owner = list[int](), dict[int, int]()
    for window in windows:
        common = groups[-1] & window if groups else 0
        groups[-1:] = [common] if common & common - 1 else [*groups[-1:], window]

    def give(group: int, seen: set[int]) -> bool:
        for cell in bits(groups[group]):
            if cell not in seen:
                seen.add(cell)
                if cell not in owner or give(owner[cell], seen):
                    owner[cell] = group
                    return True
        return False

    paired = all(give(group, set()) for group in range(len(groups)) for _ in range(2))
    return sum(1 << cell for cell in owner) if paired else None


class Game:
    """The rules, all lines, and the marks of the first position of a proof."""

    def __init__(self, sent: Any, board: Any) -> None:
        need(isinstance(sent, dict) and sent.keys() <= DEFAULTS.keys() | set(NUMBERS), "unknown rules")
        rules = DEFAULTS | sent
        need(all(type(rules.get(n)) is int and 1 <= rules[n] <= MOST_CELLS for n in NUMBERS), "a size is no number")
        need(all(type(rules[name]) is bool for name in SWITCHES), "a rule is neither true nor false")
        need(rules["caro"] is rules["renju"] is False, "Caro and Renju are not checked")
        need(rules["wrap"] in list(RINGS) and rules["marks"] in ["own", "shared"], "unknown edges or marks")
        named, flat = rules["directions"], rules["layers"] == 1
        need(isinstance(named, list) and named and all(name in list(STEPS) for name in named), "unknown directions")
        need(flat or (rules["wrap"] == "none" and set(named) == set(STEPS)), "layers with joined edges or directions")
        self.rows, self.columns, self.layers, self.goal = (rules[name] for name in NUMBERS)
        self.gravity, self.misere, self.exact = (rules[name] for name in SWITCHES)
        self.shared, self.rings = rules["marks"] == "shared", RINGS[rules["wrap"]]
        count = self.count = int(self.rows * self.columns * self.layers)
        rows = board if isinstance(board, list) and all(isinstance(row, str) for row in board) else []
        need([len(row) for row in rows] == [self.columns] * self.rows * self.layers, "the board has another size")
        need(self.count <= MOST_CELLS, f"more than {MOST_CELLS} cells")
        need(set("".join(board)) <= set("X.#" if self.shared else "XO.#"), "an unknown mark")
        marks = [sum(1 << cell for cell, each in enumerate("".join(board)) if each == mark) for mark in "XO#"]
        self.marks, self.all = marks[:2], (1 << count) - 1
        self.free, level = self.all & ~marks[2], self.columns if flat else self.rows * self.columns
        self.up, self.floor = (-level, self.all ^ self.all >> level) if flat else (level, (1 << level) - 1)
        steps = [STEPS[name] for name in STEPS if name in named] if flat else list(product((-1, 0, 1), repeat=3))[14:]
        self.lines = list(dict.fromkeys(line for step in steps for line in self.along(step)))
        self.through = [[line for line in self.lines if line[0] >> cell & 1] for cell in range(self.count)]
        floats = self.gravity and any(on & ~self.moved(on, self.up) & ~self.floor for on in (sum(marks), marks[2]))
        over = any(not line & ~own and not ends & own for own in self.marks for line, ends in self.lines)
        need(not floats and not over, "at the beginning a mark or a wall floats, or a line is complete")

    def moved(self, cells: int, by: int) -> int:
        """Return the cells shifted ``by`` places; those that leave the board are dropped."""
        return (cells << by if by > 0 else cells >> -by) & self.all

    def step(self, cell: int, step: tuple[int, ...], by: int = 1) -> int:
        """Return the cell that is ``by`` steps away, or -1 off the board."""
        row, column, layer = cell // self.columns % self.rows, cell % self.columns, cell // self.columns // self.rows
        layer, row, column = layer + by * step[0], row + by * step[1], column + by * step[2]
        row, column = row % self.rows if self.rings[0] else row, column % self.columns if self.rings[1] else column
        on = 0 <= layer < self.layers and 0 <= row < self.rows and 0 <= column < self.columns
        return (layer * self.rows + row) * self.columns + column if on else -1

    def along(self, step: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Yield the lines of a direction as ``(cells, cells beyond the ends)``, the second only for an exact goal."""
        left = set(range(self.count))
        for first in sorted(left, key=lambda cell: self.step(cell, step, -1) >= 0):
            cell = first
            while cell in left:
                left.remove(cell)
                before, *run, after = (self.step(cell, step, by) for by in range(-1, self.goal + 1))
                line, ends = (sum(1 << each for each in {*of} - {-1}) for of in (run, (before, after)))
                if line.bit_count() == self.goal and not line & ~self.free:
                    yield line, ends & ~line if self.exact else 0
                cell = self.step(cell, step)

    def legal(self, marks: int) -> int:
        """Return the cells that may be marked; with gravity those on the floor, a mark or a blocked cell."""
        free = self.free & ~marks
        return free & (self.moved(self.all & ~free, self.up) | self.floor) if self.gravity else free

    def missing(self, lines: list[tuple[int, int]], own: int, other: int) -> int:
        """Return the cells that complete one of the lines for the side with the marks ``own``, now or later."""
        found, other = 0, other & ~own  # shared marks block nobody
        for line, ends in lines:
            left = line & ~own
            if not (line & other or ends & own or left & left - 1):
                found |= left
        return found

    def windows(self, own: int, other: int) -> tuple[int, ...]:
        """Return the windows: the different sets of empty cells of lines that the opponent may still complete."""
        return tuple(dict.fromkeys(a & ~other for a, ends in self.lines if not a & own and not ends & other))

    def holds(self, by: object, own: int, other: int, prover_moves: bool, wins: bool, crossed: Any = ()) -> bool:
        """Return True if one argument proves the claim without examining replies."""
        # *Pairing in misère.* Pair the empty cells of the prover's own lines, and all other cells, except at most one.
        # The prover answers a mark on a pair by its other cell, and else marks the single cell or, without one, a cell
        # of a pair, whose other cell is then single. So it never gets a pair. With gravity no window may be left.
        if by == "pairing":
            windows = self.windows(other, own) if self.misere else self.windows(own, other)
            return not (wins or self.shared or (self.gravity and windows)) and pairing(windows) is not None
        if self.shared or by == "follow-up":
            return not self.shared and self.gravity and self.follows_up(own, other, prover_moves, wins, crossed)
        # *Strategy stealing.* If the second side could win, the first could mark any cell and then play as if it were
        # second. The additional mark never harms it if there is no gravity, each side has its own marks, longer runs
        # count and a line wins. So both would win, a contradiction: the side that begins does not lose.
        if by == "strategy stealing":
            return prover_moves and not (wins or own | other or self.gravity or self.misere or self.exact)
        return by == "mirror" and self.misere and not wins and self.mirrors(own, other, prover_moves)

    def stacks(self, marks: int) -> list[list[int]]:
        """Return the empty cells of each stack, from below."""
        stacks = [[cell] for cell in bits(self.legal(marks))]
        for stack in stacks:
            while cells := self.moved(1 << stack[-1], self.up) & self.free:
                stack.append(cells.bit_length() - 1)
        return stacks

    def follows_up(self, own: int, other: int, prover_moves: bool, wins: bool, crossed: list[int]) -> bool:
        """Return True if answering each mark right above it, or in a crossed stack, proves the claim."""
        # *Follow-up.* Let every stack be even and the opponent to move. From below, it gets the first of every two
        # cells and the prover the second. A prover to move first marks the lowest cell of the only odd stack. Two
        # stacks are *crossed* up to a height: the prover answers a mark in one by the cell as high in the other, free
        # since both have grown equally. So each side gets one cell of a pair. Above, the stacks are even.
        stacks, above, pairs = self.stacks(own | other), list[list[int]](), list[int]()
        for a, b in zip(crossed[::2], crossed[1::2], strict=True):
            one, two = (next((stack for stack in stacks if cell in stack), [cell]) for cell in (a, b))
            others, height = [stack for stack in stacks if stack not in (one, two)], one.index(a) + 1
            if len(others) != len(stacks) - 2 or two.index(b) + 1 != height:
                return False
            pairs += [1 << x | 1 << y for x, y in zip(one[:height], two, strict=False)]
            stacks, above = others, [*above, one[height:], two[height:]]
        odd = [stack.pop(0) for stack in stacks + above if len(stack) % 2]
        upper, lower = (sum(1 << cell for stack in stacks + above for cell in stack[at::2]) for at in (1, 0))
        own, either = own | sum(1 << cell for cell in odd), sum(pairs)
        mine, theirs = (
            [a for a, ends in self.lines if not a & ~(of | more) and not ends & of and all(pair & ~a for pair in pairs)]
            for of, more in ((own, upper | either), (other, lower | either))
        )
        # *Normal play:* the prover does not lose if no line, but those with both cells of a pair, lies in the marks and
        # cells that the opponent may get. It wins if a line lies in its own marks and cells that it surely gets.
        known, wanted = {line for line, _ in self.lines}, theirs if self.misere else mine
        wrong = len(odd) != prover_moves or any(not line & ~own for line in mine)
        wrong |= wins and all(line & either for line in wanted)
        wrong |= self.exact and (wins or (self.misere and len(mine) > 0))
        # *Misère:* the prover completes a line only after the opponent has marked all cells right below it. If these
        # are a line, the opponent completed it before and lost. So the prover does not lose if all lines that it may
        # get are of this kind, and wins if the opponent surely gets one. With an exact goal a longer run spoils a line,
        # so no line is relied on.
        late = self.misere and all(not line & ~upper and self.moved(line, -self.up) in known for line in mine)
        return not wrong and (late or not (self.misere or theirs))

    def mirrors(self, own: int, other: int, prover_moves: bool) -> bool:
        """Return True if answering each mark by its mirror image proves, in misère, that the prover does not lose."""
        # *Mirror.* A symmetry exchanges cells in pairs, keeps heights with gravity, and the prover has the images of
        # the opponent's marks. The image of a new mark is legal, and completes only images of complete lines. Without
        # gravity, a prover who begins first marks the only cell that is its own image; lines through it need a pair.
        for image in self.symmetries():
            fixed = sum(1 << cell for cell in bits(self.free) if image[cell] == cell)
            divided = all(line & mapped(image, line) & ~fixed for line, _ in self.lines if line & fixed)
            begins = fixed.bit_count() == 1 and divided and not (own | other or self.gravity)
            if begins if prover_moves else not fixed and mapped(image, other) == own:
                return True
        return False

    def symmetries(self) -> Iterator[list[int]]:
        """Yield the symmetries that keep lines, walls and heights: reflections, half turns, shifts by half a side."""
        lines, level = {*self.lines, (self.free, 0)}, abs(self.up) if self.gravity else self.count
        shifts = [(n, range(0, n, n // (2 - n % 2))) for n in (self.layers, self.rows, self.columns)]
        kinds = [{tuple(((i ^ t) + b) % n for i in range(n)) for t in (0, -1) for b in by} for n, by in shifts]
        for axes in product(*kinds):
            image = [(layer * self.rows + row) * self.columns + column for layer, row, column in product(*axes)]
            fair = all(image[to] == cell and to // level == cell // level for cell, to in enumerate(image))
            if fair and {(mapped(image, line), mapped(image, ends)) for line, ends in lines} == lines:
                yield image


class Replay:
    """Replays a strategy: ``decide`` returns the prover's next move; ``known`` has the results of its positions."""

    def __init__(self, game: Game, wins: bool, decide: Callable[[], int]) -> None:
        self.game, self.wins, self.decide, self.known = game, wins, decide, dict[Any, int]()

    def begin(self, own: int, other: int) -> tuple[int, int, int, int, tuple[int, ...]]:
        """Return the first position: the marks, the cells that complete lines, and a view for each symmetry."""
        # *The same position.* A view is the empty cells and the lines that each side may still complete, as a symmetry
        # maps them. They decide the rest of the game, so the same least view has the same result. A mark removes its
        # cell, the other side's lines through it (shared marks need only cells) and, with an exact goal, lines it ends.
        game, cells, self.images = self.game, range(self.game.count), list(self.game.symmetries())
        lines = [] if game.shared else game.lines
        full, taken = (1 << game.count + 2 * len(lines)) - 1, [[1 << cell for cell in cells] for _ in "XO"]
        for at, (side, (line, ends)) in enumerate(product((0, 1), lines), game.count):
            for cell in bits(line | ends):
                taken[side ^ (line >> cell & 1)][cell] |= 1 << at
        self.left = [[tuple(full ^ gone[image[cell]] for image in self.images) for cell in cells] for gone in taken]
        views = (full,) * len(self.images)
        for cell in bits(own | other):
            views = self.seen(views, other >> cell & 1, cell)
        return own, other, game.missing(game.lines, own, other), game.missing(game.lines, other, own), views

    def seen(self, views: tuple[int, ...], side: int, cell: int) -> tuple[int, ...]:
        """Return the views after a mark; ``side`` 0 is the prover."""
        return tuple(map(and_, views, self.left[side][cell]))

    def completing(self, own: int, other: int, cell: int, before: int) -> int:
        """Return the cells that complete a line for a side after its mark on ``cell``; ``before`` are those before."""
        game = self.game  # with an exact goal the mark may spoil a line
        found = game.missing(game.lines if game.exact else game.through[cell], own, other)
        return found if game.exact else before | found

    def prover(self, own: int, other: int, mine: int, theirs: int, views: tuple[int, ...]) -> int:
        """Return the most plies to the end, with the prover to move; ``mine`` and ``theirs`` complete lines."""
        # In normal play *a completed line* wins. The prover must *block* the opponent's; two such cells refute it.
        game, legal, key = self.game, self.game.legal(own | other), min(views)
        need(legal or not self.wins, "the board is full without a line")
        if mine & legal and not game.misere:
            return 1
        if key in self.known or not legal:
            return self.known.get(key, 0)
        need(len(self.known) < MOST_KEPT, "it takes too much memory")
        blocks = 0 if game.misere else theirs & legal  # none with shared marks, where ``mine`` are the same
        need(not blocks & blocks - 1, "the opponent completes a line")
        code = blocks.bit_length() - 1 if blocks else self.decide()
        mark = 0 if code == PAIRING else 1 << (self.decide() if code in (MARK_AND_PAIRING, FOLLOW_UP) else code)
        need(not mark & ~legal, "a decision is no legal move")
        need(not (game.misere and mine & mark), "a decision completes a line and loses")
        own |= mark
        if code < PAIRING:
            mine, views = self.completing(own, other, code, mine), self.seen(views, 0, code)
            plies = 1 + self.opponent(own, own if game.shared else other, mine, mine if game.shared else theirs, views)
        else:
            by, crossed = "follow-up" if code == FOLLOW_UP else "pairing", list[int]()
            while by == "follow-up" and (cell := self.decide()) < PAIRING:
                crossed.append(cell)
            need(game.holds(by, own, other, not mark, self.wins, crossed), "a leaf does not hold")
            plies = (game.free & ~(own | other)).bit_count() + (mark > 0)
        return self.known.setdefault(key, plies)

    def opponent(self, own: int, other: int, mine: int, theirs: int, views: tuple[int, ...]) -> int:
        """Return the most plies to the end, with the opponent to move."""
        # *Two completing cells:* the opponent can mark only one, the prover the other. A single one must be blocked.
        game, legal, longest = self.game, self.game.legal(own | other), 0
        need(legal or not self.wins, "the board is full without a line")
        need(game.misere or not theirs & legal, "the opponent completes a line")
        if mine & legal and not game.misere:
            longest, legal = 2 * (mine & legal != legal), mine & legal
            if legal & legal - 1:
                return 2
        for cell in bits(legal):
            marks, plies = other | 1 << cell, 1
            if not (game.misere and theirs >> cell & 1):  # which loses
                now, after = self.completing(marks, own, cell, theirs), self.seen(views, 1, cell)
                plies += self.prover(*((marks, marks, now, now) if game.shared else (own, marks, mine, now)), after)
            longest = max(longest, plies)
        return longest

    def breaker(self, windows: tuple[int, ...]) -> int:
        """Return the zone of a position in a proof by blocking, with the prover to move."""
        # In a proof by *blocking* a position is its *windows*. The prover holds even if the opponent had all cells
        # outside the *zone*. The zone of a pairing are its pairs; of a move, the cell and the zone after it; with the
        # opponent to move, the zones after its replies. Replies outside the zone need no answer.
        if windows in self.known or not windows:
            return self.known.get(windows, 0)
        need(len(self.known) * len(windows) < MOST_KEPT, "it takes too much memory")
        blocks = [window for window in windows if not window & window - 1]
        need(len(blocks) < 2, "the opponent completes a line")
        code = blocks[0].bit_length() - 1 if blocks else self.decide()
        mark = 0 if code == PAIRING else 1 << (self.decide() if code == MARK_AND_PAIRING else code)
        rest = tuple(window for window in windows if not window & mark)
        need(not mark or rest != windows, "a decision is no cell of a window")
        zone = pairing(rest) if code >= PAIRING else self.maker(rest)
        need(zone is not None, "there is no pairing")
        return self.known.setdefault(windows, (zone or 0) | mark)

    def maker(self, windows: tuple[int, ...]) -> int:
        """Return the zone with the opponent to move."""
        # *Images.* At the first position, a reply that a symmetry maps to an earlier reply has the image of its zone.
        need(all(window & window - 1 for window in windows), "the opponent completes a line")
        weights, zone, granted, zones = dict[int, int](), 0, -1, dict[int, int]()
        for size, cell in ((window.bit_count(), cell) for window in windows for cell in bits(window)):
            weights[cell] = weights.get(cell, 0) + 4 ** (10 - min(size, 10))
        every = () if self.known else self.game.symmetries()
        images = [image for image in every if {mapped(image, window) for window in windows} == {*windows}]
        for cell in sorted(weights, key=lambda cell: (-weights[cell], cell)):
            if granted >> cell & 1:
                met = (mapped(image, zones[image[cell]]) for image in images if image[cell] in zones)
                rest = tuple(dict.fromkeys(window & ~(1 << cell) for window in windows))
                after = zones[cell] = min(met, default=0) or self.breaker(rest)
                zone, granted = zone | after, granted & after
        return zone


def check(head: Any, body: bytes) -> tuple[str, str, int]:
    """Return ``(side, claim, most plies)`` of a proof; raise ``Unproven`` if it proves nothing."""
    game, side, claim, by = Game(head.get("rules"), head.get("board")), *map(head.get, ("side", "claim", "by"))
    known = side in ["X", "O"] and head.get("to_move") in ["X", "O"] and claim in ["win", "not-lose"]
    need(known and type(head.get("engine", "")) is str, "side, to_move, claim or engine has no such value")
    moves, wins, rest = head["to_move"] == side, claim == "win", iter(body)
    own, other = (sum(game.marks),) * 2 if game.shared else game.marks[:: 1 if side == "X" else -1]
    plies = (game.free & ~own & ~other).bit_count()
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))
    replay = Replay(game, wins, lambda: next(rest, MISSING))
    if by == "moves":
        plies = (replay.prover if moves else replay.opponent)(*replay.begin(own, other))
    elif by == "blocking":
        need(not (wins or game.gravity or game.misere or game.shared), "blocking does not prove it")
        (replay.breaker if moves else replay.maker)(game.windows(own, other))
    else:
        need(game.holds(by, own, other, moves, wins), "the argument does not prove it")
    need(next(rest, None) is None, "decisions are left over")
    return side, claim, plies


def proofs(data: bytes) -> Iterator[tuple[Any, bytes]]:
    """Yield the proofs of a file: the object of the first line, and the decisions."""
    if data[:2] == b"\x1f\x8b":
        data = (unpack := zlib.decompressobj(wbits=31)).decompress(data, MOST_BYTES)
        need(unpack.eof and not unpack.unused_data, "it ends too early, or is too long")
    need(data, "it has no proof")
    while data:
        end = data.find(b"\n", 0, MOST_LINE) + 1
        head = json.loads(data[:end])
        need(isinstance(head, dict) and type(head.get("decisions")) is int, "the number of decisions is missing")
        need(0 <= head["decisions"] <= len(data) - end, "the decisions end too early")
        yield head, data[end : end + head["decisions"]]
        data = data[end + head["decisions"] :]


def main(files: list[str]) -> int:
    """Check files and print what each proves; return the exit code."""
    code = 0
    for name in files:
        try:
            with open(name, "rb") as file:
                for head, body in [*proofs(file.read(MOST_BYTES))]:
                    side, claim, plies = check(head, body)
                    says, unit = "wins" if claim == "win" else "does not lose", "ply" if plies == 1 else "plies"
                    board = {"board": "/".join(head["board"])} if "".join(head["board"]).strip(".") else {}
                    where = json.dumps(head["rules"] | board).strip("{}").replace('"', "") + f"; {head['to_move']}"
                    print(f"proven: {side} {says} within {plies} {unit}; {where} to move; {len(body)} decisions")
        except (Unproven, OSError, ValueError, RecursionError, zlib.error) as failure:
            code = 1
            print(f"NOT PROVEN: {name!a}: {failure!a:.200}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else __doc__)
