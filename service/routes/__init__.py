"""The routes, one blueprint a file."""
