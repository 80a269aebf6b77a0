"""The targets of kernels: which a machine takes, and that each does byte for byte what this machine's kernels do."""

import platform
import shutil
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinarow.kernels.shared_library import COMPILED
from kinarow.kernels.sources import solvers
from kinarow.kernels.targets import TARGETS, of_this_family, of_wheel
from tests.support.commands import package, run

REPLAY = Path(__file__).with_name("replay")
BUILT_WITHIN_S = 1200
TARGET = "linux-aarch64"


@pytest.mark.parametrize(
    ("system", "machine", "wheel"),
    [
        ("linux", "x86_64", "manylinux_2_28_x86_64"), ("linux", "aarch64", "manylinux_2_28_aarch64"),
        ("darwin", "arm64", "macosx_11_0_arm64"), ("darwin", "x86_64", "macosx_11_0_x86_64"),
        ("win32", "AMD64", "win_amd64"), ("freebsd14", "amd64", None), ("win32", "ARM64", None),
    ],
)  # fmt: skip
def test_a_wheel_contains_what_its_machines_take(system, machine, wheel, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert of_this_family() == (of_wheel(wheel) if wheel else ())
    assert bool(of_this_family()) == bool(wheel)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Iterator[Path]:
    """A folder with recorded calls of every entry, 2 GB."""
    folder = tmp_path_factory.mktemp("recorded")
    run(sys.executable, "-m", "tests.kinarow.kernels.replay.record", folder, seconds=BUILT_WITHIN_S)
    yield folder
    shutil.rmtree(folder)


def compare(calls: Path, results: Path, native: Path) -> None:
    """Fail unless all calls had equal results, and left equal memory."""
    with calls.open("rb") as call, results.open("rb") as there, native.open("rb") as here:

        def word() -> int:
            return int(struct.unpack("q", call.read(8))[0])

        for number in range(word()):
            where = f"{calls.stem}, call {number}: {call.read(64).decode().strip(chr(0))}"
            call.seek(8 * word(), 1)
            assert there.read(16) == here.read(16), where
            for _ in range(word()):
                place, size = word(), word()
                size += -size % 8
                call.seek(size, 1)
                assert there.read(size) == here.read(size), f"{where}, argument {place}"
        assert not there.read(1)


@pytest.mark.release
@pytest.mark.timeout(2 * BUILT_WITHIN_S)
def test_arm64_does_what_this_machine_does(recorded, tmp_path):
    """Under QEMU, with the C library of Debian's libc6-arm64-cross."""
    emulator = shutil.which("qemu-aarch64-static")
    root = Path("/usr/aarch64-linux-gnu")
    if emulator is None or not root.is_dir():
        pytest.skip("qemu-user-static or libc6-arm64-cross is not installed")
    package("ziglang")
    run(sys.executable, "-m", "kinarow.kernels.build", "--target", TARGET, seconds=BUILT_WITHIN_S)
    program = tmp_path / "replay"
    zig = (sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-gnu.2.28", "-O2", "-Wall", "-Werror")
    run(*zig, "-o", program, REPLAY / "replay.c", seconds=BUILT_WITHIN_S)
    for solver in solvers():
        library, calls = COMPILED / TARGET / f"{solver}{TARGETS[TARGET].suffix}", recorded / f"{solver}.calls"
        run(emulator, "-L", root, program, library, calls, recorded / f"{solver}.results", seconds=600)
        compare(calls, recorded / f"{solver}.results", recorded / f"{solver}.native")
