"""The board of the solver: its record, marks, patterns, threats and the rules of Caro and Renju; no learned number."""
