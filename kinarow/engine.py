"""Answer questions about positions, for the library, the service, the command line and MCP alike.

How a question travels::

    request             contract.requests, reading: fields and texts → position, limits
    Question            here, with every default filled in
    canonical position  symmetric positions share it; the answer is mapped back
    ask                 the library searches at once; the service looks into searches.Searches:
      cache             an answer of this process, then of Redis; equal questions share one search
      slot              service.searches.limiter: one core of the machine
    known values        search.known: atlas, opening book, strategy
    plan                solvers.plans: which solvers prove, in which order, with which share of the nodes
    solver → kernel     solvers.*/solver.py, then compiled code
    answer              contract.answers: value, reasons and sentence
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import NamedTuple, Protocol, TypeVar

from kinarow import cores
from kinarow.game.geometry import Permutation
from kinarow.game.position import Position
from kinarow.play import levels
from kinarow.play import review as game_review
from kinarow.play.levels import FULL_STRENGTH
from kinarow.play.reasons import reasons_for
from kinarow.play.review import Progress, Review
from kinarow.search.analysis import analyse, best_first, search_among
from kinarow.search.best_move import Listener, search
from kinarow.search.known import look_up
from kinarow.search.known.atlas import Entry
from kinarow.search_types import Limits, SearchInfo, SearchResult, Stop, StoppedBy

LIVE_MOVES = 5  # The moves in the progress of an analysis that lists all moves


class Question(NamedTuple):
    """A question with every default filled in; a named tuple, which is created faster than a frozen dataclass."""

    position: Position  # any position, finished ones too
    limits: Limits = Limits()  # what a search may spend
    level: int = FULL_STRENGTH  # playing strength, 1 to 10; 10 is full strength
    seed: int | None = None  # makes the choice of a level repeatable; at full strength it chooses among the best moves
    allowed: tuple[int, ...] | None = None  # the moves to choose among, in tile order; None for all
    top: int | None = None  # the most moves that an analysis lists, best first; None for all
    stop: Stop | None = None  # lets another thread end the search, which then raises SearchStopped
    progress: Listener | None = None  # called with each iteration of a search among all moves, or of an analysis
    live_moves: int = 0  # the number of best moves that each call of progress lists, 0 for none
    wants_reasons: bool = True  # whether the answer gives the reasons for its move

    @property
    def identity(self) -> str:
        """Text that is equal only for questions with the same answer; cache keys and ETags are made of it."""
        return repr(_what_matters(self))

    @property
    def repeatable(self) -> bool:
        """True if the same question always gets the same move."""
        return self.limits.threads == 1 and (self.level == FULL_STRENGTH or self.seed is not None)

    def until(self, deadline_ns: int) -> "Question":
        """Return the question with a deadline, on the scale of ``time.monotonic_ns()``."""
        return self._replace(limits=self.limits.until(deadline_ns))

    def with_stop(self, stop: Stop | None, progress: Listener | None = None) -> "Question":
        """Return the question with a stop flag and a progress listener."""
        live_moves = 0 if progress is None else self.top or LIVE_MOVES
        return self._replace(stop=stop, progress=progress, live_moves=live_moves)


_HOW_IT_RUNS = {"stop", "progress", "live_moves"}  # the fields that change no answer; a new field is taken to matter
_what_matters = itemgetter(*(place for place, name in enumerate(Question._fields) if name not in _HOW_IT_RUNS))


class SearchStats(Protocol):
    """What caches and metrics read of a search's result."""

    @property
    def stopped_by(self) -> StoppedBy:
        """The reason why the search ended; a result that ended by ``time`` isn't repeatable."""

    @property
    def proven(self) -> bool:
        """Whether the outcome is certain."""

    @property
    def nodes(self) -> int:
        """Positions visited."""

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds of wall-clock time."""

    @property
    def depth(self) -> int | None:
        """Plies completed; None without a depth."""


Result = TypeVar("Result", bound=SearchStats)


class Ask(Protocol):
    """Returns the result of a search, from a cache or by searching."""

    def __call__(
        self, kind: str, question: Question, search: Callable[[Limits], Result], *, keep: bool = True
    ) -> tuple[Result, bool]:
        """Return ``(result, known)``; known is true if the result was cached or computed for another caller.

        Args:
            kind: what is asked; it and the question's identity determine the result.
            question: the question about the position that is searched.
            search: searches within the limits that it gets; uses the question's stop flag and listener.
            keep: whether the result may be cached.
        """


def search_now(
    kind: str, question: Question, search: Callable[[Limits], Result], *, keep: bool = True
) -> tuple[Result, bool]:
    """Search in the caller's thread, without a cache; an ``Ask``."""
    with cores.current():
        return search(question.limits), False


