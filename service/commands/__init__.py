"""The commands of ``kinarow``: each file adds its options to a parser and runs."""
