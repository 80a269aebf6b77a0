"""Prints the table of faults at the end of a run."""

from tests.support import faults


def pytest_terminal_summary(terminalreporter):
    if faults.table():
        terminalreporter.section("faults")
        terminalreporter.write_line(faults.table())
