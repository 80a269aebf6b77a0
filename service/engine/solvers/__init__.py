"""The solvers: plain Python that prepares boards for the kernels and reads their findings."""
