"""The solved games: the page /atlas, and the same as data at /atlas.json and /atlas.csv."""

import csv
import io
from collections.abc import Callable
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Blueprint, Response, render_template, request

from kinarow.contract.json_text import dump
from kinarow.game.notation import write_board
from kinarow.game.rules import RULES, Rules
from kinarow.search.known.atlas import Entry, shipped
from kinarow.version import VERSION, engine_version
from service.http.assets import Asset
from service.http.responses import cacheable, client_has, not_modified, weak_tag

_LETTERS = {"win": "W", "draw": "D", "loss": "L", "unknown": "?"}
_WORDS = {"win": "the side that begins wins", "draw": "a draw", "loss": "the side that begins loses"}
_COLUMNS = (
    *("rows", "columns", "layers", *RULES, "board", "outcome", "distance", "distance_is_bound", "move"),
    *("nodes", "tried_nodes", "seconds", "limit_s", "method", "checked_by"),
)


blueprint = Blueprint("atlas", __name__)


@blueprint.get("/atlas")
def get_atlas() -> Response:
    """The page."""
    return _respond(_page)


@blueprint.get("/atlas.json")
def get_json() -> Response:
    """The data as JSON."""
    return _respond(_json)


@blueprint.get("/atlas.csv")
def get_csv() -> Response:
    """The data as CSV."""
    return _respond(_csv)


def _respond(asset: Callable[[], Asset]) -> Response:
    tag = weak_tag(request.path, VERSION, engine_version())
    return not_modified(tag) if client_has(tag) else cacheable(asset().response(), tag)


@cache
def _json() -> Asset:
    body = dump({"engine": engine_version(), "entries": [entry.fields() for entry in shipped().values()]})
    return Asset(body, "application/json")


@cache
def _csv() -> Asset:
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, extrasaction="ignore")
    writer.writeheader()
    for entry in shipped().values():
        fields = entry.fields()
        fields["board"] = write_board(entry.rules.empty_board, entry.rules) if entry.rules.blocked else ""
        fields["directions"] = " ".join(entry.rules.directions)
        fields["checked_by"] = entry.checked_by.source if entry.checked_by else ""
        writer.writerow(fields)
    return Asset(out.getvalue().encode(), "text/csv")


class _Grid(NamedTuple):
    """The entries of one goal by rows and columns."""

    goal: int
    rows: list[int]
    columns: list[int]
    entries: dict[tuple[int, int], Entry]


class _Section(NamedTuple):
    """The grids of boards with the same rules."""

    title: str
    grids: list[_Grid]


@cache
def _page() -> Asset:
    entries = list(shipped().values())
    page = render_template(
        "atlas.html",
        entries=entries,
        sections=_sections([entry for entry in entries if _has_grid(entry.rules)]),
        others=[entry for entry in entries if not _has_grid(entry.rules)],
        short=_short,
        said=_said,
        link=_link,
        in_words=_in_words,
    )
    return Asset(page.encode(), "text/html")


def _sections(entries: list[Entry]) -> list[_Section]:
    ordered = sorted(entries, key=lambda entry: (_kind(entry.rules), entry.rules.goal))
    return [
        _Section(
            _title(kind), [_grid(goal, list(each)) for goal, each in groupby(alike, key=lambda entry: entry.rules.goal)]
        )
        for kind, alike in groupby(ordered, key=lambda entry: _kind(entry.rules))
    ]


def _has_grid(rules: Rules) -> bool:
    """Whether the board is one of a grid of rows by columns; the others are listed."""
    return rules.layers == 1 and not rules.blocked and rules.directions == Rules(3, 3, 3).directions


Kind = tuple[str, tuple[tuple[str, Any], ...]]


def _kind(rules: Rules) -> Kind:
    """The joined edges, and the other rules that are not the default."""
    special = rules.special()
    return special.pop("wrap", ""), tuple(special.items())


def _title(kind: Kind) -> str:
    wrap, special = kind
    shape = {"": "Plain boards", "rows": "Cylinders", "both": "Tori"}[wrap]
    return ", ".join([shape, *(RULES[name].say(value) for name, value in special)])


def _grid(goal: int, alike: list[Entry]) -> _Grid:
    known = {(entry.rules.rows, entry.rules.columns): entry for entry in alike}
    if not alike[0].rules.gravity and alike[0].rules.wrap != "rows":
        known = {(columns, rows): entry for (rows, columns), entry in known.items()} | known
    return _Grid(goal, sorted({rows for rows, _ in known}), sorted({columns for _, columns in known}), known)


def _short(entry: Entry) -> str:
    bound = "≤" if entry.distance_is_bound else ""
    moves = f" {bound}{entry.distance}" if entry.outcome in ("win", "loss") else ""
    return f"{_LETTERS[entry.outcome]}{moves}"


def _said(entry: Entry) -> str:
    if not entry.proven:
        return f"{entry.rules.size}: open after {entry.tried_nodes:,} nodes in {entry.seconds:.0f} s"
    most = "at most " if entry.distance_is_bound else ""
    moves = f" with move {most}{entry.distance}" if entry.outcome != "draw" else ""
    return f"{entry.rules.size}: {_WORDS[entry.outcome]}{moves}; {_checked(entry)}"


def _checked(entry: Entry) -> str:
    check = entry.checked_by
    if check is None:
        return "not checked by another source"
    return f"checked by {check.source}" if check.agrees else f"{check.source} DISAGREES"


def _in_words(rules: Rules) -> str:
    blocked = ["blocked cells"] if rules.blocked else []
    return ", ".join([f"{rules.size}, {rules.goal} in a row", *rules.special_in_words, *blocked])


def _link(rules: Rules) -> str:
    """The page with the board on it, and the values of its moves."""
    fields = {name: "true" if value is True else value for name, value in rules.short_fields().items()}
    fields |= {"directions": ",".join(rules.directions)} if "directions" in fields else {}
    fields |= {"board": write_board(rules.empty_board, rules)} if rules.blocked else {}
    return "./#" + urlencode({**fields, "you": "both", "values": "on"}, safe="/,")
