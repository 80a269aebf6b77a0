"""From what one answer costs to what a million a second cost: cores, pods and money, with your own figures.

    python -m benchmarks.capacity --rate 1000000 --cdn 0.95 --proxy 0.8 --known 0.9

The times of an answer are those that ``python -m benchmarks.http_scaling`` prints; prices are yours to fill in.
"""

import argparse
import math
from dataclasses import dataclass

SECONDS_A_MONTH = 30 * 86_400
HOURS_A_MONTH = 30 * 24
ROOM = 0.65
"""How full a core is planned to be; the autoscaler of deploy/kubernetes aims at the same."""
CORES_A_POD = 2


@dataclass(frozen=True)
class Costs:
    """Processor time of an answer in ms, by who gives it."""

    proxy_ms: float
    known_ms: float
    search_ms: float


@dataclass(frozen=True)
class Traffic:
    """Requests a second, and the shares of what arrives that each tier answers itself."""

    rate: float
    cdn: float
    proxy: float
    known: float


@dataclass(frozen=True)
class Plan:
    """What it takes."""

    at_proxy: float
    at_service: float
    searched: float
    proxy_cores: float
    service_cores: float

    @property
    def pods(self) -> int:
        """Instances of the service."""
        return math.ceil(self.service_cores / CORES_A_POD)


def plan(traffic: Traffic, costs: Costs) -> Plan:
    """The cores that this traffic takes, with room."""
    at_proxy = traffic.rate * (1 - traffic.cdn)
    at_service = at_proxy * (1 - traffic.proxy)
    searched = at_service * (1 - traffic.known)
    busy = (at_service - searched) * costs.known_ms + searched * (costs.known_ms + costs.search_ms)
    return Plan(at_proxy, at_service, searched, at_proxy * costs.proxy_ms / 1000 / ROOM, busy / 1000 / ROOM)


def main() -> None:
    """Print the plan."""
    parser = argparse.ArgumentParser(description="Cores, pods and money for so many requests a second.")
    parser.add_argument("--rate", type=float, default=1_000_000, help="requests a second")
    parser.add_argument("--cdn", type=float, default=0.0, help="share that a CDN answers")
    parser.add_argument("--proxy", type=float, default=0.0, help="share of the rest that the proxies answer")
    parser.add_argument("--known", type=float, default=0.9, help="share of the rest that needs no search")
    parser.add_argument(
        "--proxy-ms", type=float, default=0.015, help="processor time of an answer of the proxy"
    )
    parser.add_argument("--known-ms", type=float, default=0.31, help="of a known answer of the service")
    parser.add_argument("--search-ms", type=float, default=3.7, help="of a search, on top of that")
    parser.add_argument("--core-hour", type=float, default=0.04, help="price of a core for an hour")
    parser.add_argument(
        "--cdn-million", type=float, default=0.6, help="price of a million requests at the CDN"
    )
    given = parser.parse_args()
    own = plan(
        Traffic(given.rate, given.cdn, given.proxy, given.known),
        Costs(given.proxy_ms, given.known_ms, given.search_ms),
    )
    print(f"{given.rate:,.0f} requests a second")
    print(f"  answered by the CDN:      {given.rate - own.at_proxy:>12,.0f}")
    print(
        f"  answered by the proxies:  {own.at_proxy - own.at_service:>12,.0f}   {own.proxy_cores:,.1f} cores"
    )
    print(f"  known to the service:     {own.at_service - own.searched:>12,.0f}")
    print(
        f"  searched:                 {own.searched:>12,.0f}   {own.service_cores:,.1f} cores, {own.pods:,} pods"
    )
    machines = (own.proxy_cores + own.service_cores) * given.core_hour * HOURS_A_MONTH
    edge = (given.rate - own.at_proxy) * SECONDS_A_MONTH / 1e6 * given.cdn_million
    print(f"a month: {machines:,.0f} for cores, {edge:,.0f} for the CDN")


if __name__ == "__main__":
    main()
