"""The tables of the documentation that are made from the code; ``python -m docs.tables`` writes them.

With ``--check`` it writes nothing and fails if one is not as it should be.
"""

import re
import sys
from pathlib import Path

from kinarow.game.rules import RULES, Rule


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


TABLES = {"rules": rules_table}  # what makes the table between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->``

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
        print(*stale)
        return len(stale)
    for page in stale:
        page.write_text(with_tables(page.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
