"""Prints the table of faults at the end of a run."""

from tests.support import faults


def pytest_terminal_summary(terminalreporter):
    """One line for each fault that was gone through."""
    if faults.found():
        terminalreporter.section("faults")
        for line in faults.lines():
            terminalreporter.write_line(line)
