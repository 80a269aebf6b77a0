"""A steady load on a real server: who asked, what came back, and how long everything took."""

import http.client
import itertools
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType

ANSWER_WITHIN_S = 60
GAP_S = 0.005
"""Between two requests of one client: a machine with few cores has other things to do."""

BOARDS = tuple(
    json.dumps({"board": board, "goal": 3, "to_move": "X"}).encode()
    for board in ("X.O/.X./..O", ".../.X./..O", "XO./.../...", "O../.X./...")
)


@dataclass
class Load:
    """Clients that ask for moves over and over, from ``with`` to its end."""

    port: int  # of the server on 127.0.0.1
    clients: int = 4  # how many ask at once
    bodies: Sequence[bytes] = BOARDS  # what is asked; each client begins at another one
    keep_alive: bool = True  # whether a client keeps its connection
    gap_s: float = GAP_S
    is_right: Callable[[bytes, bytes], bool] = lambda asked, answer: True
    sent: int = 0  # requests sent
    lost: list[str] = field(default_factory=list)  # what came back in place of an answer
    seconds: list[float] = field(default_factory=list)  # how long each answer took
    answered_at: list[float] = field(default_factory=list)  # when each came (of the monotonic clock)

    def __enter__(self) -> "Load":
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._ask, args=(i,), daemon=True) for i in range(self.clients)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Let every client finish what it has asked."""
        self._over.set()
        for thread in self._threads:
            thread.join(ANSWER_WITHIN_S)
            assert not thread.is_alive()

    def wait_for(self, answers: int, within_s: float = 60) -> None:
        """Wait until this number of further answers has come."""
        wanted = len(self.seconds) + answers
        deadline = time.monotonic() + within_s
        while len(self.seconds) < wanted:
            assert time.monotonic() < deadline, f"{len(self.seconds)} answers of {wanted}; lost {self.lost[:3]}"
            time.sleep(0.01)

    def gap_after(self, moment: float) -> float:
        """The seconds from a moment until answers came again without a longer pause than half a second."""
        times = sorted(each for each in self.answered_at if each >= moment)
        last_pause = moment
        previous = moment
        for each in times:
            if each - previous > 0.5:
                last_pause = each
            previous = each
        return (last_pause if last_pause > moment else (times[0] if times else moment)) - moment

    def _ask(self, number: int) -> None:
        connection: http.client.HTTPConnection | None = None
        bodies = itertools.islice(itertools.cycle(self.bodies), number * len(self.bodies) // self.clients, None)
        while not self._over.is_set():
            body = next(bodies)
            with self._lock:
                self.sent += 1
            started = time.monotonic()
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_WITHIN_S)
                connection.request("POST", "/move", body, {"Content-Type": "application/json"})
                response = connection.getresponse()
                wrong = None if self.is_right(body, response.read()) else "wrong answer"
                wrong = wrong if response.status == 200 else f"status {response.status}"
                closes = response.will_close
            except (OSError, http.client.HTTPException) as error:
                wrong, closes = repr(error), True
            ended = time.monotonic()
            with self._lock:
                if wrong is None:
                    self.seconds.append(ended - started)
                    self.answered_at.append(ended)
                else:
                    self.lost.append(wrong)
            if connection is not None and (closes or not self.keep_alive):
                connection.close()
                connection = None
            self._over.wait(self.gap_s)
        if connection is not None:
            connection.close()
