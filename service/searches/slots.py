"""The machine's slots for searches, shared by all workers that listen at one address.

A slot is a small file; whoever holds its lock may search. The kernel ends a lock with the process that holds it, so a
killed worker gives its slots back. A lock is only ever tried, never waited for: waiting would stop a worker's loop.
"""

import contextlib
import fcntl
import os
import stat
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path

from service.searches.threads import native

CLIENT_BYTES = 8
_NOBODY = bytes(CLIENT_BYTES)
MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - files in it are private or have no name


class SearchSlots:
    """Slots for ``count`` searches at once, numbered from 0, and one more, ``count``, the short lane.

    Processes share them through the files of a folder; without one they belong to this object. The file ``waiting`` is
    locked while requests wait, that of a slot names its client. Native threads may call every method; ``on_change``
    runs in theirs.
    """

    def __init__(self, count: int, folder: Path | None = None, on_change: Callable[[], None] = lambda: None) -> None:
        self._lock = native.allocate_lock()
        self._count, self._on_change = count, on_change
        self._free = list(range(count + 1))  # not taken by this process
        self._clients = [_NOBODY] * (count + 1)
        self._files: list[int] = []
        self._waits = False
        if folder is not None:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            names = [*map(str, range(count)), "lane", "waiting", "waiting"]
            opened = [os.open(folder / name, flags, 0o600) for name in names]
            # Two descriptors of one file: a waiting process shares its lock through the first, against the second.
            *self._files, self._wait_file, self._wanted_file = opened
            weakref.finalize(self, _close, opened).atexit = False  # native threads may look until the process ends

    @property
    def taken(self) -> int:
        """The number of slots that this process has taken, without the lane."""
        return self._count - sum(slot < self._count for slot in self._free)

    def take(self, client: bytes = _NOBODY, *, lane: bool = False) -> int | None:
        """Take a slot, or the lane, and return its number, or None if none is free; it never blocks."""
        with self._lock:
            wanted = (slot for slot in self._free if (slot == self._count) is lane)
            slot = next((each for each in wanted if not self._files or _try_lock(self._files[each])), None)
            if slot is None:
                return None
            self._free.remove(slot)
            self._name(slot, client)
        self._on_change()
        return slot

    def give_back(self, slot: int) -> None:
        """Give back a slot that ``take`` returned."""
        with self._lock:
            self._name(slot, _NOBODY)
            if self._files:
                fcntl.flock(self._files[slot], fcntl.LOCK_UN)
            self._free.append(slot)
        self._on_change()

    def _name(self, slot: int, client: bytes) -> None:
        self._clients[slot] = client
        if self._files:
            os.pwrite(self._files[slot], client, 0)

    def clients(self) -> list[bytes]:
        """Return the client of each slot of all processes, and of the lane."""
        return [os.pread(file, CLIENT_BYTES, 0) for file in self._files] or self._clients

    def announce_waiting(self, waits: bool) -> None:
        """Tell all processes whether requests of this one wait for a slot; while some do, repeat it every few ms."""
        self._waits = waits
        if self._files:
            _try_lock(self._wait_file, fcntl.LOCK_SH if waits else fcntl.LOCK_UN)

    def wanted(self, *, elsewhere: bool = False) -> bool:
        """Return True if a request of any process, or of any other one, waits for a slot."""
        with self._lock:
            waits = self._waits and not elsewhere
            if waits or not self._files:
                return waits
            if self._waits:
                fcntl.flock(self._wait_file, fcntl.LOCK_UN)
            others_wait = not _try_lock(self._wanted_file)
            if not others_wait:
                fcntl.flock(self._wanted_file, fcntl.LOCK_UN)
            if self._waits:
                _try_lock(self._wait_file, fcntl.LOCK_SH)
            return others_wait


def temporary_folder() -> Path:
    """Return the folder for short-lived files, in memory if possible; an ``OSError`` if none can be written."""
    return MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else Path(tempfile.gettempdir())


def slots_folder(host: str, port: int, parent: int | None = None) -> Path:
    """Return the folder of the slots for all workers at this address; ``OSError`` if none can be written."""
    # The system has not chosen the port yet, so the process id of the workers' parent replaces it.
    address = f"{host}-{port or f'of-{parent or os.getppid()}'}".replace("/", "_")
    folder = temporary_folder() / f"kinarow-searches-{os.geteuid()}-{address}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    facts = folder.lstat()
    if stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022:
        return folder
    # Another user owns the name and could hold the locks: this worker has slots of its own.
    return Path(tempfile.mkdtemp(prefix="kinarow-searches-"))


def _try_lock(file: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _close(files: list[int]) -> None:
    for file in files:
        os.close(file)
