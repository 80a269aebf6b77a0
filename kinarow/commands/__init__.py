"""The commands of ``kinarow``: each file adds its options to a parser and runs."""

FAILED = 1  # exit code where a command could not do all that it was asked for, such as write its output
WRONG_USE = 2  # exit code for wrong input, or where the extra that a command needs is not installed
