"""Law 14: what is delivered adds up, whatever happens to a session, its hosts, and their histories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hud_components import CODING, Domain, Hud, WhereWeAre, level_for
from hud_components.declaring import as_usual
from hud_components.delta import Line, read
from hud_components.delta._lines import lines_of
from hud_components.memory import CODING_MEMORY
from hud_runtime import Delivery, HudSession, HudStore, Part, Reanchor
from hud_runtime.delivery._base import Ledger
from hud_runtime.testing import ListEventStore
from hud_runtime.testing._strategies import event_drafts_of
from tests.docs.domains.cases import SUPPORT
from ujsx import render


@dataclass
class Host:
    """A program that talks to a model for one reader, and keeps, or rebuilds, a history."""

    session: HudSession[Any]
    reader: str
    stores: bool
    passes_texts: bool
    history: list[str | Part] = field(default_factory=list[str | Part])
    """Its own messages, and ours where it stores them."""

    is_fresh: bool = True
    sent: list[list[str]] = field(default_factory=list[list[str]])
    """What the model has read, request by request."""

    def ask(self, *, retry_of: str | None = None) -> Delivery:
        texts = [each if isinstance(each, str) else each.text for each in self.history]
        return self.session.deliver(
            reader=self.reader,
            texts=texts if self.passes_texts or not self.stores else None,
            fresh=self.is_fresh and not self.passes_texts,
            stores=self.stores,
            retry_of=retry_of,
            reanchor=Reanchor(tokens=40_000, errors=2),
        )

    def send(self, made: Delivery, *, acknowledges: bool) -> list[Part]:
        """Send a request, and return what of ours the model reads, in that order."""
        if self.stores:
            self.history += made.parts
            ours = [each for each in self.history if isinstance(each, Part)]
            prompt = [each if isinstance(each, str) else each.text for each in self.history]
        else:
            ours = [*made.replay, *made.parts]
            prompt = self._with(ours)
        self.sent.append(prompt)
        self.is_fresh = False
        if acknowledges:
            self.session.delivered(made.id)
        return ours

    def _with(self, ours: Sequence[Part]) -> list[str]:
        prompt: list[str] = []
        for place in range(len(self.history) + 1):
            prompt += [each.text for each in ours if each.behind == place]
            prompt += [str(each) for each in self.history[place : place + 1]]
        return prompt

    def loses(self, count: int) -> None:
        """Drop the beginning of the history."""
        self.history = self.history[count:]
        self.sent.clear()
        self.is_fresh = True


def known_to(ours: Sequence[Part]) -> tuple[Line, ...]:
    """What is known to who reads these texts, the last whole one and what follows it."""
    start = max(n for n, each in enumerate(ours) if each.kind == "whole")
    return read(ours[start].text, [each.text for each in ours[start:] if each.kind == "delta"])


def by_heading(lines: Sequence[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: line.title)


def is_of_the_context(line: Line) -> bool:
    """Whether it counts items, or tells a reading, which is no news while the level is the same, or what was said,
    which stands in the history."""
    return line.title == WhereWeAre.title or line.text.startswith(
        ("- *… ", "- 🟢", "- 🟡", "- 🟠", "- 🔴", "- ⚠ The context")
    )


def check(session: HudSession[Any], ours: Sequence[Part], greens: bool) -> None:
    known = {each.text for each in known_to(ours) if not is_of_the_context(each)}
    state = session.known
    if state.usage is not None and level_for(state.usage.percentage) != "green":
        return
    node = Hud.of(state)
    shown = {each.line.text for each in lines_of(render(node)) if not is_of_the_context(each.line)}
    assert shown <= known
    if greens:
        # What was told before a section was folded is known still, and true.
        whole = render(Hud.of(as_usual(state)), budget=10**9)
        assert known <= {each.line.text for each in lines_of(whole)} | shown


OPS = st.sampled_from(
    ["record"] * 4
    + ["request"] * 4
    + ["never sent", "retry", "said", "loses", "compaction", "reopen"]
)


@given(
    domain=st.sampled_from([CODING, SUPPORT.domain, CODING_MEMORY]),
    data=st.data(),
    stores=st.booleans(),
    passes_texts=st.booleans(),
)
def test_what_is_delivered_adds_up(
    domain: Domain[Any], data: st.DataObject, *, stores: bool, passes_texts: bool
) -> None:
    """At each request, what the model reads of ours is what the HUD shows, and none of it is false."""
    events = ListEventStore()

    def opened() -> HudSession[Any]:
        return HudStore(events, clock=lambda: 0, domain=domain).session("s")

    session = opened()
    hosts = [Host(session, name, stores, passes_texts) for name in ("main", "child")]
    greens = True
    drafts = event_drafts_of(domain)
    for what in data.draw(st.lists(OPS, max_size=24)):
        host = hosts[data.draw(st.sampled_from([0, 0, 0, 1]))]
        if what == "record":
            given = data.draw(st.lists(drafts, min_size=1, max_size=4))
            session.record_all(given, refused=lambda _draft, _error: None)
        elif what == "said":
            host.history.append(f"message {len(host.history)}")
        elif what == "loses":
            host.loses(data.draw(st.integers(0, len(host.history))))
        elif what == "compaction":
            session.record("compact.after", summary="so far")
            host.history[:] = ["what was said so far"]
            host.sent.clear()
            host.is_fresh = True
        elif what == "reopen":
            session = opened()
            for each in hosts:
                each.session = session
        elif what == "never sent":
            host.ask()
        else:
            made = host.ask()
            if what == "retry":
                again = host.ask(retry_of=made.id)
                assert again == made
            usage = session.known.usage
            is_green = usage is None or level_for(usage.percentage) == "green"
            greens = greens and is_green
            # Who passes the texts need not say that they were sent.
            says = not (stores and passes_texts) or data.draw(st.booleans())
            ours = host.send(made, acknowledges=says)
            check(session, ours, greens)
            ledger = Ledger.of(events, "s", host.reader)
            kept = ledger.find(made.id) if made.id else ledger.sent
            assert kept is not None
            assert kept.base is not None
            assert by_heading(known_to(ours)) == by_heading(kept.base.told.lines)
            for before, after in zip(host.sent, host.sent[1:], strict=False):
                assert after[: len(before)] == before
