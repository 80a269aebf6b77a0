"""``python -m tests.system.resilience.report``: go through every fault and write the table into docs/reliability.md."""

import sys
from pathlib import Path

import pytest

from tests.support import faults
from tests.support.server import REPOSITORY

PAGE = REPOSITORY / "docs" / "reliability.md"
BEGIN = "<!-- faults -->"
END = "<!-- /faults -->"
_REPORTS = "faults.report("


def main() -> int:
    """Run the tests that report faults, the long ones too; 0 if all passed and the table was written."""
    files = [
        str(path) for path in sorted(Path(__file__).parent.glob("test_*.py")) if _REPORTS in path.read_text("utf-8")
    ]
    failed = pytest.main([*files, "-q", "-m", "slow or not slow"])
    if failed:
        print("Not written: a fault was not survived as it should be.", file=sys.stderr)
        return 1
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "\n".join(faults.lines())
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", "utf-8")
    print(f"Wrote {len(faults.found())} lines into {PAGE.relative_to(REPOSITORY)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
