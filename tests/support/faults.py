"""The table of faults: what was done to a running service, what it cost, and how soon it was over."""

_rows: list[str] = []


def report(name: str, sent: int, lost: int, recovery_s: float | None) -> None:
    """Enter a fault that was gone through in this run.

    ``sent`` counts the requests of well-behaved clients from before it until after it, ``lost`` those that got no
    answer, or another than they should; ``recovery_s`` is None where nothing was ever different.
    """
    recovery = "none needed" if recovery_s is None else f"{recovery_s:.1f} s"
    _rows.append(f"| {name} | {sent:,} | {lost:,} | {recovery} |")


def found() -> list[str]:
    """All that were entered, by name."""
    return sorted(_rows)


def lines() -> list[str]:
    """The table as Markdown."""
    return ["| fault | requests sent | requests lost | time to recover |", "| --- | ---: | ---: | ---: |", *found()]
