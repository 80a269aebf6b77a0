"""Limits and weights that Python and kernels share; changing them recompiles the kernels."""

MAX_SIDE = 25  # The most rows, columns or layers a board may have
MAX_CELLS = MAX_SIDE * MAX_SIDE  # The most cells of a board with layers
MANY_SYMMETRIES = 512  # With more, on joined boards of over 64 cells, symmetries that shift are left out

BASE = 10  # A line with marks of one side alone has the weight BASE ** min(marks - 1, MAX_EXPONENT)
MAX_EXPONENT = 12
