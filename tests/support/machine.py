"""How crowded the machine is, for the few tests that promise times."""

import os


def crowding() -> float:
    """By what limits of time are stretched: 1 on a machine with a core to spare for each running program."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1.0, os.getloadavg()[0] / cores)
