"""Law 8 for the sections that are lines: what is shown can be read back."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    CompactedContext,
    ContextBar,
    ContextUsage,
    Hints,
    SessionInfo,
    SessionLine,
    StaleNotice,
    StatusLine,
    Task,
    TaskSection,
    WarningBanner,
)
from tests.hud_components.strategies import DENSITIES, STATES, TEXTS
from ujsx import Density, RenderContext, render
from ujsx.mdast import from_markdown

OWN = {"density": st.none() | DENSITIES}
USAGES = st.builds(
    ContextUsage,
    used=st.integers(0, 250_000),
    limit=st.sampled_from([10, 999, 128_000, 200_000, 1_000_000]),
    model=st.none() | TEXTS,
    trend=st.sampled_from([None, "stable", "growing", "growing rapidly"]),
)
TIMES = st.integers(0, 10**10)
SESSIONS = st.builds(
    SessionInfo,
    id=st.just("s"),
    title=st.none() | TEXTS,
    project=st.none() | TEXTS,
    started_at=TIMES,
    compactions=st.integers(0, 3),
)
LINES = st.one_of(
    st.builds(
        TaskSection,
        task=st.builds(
            Task, description=TEXTS, origin=st.sampled_from([None, "project", "parent"])
        ),
        **OWN,
    ),
    st.builds(ContextBar, usage=USAGES, step=st.sampled_from([1, 5, 10, 7, 100]), **OWN),
    st.builds(WarningBanner, usage=USAGES, **OWN),
    st.builds(
        CompactedContext,
        text=TEXTS | st.text(min_size=1, max_size=900),
        limit=st.none() | st.integers(1, 900),
        **OWN,
    ),
    st.builds(StaleNotice, updated_at=TIMES, now=TIMES, after=st.integers(1, 90), **OWN),
    st.builds(SessionLine, session=SESSIONS, now=st.none() | TIMES, **OWN),
    st.builds(
        Hints,
        hints=st.lists(st.sampled_from(["new", "compacted", "more"]), unique=True).map(tuple),
        **OWN,
    ),
    st.builds(StatusLine, state=STATES, **OWN),
)


class TestLines:
    @given(LINES, DENSITIES)
    def test_what_is_shown_is_read_back(self, section: Any, density: Density) -> None:
        blocks = from_markdown(render(section, density=density)).children
        shown = section.as_shown(density)
        if shown is None:
            assert blocks == ()
            return
        assert section.parse(blocks, RenderContext()) == (shown, len(blocks))

    @given(LINES, DENSITIES)
    def test_what_is_read_back_is_written_the_same(self, section: Any, density: Density) -> None:
        shown = section.as_shown(density)
        if shown is not None:
            if section.density is not None:
                look = {"density": section.density, "limit": section.limit}  # its author's, no text
                shown = shown.model_copy(update=look)
            assert render(shown, density=density) == render(section, density=density)
