"""What is told in figures, and that no text is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hud_runtime import HudStore
from hud_runtime.integrations import HostSession
from hud_runtime.observe import AgentMessage, Usage, UserMessage

SECRET = "Xyzzy"


class Kept:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.deliveries: list[Any] = []
        self.calls: list[tuple[int, bool]] = []
        self.requests: list[Usage] = []

    def delivered(self, figures: Any) -> None:
        self.deliveries.append(figures)

    def called(self, *, repairs: int, is_error: bool) -> None:
        self.calls.append((repairs, is_error))

    def used(self, usage: Usage) -> None:
        self.requests.append(usage)


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


def work(host: HostSession) -> None:
    host.observe(UserMessage(text=f"Add a login for {SECRET}, please."))
    host.before_request()
    for number in range(40):
        host.call("hud", {"op": "notes.add", "content": f"{SECRET} {number}"})
    host.call("hud", f'{{"op": "notes.add", "content": "{SECRET}",}}')
    host.call("hud", {"op": f"no.{SECRET}"})
    host.observe(
        AgentMessage(usage=Usage.of_prompt(170_000, cache_read=169_000, output=50), limit=200_000)
    )
    host.before_request()


def test_figures(store: HudStore) -> None:
    watch = Kept()
    host = HostSession(store.session("s"), watch=watch)
    work(host)
    first, second = watch.deliveries
    assert (first.mode, first.why, first.delta) == ("append", "start", 0)
    assert first.whole == first.hud > 0
    assert second.whole + second.delta > 0
    task, notes, warning = (
        next(each for each in second.sections if each.name == name)
        for name in ("TaskSection", "NotesSection", "WarningBanner")
    )
    assert notes.omitted == 40
    assert notes.rung
    assert notes.tokens == 0  # it stands in the line that the task begins, and is counted there
    assert abs(task.tokens + warning.tokens - second.hud) <= 2  # parts are estimated alone
    assert task.tokens > first.hud
    assert watch.calls[-2][0] > 0
    assert watch.calls[-2][1] is False
    assert watch.calls[-1][1] is True
    assert watch.requests == [Usage.of_prompt(170_000, cache_read=169_000, output=50)]


def test_d3_a_tail_says_what_a_cache_could_keep_of_it(store: HudStore) -> None:
    watch = Kept()
    host = HostSession(store.session("s"), mode="tail", has_cache_breakpoint=True, watch=watch)
    host.call("hud", {"op": "notes.add", "content": "one"})
    host.before_request()
    host.before_request()
    host.call("hud", {"op": "notes.add", "content": "two"})
    host.before_request()
    assert [each.kept for each in watch.deliveries][:2] == [1.0, 1.0]
    assert 0 < watch.deliveries[2].kept <= 1


def test_one_who_counts_may_raise(store: HudStore) -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            raise ZeroDivisionError

    told: list[str] = []
    host = HostSession(store.session("s"), watch=Broken(), on_warning=told.append)  # type: ignore[arg-type]
    work(host)
    assert len(host.session.state().notes) == 41
    assert told


def test_events_of_opentelemetry_hold_no_text(store: HudStore) -> None:
    pytest.importorskip("opentelemetry.sdk._logs", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

    from hud_runtime.integrations.otel import Telemetry

    exporter = InMemoryLogRecordExporter()
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    host = HostSession(store.session(f"s-{SECRET}"), watch=Telemetry(provider))
    work(host)
    records = [each.log_record for each in exporter.get_finished_logs()]
    names = [each.event_name for each in records]
    assert names.count("ujsx.hud.delivered") == 2
    assert names.count("ujsx.request.used") == 1
    assert names.count("ujsx.tool.called") == 42
    for each in records:
        assert each.body is None
        assert SECRET not in json.dumps(dict(each.attributes or {}), default=list)
    attributes = next(
        each.attributes for each in records if each.event_name == "ujsx.hud.delivered"
    )
    assert attributes is not None
    assert attributes["ujsx.delivery.why"] == "start"
    assert len(attributes["ujsx.section.tokens"]) == len(attributes["ujsx.section.names"])  # type: ignore[arg-type]
    provider.shutdown()
