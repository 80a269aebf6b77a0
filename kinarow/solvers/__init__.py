"""The solvers, one folder for each, and the choice between them; ``kinarow.kernels`` builds and calls their kernels."""
