"""Every example of the README and the documentation prints what its page says."""

from typing import Any

import pyarrow as pa
import pytest

from tests.docs.examples import EXEMPT, Example, blocks, examples, pages, unexplained
from tests.support.server import REPOSITORY


def by_page(example: Example):
    """Those of the README every day, those of the other pages in the full suite."""
    return example if example.block.page.name == "README.md" else pytest.param(example, marks=pytest.mark.slow)


@pytest.mark.parametrize("example", [by_page(each) for each in examples() if not each.is_optional], ids=str)
def test_an_example_prints_what_the_page_says(example: Example, live_server) -> None:
    """A block without an answer beside it must at least succeed."""
    if example.missing:
        pytest.skip(f"{example.missing} is not installed")
    printed = example.run(live_server.url)
    if example.answer is not None:
        assert example.comparable(printed) == example.comparable(example.answer.text)


def test_every_block_is_run_or_says_why_not() -> None:
    """A page that holds a command nobody has tried is a page that will be wrong."""
    assert [str(block) for block in unexplained()] == []


def test_there_are_examples() -> None:
    """The runner finds them at all."""
    assert sum("curl" in example.block.text for example in examples()) > 10


def test_a_page_that_is_exempt_has_a_reason() -> None:
    """And its name is spelt as that of a page below docs/."""
    assert all(name.startswith("docs/") and name.endswith(".md") and why for name, why in EXEMPT.items())
    assert REPOSITORY / "README.md" in pages()


@pytest.mark.parametrize("texts", [[], ["9"], ["9", "44"]], ids=len)
def test_the_recipe_for_ray_takes_any_batch(texts) -> None:
    """Also one that has no rows, or none that can be read; its function needs no Ray."""
    (recipe,) = (block for block in blocks(REPOSITORY / "docs/integrations/ray.md") if block.language == "python")
    code, calls, _ = recipe.text.partition("games = ray.")
    assert calls
    names: dict[str, Any] = {}
    exec(code.replace("import ray\n", ""), names)
    labelled = names["label"](pa.table({"moves": pa.array(texts, pa.string())}))
    assert labelled["moves"].to_pylist() == [text for text in texts if text == "44"]
    assert "best_moves" in labelled.column_names
