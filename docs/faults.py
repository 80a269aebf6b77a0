"""Goes through every fault and writes the table into ``docs/operating.md``: ``python -m docs.faults``."""

import re
import sys
from pathlib import Path

import pytest

from tests.support import faults

PAGE = Path(__file__).parent / "operating.md"
TESTS = Path(__file__).parent.parent / "tests" / "system" / "resilience"


def main() -> int:
    """Run the tests that report faults, the long ones too; 0 if all passed and the table was written."""
    files = [path for path in sorted(TESTS.glob("test_*.py")) if "faults.report(" in path.read_text("utf-8")]
    if pytest.main([*map(str, files), "-q", "-m", "slow or not slow"]):
        print("Not written: a fault was not survived as it should be.", file=sys.stderr)
        return 1
    marked = re.compile(r"(?<=<!-- faults -->\n).*(?=\n<!-- /faults -->)", re.DOTALL)
    PAGE.write_text(marked.sub(lambda _: faults.table(), PAGE.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
