"""Every example of the README and the documentation prints what its page says."""

import re
import shutil
from typing import Any

import pyarrow as pa
import pytest

from tests.support.examples import EXEMPT, Example, blocks, examples, pages, unexplained
from tests.support.server import REPOSITORY


def by_page(example: Example):
    return example if example.block.page.name == "README.md" else pytest.param(example, marks=pytest.mark.slow)


@pytest.mark.parametrize("example", [by_page(each) for each in examples()], ids=str)
def test_an_example_prints_what_the_page_says(example: Example, live_server) -> None:
    if not shutil.which(example.program):
        pytest.skip(f"{example.program} is not installed")
    printed = example.run(live_server.url)
    if example.answer is not None:
        assert example.comparable(printed) == example.comparable(example.answer.text)


def test_every_block_is_run_or_says_why_not() -> None:
    assert [str(block) for block in unexplained()] == []
    assert sum("curl" in example.block.text for example in examples()) > 10
    assert {REPOSITORY / name for name in EXEMPT} < set(pages())


def test_the_recipes_for_ray_and_spark_take_any_batch() -> None:
    """Their functions need neither; Spark's columns are those that come back."""
    names: dict[str, Any] = {}
    for block in blocks(REPOSITORY / "docs/integrations/arrow.md"):
        if block.language == "python" and "def label" in block.text:
            exec(re.sub(r"import ray|from pyspark.*", "", block.text.partition("games = ")[0]), names)
    batch = pa.record_batch({"moves": ["44444432756713", "9"]})
    (labelled,) = names["label_batches"]([batch])
    assert isinstance(labelled, pa.RecordBatch)
    assert [each.split()[0] for each in names["COLUMNS"].split(", ")] == labelled.schema.names
    table = names["label"](pa.table(batch))
    assert table.equals(pa.table(labelled))
    assert table["outcome"].to_pylist() == ["draw", None]
