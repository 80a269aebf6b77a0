"""The table of faults: what was done to a running service, what it cost, and how soon it was over."""

from collections.abc import Iterator
from dataclasses import dataclass

HEADINGS = ("fault", "requests sent", "requests lost", "time to recover")


@dataclass(frozen=True)
class Fault:
    """One line of the table."""

    name: str  # what was done
    sent: int  # requests of well-behaved clients from before it until after it
    lost: int  # how many of them got no answer, or another than they should
    recovery_s: float | None  # from the fault until all was as before; None where nothing was ever different

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The line as text."""
        recovery = "none needed" if self.recovery_s is None else f"{self.recovery_s:.1f} s"
        return self.name, f"{self.sent:,}", f"{self.lost:,}", recovery


_faults: list[Fault] = []


def report(name: str, sent: int, lost: int, recovery_s: float | None) -> None:
    """Enter a fault that was gone through in this run."""
    _faults.append(Fault(name, sent, lost, recovery_s))


def found() -> list[Fault]:
    """All that were entered, by name."""
    return sorted(_faults, key=lambda fault: fault.name)


def lines() -> Iterator[str]:
    """The table as Markdown."""
    yield f"| {' | '.join(HEADINGS)} |"
    yield "| --- | ---: | ---: | ---: |"
    for fault in found():
        yield f"| {' | '.join(fault.cells)} |"
