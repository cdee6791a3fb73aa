"""Law 8: what is shown can be read back, for every section."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    ActiveFile,
    ActiveFiles,
    Blocker,
    BlockersList,
    Decision,
    DecisionsList,
    ErrorRecord,
    ErrorsList,
    NextSteps,
    Note,
    NotesSection,
    Step,
)
from tests.hud_components.strategies import ACTORS, DENSITIES, TEXTS
from ujsx import Density, RenderContext, render
from ujsx.mdast import from_markdown

IDS = st.sampled_from(["", "d-1", "d-2", "project:n-3", "parent:s-1"])
SOME = st.integers(0, 9)


def sections(section: type[Any], prop: str, items: st.SearchStrategy[Any]) -> Any:
    return st.builds(
        section,
        **{prop: st.lists(items, max_size=14).map(tuple)},
        density=st.none() | DENSITIES,
        limit=st.none() | st.integers(0, 12),
        show_ids=st.booleans(),
    )


SECTIONS = st.one_of(
    sections(
        DecisionsList,
        "decisions",
        st.builds(
            Decision,
            id=IDS,
            summary=TEXTS,
            details=TEXTS | st.just(""),
            label=st.none() | TEXTS,
            said_by=ACTORS,
        ),
    ),
    sections(NotesSection, "notes", st.builds(Note, id=IDS, content=TEXTS, said_by=ACTORS)),
    sections(
        ErrorsList,
        "errors",
        st.builds(ErrorRecord, message=TEXTS, resolved=st.booleans(), said_by=ACTORS),
    ),
    sections(
        BlockersList, "blockers", st.builds(Blocker, id=IDS, description=TEXTS, said_by=ACTORS)
    ),
    sections(
        ActiveFiles,
        "files",
        st.builds(
            ActiveFile,
            path=TEXTS,
            status=st.sampled_from(["reading", "editing", "referenced"]),
            last_accessed=SOME,
            said_by=ACTORS,
        ),
    ),
    sections(
        NextSteps,
        "steps",
        st.builds(
            Step,
            id=IDS,
            description=TEXTS,
            completed=st.booleans(),
            order=SOME,
            said_by=ACTORS,
        ),
    ),
)


class TestLists:
    @given(SECTIONS, DENSITIES)
    def test_what_is_shown_is_read_back(self, section: Any, density: Density) -> None:
        text = render(section, density=density)
        blocks = from_markdown(text).children
        shown = section.as_shown(density)
        if shown is None:
            assert blocks == ()
            return
        assert section.parse(blocks, RenderContext()) == (shown, len(blocks))

    @given(SECTIONS, DENSITIES)
    def test_what_is_read_back_is_written_the_same(self, section: Any, density: Density) -> None:
        shown = section.as_shown(density)
        if shown is not None:
            if section.density is not None:
                own = {"density": section.density, "limit": section.limit}
                shown = shown.model_copy(update=own)
            assert render(shown, density=density) == render(section, density=density)

    def test_what_a_line_does_not_say_does_not_make_it_longer(self) -> None:
        blockers = [Blocker(id=f"project:{'n' * 80}-{at}", description="Gate") for at in range(3)]
        section = BlockersList(blockers=(*blockers,))
        shown = section.as_shown(Density.COMPACT)
        assert shown is not None
        assert render(shown, density=Density.COMPACT) == render(section, density=Density.COMPACT)
        assert "Gate" in render(section, density=Density.COMPACT).splitlines()[0]
