"""States and trees of the HUD as Hypothesis strategies, hostile texts included."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from hud_components import (
    ActiveFile,
    Blocker,
    Compact,
    ContextUsage,
    Decision,
    ErrorRecord,
    Hud,
    HudState,
    Labelled,
    Note,
    SessionInfo,
    StandingRule,
    Step,
    Task,
    UsageReading,
)
from hud_components.declaring import Actor
from tests.hud_components.cases import HOSTILE, NOW, sections
from tests.hud_components.cases import STATES as CASES
from ujsx import Density, Node, fragment
from ujsx.elements import Item, List, Section

TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(min_size=1, max_size=60),
    st.text(alphabet="*_`~[]()<>#-+=|\\!&:.{}\n\t 1aé·🎉", min_size=1, max_size=40),
).filter(lambda text: bool(text.strip()))

ACTORS = st.sampled_from(get_args(Actor))

DENSITIES = st.sampled_from(list(Density))

_times = st.integers(0, NOW)


def _several(model: type, size: int, /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(st.builds(model, **fields), max_size=size).map(tuple)


_usage = {"used": st.integers(0, 250_000), "model": st.none() | TEXTS}
_trends = st.sampled_from((None, "stable", "growing", "growing rapidly"))

STATES = st.builds(
    HudState,
    session=st.none()
    | st.builds(
        SessionInfo,
        id=TEXTS,
        title=st.none() | TEXTS,
        project=st.none() | TEXTS,
        started_at=_times,
        compactions=st.integers(0, 12),
    ),
    task=st.none() | st.builds(Task, description=TEXTS, said_by=ACTORS),
    decisions=_several(
        Decision,
        14,
        summary=TEXTS,
        details=st.just("") | TEXTS,
        label=st.none() | TEXTS,
        said_by=ACTORS,
    ),
    active_files=_several(
        ActiveFile,
        18,
        path=TEXTS,
        status=st.sampled_from(("reading", "editing", "referenced")),
        last_accessed=st.integers(0, 9),
        said_by=ACTORS,
    ),
    next_steps=_several(
        Step,
        14,
        description=TEXTS,
        completed=st.booleans(),
        order=st.integers(0, 20),
        said_by=ACTORS,
    ),
    notes=_several(Note, 22, content=TEXTS, said_by=ACTORS),
    blockers=_several(Blocker, 3, description=TEXTS, resolved=st.booleans(), said_by=ACTORS),
    errors=_several(ErrorRecord, 12, message=TEXTS, resolved=st.booleans(), said_by=ACTORS),
    rules=_several(StandingRule, 4, text=TEXTS, lift_proposed=st.booleans(), said_by=ACTORS),
    usage=st.none() | st.builds(ContextUsage, trend=_trends, **_usage),
    readings=_several(UsageReading, 3, **_usage),
    compacted_context=st.none() | st.lists(TEXTS, max_size=30).map("\n\n".join),
    updated_at=_times,
)


_LEAVES = st.sampled_from([[*sections(CASES[name]).values()] for name in ("typical", "hostile")])


@st.composite
def trees(draw: st.DrawFn) -> Node:
    """A tree of the HUD's components, wrappers and primitives, with the data of one state."""
    leaves = st.sampled_from(draw(_LEAVES)) | TEXTS
    labels = st.text(alphabet="ab #>-_[]()\n1", min_size=1, max_size=12).filter(str.strip)

    def around(inside: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        several = st.lists(inside, max_size=4)
        return st.one_of(
            st.builds(lambda title, nodes: Hud(title=title)[nodes], st.none() | TEXTS, several),
            st.builds(lambda title, nodes: Section(title=title)[nodes], TEXTS, several),
            st.builds(lambda label, nodes: Labelled(label=label)[nodes], labels, several),
            several.map(lambda nodes: Compact()[nodes]),
            several.map(lambda nodes: fragment(*nodes)),
            st.lists(several, min_size=1, max_size=3).map(
                lambda items: List()[[Item()[nodes] for nodes in items]]
            ),
        )

    tree: Node = draw(st.recursive(leaves, around, max_leaves=8))
    return tree
