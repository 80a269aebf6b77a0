"""Sends the same random requests to two checkouts and compares their answers; see ``python -m benchmarks.replay -h``.

Only rules and presets come from this checkout's library. Each checkout answers through its own console script
``kinarow``, so their code may be laid out differently.
"""
