"""The compiled part: Numba functions over words, records and arrays, and nothing else.

Importing any kernel comes through here first, so the cache folder is set before Numba sees a function.
"""

import numba

from service.engine.kernels.cache_dir import use_kernel_cache

if not numba.config.DISABLE_JIT:
    use_kernel_cache()
