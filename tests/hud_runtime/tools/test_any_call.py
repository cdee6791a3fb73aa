"""Any JSON value as arguments of the HUD's tools is answered, and no text becomes SQL."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.tools import hud_toolset

OPERATIONS = sorted(hud_toolset(None).operations)
FIELDS = ["id", "ids", "description", "content", "summary", "details", "label", "path", "query",
          "limit", "after", "section", "operation", "message", "completed", "reason"]  # fmt: skip

texts = st.one_of(
    st.sampled_from(
        ["n-2", "s", "Port 8080", "'; DROP TABLE hud_event; --", '" OR "', "NEAR(", "\0"]
    ),
    st.text(max_size=8),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
calls = st.fixed_dictionaries(
    {"op": st.sampled_from(OPERATIONS)},
    optional=dict.fromkeys(FIELDS, st.one_of(texts, values)),
)


class TestAnyCall:
    @example([{"op": "notes.update", "details": [None]}])
    @given(st.lists(st.one_of(calls, values), min_size=1, max_size=6))
    def test_is_answered_and_leaves_the_log_sound(self, arguments: list[Any]) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            session.call("hud", {"op": "notes.add", "content": "Port 8080"})
            for each in arguments:
                result = session.call("hud", each)
                assert result.exception is None or result.data["error"] == "refused", result
            assert store.keeping.verify() == ()
            assert [event.version for event in session.events()] == [*range(1, session.version + 1)]

    @given(texts.filter(str.strip))
    def test_a_text_is_kept_as_it_is_and_found(self, text: str) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            added = session.call("hud", {"op": "notes.add", "content": text})
            if added.is_error:
                return  # half of a surrogate pair
            [note] = session.state().notes
            assert note.content in text
            assert note.content.strip() == text.strip()
            assert not session.call("hud", {"op": "search", "query": text}).is_error
