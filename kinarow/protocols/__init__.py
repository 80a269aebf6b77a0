"""Protocols other than HTTP: JSON lines, MCP, Piskvork and connect4.gamesolver.org."""
