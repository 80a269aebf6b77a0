"""Numbers of boards that kernels share, apart from the rules: a change recompiles kernels."""

MAX_SIDE = 25  # The most rows, columns or layers a board may have
MAX_CELLS = MAX_SIDE * MAX_SIDE  # The most cells of a board with layers

BASE = 10  # A line of marks of one side alone counts this to the power of its marks less one, at most of MAX_EXPONENT
MAX_EXPONENT = 12
