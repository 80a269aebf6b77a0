"""The solvers, one folder for each, and the choice between them; only their kernels need Numba (``kinarow.jit``)."""
