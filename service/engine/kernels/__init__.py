"""The compiled part: Numba functions over words, records and arrays, and nothing else."""
