"""Turns Pydantic's errors into the pointers and details of the HTTP contract."""

import re
from collections.abc import Collection

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from kinarow.contract.problems import MAX_ERRORS
from kinarow.errors import QUOTE_LIMIT, quoted
from kinarow.game.rules import RULES

_WHAT_IS_WANTED = {
    "int_type": "must be an integer",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be a string",
    "string_unicode": "must be Unicode text",
    "literal_error": "must be {expected}",
    "list_type": "must be a list",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must list at least {min_length}",
    "too_long": "must list at most {max_length}",
}
_OTHER_NAMES = {
    **dict.fromkeys(
        (*RULES, "layers", "only", "exclude", "top", "values", "pruning", "max_plies", "record", "composed"), ""
    ),
    "board": "state grid squares cells tiles field playing_field position fen observation obs matrix",
    "moves": "history sequence pgn pos actions",
    "to_move": "player turn side mark symbol sign color colour to_play x_is_next is_x_next ai_player",
    "first": "first_player starting_player starter first_to_move who_starts who_begins",
    "goal": "k connect streak win_condition",
    "rows": "height row_count h",
    "columns": "width cols col_count column_count w",
    "rows and columns": "size dimensions dimension dims dim shape",
    "game": "game_type game_name variant preset ruleset",
    "level": "difficulty strength skill",
    "max_depth": "depth",
    "max_nodes": "nodes",
    "time_limit_ms": "timeout time",
    "seed": "random_seed rng_seed",
    "requests": "",
}
"""The fields, and names that programs use for them, in any case and with or without ``_`` and ``-``."""


def _folded(name: str) -> str:
    return name.strip().replace("_", "").replace("-", "").lower()


_AMBIGUOUS = {"row", "column", "col", "players", "levels", "gameid"}
_MARK = "(?:player|turn|side|mark|marker|symbol|sign|colou?r)"
_SIDE = "(?:x|o|black|white|red|yellow)"
_FORMS = {
    "board": r"(?:game|current|my){0,2}(?:board|grid|state|position|cells)(?:state|array|matrix|string|cells|data)?",
    "moves": r"(?:moves?|game|actions?|played|past|previous){0,2}(?:history|list|sequence|log|moves|actions|played)",
    "to_move": rf"(?:(?:current|curr?|active|next|is|my|ai|bot|computer|cpu|whose|x|o){{1,2}}{_MARK}|{_MARK}{{1,2}})"
    rf"{_MARK}?(?:tomove|toplay|next)?|(?:is)?{_SIDE}(?:turn|tomove|toplay|isnext)|whosturn",
    "first": r"(?:first|start|starting)(?:player|side|mark|colou?r|turn)",
    "goal": r"(?:n|k|x|num|number)?ina?row|(?:n|num)?(?:marks|stones|pieces|discs|len|length|count|n)?towin"
    r"|win(?:ning)?(?:len|length|size|count|target|number|streak|linelength)|(?:line|connect)(?:n|len|length|size)",
    "rows": r"(?:num|n|numberof|board|grid)rows|(?:board|grid)height",
    "columns": r"(?:num|n|numberof|board|grid)(?:columns|cols)|(?:board|grid)width",
    "layers": r"(?:num|n|numberof)layers",
    "rows and columns": r"(?:board|grid)(?:size|dimensions|shape)",
    "level": r"(?:ai|bot|computer|cpu|game|skill|play|playing)?(?:difficulty|strength|skill|level)(?:level)?",
    "max_depth": r"(?:max|search|ai|minimax){0,2}(?:depth|ply|plies)(?:limit)?",
    "max_nodes": r"(?:max|search|num)nodes|nodes?(?:limit|budget|count)",
    "time_limit_ms": r"(?:max|move|think|thinking|search|act)?time(?:out|limit)?(?:ms)?",
    "top": r"multipv|top[nk]|topmoves",
    "only": r"(?:valid|legal|allowed|available|possible)(?:moves|actions|columns)",
    "requests": "boards|positions|queries|items|batch",
    "record": r"sgf|psq|gamerecord|recordtext",
    "wrap": r"wrap(?:around|ped|edges)|torus|toroidal",
    **{
        name: rf"(?:is|has|with|use|enable)?{_folded(name)}(?:rules?|mode|enabled)?"
        for name, rule in RULES.items()
        if rule.kind == "switch"
    },
}
"""Patterns of other names for some fields, without ``_`` and ``-`` and in small letters."""
_MEANT = {_folded(each): name for name, others in _OTHER_NAMES.items() for each in (name, *others.split())}
_PATTERNS = {name: re.compile(form) for name, form in _FORMS.items()}
_SHORT_NAME = 5  # A name this short with two other letters is another name
_LONGEST_NAME = 20


