"""Parts that several solvers share: bits, boards, budgets, orderings, bounds and tables."""
