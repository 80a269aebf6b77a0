"""Users of Locust who send anything, each request as the bytes it is: ``locust -f tests/chaos/stranger.py --host URL``.

Point it at a service of your own only.
"""

import random
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from locust import User, constant_throughput, events, task

sys.path.append(str(Path(__file__).parents[2]))  # Locust finds this file from any folder, but not those beside it

from loadtests import asking  # noqa: F401 - it judges the run
from loadtests.games import WrongAnswer
from tests.chaos.abuse import FAILED, SILENCE, Line, abuses


class Stranger(User):
    """Sends broken, oversized and expensive requests."""

    wait_time = constant_throughput(20)

    def on_start(self) -> None:
        address = urlsplit(self.host or "")
        self.line = Line((address.hostname or "127.0.0.1", address.port or 80))
        self.abuses = abuses(random.randrange(2**32))

    def on_stop(self) -> None:
        self.line.close()

    @task
    def offend(self) -> None:
        """One request; whatever is no answer that it deserves is a failure."""
        abuse = next(self.abuses)
        began = time.perf_counter()
        came = self.line.send(abuse)
        wrong = came.startswith(FAILED) or (came.startswith("5") and came != "503")
        wrong = wrong or (came == SILENCE and not abuse.may_be_silent)
        events.request.fire(
            request_type="RAW",
            name=f"hostile {abuse.kind}",
            response_time=1000 * (time.perf_counter() - began),
            response_length=0,
            exception=WrongAnswer(came) if wrong else None,
            context={},
        )
