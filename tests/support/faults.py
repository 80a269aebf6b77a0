"""The table of faults: what was done to a running service, what it cost, and how soon it was over."""

HEAD = ("| fault | requests sent | requests lost | time to recover |", "| --- | ---: | ---: | ---: |")
_rows: list[str] = []


def report(name: str, sent: int, lost: int, recovery_s: float | None) -> None:
    """Enter a fault that was gone through: requests of well-behaved clients, those without their right answer, and the
    time until all was as before, None where nothing was ever different.
    """
    recovery = "none needed" if recovery_s is None else f"{recovery_s:.1f} s"
    _rows.append(f"| {name} | {sent:,} | {lost:,} | {recovery} |")


def table() -> str:
    """The faults of this run by name, as Markdown; empty if there were none."""
    return "\n".join((*HEAD, *sorted(_rows))) if _rows else ""
