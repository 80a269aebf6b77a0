"""Every example of the README and the documentation prints what its page says."""

import pytest

from tests.docs.examples import Example, examples


@pytest.mark.parametrize("example", examples(), ids=str)
def test_an_example_prints_what_the_page_says(example: Example, live_server) -> None:
    printed = example.run(live_server.url)
    assert example.comparable(printed) == example.comparable(example.answer)


def test_the_readme_has_examples() -> None:
    assert any(example.page.name == "README.md" and "curl" in example.command for example in examples())
