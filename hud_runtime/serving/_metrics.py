"""Figures of a server, in the text format of Prometheus: counts and times, and nothing that anybody said.

The format is that of version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from threading import Lock
from types import MappingProxyType

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the times that are told apart, in seconds."""

METHODS = frozenset(
    {
        "completion/complete", "initialize", "notifications/initialized", "ping", "prompts/get",
        "prompts/list", "resources/list", "resources/read", "resources/templates/list",
        "server/discover", "subscriptions/listen", "tools/call", "tools/list",
    }
)  # fmt: skip
"""Methods of the protocol that are told apart: what a client makes up is counted as "other"."""

HELP: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "ujsx_requests_total": ("counter", "Requests of the protocol, by method and HTTP status."),
        "ujsx_refused_total": ("counter", "Requests that were refused, by why."),
        "ujsx_errors_total": ("counter", "Requests that broke inside the server."),
        "ujsx_events_recorded_total": ("counter", "Events that were recorded."),
        "ujsx_request_seconds": ("histogram", "Time to answer a request, by method."),
        "ujsx_requests_now": ("gauge", "Requests that are being answered."),
        "ujsx_connections_now": ("gauge", "Connections that are open."),
        "ujsx_streams_now": ("gauge", "Clients that listen."),
        "ujsx_sessions_now": ("gauge", "Sessions that are kept in memory."),
        "ujsx_store_away": (
            "gauge",
            "1 while the database was not reached the last time that it was asked.",
        ),
    }
)
"""Each figure: its type, and what it says."""

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """The figures, counted by any thread.

    >>> metrics = Metrics()
    >>> metrics.count("ujsx_refused_total", why="rate")
    >>> [line for line in metrics.text().splitlines() if line.startswith("ujsx_refused")]
    ['ujsx_refused_total{why="rate"} 1']
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: dict[str, dict[Labels, int]] = {
            name: {} for name, (kind, _) in HELP.items() if kind == "counter"
        }
        for name in ("ujsx_errors_total", "ujsx_events_recorded_total"):
            self._counts[name][()] = 0
        self._times: dict[str, tuple[list[int], float]] = {}
        self.gauges: dict[str, Callable[[], int]] = {}
        """Figures that are looked up when they are asked for."""

    def count(self, name: str, number: int = 1, **labels: str) -> None:
        """Count something that happened."""
        key = tuple(sorted(labels.items()))
        with self._lock:
            self._counts[name][key] = self._counts[name].get(key, 0) + number

    def answered(self, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered; a stream's time is not told."""
        method = method if method in METHODS else "other"
        self.count("ujsx_requests_total", method=method, status=str(status))
        if method == "subscriptions/listen":
            return
        with self._lock:
            counts, total = self._times.get(method, ([0] * (len(BUCKETS) + 1), 0.0))
            counts[bisect_left(BUCKETS, seconds)] += 1
            self._times[method] = counts, total + seconds

    def text(self) -> str:
        """Return all figures, as they are now."""
        with self._lock:
            lines = [*self._lines()]
        return "\n".join(lines) + "\n"

    def _lines(self) -> Iterator[str]:
        for name, (kind, about) in HELP.items():
            yield f"# HELP {name} {about}"
            yield f"# TYPE {name} {kind}"
            if kind == "counter":
                for labels, number in sorted(self._counts[name].items()):
                    yield f"{name}{_shown(labels)} {number}"
            elif kind == "gauge":
                if name in self.gauges:
                    yield f"{name} {int(self.gauges[name]())}"
            else:
                for method, (counts, total) in sorted(self._times.items()):
                    yield from _histogram(name, method, counts, total)


def _histogram(name: str, method: str, counts: list[int], total: float) -> Iterator[str]:
    bounds = (*map(str, BUCKETS), "+Inf")
    for bound, number in zip(bounds, accumulate(counts), strict=True):
        yield f"{name}_bucket{_shown((('method', method), ('le', bound)))} {number}"
    yield f"{name}_sum{_shown((('method', method),))} {total:.6f}"
    yield f"{name}_count{_shown((('method', method),))} {sum(counts)}"


def _shown(labels: Labels) -> str:
    """Labels as the format has them; all values are from tables of ours."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
