"""Ten times the searches that a worker can carry: it goes on at its full rate, sheds the rest, and recovers at once."""

import asyncio
import json
import random
import statistics
import time
from collections import Counter
from dataclasses import dataclass

import pytest

from tests.support.server import Server

SEARCH_S = 0.3
"""What one search takes at least, alone on a core. Long, so that refusing nine others costs little beside it."""
TIMES = 10
REFUSED_WITHIN_MS = 50
KNOWN = {"board": ["X.O", ".X.", "..."]}
CALIBRATION_NODES = 3_000


@dataclass
class Outcome:
    """One request: its status, how long it took, when it ended."""

    status: int
    seconds: float
    ended: float


class Load:
    """Asks one server in this process; every search a board that nobody asked about before."""

    def __init__(self, server: Server, seed: int) -> None:
        self.port = server.port
        self.random = random.Random(seed)
        self.nodes = CALIBRATION_NODES

    def question(self) -> bytes:
        cells = self.random.sample(range(225), 12)
        rows = [["."] * 15 for _ in range(15)]
        for number, cell in enumerate(cells):
            rows[cell // 15][cell % 15] = "XO"[number % 2]
        board = ["".join(row) for row in rows]
        return json.dumps({"board": board, "goal": 5, "to_move": "X", "max_nodes": self.nodes}).encode()

    async def ask(self, method: str, path: str, body: bytes = b"") -> Outcome:
        began = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = await reader.read()
        finally:
            writer.close()
        ended = time.monotonic()
        return Outcome(int(answer.split(b" ", 2)[1]), ended - began, ended)

    async def search(self) -> Outcome:
        return await self.ask("POST", "/move", self.question())

    async def calibrate(self) -> None:
        """Choose nodes with which a search takes long enough."""
        while True:
            seconds = statistics.median([(await self.search()).seconds for _ in range(5)])
            if seconds >= SEARCH_S:
                return
            self.nodes = int(self.nodes * max(1.3, min(8.0, 1.2 * SEARCH_S / seconds)))

    async def carried(self, seconds: float) -> float:
        """Searches answered a second when one is asked after the other, so that none has to wait for its turn."""
        began = time.monotonic()
        done = 0
        while time.monotonic() < began + seconds:
            assert (await self.search()).status == 200
            done += 1
        return done / (time.monotonic() - began)

    async def steadily(self, seconds: float, rate: float) -> list[Outcome]:
        """So many searches a second, whatever becomes of those before."""
        began = time.monotonic()
        tasks = []
        for number in range(int(seconds * rate)):
            await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
            tasks.append(asyncio.create_task(self.search()))
        return list(await asyncio.gather(*tasks))

    async def probes(self, over: asyncio.Event) -> list[Outcome]:
        """A known answer and a health check, again and again."""
        found = []
        while not over.is_set():
            found.append(await self.ask("POST", "/move", json.dumps(KNOWN).encode()))
            found.append(await self.ask("GET", "/healthz"))
            await asyncio.sleep(0.05)
        return found

    async def recovered_after(self) -> float:
        """Seconds until a search is answered again."""
        began = time.monotonic()
        while (await self.search()).status != 200:
            await asyncio.sleep(0.02)
        return time.monotonic() - began


def refusals_ms(server: Server) -> list[float]:
    """How long the service took to refuse, by its log."""
    lines = (json.loads(line) for line in server.log.splitlines() if '"status":503' in line)
    return [line["ms"] for line in lines]


async def overloaded(server: Server, measure_s: float, overload_s: float, share: float, quiet: bool) -> None:
    """Measure and check; ``quiet``: the machine does nothing else, so that a client's times say something."""
    load = Load(server, seed=1)
    assert (await load.ask("POST", "/move", json.dumps(KNOWN).encode())).status == 200
    await load.calibrate()
    before = await load.carried(measure_s)
    over = asyncio.Event()
    probing = asyncio.create_task(load.probes(over))
    began = time.monotonic()
    outcomes = await load.steadily(overload_s, TIMES * before)
    lasted = time.monotonic() - began
    recovered_s = await load.recovered_after()
    over.set()
    probes = await probing
    after = await load.carried(measure_s)

    statuses = Counter(outcome.status for outcome in outcomes)
    ends = sorted(outcome.ended for outcome in outcomes if outcome.status == 200)
    # From the first answer to the last: before the first the searches had only begun.
    answered = (len(ends) - 1) / (ends[-1] - ends[0])
    shed = sorted(outcome.seconds for outcome in outcomes if outcome.status == 503)
    probed = sorted(outcome.seconds for outcome in probes)
    print(
        f"\ncarried {before:.1f} and {after:.1f} searches/s; of {len(outcomes)} in {lasted:.1f} s {dict(statuses)},"
        f" {answered:.1f}/s answered; shed in {shed[len(shed) // 2] * 1000:.0f} ms (median); search again after"
        f" {recovered_s:.2f} s; {len(probes)} known answers and health checks, slowest"
        f" {probed[-1] * 1000:.0f} ms, median {probed[len(probed) // 2] * 1000:.0f} ms"
    )
    assert set(statuses) == {200, 503}
    # Both rates are taken on a machine that does other things too: the lower of two is what it carries.
    assert answered >= share * min(before, after)
    assert statuses[503] >= 0.5 * len(outcomes)
    # What the client sees has a machine in it that does other things too; the log tells the part of the service.
    assert statistics.median(refusals_ms(server)) < REFUSED_WITHIN_MS
    assert shed[len(shed) // 2] < SEARCH_S or not quiet
    assert {outcome.status for outcome in probes} == {200}
    assert probed[len(probed) // 2] < SEARCH_S or not quiet
    assert recovered_s < 1 + SEARCH_S or not quiet
    assert recovered_s < 5


def serve():
    return Server.started(KINAROW_WORKERS="1", KINAROW_LOG_LEVEL="warning")


def test_ten_times_the_load_is_carried_at_the_full_rate_and_the_rest_shed():
    with serve() as server:
        asyncio.run(overloaded(server, measure_s=2, overload_s=4, share=0.5, quiet=False))


@pytest.mark.slow
def test_the_same_for_half_a_minute():
    with serve() as server:
        asyncio.run(overloaded(server, measure_s=8, overload_s=30, share=0.85, quiet=True))
