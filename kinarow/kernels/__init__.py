"""How kernels are declared, compiled, kept, shipped and loaded. Imports no kernel."""
