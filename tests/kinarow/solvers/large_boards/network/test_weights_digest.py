"""The digest of the weights: damage is found when they are read, and says which file is damaged."""

import numpy as np
import pytest

from kinarow.solvers.large_boards.network.weights import LEARNED, learned
from kinarow.solvers.large_boards.network.weights_digest import WeightsError, read_checked, write_with_digest


def test_weights_are_read_as_they_were_written(tmp_path):
    numbers = {"points": np.arange(6, dtype=np.int32).reshape(2, 3), "order": np.array([-1, 7], np.int16)}
    path = tmp_path / "weights.npz"
    write_with_digest(path, numbers)
    again = read_checked(path)
    assert again.keys() == numbers.keys()
    for name, array in numbers.items():
        assert again[name].dtype == array.dtype
        assert np.array_equal(again[name], array)


def test_a_changed_number_is_an_error_that_names_the_file(tmp_path):
    """The archive is sound, so only the digest tells."""
    with np.load(LEARNED) as data:
        numbers = dict(data)
    numbers["output"][0] += 1
    path = tmp_path / "weights.npz"
    np.savez_compressed(path, **numbers)
    with pytest.raises(WeightsError, match=r"weights\.npz: .*digest is wrong"):
        learned(path)


@pytest.mark.parametrize("name", ["output", "digest"])
def test_a_missing_array_is_an_error(tmp_path, name):
    with np.load(LEARNED) as data:
        numbers = {each: array for each, array in data.items() if each != name}
    path = tmp_path / "weights.npz"
    np.savez_compressed(path, **numbers)
    with pytest.raises(WeightsError):
        learned(path)


@pytest.mark.parametrize("seed", range(20))
def test_a_changed_byte_is_an_error_or_changes_no_number(tmp_path, seed):
    """Some bytes of an archive mean nothing, such as the dates of its files."""
    content = bytearray(LEARNED.read_bytes())
    place = int(np.random.default_rng(seed).integers(len(content)))
    content[place] ^= 0xFF
    path = tmp_path / "weights.npz"
    path.write_bytes(content)
    try:
        numbers = read_checked(path)
    except WeightsError:
        return
    assert all(np.array_equal(numbers[name], array) for name, array in read_checked(LEARNED).items())


@pytest.mark.parametrize("length", [0, 100, 20_000])
def test_a_file_cut_off_is_an_error(tmp_path, length):
    path = tmp_path / "weights.npz"
    path.write_bytes(LEARNED.read_bytes()[:length])
    with pytest.raises(WeightsError, match="damaged"):
        learned(path)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(WeightsError):
        read_checked(tmp_path / "weights.npz")
