"""Law 14: what is delivered adds up, whatever happens to a session, its hosts, and their histories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from hud_components import CODING, Domain, Hints, Hud, WhereWeAre
from hud_components.changes import Line
from hud_components.declaring import as_usual
from hud_components.levels import level_for
from hud_components.memory import CODING_MEMORY
from hud_components.words import RequestMessage
from hud_runtime import Delivery, EventDraft, HudSession, HudStore, Part, Reanchor
from tests.docs.domains.cases import SUPPORT
from tests.hud_components.changes.reading import read
from tests.hud_runtime.drafts import event_drafts_of
from tests.hud_runtime.inside import ReaderLedger
from tests.hud_runtime.store.list_store import ListEventStore
from ujsx import render


@dataclass
class Host:
    """A program that talks to a model for one reader, and keeps, or rebuilds, a history."""

    session: HudSession[Any]
    reader: str
    host_keeps_messages: bool
    passes_texts: bool
    shows_talk: bool = False
    """Whether it tells what is said in its messages, so that a delivery need not repeat it."""
    history: list[str | RequestMessage | Part] = field(
        default_factory=list[str | RequestMessage | Part]
    )
    """Its own messages, and ours where it stores them."""

    unseen: set[str] = field(default_factory=set[str])
    """The ids of items that somebody else has changed since the last request, and no call of its own."""

    is_fresh: bool = True
    sent: list[list[str]] = field(default_factory=list[list[str]])
    """What the model has read, request by request."""

    def ask(self, *, retry_of: str | None = None) -> Delivery:
        texts = [text_of(each) for each in self.history]
        return self.session.deliver(
            reader=self.reader,
            texts=texts if self.passes_texts or not self.host_keeps_messages else None,
            fresh=self.is_fresh and not self.passes_texts,
            host_keeps_messages=self.host_keeps_messages,
            retry_of=retry_of,
            reanchor=Reanchor(tokens=40_000, errors=2),
            conversation=self.talk if self.shows_talk else None,
        )

    @property
    def talk(self) -> list[str | RequestMessage]:
        """Its own messages."""
        return [each for each in self.history if not isinstance(each, Part)]

    def send(self, made: Delivery, *, acknowledges: bool) -> list[Part]:
        """Send a request, and return what of ours the model reads, in that order."""
        if self.host_keeps_messages:
            self.history += made.parts
            ours = [each for each in self.history if isinstance(each, Part)]
            prompt = [text_of(each) for each in self.history]
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
            prompt += [text_of(each) for each in self.history[place : place + 1]]
        return prompt

    def loses(self, count: int) -> None:
        """Drop the beginning of the history."""
        self.history = self.history[count:]
        self.sent.clear()
        self.is_fresh = True


def text_of(message: str | RequestMessage | Part) -> str:
    """All that the model reads of a message."""
    if isinstance(message, str):
        return message
    return f"{message.text}{message.shown}" if isinstance(message, RequestMessage) else message.text


def end_of(talk: Sequence[str | RequestMessage], size: int) -> str:
    """The end of a conversation: what a delta need not repeat of it."""
    end: list[str] = []
    for each in reversed(talk):
        if sum(map(len, end)) >= size:
            break
        end.append(text_of(each))
    return "\n".join(end)


def known_to(ours: Sequence[Part]) -> tuple[Line, ...]:
    """What is known to who reads these texts, the last whole one and what follows it."""
    start = max((n for n, each in enumerate(ours) if each.kind == "whole"), default=None)
    if start is None:
        return ()
    return read(ours[start].text, [each.text for each in ours[start:] if each.kind == "delta"])


def by_heading(lines: Sequence[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: line.title)


def is_of_the_context(line: Line) -> bool:
    """Whether it counts items, or tells a reading, which is no news while the level is the same, or is of a section that
    changes do not tell of: what was said, the summary, hints."""
    return line.title in (WhereWeAre.title, "Before the compaction") or line.text.startswith(
        (
            "- *… ",
            "- 🟢",
            "- 🟡",
            "- 🟠",
            "- 🔴",
            "- ⚠ The context",
            "- **Before the",
            "- *a summary",
            *tuple(f"- {Hints.texts[f'hint.{each}']}" for each in ("new", "compacted", "more")),
        )
    )


def check(
    session: HudSession[Any],
    ours: Sequence[Part],
    greens: bool,
    talk: Sequence[str | RequestMessage] = (),
    told: Sequence[Any] = (),
) -> None:
    prompts = [each for each in talk if isinstance(each, str)]
    calls = end_of(talk, FAR)
    lines = [each for each in known_to(ours) if not is_of_the_context(each)]
    known = {each.text for each in lines}
    state = session.known
    if state.usage is not None and level_for(state.usage.percentage) != "green":
        return
    node = Hud.of(state)
    read_lines = read(render(node))
    shown = {each.text for each in read_lines if not is_of_the_context(each)}
    said = {each.text for each in read_lines if stands(each, lines, prompts)}
    said |= {
        each.text for each in read_lines if any(one in each.name for one in WORDS if one in calls)
    }
    assert shown <= known | said
    # The newer words of the request are later than what was told of these.
    changed = {each.line.text for each in told if each.is_told and each.shown is not None}
    for each in told:
        if each.shown is not None:
            assert each.key in calls or any(one in calls for one in WORDS if one in each.line.name)
    if greens:
        # What was told before a section was folded is known still, and true.
        whole = render(Hud.of(as_usual(state)), budget=10**9)
        true = {each.text for each in read(whole)} | shown
        task = getattr(state, "task", None)
        if talk and task is not None:
            alone = state.model_copy(update={"task": task.model_copy(update={"goal": None})})
            true |= {each.text for each in read(render(Hud.of(alone), budget=10**9))}
            true |= {f"- *goal:* {task.goal}", f"- {task.description}"}
            if task.description in " ".join(prompts):  # said later than what was told of the task
                true |= {each.text for each in lines if each.title == "Task"}
        assert known - changed <= true
        assert {each.shown for each in told if each.shown} <= true


def stands(line: Line, told: Sequence[Line], talk: Sequence[str]) -> bool:
    """Whether the words of a line stand in messages, or some of them there and the others in a line that was told."""
    said = line.name.removesuffix(" said by the host")
    words = [each.strip() for each in said.split(" — goal: ")]
    names = " ".join(each.name for each in told)
    found = [each in " ".join(talk) for each in words]
    return any(found) and all(one or each in names for one, each in zip(found, words, strict=True))


OPS = st.sampled_from(
    ["record"] * 4
    + ["request"] * 4
    + ["never sent", "retry", "said", "asked", "asked", "loses", "compaction", "reopen"]
    + ["called"] * 4
)

ASKS: Sequence[tuple[str, dict[str, str]]] = (
    ("task.set", {"description": "Add a login."}),
    ("task.set", {"description": "Write the docs, too."}),
    ("task.goal", {"goal": "Let users sign in."}),
    ("rule.add", {"text": "Never push to main."}),
    ("rule.add", {"text": "Keep the names."}),
    ("message.said", {"text": "The second option."}),
)
"""What a person says, and what comes of it."""

CALLS: Sequence[tuple[str, dict[str, str]]] = (
    ("note.add", {"content": "The port is 8080"}),
    ("note.update", {"id": "", "content": "The port is 9090"}),
    ("note.update", {"id": "", "content": "The port is 8080"}),
    ("note.remove", {"id": ""}),
    ("step.add", {"description": "Write the tests"}),
    ("step.add", {"description": "Read the logs"}),
    ("step.complete", {"id": ""}),
    ("step.reopen", {"id": ""}),
    ("blocker.add", {"description": "No key is there"}),
    ("blocker.resolve", {"id": ""}),
    ("file.open", {"path": "src/shop/login.py"}),
    ("file.edit", {"path": "src/shop/login.py"}),
    ("file.close", {"path": "src/shop/login.py"}),
    ("error.encountered", {"message": "Three tests fail"}),
    ("error.resolved", {"id": ""}),
)
"""What happens in a call of a tool, or without the reader seeing it. An empty id is that of an item that is there."""

WORDS = [each for _, said in CALLS for name, each in said.items() if name != "id"]

NEAR, FAR = 120, 240
"""Sizes of the end of a conversation that short ones have."""


def called(
    session: HudSession[Any], kind: str, payload: dict[str, str], actor: Any
) -> tuple[dict[str, str], set[str]]:
    """Record what a call does, if it does anything; return its arguments, and the ids of the items that it changes."""
    field = {"note": "notes", "step": "next_steps", "blocker": "blockers", "error": "errors"}
    items: Sequence[Any] = getattr(session.known, field.get(kind.partition(".")[0], ""), ())
    given = {name: items[-1].id if items and not said else said for name, said in payload.items()}
    if kind in session.domain.section_events and all(given.values()):
        draft = EventDraft(kind, given, actor=actor)
        if session.record_all([draft], refused=lambda _draft, _error: None):
            return given, {given["id"]} if "id" in given else set()
    return given, set()


@given(
    domain=st.sampled_from([CODING, SUPPORT.domain, CODING_MEMORY]),
    data=st.data(),
    host_keeps_messages=st.booleans(),
    passes_texts=st.booleans(),
    shows_talk=st.booleans(),
)
def test_what_is_delivered_adds_up(
    domain: Domain[Any],
    data: st.DataObject,
    *,
    host_keeps_messages: bool,
    passes_texts: bool,
    shows_talk: bool,
) -> None:
    """At each request, what the model reads is what the HUD shows, and none of it is false."""
    with (
        patch("hud_components.changes._update.NEAR", NEAR),
        patch("hud_components.changes._update.FAR", FAR),
    ):
        play(
            domain,
            data,
            host_keeps_messages=host_keeps_messages,
            passes_texts=passes_texts,
            shows_talk=shows_talk,
        )


def play(  # noqa: PLR0915 - the ops of a history, one behind the other
    domain: Domain[Any],
    data: st.DataObject,
    *,
    host_keeps_messages: bool,
    passes_texts: bool,
    shows_talk: bool,
) -> None:
    """Play a session and its hosts, and look at each request."""
    events = ListEventStore()

    def opened() -> HudSession[Any]:
        return HudStore(events, clock=lambda: 0, domain=domain).session("s")

    session = opened()
    hosts = [
        Host(session, name, host_keeps_messages, passes_texts, shows_talk)
        for name in ("main", "child")
    ]
    greens = True
    drafts = event_drafts_of(domain)
    for what in data.draw(st.lists(OPS, max_size=24)):
        host = hosts[data.draw(st.sampled_from([0, 0, 0, 1]))]
        if what == "record":
            given = data.draw(st.lists(drafts, min_size=1, max_size=4))
            session.record_all(given, refused=lambda _draft, _error: None)
        elif what == "said":
            host.history.append(f"message {len(host.history)}")
        elif what == "asked":
            kind, payload = data.draw(st.sampled_from(ASKS))
            actor = data.draw(st.sampled_from(["user", "user", "agent"]))
            if kind in session.domain.section_events:
                draft = EventDraft(kind, payload, actor=actor)
                session.record_all([draft], refused=lambda _draft, _error: None)
            if actor == "user":
                host.history.append(f"So: {' '.join(payload.values())}")
        elif what == "called":
            kind, payload = data.draw(st.sampled_from(CALLS))
            actor = data.draw(st.sampled_from(["agent", "agent", "user"]))
            is_seen = actor == "agent" and data.draw(st.booleans())
            host_reported = kind.startswith(("file", "error"))
            given, changed = called(session, kind, payload, "tool" if host_reported else actor)
            for each in hosts:
                if not host_reported and not (is_seen and each is host):
                    each.unseen |= changed
            if is_seen or host_reported:
                host.history.append(RequestMessage("", True, json.dumps({"op": kind, **given})))
                host.unseen = set()  # the call may mention any of them
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
            says = not (host_keeps_messages and passes_texts) or data.draw(st.booleans())
            ours = host.send(made, acknowledges=says)
            ledger = ReaderLedger.of(events, "s", host.reader)
            kept = ledger.find(made.id) if made.id else ledger.sent
            assert kept is not None
            assert kept.base is not None
            entries = kept.base.told.entries
            check(session, ours, greens, host.talk if shows_talk else (), entries)
            for each in entries:
                is_told_now = not each.is_seen and each.known == each.line.text
                assert each.key not in host.unseen or is_told_now
            host.unseen = set()
            assert by_heading(known_to(ours)) == by_heading(kept.base.told.lines)
            for before, after in zip(host.sent, host.sent[1:], strict=False):
                assert after[: len(before)] == before
