"""The machine's slots for searches, shared by all workers that listen at one address.

A slot is a small file; the process that holds its lock may search. The system releases a lock with the process that
holds it, so a killed worker gives its slots back. Locks are only tried, never waited for, which would block a worker's
event loop.
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
    """Slots for ``count`` searches at once, numbered from 0, and the short lane, which has the number ``count``.

    Processes share the slots through the files of a folder; without a folder they belong to this object. The file
    ``waiting`` is locked while requests wait; the file of a slot holds its client. Native threads may call every
    method; ``on_change`` runs in the calling thread.
    """

    def __init__(self, count: int, folder: Path | None = None, on_change: Callable[[], None] = lambda: None) -> None:
        self._lock = native.allocate_lock()
        self._count, self._on_change = count, on_change
        self._free = list(range(count + 1))  # the slots that this process has not taken; another process may have
        self._clients = [_NOBODY] * (count + 1)
        self._files: list[int] = []
        self._waits = False
        if folder is not None:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            names = [*map(str, range(count)), "lane", "waiting", "waiting"]
            opened = [os.open(folder / name, flags, 0o600) for name in names]
            # Two descriptors of one file: the first holds a shared lock while this process waits; trying an exclusive
            # lock through the second shows if any other process does.
            *self._files, self._wait_file, self._wanted_file = opened
            weakref.finalize(self, _close, opened).atexit = False  # native threads may use them until the process ends

    @property
    def taken(self) -> int:
        """The number of slots that this process has taken, not counting the lane."""
        return self._count - sum(slot < self._count for slot in self._free)

    def take(self, client: bytes = _NOBODY, *, lane: bool = False) -> int | None:
        """Take a slot, or with ``lane`` the lane, and return its number; None if none is free. Never blocks."""
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
        """Note the client of a slot, for all processes."""
        self._clients[slot] = client
        if self._files:
            os.pwrite(self._files[slot], client, 0)

    def clients(self) -> list[bytes]:
        """Return the client of each slot and of the lane, whichever process has taken it."""
        return [os.pread(file, CLIENT_BYTES, 0) for file in self._files] or self._clients

    def announce_waiting(self, waits: bool) -> None:
        """Tell all processes if a request of this one waits for a slot; call it every few ms while one does."""
        self._waits = waits
        if self._files:
            _try_lock(self._wait_file, fcntl.LOCK_SH if waits else fcntl.LOCK_UN)

    def wanted(self, *, elsewhere: bool = False) -> bool:
        """Return True if a request waits for a slot, in any process or, with ``elsewhere``, in another process."""
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
    """Return the folder for short-lived files, in memory if possible; raise ``OSError`` if none is writable."""
    return MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else Path(tempfile.gettempdir())


def slots_folder(host: str, port: int, parent: int | None = None) -> Path:
    """Return the folder of the slots of all workers at this address; raise ``OSError`` if none is writable."""
    # Port 0: the system has not chosen the port yet, so the process id of the workers' parent stands for it.
    address = f"{host}-{port or f'of-{parent or os.getppid()}'}".replace("/", "_")
    folder = temporary_folder() / f"kinarow-searches-{os.geteuid()}-{address}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    facts = folder.lstat()
    if stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022:
        return folder
    # Another user owns the folder and could hold its locks, so this worker gets slots of its own.
    return Path(tempfile.mkdtemp(prefix="kinarow-searches-"))


def _try_lock(file: int, kind: int = fcntl.LOCK_EX) -> bool:
    """Try to lock (or unlock) a file without waiting; return False if another descriptor's lock prevents it."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _close(files: list[int]) -> None:
    for file in files:
        os.close(file)
