"""The largest board. Kernels size their records by it, so it stands apart from the rules: a change recompiles them."""

MAX_SIDE = 25  # The most rows, columns or layers a board may have
MAX_CELLS = MAX_SIDE * MAX_SIDE  # The most cells of a board with layers
