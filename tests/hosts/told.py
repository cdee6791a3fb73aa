"""What requests tell of a HUD, beside the state that they were made from."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from hud_components import Hud, ItemsSection
from hud_components.changes import Line
from hud_runtime import HudStore
from tests.hosts.model import Request
from tests.hosts.place import Found
from tests.hud_components.changes.reading import read
from tests.hud_runtime.integrations.inside import lines_of, said_words
from ujsx import render

Huds = Callable[[Any], list[str]]
"""Finds what of the HUD stands in a request, in that order."""


def known(said: list[str]) -> list[Line]:
    """Return the lines of the HUD that who reads these texts knows; none where nothing was told."""
    wholes = [n for n, each in enumerate(said) if not each.startswith("# HUD changes")]
    return [*read(said[wholes[-1]], said[wholes[-1] + 1 :])] if wholes else []


COUNTED = ("*… ", "🟢", "🟡", "🟠", "🔴", "**Session:**", "The history was compacted")
"""How lines begin that tell a count or a reading. The last one goes with the second reading after a compaction."""


def is_counted(line: str) -> bool:
    """Whether a line tells a count or a reading, which is no news while the level is the same."""
    return line.removeprefix("- ").startswith(COUNTED)


def misses(
    said: list[str], session: Any, version: int, conversation: Iterable[str] = ()
) -> set[str]:
    """Return what texts do not tell of the state at a version, or tell, and is not so.

    :param conversation: what the user, the model and the host's summary say in the request; what is there word for word
        need not be told.
    """
    talk = " ".join(" ".join(conversation).split())
    told = [each for each in known(said) if not is_counted(each.text)]
    state = session.state(at=version)
    node = Hud.of(state)
    shown, everything = (
        [each.line for each in lines_of(text) if not is_counted(each.line.text)]
        for text in (render(node), render(node, budget=10**9))
    )
    beside = lines_beside(state, [*shown, *told], talk)
    is_asked = state.task is not None and state.task.description in talk
    heard = "\n".join([talk, *(each.name for each in told)])
    gaps = {
        each.text
        for each in shown
        if each.text not in {one.text for one in told} | beside
        and not all(part in heard for part in parts_of(each))
    }
    true = {each.text for each in everything}
    if state.task is not None:  # each alone, where the request has the other one
        true |= {f"- {each}" for each in (state.task.description, f"*goal:* {state.task.goal}")}
    wrong = {
        each.text
        for each in told
        if each.text not in true | beside
        and not (is_asked and each.title == "Task")  # said later than what was told of the task
        and SUMMARY not in (each.title, each.name[: len(SUMMARY)])  # it shrinks with its age alone
    }
    return gaps | wrong


def lines_beside(state: Any, lines: Iterable[Line], talk: str) -> set[str]:
    """Return the lines of the items whose words stand in calls or results: deltas need not tell them, or what becomes of them."""
    talk = " ".join(talk.replace("\\n", " ").replace('\\"', '"').split())
    words = [
        said_words(section, item)
        for section in type(state).sections
        if issubclass(section, ItemsSection) and section.field
        for item in getattr(state, section.field)
    ]
    found = [
        each
        for each in words
        if each and all(piece in talk for one in each for piece in re.split(r": |…", one))
    ]
    return {
        line.text for line in lines if any(all(one in line.name for one in each) for each in found)
    }


SUMMARY = "Before the compaction"


def parts_of(line: Line) -> list[str]:
    """The parts of a line that a person or the model may have said."""
    parts = re.split(
        r"(?:^| — )goal: | → |^(?:agent|user|ran|asked|Before the compaction): |…",
        line.name,
    )
    return [" ".join(each.split()) for each in parts if each.strip()]


def missed(
    request: Request, session: Any, said: list[str], *, at_once: int = 1, strictly: bool = True
) -> set[str]:
    """Return what a request does not tell of the state that it was made from, or tells, and is not so.

    :param said: what of the HUD stands in it.
    :param at_once: where events are told while a request is on its way: how many of the newest versions count.
    :param strictly: that what has the request's own millisecond came later.
    """
    until = request.time - strictly
    recorded = [each.version for each in session.events() if each.timestamp <= until]
    texts = [each.replace("\\n", "\n").replace('\\"', '"') for each in request.blocks()]
    others = [_without(each, said) for each in texts]
    wrong = [misses(said, session, each, others) for each in reversed(recorded[-at_once:])]
    return next((each for each in wrong if not each), wrong[0])


def _without(text: str, said: Iterable[str]) -> str:
    """A text without the HUDs in it."""
    for each in said:
        text = text.replace(each.strip(), "")
    return text


def kept(requests: Sequence[Request]) -> list[float]:
    """Return the share of each request's bytes that the next one begins with."""
    shares: list[float] = []
    for before, after in pairwise(requests):
        same = 0
        for one, other in zip(before.blocks(), after.blocks(), strict=False):
            if one != other:
                break
            same += len(one.encode())
        shares.append(same / sum(len(each.encode()) for each in before.blocks()))
    return shares


