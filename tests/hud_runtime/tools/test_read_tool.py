"""The tool of the operations that only read: whoever allows it allows nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hud_components import CODING, Domain
from hud_runtime import HudStore
from hud_runtime.tools import READ, definitions, hud_toolset
from tests.docs.domains.cases import analyst, support
from tests.ids import looped
from ujsx.schema import DIALECTS

OPERATIONS = sorted(hud_toolset(None, layouts=True).operations)


@looped("domain", [CODING, support.SUPPORT, analyst.ANALYST], ids=lambda each: each.name)
def test_each_operation_is_in_one_of_the_two(domain: Domain[Any]) -> None:
    every, reads, writes = (
        {*hud_toolset(None, domain=domain, part=part).operations} - {"help"}
        for part in ("all", "reads", "writes")
    )
    assert reads | writes == every
    assert not reads & writes


@given(st.sampled_from(OPERATIONS), st.dictionaries(st.sampled_from(["content", "id"]), st.text()))
def test_records_nothing(operation: str, arguments: dict[str, str]) -> None:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        session.record("note.add", content="Port 8080")
        before = session.version
        session.call(READ, {"op": operation, **arguments})
        session.call(READ, {"call": {"op": operation, **arguments}})
        session.state()
        assert session.version == before


@looped("dialect", DIALECTS)
@looped("layout", ["grouped", "flat", "loose", "separate"])
def test_has_a_definition_in_every_dialect_and_layout(dialect: str, layout: str) -> None:
    split = definitions(dialect, layout=layout, read_tool=True)
    assert len(split) > len(definitions(dialect, layout=layout)) or layout == "separate"
