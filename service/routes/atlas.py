"""The atlas of solved games: the page /atlas, and its data /atlas.json and /atlas.csv."""

import csv
import io
from collections.abc import Iterator
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, render_template

from kinarow.contract.answers import Atlas, AtlasEntry
from kinarow.contract.json_text import dump
from kinarow.contract.problems import NOT_FOUND, Problem
from kinarow.game.notation import write_board
from kinarow.game.rules import DIRECTION_NAMES, RULES, Rules
from kinarow.search.known import proofs
from kinarow.search.known.atlas import Entry, shipped
from kinarow.version import engine_version
from service.http import words
from service.http.responses import bytes_response, with_max_age
from service.http.words import Translate, translator

_COLUMNS = (
    *("rows", "columns", "layers", *RULES, "board", "outcome", "distance", "distance_is_bound", "move"),
    *("nodes", "tried_nodes", "seconds", "limit_s", "method", "checked_by"),
)

blueprint = Blueprint("atlas", __name__)


@blueprint.get("/atlas")
def get_atlas() -> Response:
    """Return the page, in the language of the request."""
    response = with_max_age(bytes_response(partial(_page, words.language()), "text/html"))
    response.vary.add("Accept-Language")
    return response


@blueprint.get("/atlas.json")
def get_json() -> Response:
    """Return the data as JSON."""
    return with_max_age(bytes_response(_json, "application/json"))


@blueprint.get("/atlas.csv")
def get_csv() -> Response:
    """Return the data as CSV."""
    return with_max_age(bytes_response(_csv, "text/csv"))


@blueprint.get("/atlas/proofs/<name>")
def get_proof(name: str) -> Response:
    """Return a proof file of the package, for ``checker/check_proof.py``."""
    if name not in proofs.shipped():
        raise Problem(NOT_FOUND, "The package has no such proof.")
    return with_max_age(bytes_response(lambda: proofs.shipped()[name], "application/octet-stream"))


@cache
def _json() -> bytes:
    entries = [AtlasEntry(**entry.fields()) for entry in shipped().values()]
    return dump(Atlas(engine=engine_version(), entries=entries))


@cache
def _csv() -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, extrasaction="ignore")
    writer.writeheader()
    for entry in shipped().values():
        fields = entry.fields()
        fields["board"] = write_board(entry.rules.empty_board, entry.rules) if entry.rules.blocked else ""
        fields["directions"] = " ".join(entry.rules.directions)
        fields["checked_by"] = entry.checked_by.source if entry.checked_by else ""
        writer.writerow(fields)
    return out.getvalue().encode()


@cache
def _page(language: str) -> bytes:
    say = translator(language)
    entries = list(shipped().values())
    return render_template(
        "atlas.html",
        entries=entries,
        language=language,
        say=say,
        sections=_sections([entry for entry in entries if _has_grid(entry.rules)]),
        others=[entry for entry in entries if not _has_grid(entry.rules)],
        title=partial(_title, say),
        link=_link,
        in_words=partial(_in_words, say),
        size_of=_size,
        rules_between=say("rules.between"),
        known=partial(_evidence, say),
        proofs=[proof for entry in entries for proof in _proofs(say, entry)],
    ).encode()


def _sections(entries: list[Entry]) -> "dict[OtherRules, dict[int, Grid]]":
    sections: dict[OtherRules, dict[int, Grid]] = {}
    for entry in sorted(entries, key=lambda entry: (_kind(entry.rules), entry.rules.goal)):
        rules = entry.rules
        grid = sections.setdefault(_kind(rules), {}).setdefault(rules.goal, {})
        grid[rules.rows, rules.columns] = entry
        if not rules.gravity and rules.wrap != "rows":
            grid.setdefault((rules.columns, rules.rows), entry)  # the board turned by a right angle
    return sections


def _has_grid(rules: Rules) -> bool:
    return rules.layers == 1 and not rules.blocked and rules.directions == DIRECTION_NAMES


OtherRules = tuple[str, tuple[tuple[str, Any], ...]]
Grid = dict[tuple[int, int], Entry]
"""Entries by rows and columns."""


def _kind(rules: Rules) -> OtherRules:
    special = rules.special()
    return special.pop("wrap", ""), tuple(special.items())


def _title(say: Translate, kind: OtherRules) -> str:
    wrap, special = kind
    return ", ".join([say(f"atlas.{wrap or 'plain'}"), *(_rule(say, name, value) for name, value in special)])


def _rule(say: Translate, name: str, value: Any) -> str:
    if RULES[name].kind == "list":
        return say(f"rules.{name}", **{name: ", ".join(say(f"{name}.{each}") for each in value)})
    return say(f"{name}.{value}" if RULES[name].kind == "choice" else f"atlas.{name}")


def _size(rules: Rules) -> str:
    return " × ".join(map(str, (rules.columns, rules.rows, rules.layers)[: 3 if rules.layers > 1 else 2]))


def _in_words(say: Translate, rules: Rules) -> str:
    special = [_rule(say, name, value) for name, value in rules.special().items() if name != "layers"]
    blocked = [say("rules.blocked", count=rules.blocked.bit_count())] if rules.blocked else []
    return ", ".join([_size(rules), say("atlas.goal", goal=rules.goal), *special, *blocked])


def _proofs(say: Translate, entry: Entry) -> Iterator[tuple[Entry, str, str]]:
    """Yield ``(entry, claim, file name)`` for each proof that the package has."""
    for side, reason in entry.known_by.items():
        if reason is not None and reason.get("file") in proofs.shipped():
            yield entry, _claim(say, entry, side, reason), reason["file"]


def _claim(say: Translate, entry: Entry, side: str, reason: dict[str, str]) -> str:
    claim = "wins" if entry.outcome in ("win", "loss") else "holds"
    return say(f"atlas.{claim}.{side}", by=reason.get("source") or say(f"atlas.by.{reason['by']}"))


def _evidence(say: Translate, entry: Entry) -> str:
    """Return the claims about both sides with their sources."""
    known = entry.known_by.items()
    return "; ".join(_claim(say, entry, side, reason) for side, reason in known if reason is not None)


def _link(rules: Rules) -> str:
    fields = {name: "true" if value is True else value for name, value in rules.short_fields().items()}
    fields |= {"directions": ",".join(rules.directions)} if "directions" in fields else {}
    fields |= {"board": write_board(rules.empty_board, rules)} if rules.blocked else {}
    return "./#" + urlencode({**fields, "you": "both", "values": "on"}, safe="/,")
