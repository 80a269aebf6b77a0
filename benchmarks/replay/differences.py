"""Compares two answers field by field, and counts the differences."""

import json
from collections import Counter
from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from benchmarks.replay.requests import Request

NEVER_COMPARED = ("elapsed_ms", "cached", "engine")
"""Fields that may differ between two answers of one version; ``engine`` is a digest of the library's files."""

MOST_SHOWN = 10
MOST_CHARACTERS = 4000
_ABSENT = "(absent)"


class Difference(NamedTuple):
    """A field with different values; ``*`` in its path stands for a list index."""

    path: str
    before: Any
    after: Any


class Comparison:
    """Compares many answers; stores the first differences in full, and counts all.

    Args:
        ignored: names of fields that are not compared.
        allowed: patterns of paths (as in ``fnmatch``) whose differences are counted separately.
    """

    def __init__(self, ignored: Collection[str] = (), allowed: Collection[str] = ()) -> None:
        self._ignored = {*NEVER_COMPARED, *ignored}
        self._patterns = allowed
        self.shown: list[str] = []
        self.asked: Counter[str] = Counter()
        self.differing: Counter[str] = Counter()
        self.fields: Counter[str] = Counter()
        self.allowed: Counter[str] = Counter()
        self.out_of_time = 0

    def add(self, request: Request, before: Any, after: Any) -> None:
        """Compare the answers to a request."""
        self.asked[request.kind] += 1
        found = []
        for difference in self._differences(before, after, ""):
            allowed = any(fnmatchcase(difference.path, pattern) for pattern in self._patterns)
            (self.allowed if allowed else self.fields)[difference.path] += 1
            if not allowed:
                found.append(difference)
        if found:
            self.differing[request.kind] += 1
            if len(self.shown) < MOST_SHOWN:
                self.shown.append(_in_full(request, found))

    def _differences(self, before: Any, after: Any, path: str) -> Iterator[Difference]:
        if isinstance(before, dict) and isinstance(after, dict):
            if _out_of_time(before) or _out_of_time(after):
                self.out_of_time += 1
                return
            for name in sorted(before.keys() | after.keys() - self._ignored):
                if name not in self._ignored:
                    values = before.get(name, _ABSENT), after.get(name, _ABSENT)
                    yield from self._differences(*values, f"{path}.{name}" if path else name)
        elif isinstance(before, list) and isinstance(after, list):
            if len(before) != len(after):
                yield Difference(f"{path}.length", len(before), len(after))
            for pair in zip(before, after, strict=False):
                yield from self._differences(*pair, f"{path}.*")
        elif type(before) is not type(after) or before != after:
            yield Difference(path, before, after)

    def report(self) -> str:
        """Return the first differences in full, then the counts by kind of request and by field."""
        lines = [*self.shown]
        for kind, asked in sorted(self.asked.items()):
            lines.append(f"{kind:32} {asked:6} requests {self.differing[kind]:6} differ")
        for title, counts in (("field", self.fields), ("allowed field", self.allowed)):
            lines += [f"{title} {path}: {count} differences" for path, count in counts.most_common()]
        if self.out_of_time:
            lines.append(f"{self.out_of_time} answers were not compared: their time ended")
        lines.append(f"{sum(self.asked.values())} requests, {sum(self.differing.values())} with differences")
        return "\n".join(lines)


def _out_of_time(answer: dict[str, Any]) -> bool:
    """Return True if the answer depends on the time."""
    search = answer.get("search")
    ended = isinstance(search, dict) and search.get("stopped_by") == "time"
    return ended or answer.get("status") == 503


def _in_full(request: Request, found: list[Difference]) -> str:
    lines = [f"{request.kind}: {request.content}"]
    for path, before, after in found:
        lines += [f"  {path}", f"    before: {_written(before)}", f"    after:  {_written(after)}"]
    return "\n".join(lines) + "\n"


def _written(value: Any) -> str:
    text = value if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}… ({len(text)} characters)"
