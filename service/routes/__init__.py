"""The routes, one file for each family."""
