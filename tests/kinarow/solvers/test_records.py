"""The records that kernels work on can be read by attribute in Python too."""

from importlib import import_module

import numpy as np
import pytest

from kinarow.jit.cache_dir import kernel_sources


@pytest.mark.parametrize("file", kernel_sources(), ids=lambda file: f"{file.parent.name}.{file.stem}")
def test_no_field_has_the_name_of_a_numpy_method(file):
    """Attribute access to such a field would find the method."""
    taken = set(dir(np.recarray)) | set(dir(np.record))
    module = import_module(f"kinarow.solvers.{file.parent.name}.{file.stem}")
    for name, value in vars(module).items():
        if isinstance(value, np.dtype) and value.names:
            assert taken.isdisjoint(value.names), name
