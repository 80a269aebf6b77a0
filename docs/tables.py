"""The tables of the documentation that are made from the code; ``python -m docs.tables`` writes them.

With ``--check`` it writes nothing and fails if one is not as it should be.
"""

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from kinarow.commands.play import rules_in_words
from kinarow.game.rules import RULES, Rule, Rules
from kinarow.search.known.atlas import shipped
from kinarow.settings import PREFIX
from service.settings import Settings, default_settings


def written(rule: Rule) -> str:
    match rule.kind:
        case "integer":
            return "1 to 25"
        case "switch":
            return "`true`, `false`"
        case "choice":
            return _names(rule.choices)
    return f"a list of {_names(rule.choices)}"


def default(rule: Rule) -> str:
    if rule.default is None:
        return "3 on 3 × 3, otherwise required"
    return "all" if rule.kind == "list" else f"`{str(rule.default).lower()}`"


def rules_table() -> str:
    """A row for each rule: its values, its default, what it means in a sentence, and what it does not go with."""
    rows = ["| field | values | default | meaning | not with |", "| --- | --- | --- | --- | --- |"]
    for name, rule in RULES.items():
        meaning = rule.words.partition(". ")[0].removesuffix(".")
        rows.append(f"| `{name}` | {written(rule)} | {default(rule)} | {meaning} | {_names(rule.not_with)} |")
    return "\n".join(rows)


SETTINGS = {
    "where it listens": ("host", "port", "trusted_hosts", "cors_origins", "api_keys_file"),
    "how much at once": ("workers", "searches", "threads", "search_queue", "search_wait_ms"),
    "what a request may cost": (
        *("max_time_ms", "max_nodes", "default_nodes", "default_nodes_large"),
        *("max_side", "max_body_bytes"),
    ),
    "what it remembers": (*("cache_bytes", "max_age_s"), *("redis_url", "redis_timeout_ms", "redis_hmac_key")),
    "how it reads and tells": ("receive_s", "log_level"),
}
"""The settings of each table; together they are all."""
OFTEN_SET = (
    *("workers", "searches", "max_time_ms", "max_nodes", "default_nodes", "default_nodes_large"),
    *("api_keys_file", "redis_url"),
)
DEFAULTS = {
    **dict.fromkeys(("workers", "searches"), "one for each usable core"),
    "trusted_hosts": "any host; [this machine's names and all addresses](security.md#names-of-a-local-service) if the "
    "server listens only on loopback addresses",
}
"""The defaults that are not a value."""


def settings_table(names: tuple[str, ...]) -> str:
    rows = ["| variable | default | range | meaning | change it when |", "| --- | --- | --- | --- | --- |"]
    for name in names:
        field = Settings.model_fields[name]
        meaning, when = _paragraphs(field)
        shown = DEFAULTS.get(name) or (f"`{str(field.default).lower()}`" if field.default else "none")
        cells = (shown, range_of(field), _as_cell(meaning), _as_cell(when.removeprefix("Change it when ")))
        rows.append(f"| `{PREFIX}{name.upper()}` | {' | '.join(cells)} |".replace("|  |", "| |"))
    return "\n".join(rows)


def often_set_table() -> str:
    rows = ["| setting | use |", "| --- | --- |"]
    for name in OFTEN_SET:
        meaning, _ = _paragraphs(Settings.model_fields[name])
        rows.append(f"| `{PREFIX}{name.upper()}` | {_as_cell(re.split(r'(?<=[.;]) ', meaning)[0])} |")
    return "\n".join(rows)


def range_of(field: FieldInfo) -> str:
    """The values of a setting; empty for texts."""
    if field.annotation is bool:
        return "`true`, `false`"
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(field.annotation))
    limits: dict[type, Any] = {type(limit): limit for limit in field.metadata}
    if Gt in limits:
        return f"above {limits[Gt].gt}, to {limits[Le].le:,}"
    if Ge not in limits:
        return ""
    low = limits[Ge].ge
    return f"{low:,} to {limits[Le].le:,}" if Le in limits else f"{low:,} or more"


def _paragraphs(field: FieldInfo) -> tuple[str, str]:
    """What a setting means, and when to change it."""
    meaning, _, when = (field.description or "").partition("\n\n")
    return " ".join(meaning.split()), " ".join(when.split())


def _as_cell(sentence: str) -> str:
    text = sentence.rstrip(".;")
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


BUDGETS = {
    "up to 36 cells": Rules(6, 6, 4),
    "37 to 64 cells": Rules(8, 8, 5),
    "37 to 64 cells, with blocked cells, layers, joined edges, chosen directions or shared marks": Rules(
        7, 7, 4, wrap="both"
    ),
    "37 to 64 cells, with gravity, if (rows + 1) × columns is above 64, as on 8 × 8": Rules(8, 8, 4, gravity=True),
    "37 to 64 cells, with `caro` or `renju`": Rules(8, 8, 5, caro=True),
    "more than 64 cells": Rules(15, 15, 5),
    "more than 64 cells, all rule fields at their defaults, and a goal of at most 4": Rules(15, 15, 4),
    "the same with a goal of at least 9, also with `misere` or `exact_goal`": Rules(15, 15, 9, misere=True),
}
"""Kinds of boards, each with one of them."""


def budgets_table() -> str:
    """The nodes of a search without ``max_nodes``, by the board."""
    settings = default_settings()
    rows = [f"| {words} | {settings.nodes_by_default(rules):,} |" for words, rules in BUDGETS.items()]
    return "\n".join(["| board | default of `max_nodes` |", "| --- | --- |", *rows])


def open_boards() -> str:
    """How much of the atlas is proven and checked, and the boards that are open."""
    entries = shipped().values()
    proven = [entry for entry in entries if entry.proven]
    checked = sum(entry.checked_by is not None for entry in proven)
    still = [f"- {rules_in_words(each.rules)}: {each.tried_nodes:,} nodes" for each in entries if not each.proven]
    return (
        f"{len(proven)} of {len(entries)} boards are proven, {checked} of these are checked by a second source. The "
        "others stayed open after these nodes:\n\n" + "\n".join(still)
    )


TABLES: dict[str, Callable[[], str]] = {
    "rules": rules_table,
    "budgets": budgets_table,
    "open boards": open_boards,
    "settings often set": often_set_table,
    **{f"settings: {section}": partial(settings_table, names) for section, names in SETTINGS.items()},
}  # what makes the table between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->``

_MARKED = re.compile(rf"(<!-- begin: ({'|'.join(TABLES)}) -->\n\n).*?(\n\n<!-- end: \2 -->)", re.DOTALL)


def with_tables(page: str) -> str:
    """The text of a page with its tables made anew."""
    return _MARKED.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], page)


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> int:
    """Write the tables of all pages; returns the exit code."""
    stale = []
    for page in sorted(Path(__file__).parent.rglob("*.md")):
        text = page.read_text("utf-8")
        if with_tables(text) != text:
            stale.append(page)
    if "--check" in sys.argv:
        print(*stale, *["are stale: run python -m docs.tables"] * bool(stale))
        return len(stale)
    for page in stale:
        page.write_text(with_tables(page.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
