"""Sends the same random requests to two checkouts and compares their answers; see ``python -m benchmarks.replay -h``.

Only rules and presets come from the library of this tree. Each checkout answers through its own console script
``kinarow``, so they may differ in layout.
"""
