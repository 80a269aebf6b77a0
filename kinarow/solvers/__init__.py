"""The solvers, one folder for each. Importing any of them first sets the folder in which Numba keeps compiled kernels.

Numba reads the setting when it decorates a function, so it must be made before the first kernel is imported.
``kinarow.jit.cache_dir.kernel_cache`` restores the previous setting.
"""

import numba

from kinarow.jit.cache_dir import use_kernel_cache

if not numba.config.DISABLE_JIT:
    use_kernel_cache()