def move(question: Question, ask: Ask = search_now) -> tuple[SearchResult, bool]:
    """Return ``(result, known)``: the move that the level chooses, with its value; at full strength the best move."""
    canonical = _canonical(question)
    if question.level < FULL_STRENGTH and not question.position.is_over:
        answer, known = _choice_of_level(canonical, ask)
    else:
        answer, known = ask("move", canonical.at_full_strength, canonical.search)
        if question.seed is not None:
            answer = canonical.explained(levels.choose_among_best(canonical.question.position, answer, question.seed))
    return answer.mapped(canonical.to_original, question.position.rules.sides), known


def analysis(question: Question, ask: Ask = search_now) -> tuple[SearchResult, bool]:
    """Return ``(result, known)``: the result of ``move`` with the values of the best ``top`` moves.

    Moves are sorted by score, then by tile; at full strength the chosen move comes first.
    """
    canonical = _canonical(question)
    if question.level < FULL_STRENGTH and not question.position.is_over:
        answer, known = _analysis_of_level(canonical, ask)
    else:
        answer, known = ask("analysis", canonical.at_full_strength, canonical.analyse)
        if question.seed is not None and len(answer.best_moves) > 1:
            answer = _with_seeded_choice(canonical, answer, question.seed, ask)
    mapped = answer.mapped(canonical.to_original, question.position.rules.sides)
    first = mapped.move if question.level == FULL_STRENGTH else None
    listed = tuple(best_first(mapped.moves, first)[: question.top])
    return mapped if listed == mapped.moves else replace(mapped, moves=listed), known


def review(
    question: Question,
    moves: object,
    ask: Ask = search_now,
    *,
    shared_nodes: int | None = None,
    total_time_ms: int | None = None,
    progress: Progress | None = None,
) -> Review:
    """Grade every move of a game that begins at the question's position; like ``kinarow.review``."""

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


class _CanonicalQuestion(NamedTuple):
    """A question whose position is in canonical form."""

    question: Question
    to_original: Permutation  # place i holds the original board's cell for cell i of the canonical board

    @property
    def at_full_strength(self) -> Question:
        """The question without level, seed and ``top``."""
        question = self.question
        if question.level == FULL_STRENGTH and question.seed is question.top is None:
            return question
        return question._replace(level=FULL_STRENGTH, seed=None, top=None)

    @property
    def solved(self) -> Entry | None:
        """The atlas entry that may answer the question, or None."""
        question = self.question
        if question.allowed is not None or question.level < FULL_STRENGTH or question.limits.max_depth is not None:
            return None
        return look_up.entry(question.position)

    def search(self, limits: Limits) -> SearchResult:
        """Search for the best move, and add its reasons."""
        question, solved = self.question, self.solved
        known = None if solved is None else solved.result()
        if known is not None:
            return self.explained(known)
        if question.allowed is not None:
            return self.explained(search_among(question.position, limits, question.allowed, stop=question.stop))
        return self.explained(search(question.position, limits, stop=question.stop, progress=question.progress))

    def analyse(self, limits: Limits) -> SearchResult:
        """Value every allowed move, and add the reasons for the best one."""
        question, solved = self.question, self.solved
        analysed = analyse(
            question.position,
            limits,
            stop=question.stop,
            progress=question.progress,
            live_moves=question.live_moves,
            allowed=question.allowed,
            first=None if solved is None else solved.result(),
            known=() if solved is None else solved.first_moves or (),
        )
        return self.explained(analysed)

    def explained(self, result: SearchResult) -> SearchResult:
        """Add the reasons to a result; those that compare moves only if all moves were allowed."""
        question = self.question
        if result.move is None or not question.wants_reasons:
            return result
        is_best = result.move in result.best_moves and question.allowed is None
        return replace(result, reasons=reasons_for(question.position, result.move, result.score, is_best=is_best))

    def chosen_by_level(self, distribution: levels.MoveDistribution) -> int:
        """Return the allowed move that the seed draws from the distribution; without a seed, draw at random."""
        question = self.question
        if question.allowed is not None:
            distribution = levels.restrict(distribution, question.allowed)
        seed = levels.new_seed() if question.seed is None else question.seed
        return levels.sample(question.position, question.level, distribution, seed)


