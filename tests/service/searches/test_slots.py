"""The slots of a machine: taken and given back by any worker, freed by the system when a worker dies."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.searches import slots as search_slots
from service.searches.limiter import FreeSlots, Load, Overloaded, SearchLimiter
from service.searches.slots import SearchSlots, slots_folder
from service.searches.threads import own


def test_slots_in_one_folder_are_shared_and_others_are_not(tmp_path):
    one, other = SearchSlots(2, tmp_path), SearchSlots(2, tmp_path)
    first, second = one.take(), other.take()
    assert {first, second} == {0, 1}
    assert one.take() is other.take() is None
    one.give_back(first)
    assert other.take() == first
    slots, others = SearchSlots(1), SearchSlots(1)
    assert [slots.take(), slots.take(), others.take()] == [0, None, 0]
    slots.give_back(0)
    assert slots.take() == 0


def test_who_waits_shows_in_all_processes(tmp_path):
    one, other, alone = SearchSlots(1, tmp_path), SearchSlots(1, tmp_path), SearchSlots(1)
    for slots in (one, alone):
        assert not slots.wanted()
        slots.announce_waiting(True)
        assert slots.wanted()
    assert other.wanted()
    other.announce_waiting(True)
    one.announce_waiting(False)
    assert one.wanted()
    other.announce_waiting(False)
    assert not one.wanted()


def test_a_helper_takes_no_slot_that_a_request_waits_for(tmp_path):
    slots, others = SearchSlots(2, tmp_path), SearchSlots(2, tmp_path)
    free = FreeSlots(slots, own)
    held = free.take()
    assert held is not None
    others.announce_waiting(True)
    assert free.wanted()
    assert free.take() is None
    free.give_back(held)
    others.announce_waiting(False)
    assert free.take() is not None
    assert slots.taken == 1


def test_a_helper_of_a_request_is_a_greenlet_although_the_library_was_imported_before_gevent():
    """A worker's loop that waited for a native helper would stop, and with it the locks that the helper waits for."""
    program = (
        "import kinarow, _thread\n"
        "from gevent import monkey\n"
        "monkey.patch_all()\n"
        "from service.searches.threads import own\n"
        "over, numbers = own.allocate_lock(), [_thread.get_native_id()]\n"
        "over.acquire()\n"
        "own.start_new_thread(lambda: (numbers.append(_thread.get_native_id()), over.release()), ())\n"
        "over.acquire()\n"
        "assert numbers[0] == numbers[1]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_killed_process_gives_its_slots_back(tmp_path):
    program = (
        "import sys, pathlib\n"
        "from service.searches.slots import SearchSlots\n"
        "slots = SearchSlots(2, pathlib.Path(sys.argv[1]))\n"
        "print(slots.take(), slots.take(), flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"0 1\n"
        slots = SearchSlots(2, tmp_path)
        assert slots.take() is None
        process.kill()
        process.wait(60)
        assert [slots.take(), slots.take()] == [0, 1]


def test_files_are_closed_with_the_slots(tmp_path):
    def open_files():
        return len(os.listdir("/dev/fd"))

    before = open_files()
    slots = SearchSlots(5, tmp_path)
    assert open_files() == before + 7  # two are of the file that says who waits
    del slots
    assert open_files() == before


def test_each_address_has_a_private_folder_of_its_own(tmp_path, monkeypatch):
    """A folder that others may write is not used."""
    monkeypatch.setattr(search_slots, "MEMORY_FOLDER", tmp_path)
    folder = slots_folder("127.0.0.1", 8000)
    assert folder == slots_folder("127.0.0.1", 8000)
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len({folder, slots_folder("::1", 8000), slots_folder("127.0.0.1", 8001), slots_folder("::1", 0)}) == 4
    folder.chmod(0o777)
    own = slots_folder("127.0.0.1", 8000)
    assert own.parent != tmp_path
    own.rmdir()


def test_a_busy_worker_does_not_keep_the_slots_to_itself(tmp_path):
    busy, other = (SearchLimiter(Load(1, 9), 5, tmp_path) for _ in range(2))
    over = threading.Event()

    def keep_busy(_):
        while not over.is_set():
            busy.in_slot(lambda: time.sleep(0.01))

    with ThreadPoolExecutor(3) as pool:
        kept = pool.map(keep_busy, range(3))
        results = [other.in_slot(lambda: "result") for _ in range(3)]
        over.set()
        list(kept)
    assert results == ["result"] * 3


def test_a_slot_that_another_worker_gives_back_is_taken_in_time(tmp_path):
    other = SearchSlots(1, tmp_path)
    held = other.take()
    limiter = SearchLimiter(Load(1, 4), 0.05, tmp_path)
    with pytest.raises(Overloaded) as refused:
        limiter.in_slot(lambda: pytest.fail("must not run"))
    assert refused.value.reason == "waited"
    other.give_back(held)
    assert limiter.in_slot(lambda: "result") == "result"
    assert other.take() == held
