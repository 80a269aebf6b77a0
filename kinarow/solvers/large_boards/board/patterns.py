"""The names of direction patterns and cell patterns (``kernel_patterns`` says what they mean)."""

NONE, FAR, ONE_MARK, OPEN_ONE, TWO, OPEN_TWO, OPEN_TWO_2, OPEN_TWO_3 = range(8)
THREE, OPEN_THREE, OPEN_THREE_2, FOUR, OPEN_FOUR, FIVE, OVERLINE, LINE_FOURS = range(8, 16)

PATTERNS = 16  # direction patterns
CELL_PATTERNS = 10
FORBIDDEN_CELL, DOUBLE_THREE_CELL = 1, 2
BUILD_CELL, THREE_CELL, THREES_CELL, FOUR_CELL, FOUR_THREE_CELL, OPEN_FOUR_CELL, FIVE_CELL = range(3, 10)
