"""A call of any JSON value is answered: it never raises, and never takes long."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.ujsx.tools.sums import OPERATIONS, SUMS

NAMES = ["sums", "call", "op", "tool", "args", "name", *(each.name for each in OPERATIONS)]
FIELDS = ["left", "right", "text", "tags", "loud", "due_in", "dueIn", "mood", "points", "x", "y"]

words = st.one_of(
    st.sampled_from([*NAMES, *FIELDS, "3", "true", "[1]", '{"op": "add"}']), st.text(max_size=5)
)

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), words),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)

calls = st.fixed_dictionaries(
    {"op": st.sampled_from(NAMES)},
    optional=dict.fromkeys(["args", *FIELDS], values),
)
"""Arguments that come near to what an operation takes."""


class TestAnyCall:
    @given(
        st.one_of(words, values), st.one_of(values, calls, calls.map(lambda call: {"call": call}))
    )
    def test_is_answered(self, tool: Any, arguments: Any) -> None:
        for name in (tool, "sums"):
            result = SUMS.call(name, arguments)
            assert len(result.text) <= 3_000
            assert result.is_error or result.operation in SUMS.operations

    @given(st.one_of(values, calls))
    def test_means_the_same_as_json_text(self, arguments: Any) -> None:
        try:
            text = json.dumps(arguments, allow_nan=False)
        except ValueError:
            return
        said, written = SUMS.call("sums", arguments), SUMS.call("sums", text)
        if isinstance(arguments, dict):
            assert (said.text, said.data) == (written.text, written.data)
