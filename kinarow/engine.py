"""Answers questions about positions, for the library, the service, the command line and the MCP tools alike.

A question is searched on the canonical form of its position, and the answer is mapped back, so that symmetric
positions get the same answer. How a search is run is left to the ``ask`` hook: the library searches at once; the
service looks into its caches first, and waits for a free slot.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from kinarow import cores
from kinarow.game.geometry import Permutation
from kinarow.game.position import Position
from kinarow.play import levels
from kinarow.play import review as game_review
from kinarow.play.levels import FULL_STRENGTH, MoveDistribution
from kinarow.play.reasons import reasons_for
from kinarow.play.review import Progress, Review
from kinarow.search.analysis import analyse, in_order, search_among
from kinarow.search.best_move import Listener, search
from kinarow.search.known import look_up
from kinarow.search.known.atlas import Entry
from kinarow.search_types import Limits, SearchResult, Stop

LIVE_MOVES = 5  # The moves in the progress of an analysis that lists all moves


class Question(NamedTuple):
    """A question with every default filled in; a named tuple, because that is made quicker than a frozen dataclass."""

    position: Position  # any position, finished ones too
    limits: Limits = Limits()  # what a search may spend
    level: int = FULL_STRENGTH  # playing strength, 1 to 10; 10 is full strength
    seed: int | None = None  # makes the choice of a level repeatable; at full strength it chooses among the best moves
    allowed: tuple[int, ...] | None = None  # the moves to choose among, in tile order; None for all
    top: int | None = None  # the most moves that an analysis lists, best first; None for all
    stop: Stop | None = None  # ends the search from another thread, which raises SearchStopped
    progress: Listener | None = None  # called with each iteration of a search among all moves, or of an analysis
    live_moves: int = 0  # the number of best moves so far with which progress is called, 0 for none
    wants_reasons: bool = True  # whether the answer gives the reasons for its move

    @property
    def repeatable(self) -> bool:
        """Whether the same question always gets the same move."""
        return self.limits.threads == 1 and (self.level == FULL_STRENGTH or self.seed is not None)

    def until(self, deadline_ns: int) -> "Question":
        """The same question with a further end of the time, on the scale of ``time.monotonic_ns()``."""
        return self._replace(limits=self.limits.until(deadline_ns))

    def watched(self, stop: Stop | None, progress: Listener | None = None) -> "Question":
        """The same question with a flag that stops it and a listener to its progress."""
        live_moves = 0 if progress is None else self.top or LIVE_MOVES
        return self._replace(stop=stop, progress=progress, live_moves=live_moves)


Result = TypeVar("Result", SearchResult, MoveDistribution)


class Ask(Protocol):
    """Gets the result of a key, and says whether it was known before."""

    def __call__(self, key: Hashable, question: Question, search: Callable[[Limits], Result]) -> tuple[Result, bool]:
        """The result, and whether it was known.

        Args:
            key: everything that determines the result.
            question: its position, limits, stop flag and listener are those of the search.
            search: searches within limits.
        """


def search_now(key: Hashable, question: Question, search: Callable[[Limits], Result]) -> tuple[Result, bool]:
    """The result of a search in the caller's thread; nothing is known before."""
    with cores.current().search():
        return search(question.limits), False


def move(question: Question, ask: Ask = search_now) -> tuple[SearchResult, bool]:
    """The move of a level, at full strength the best one, and how good it is; and whether it was known."""
    form = _canonical(question)
    if form.is_weakened:
        answer, known = _choice_of_level(form, ask)
    else:
        answer, known = ask(form.key("move"), question, form.search())
        if question.seed is not None:
            answer = form.explained(levels.choose_among_best(form.position, answer, question.seed))
    return answer.mapped(form.to_original, form.position.rules.sides), known


def analysis(question: Question, ask: Ask = search_now) -> tuple[SearchResult, bool]:
    """The answer of ``move`` with the values of the best ``top`` moves; and whether it was known.

    At full strength the chosen move comes first; the others come by score, then by tile.
    """
    form = _canonical(question)
    if form.is_weakened:
        answer, known = _analysis_of_level(form, ask)
    else:
        answer, known = ask(form.key("analysis"), question, form.analyse())
        if question.seed is not None and len(answer.best_moves) > 1:
            answer = _with_seeded_choice(form, answer, question.seed, ask)
    mapped = answer.mapped(form.to_original, form.position.rules.sides)
    first = mapped.move if question.level == FULL_STRENGTH else None
    return replace(mapped, moves=tuple(in_order(mapped.moves, first)[: question.top])), known


def review(
    question: Question,
    moves: object,
    ask: Ask = search_now,
    *,
    shared_nodes: int | None = None,
    total_time_ms: int | None = None,
    progress: Progress | None = None,
) -> Review:
    """A grade for every move of a game, as ``kinarow.review``; the question is put to every position, its own first."""

    def result_of(position: Position, limits: Limits, stop: Stop) -> SearchResult:
        return move(question._replace(position=position, limits=limits, stop=stop), ask)[0]

    return game_review.review(
        question.position,
        moves,
        question.limits,
        search=result_of,
        shared_nodes=shared_nodes,
        total_time_ms=total_time_ms,
        stop=question.stop,
        progress=progress,
    )


