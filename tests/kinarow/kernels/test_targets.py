"""The targets of kernels: which a machine takes, and that each does byte for byte what this machine's kernels do."""

import platform
import shutil
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kinarow.kernels.shared_library import COMPILED
from kinarow.kernels.sources import solvers
from kinarow.kernels.targets import TARGETS, of_this_family, of_wheel
from tests.support.commands import package, run

REPLAY = Path(__file__).with_name("replay")
BUILT_WITHIN_S = 1200


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


def built(target: str) -> Path:
    """The folder with the libraries of a target."""
    package("ziglang")
    run(sys.executable, "-m", "kinarow.kernels.build", "--target", target, seconds=BUILT_WITHIN_S)
    return COMPILED / target


def repeats(recorded: Path, libraries: Path, replay: Callable[[Path, Path, Path], object]) -> str:
    """Repeat all calls, compare what they leave, and print the times beside this machine's."""
    told = []
    for solver in solvers():
        results = recorded / f"{solver}.results"
        replay(libraries / f"{solver}{TARGETS[libraries.name].suffix}", recorded / f"{solver}.calls", results)
        calls, taken, own = compared(recorded / f"{solver}.calls", results, recorded / f"{solver}.native")
        told.append(f" {solver:<17}{calls:3} calls {own / 1e6:8.1f} ms here, {taken / own:.2f} times that there")
        results.unlink()
    return "\n".join(told)


def compared(calls: Path, results: Path, native: Path) -> tuple[int, int, int]:
    """The number of calls with equal results, and the time of all in nanoseconds, there and here."""
    taken = natively = 0
    with calls.open("rb") as call, results.open("rb") as there, native.open("rb") as here:

        def word() -> int:
            return int(struct.unpack("q", call.read(8))[0])

        count = word()
        for number in range(count):
            where = f"{calls.stem}, call {number}: {call.read(64).decode().strip(chr(0))}"
            call.seek(8 * word(), 1)
            time, *outcome = struct.unpack("qqq", there.read(24))
            own_time, *own_outcome = struct.unpack("qqq", here.read(24))
            assert outcome == own_outcome, where
            taken, natively = taken + time, natively + own_time
            for _ in range(word()):
                place, size = word(), word()
                size += -size % 8
                call.seek(size, 1)
                assert there.read(size) == here.read(size), f"{where}, argument {place}"
        assert not there.read(1)
    return count, taken, natively


@pytest.mark.release
@pytest.mark.timeout(2 * BUILT_WITHIN_S)
def test_arm64_does_what_this_machine_does(recorded, tmp_path, capsys):
    """Under QEMU, with the C library of Debian's libc6-arm64-cross."""
    emulator = shutil.which("qemu-aarch64-static")
    root = Path("/usr/aarch64-linux-gnu")
    if emulator is None or not root.is_dir():
        pytest.skip("qemu-user-static or libc6-arm64-cross is not installed")
    folder = built("linux-aarch64")
    program = tmp_path / "replay"
    zig = (sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-gnu.2.28", "-O2", "-Wall", "-Werror")
    run(*zig, "-o", program, REPLAY / "replay.c", seconds=BUILT_WITHIN_S)
    told = repeats(recorded, folder, lambda *files: run(emulator, "-L", root, program, *files, seconds=600))
    with capsys.disabled():
        print(f"\nlinux-aarch64 under QEMU\n{told}")
