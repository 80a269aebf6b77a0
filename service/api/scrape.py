"""``GET /metrics``, and which values of which objects its series show beside what is counted as it happens."""

from typing import TYPE_CHECKING

from flask import Flask, Response

from service.admission import REASONS, Admission
from service.api.memo import Memo
from service.api.readiness import draining
from service.metrics import ANSWERS, CONTENT_TYPE, Metrics

if TYPE_CHECKING:
    from service.recommender import Recommender
    from service.shared_cache import SharedCache

_KEPT = "Answers that are kept."
_LOOKED_UP = "Look-ups in the shared cache."


def install(app: Flask, metrics: Metrics) -> None:
    """Add ``/metrics`` to the app."""

    def scrape() -> Response:
        return Response(metrics.scrape(), content_type=CONTENT_TYPE, headers={"Cache-Control": "no-store"})

    app.add_url_rule("/metrics", "metrics", scrape, methods=["GET"])


def watch_admission(metrics: Metrics, admission: Admission) -> None:
    """Show how full the worker is, and how often it refused."""
    gauge = metrics.pull_gauge
    gauge("searches_running", "Searches under way.", lambda: admission.load().running)
    gauge("searches_waiting", "Requests that wait for a search.", lambda: admission.load().waiting)
    gauge("searches_following", "Requests that wait for another's.", lambda: admission.load().following)
    gauge("search_slots", "Searches that may run at once.", lambda: admission.searches)
    gauge("streams", "Streams that are open.", lambda: admission.load().streams)
    gauge("stream_slots", "Streams that may be open at once.", lambda: admission.streams)
    gauge("draining", "1 while the service is about to stop.", draining, mode="livemax")
    for reason in REASONS:
        metrics.pull_counter(
            "shed",
            "Requests refused for load.",
            lambda reason=reason: admission.shed()[reason],  # type: ignore[misc]
            reason=reason,
        )


def watch_memo(metrics: Metrics, memo: Memo) -> None:
    """Show what is remembered by the bytes of requests."""
    metrics.pull_gauge("cache_entries", _KEPT, lambda: memo.info().entries, tier="memo")
    metrics.pull_counter("answers", ANSWERS, lambda: memo.info().hits, source="memo")


def watch_recommender(metrics: Metrics, recommender: "Recommender") -> None:
    """Show what is kept up to symmetry."""
    metrics.pull_gauge("cache_entries", _KEPT, lambda: recommender.cache_info().size, tier="local")
    metrics.pull_counter("answers", ANSWERS, lambda: recommender.cache_info().hits, source="local")


def watch_shared_cache(metrics: Metrics, shared: "SharedCache") -> None:
    """Show how the cache that all machines share does."""
    metrics.pull_counter("answers", ANSWERS, lambda: shared.counts["hit"], source="shared")
    metrics.pull_counter("shared_cache_requests", _LOOKED_UP, lambda: shared.counts["hit"], result="hit")
    metrics.pull_counter("shared_cache_requests", _LOOKED_UP, lambda: shared.counts["miss"], result="miss")
    metrics.pull_counter("shared_cache_requests", _LOOKED_UP, lambda: shared.counts["error"], result="error")
    metrics.pull_counter(
        "shared_cache_requests", _LOOKED_UP, lambda: shared.counts["skipped"], result="skipped"
    )
    metrics.pull_gauge(
        "shared_cache_open", "Workers that leave the shared cache alone.", lambda: shared.is_open
    )