class _Form(NamedTuple):
    """A question on the canonical form of its position, which is searched."""

    question: Question
    position: Position
    to_original: Permutation  # the cell of the question's board for each cell of the canonical one
    allowed: tuple[int, ...] | None  # canonical cells for the allowed moves, in tile order; None for all

    @property
    def is_weakened(self) -> bool:
        return self.question.level < FULL_STRENGTH and self.position.ending().state == "ongoing"

    @property
    def solved(self) -> Entry | None:
        """The atlas's answer about an empty board, if the question may be answered from it."""
        question = self.question
        if self.allowed is not None or question.level < FULL_STRENGTH or question.limits.max_depth is not None:
            return None
        return look_up.entry(self.position)

    def key(self, kind: str) -> Hashable:
        """The key of an answer at full strength; answers with ``allowed`` are not shared between machines."""
        position, limits = self.position, self.question.limits
        if self.allowed is None:
            return kind, position, limits
        return f"{kind} among", position, limits, self.allowed

    def search(self) -> Callable[[Limits], SearchResult]:
        stop, solved, position = self.question.stop, self.solved, self.position
        known = None if solved is None else solved.result()
        if known is not None:
            return lambda limits: self.explained(known)
        if self.allowed is not None:
            among = partial(search_among, position, allowed=self.allowed, stop=stop)
            return lambda limits: self.explained(among(limits))
        progress = self.listener()
        return lambda limits: self.explained(search(position, limits, stop=stop, progress=progress))

    def analyse(self) -> Callable[[Limits], SearchResult]:
        solved = self.solved
        valued = partial(
            analyse,
            self.position,
            stop=self.question.stop,
            progress=self.listener(),
            live_moves=self.question.live_moves,
            allowed=self.allowed,
            first=None if solved is None else solved.result(),
            known=() if solved is None else solved.first_moves or (),
        )
        return lambda limits: self.explained(valued(limits))

    def listener(self) -> Listener | None:
        """The question's listener, which wants the cells of its own board."""
        listen, back = self.question.progress, self.to_original
        return None if listen is None else lambda info: listen(info.mapped(back))

    def explained(self, result: SearchResult) -> SearchResult:
        """The result with its reasons. Reasons that compare moves are left out if the moves were restricted."""
        if result.move is None or not self.question.wants_reasons:
            return result
        is_best = result.move in result.best_moves and self.allowed is None
        return replace(result, reasons=reasons_for(self.position, result.move, result.score, is_best=is_best))

    def chosen_by_level(self, distribution: MoveDistribution) -> int:
        level, seed = self.question.level, self.question.seed
        if self.allowed is not None:
            distribution = levels.restricted(distribution, self.allowed)
        return levels.sample(self.position, level, distribution, levels.new_seed() if seed is None else seed)


def _canonical(question: Question) -> _Form:
    """The question on the canonical position; symmetric questions get the same one."""
    allowed = question.allowed
    if allowed is None:
        canonical = question.position.canonical()
    else:
        canonical, allowed = question.position.canonical_among(allowed)
    return _Form(question, canonical.position, canonical.to_original, allowed)


def _distribution(form: _Form, ask: Ask) -> tuple[MoveDistribution, bool]:
    position, question = form.position, form.question
    return ask(
        ("distribution", position, question.limits, question.level),
        question,
        partial(levels.move_distribution, position, question.level, stop=question.stop),
    )


def _choice_of_level(form: _Form, ask: Ask) -> tuple[SearchResult, bool]:
    distribution, distribution_known = _distribution(form, ask)
    chosen = form.chosen_by_level(distribution)
    position, question, allowed = form.position, form.question, form.allowed
    valued = partial(levels.value_of_choice, position, chosen, stop=question.stop, allowed=allowed)
    answer, known = ask(
        ("choice", position, question.limits, chosen, allowed), question, lambda limits: form.explained(valued(limits))
    )
    return levels.with_cost(answer, distribution), distribution_known and known


def _analysis_of_level(form: _Form, ask: Ask) -> tuple[SearchResult, bool]:
    distribution, distribution_known = _distribution(form, ask)
    limits = levels.after_choice(form.question.limits)
    form = form._replace(question=form.question._replace(limits=limits))
    answer, known = ask(form.key("analysis"), form.question, form.analyse())
    chosen = form.chosen_by_level(distribution)
    value = next(value for value in answer.moves if value.move == chosen)
    result = replace(answer, move=chosen, score=value.score, line=value.line)
    return form.explained(levels.with_cost(result, distribution)), distribution_known and known


def _with_seeded_choice(form: _Form, analysed: SearchResult, seed: int, ask: Ask) -> SearchResult:
    """An analysis with the move that the seed chooses, the same one that ``move`` chooses."""
    answer, _ = ask(form.key("move"), form.question, form.search())
    chosen = levels.choose_among_best(form.position, answer if answer.score.exact else analysed, seed)
    moves = tuple(replace(value, line=chosen.line) if value.move == chosen.move else value for value in analysed.moves)
    return form.explained(replace(analysed, move=chosen.move, line=chosen.line, moves=moves))