def problems_of(wrong: ValidationError, known: Collection[str]) -> list[tuple[str, str]]:
    """The pointer and the detail of each error; ``known`` names the fields that a hint may suggest, or none."""
    errors = wrong.errors(include_url=False)
    if len(errors) > MAX_ERRORS:
        # Finding similar names for thousands of unknown fields would cost more than a search.
        known = ()
    return [("".join(pointer_to(str(part)) for part in error["loc"]), _detail(error, known)) for error in errors]


def pointer_to(name: str) -> str:
    """The JSON pointer to a field of the request; a very long name is cut."""
    if len(name) > QUOTE_LIMIT:
        name = name[: QUOTE_LIMIT - 1] + "…"
    return f"/{name.replace('~', '~0').replace('/', '~1')}"


def did_you_mean(name: str, known: Collection[str]) -> str:
    """A hint to append to the error of an unknown name; empty if none of the known fields is meant for certain."""
    plain = _folded(name[: 2 * _LONGEST_NAME])
    if not known or plain in _AMBIGUOUS:
        return ""
    forms = (field for field, form in _PATTERNS.items() if form.fullmatch(plain))
    meant = _MEANT.get(plain) or next(forms, "")
    if not meant or (meant == "requests" and meant not in known):
        meant = _spelled_like(plain)
    return f"; did you mean {meant}?" if meant and all(field in known for field in meant.split(" and ")) else ""


def _spelled_like(plain: str) -> str:
    """The field with the nearest name; none if many letters differ, or if another name of a field is nearer.

    Nor for a name with a digit, such as ``row1``.
    """
    if re.search("[0-9]", plain):
        return ""
    most = 1 if len(plain) <= _SHORT_NAME else 2
    near = [each for each in _MEANT if abs(len(each) - len(plain)) <= most]
    letters = set(plain)  # each edit takes or brings one at most
    near = [each for each in near if max(len(letters - set(each)), len(set(each) - letters)) <= most]
    edits, is_field, nearest = min(
        ((_edits(plain, each), each == _folded(_MEANT[each]), each) for each in near), default=(most + 1, False, "")
    )
    return _MEANT[nearest] if is_field and edits <= most else ""


def _edits(one: str, other: str) -> int:
    """How many letters must be put in, left out, replaced, or exchanged with the next, to get from one to the other."""
    above, row = [0], list(range(len(other) + 1))
    for index, letter in enumerate(one):
        two_above, above, row = above, row, [index + 1]
        for place, wanted in enumerate(other):
            row.append(min(above[place + 1] + 1, row[place] + 1, above[place] + (letter != wanted)))
            if index and place and letter == other[place - 1] and one[index - 1] == wanted:
                row[-1] = min(row[-1], two_above[place - 1] + 1)
    return row[-1]


def _detail(error: ErrorDetails, known: Collection[str]) -> str:
    kind = error["type"]
    if kind == "missing":
        return f"{error['loc'][-1]} is required"
    if kind == "extra_forbidden":
        return f"unknown field{did_you_mean(str(error['loc'][-1]), known)}"
    if kind == "string_unicode" and not error["loc"]:
        return f"a field's name must be Unicode text, not {quoted(error['input'])}"
    if kind in ("model_type", "dict_type"):
        return f"{'' if error['loc'] else 'the body '}must be an object, not {quoted(error['input'])}"
    wanted = _WHAT_IS_WANTED.get(kind)
    if wanted is None:
        return error["msg"]
    if kind == "int_type" and error["loc"] == ("rows",) and "board" in known and _are_rows(error["input"]):
        return "must be an integer, not a list; did you mean board?"
    context = error.get("ctx", {})
    return f"{wanted.format(**context)}, not {context.get('actual_length', quoted(error['input']))}"


def _are_rows(value: object) -> bool:
    return isinstance(value, list) and value != [] and all(isinstance(row, str | list) for row in value)