def _canonical(question: Question) -> _CanonicalQuestion:
    """Return the question about the canonical position, equal for all symmetric questions."""
    allowed, listen = question.allowed, question.progress
    if allowed is None:
        canonical = question.position.canonical()
    else:
        canonical, allowed = question.position.canonical_among(allowed)
    back = canonical.to_original

    def progress(info: SearchInfo) -> None:
        assert listen is not None
        listen(info.mapped(back))

    asked = question._replace(
        position=canonical.position, allowed=allowed, progress=None if listen is None else progress
    )
    return _CanonicalQuestion(asked, back)


def _distribution(canonical: _CanonicalQuestion, ask: Ask) -> tuple[levels.MoveDistribution, bool]:
    """Return ``(distribution, known)``: the probability with which the level makes each move, allowed or not."""
    question = canonical.question._replace(seed=None, top=None, allowed=None)
    distribute = partial(levels.move_distribution, question.position, question.level, stop=question.stop)
    return ask("distribution", question, distribute)


def _choice_of_level(canonical: _CanonicalQuestion, ask: Ask) -> tuple[SearchResult, bool]:
    """Return ``(result, known)``: the move that a level below full strength chooses, with its value.

    Known is true only if both the level's distribution and the value were known.
    """
    distribution, distribution_known = _distribution(canonical, ask)
    chosen, question = canonical.chosen_by_level(distribution), canonical.at_full_strength
    valued = partial(levels.value_of_choice, question.position, chosen, stop=question.stop, allowed=question.allowed)
    answer, known = ask(f"choice {chosen}", question, lambda limits: canonical.explained(valued(limits)))
    return levels.with_cost(answer, distribution), distribution_known and known


def _analysis_of_level(canonical: _CanonicalQuestion, ask: Ask) -> tuple[SearchResult, bool]:
    """Return ``(result, known)``: all moves' values, and the move that a level below full strength chooses.

    Known is true only if both the level's distribution and the analysis were known.
    """
    distribution, distribution_known = _distribution(canonical, ask)
    limits = levels.after_choice(canonical.question.limits)
    canonical = canonical._replace(question=canonical.question._replace(limits=limits))
    answer, known = ask("analysis", canonical.question._replace(seed=None, top=None), canonical.analyse)
    chosen = canonical.chosen_by_level(distribution)
    value = next(value for value in answer.moves if value.move == chosen)
    result = replace(answer, move=chosen, score=value.score, line=value.line)
    return canonical.explained(levels.with_cost(result, distribution)), distribution_known and known


def _with_seeded_choice(canonical: _CanonicalQuestion, analysed: SearchResult, seed: int, ask: Ask) -> SearchResult:
    """Return the analysis with the seed's choice among the best moves as its move: the same move as ``move`` gives."""
    answer, _ = ask("move", canonical.at_full_strength, canonical.search)
    chosen = levels.choose_among_best(canonical.question.position, answer if answer.score.exact else analysed, seed)
    moves = tuple(replace(value, line=chosen.line) if value.move == chosen.move else value for value in analysed.moves)
    return canonical.explained(replace(analysed, move=chosen.move, line=chosen.line, moves=moves))
