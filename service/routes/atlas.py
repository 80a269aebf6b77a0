"""The solved games: the page /atlas, and the same as data at /atlas.json and /atlas.csv."""

import csv
import io
from collections.abc import Callable
from functools import cache
from html import escape
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, request

from kinarow.game.notation import write_board
from kinarow.game.rules import RULES, Rules
from kinarow.search.known.atlas import Entry, shipped
from kinarow.version import VERSION, engine_version
from service.http.assets import Asset, read
from service.http.responses import cacheable, client_has, dump, not_modified, weak_tag

_PAGE = "routes/static/atlas.html"
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


@cache
def _page() -> Asset:
    entries = list(shipped().values())
    usual = [entry for entry in entries if _has_grid(entry.rules)]
    ordered = sorted(usual, key=lambda entry: (_kind(entry.rules), entry.rules.goal))
    sections: list[str] = []
    for kind, alike in groupby(ordered, key=lambda entry: _kind(entry.rules)):
        same_goal = groupby(alike, key=lambda entry: entry.rules.goal)
        tables = "\n".join(_grid(goal, list(each)) for goal, each in same_goal)
        sections.append(
            f"<details{'' if sections else ' open'}><summary><h2>{_title(kind)}</h2></summary>\n"
            f'<div role="region" aria-label="{_title(kind)}" tabindex="0">\n{tables}\n</div></details>'
        )
    others = "\n".join(_row(entry) for entry in entries if not _has_grid(entry.rules))
    count = f"{sum(entry.proven for entry in entries)} of {len(entries)}"
    page = read(_PAGE).decode().replace("<!-- grids -->", "\n".join(sections)).replace("<!-- others -->", others)
    return Asset(page.replace("<!-- count -->", count).encode(), "text/html")


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


def _grid(goal: int, alike: list[Entry]) -> str:
    known = {(entry.rules.rows, entry.rules.columns): entry for entry in alike}
    if not alike[0].rules.gravity and alike[0].rules.wrap != "rows":
        known = {(columns, rows): entry for (rows, columns), entry in known.items()} | known
    wide = sorted({columns for _, columns in known})
    head = "".join(f'<th scope="col">{columns}</th>' for columns in wide)
    rows = "\n".join(
        f'<tr><th scope="row">{rows}</th>{"".join(_cell(known.get((rows, columns))) for columns in wide)}</tr>'
        for rows in sorted({rows for rows, _ in known})
    )
    return (
        f'<table class="atlas"><caption>{goal} in a row</caption>\n'
        f"<thead><tr><td>rows \\ columns</td>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"
    )


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return "<td></td>"
    words = escape(_said(entry))
    link = f'<a href="{escape(_link(entry.rules))}" title="{words}" aria-label="{words}">{_short(entry)}</a>'
    return f'<td class="{entry.outcome}">{link}</td>'


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


def _row(entry: Entry) -> str:
    rules = entry.rules
    blocked = ["blocked cells"] if rules.blocked else []
    words = ", ".join([f"{rules.goal} in a row", *rules.special_in_words, *blocked])
    return f'<tr><th scope="row">{rules.size}, {words}</th>{_cell(entry)}<td>{escape(_said(entry))}</td></tr>'


def _link(rules: Rules) -> str:
    """The page with the board on it, and the values of its moves."""
    fields = {name: "true" if value is True else value for name, value in rules.short_fields().items()}
    fields |= {"directions": ",".join(rules.directions)} if "directions" in fields else {}
    fields |= {"board": write_board(rules.empty_board, rules)} if rules.blocked else {}
    return "./#" + urlencode({**fields, "you": "both", "values": "on"}, safe="/,")