def look_at_state(
    found: Found,
    store: HudStore[Any],
    requests: Iterable[Request],
    wrong: Callable[[Any, Any], set[str]],
    *,
    subagents: int = 1,
) -> Any:
    """Look at what a scripted session left, and whether each request told its state; return the session.

    :param wrong: tells what a request has missed of a session.
    :param subagents: how many subagents have a HUD of their own.
    """
    [name] = [each for each in store.sessions() if "/" not in each]
    session = store.session(name)
    children = [store.session(each) for each in store.sessions() if "/" in each]
    of_kind: dict[str, list[Request]] = {"main": [], "subagent": []}
    for each in requests:
        of_kind.setdefault(each.kind, []).append(each)
    gaps = [gap for each in of_kind["main"] if (gap := wrong(each, session))]
    found.row("requests that tell another state", gaps or "none", holds=not gaps)
    found.row("subagents", len(children), holds=len(children) == subagents)
    for child in children:
        gaps = [gap for each in of_kind["subagent"] if (gap := wrong(each, child))]
        what = f"the same of the subagent's {len(of_kind['subagent'])}"
        found.row(what, gaps or "none", holds=bool(of_kind["subagent"]) and not gaps)
        inner = [each.content for each in child.state().notes]
        found.row("a subagent has its own", inner, holds=inner == ["The subagent was here"])
    state = session.state()
    notes = [each.content for each in state.notes]
    found.row("tools of the model reach its session", notes, holds=len(notes) == 2)
    failing = [(each.message, each.resolved) for each in state.errors]
    found.row("the failed check, and its mending", failing, holds=any(one for _, one in failing))
    compactions = 0 if state.session is None else state.session.compactions
    found.row("compactions", compactions, holds=compactions == 1)
    return session


def look_at_bytes(found: Found, main: Sequence[Request], huds: Huds, at: int) -> None:
    """Look at what the requests of the main agent kept of each other, and at the HUD's share.

    :param at: the first one after the compaction.
    """
    shares = kept(main)
    others = [share for number, share in enumerate(shares) if number != at - 1]
    found.row("prefix kept, the least", f"{min(others):.1%}", holds=min(others) == 1.0)
    found.row("prefix kept, first after the compaction", f"{shares[at - 1]:.1%}")
    ours = sum(len(text.encode()) for text in huds(main[at - 1]))
    whole = sum(len(block.encode()) for block in main[at - 1].blocks())
    found.row("the HUD's share of the bytes", f"{ours / whole:.1%}", holds=ours / whole < 0.1)
    again = any(each.startswith("# HUD\n") for each in huds(main[at]))
    found.row("all of it again after the compaction", again, holds=again)


def look_at_summaries(found: Found, requests: Iterable[Request], huds: Huds) -> None:
    """Look at whether a request for a summary has a whole HUD that is not of the history before it."""
    known: set[str] = set()
    own = 0
    for each in requests:
        wholes = {text.strip() for text in huds(each) if text.startswith("# HUD\n")}
        own += each.kind == "summary" and not wholes <= known
        known |= wholes
    found.row("summary requests with a HUD of their own", own, holds=not own)


def step_time(requests: Sequence[Request]) -> float:
    """Return the milliseconds between an answer of the model and its next request, of the quicker ones."""
    main = [each for each in requests if each.kind == "main"]
    gaps = [1_000 * (after.began - before.answered) for before, after in pairwise(main[2:])]
    return statistics.quantiles(gaps, n=4)[0]


def look_at_steps(found: Found, what: str, times: Sequence[tuple[float, float]]) -> None:
    """Tell what a step costs beside one without; no verdict, since other programs run beside it."""
    ratio = statistics.median(hooked / plain for plain, hooked in times)
    plain, hooked = (statistics.median(each) for each in zip(*times, strict=True))
    found.row(what, f"{ratio:.2f} ({hooked:.0f} ms beside {plain:.0f} ms)")
