"""A domain's own section, item, field or verb may have the name of an operation, of an argument or of a component."""

from __future__ import annotations

import re
from types import new_class
from typing import Any

import pytest

from hud_components import Domain, HudItem, ItemsSection, agent_vocabulary
from hud_components.folding import Add, Remove
from hud_runtime import HudStore
from hud_runtime.tools import hud_toolset
from ujsx import DefinitionError, RenderContext, read_layout, render

OURS = [name.split(".") for name in hud_toolset(layouts=True).operations]

OF_CALLS = {"arguments", "call", "calls", "operations", "payload", "key", "limit"}

NAMES = {
    "section": sorted({*OF_CALLS, *(each[0] for each in OURS), "list", "value"}),
    "item": sorted({*OF_CALLS, *(each[-1] for each in OURS)}),
}


class Thing(HudItem):
    """A thing."""

    text: str


def domain_with(kind: str, name: str) -> tuple[Domain[Any], list[str], str]:
    """Return a domain with this name for a section, or for the items of one, their field and the verb that adds one; the
    fields, and the verb.
    """
    title, fields, verb, item = name.capitalize(), ["text"], "add", Thing
    if kind == "item":
        body = {"__annotations__": {name: str}, "__module__": "shop"}
        item = new_class(title, (Thing,), {}, lambda made: made.update(body))
        title, fields, verb = "Things", ["text", name], name
    own = {"verbs": (Add(verb), Remove("drop")), "__doc__": "Things.", "__module__": "shop"}
    section: Any = new_class(title, (ItemsSection[item],), {}, lambda made: made.update(own))
    return Domain("shop", [section]), fields, verb


@pytest.mark.parametrize("kind", ["section", "item"])
def test_it_works_or_is_refused_with_another_name(subtests: Any, kind: str) -> None:
    refused: list[str] = []
    for name in NAMES[kind]:
        try:
            domain, fields, verb = domain_with(kind, name)
        except DefinitionError as error:
            refused.append(str(error))
            continue
        (section,) = domain.sections
        operation = f"{section.name}.{verb}"
        texts = [{each: f"{each} {number}" for each in fields} for number in range(4)]
        calls: list[Any] = [
            {"op": operation, **texts[0]},
            {"calls": [{"op": operation, **texts[1]}]},
            {operation: texts[2]},
        ]
        if kind == "section" and name not in {"search", "output"}:  # which take a text themselves
            calls += [{name: "Ring Ann"}, {name: ["Ring Bob", "Ring Cyd"]}]
        with subtests.test(name), HudStore.open(":memory:", domain=domain) as store:
            session = store.session("s")
            for call in calls:
                before = len(session.state()[section])
                answer = session.call("hud", call)
                assert len(session.state()[section]) > before, (call, answer.text)
            session.record(operation, **texts[3])
            layout = read_layout(f"<{section.__name__}/>", agent_vocabulary(domain.state))
            shown = render(layout, context=RenderContext().with_value(session.state()))
            assert shown == render(section(**{section.field: session.state()[section]}))
    lines = re.compile(r'write name = "|or event = "|use another (name|one)')
    assert [each for each in refused if not lines.search(each)] == []
    assert len(refused) < len(NAMES[kind]) / 3
