"""Every reader of JSON is strict; ``tests/service/http/test_body.py`` has the reader's limits."""

import pytest

from kinarow.contract.json_text import parse
from kinarow.contract.problems import Problem
from kinarow.labelling.reading import open_rows
from kinarow.reading.games import read_games


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"moves": [5], "moves": [1]}', "the name 'moves' appears twice in one object"),
        ('{"moves": [NaN]}', "NaN is not a JSON number"),
        ('{"moves": ' + "[" * 100_000, "nested"),
    ],
)
def test_equal_names_and_deep_nesting_are_refused_by_every_door(tmp_path, text, says):
    with pytest.raises(Problem) as caught:
        parse(text.encode())
    assert says[1:] in caught.value.detail
    ((_, game),) = read_games(text)
    assert says in str(game)
    file = tmp_path / "in.jsonl"
    file.write_text(f'{text}\n{{"moves": [5]}}\n')
    rows = open_rows(file)
    wrong, right = next(rows.positions(block)["moves"] for block in rows.blocks(2))
    assert says in str(wrong)
    assert right == [5]
