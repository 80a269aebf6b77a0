"""Kernels: how they are declared (``declare``), built (``build``, ``emit``) and called (``library``)."""
