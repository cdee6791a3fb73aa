"""Fourteen first drafts of domains, as strangers wrote them: each refusal says the line to write, and that line works."""

from __future__ import annotations

import re
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hud_components import Domain, Hud, as_shown, parse
from hud_components.declaring import LayoutWarning
from hud_runtime import HudStore
from tests.ids import looped
from ujsx import DefinitionError, Density, render

DRAFTS = {
    found[1]: (int(found[2]), found[3])
    for found in re.finditer(
        r"(?sm)^# ---- (\w+): (\d)\n(.*?)(?=^# ----|\Z)",
        Path(__file__).with_name("first_drafts.txt").read_text(encoding="utf-8"),
    )
}
"""By name, how often a draft is refused when its author writes what each refusal says, and its source."""

HEAD = """
from __future__ import annotations
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Literal
from pydantic import AwareDatetime
from hud_components import *
from hud_components.declaring import HudModel
from hud_components.folding import Mark
from ujsx import FrozenMapping
"""


def written(source: str, cls: str, name: str, value: str) -> str:
    """The source with an attribute in the body of a class."""
    body = re.search(rf"(?sm)^class {cls}\b[^\n]*\n(.*?)(?=^\S|\Z)", source)
    assert body is not None
    without = re.sub(rf"(?m)^    {name} = .*\n", "", body[1])
    return f"{source[: body.start(1)]}{without}    {name} = {value}\n{source[body.end(1) :]}"


def _class_of(fault: str) -> str:
    return re.split(r"\W", fault, maxsplit=1)[0]


RULES: tuple[tuple[str, Callable[[str, str, re.Match[str]], str]], ...] = (
    (r"('[^']*'|\"[^\"]*\") is written in place of '([^']*)':", lambda text, _, found: text.replace(f'"{found[2]}"', f'"{found[1][1:-1]}"')),
    (r"(\{\w+:[^}]*\}): .*write (\{[^}]*\})$", lambda text, _, found: text.replace(found[1], found[2])),
    (r"(?:write|such as) (lines|columns|done) = (.*)$", lambda text, cls, found: written(text, cls, found[1], found[2])),
    (r"(Mark\('(\w+)'\))", lambda text, _, found: text.replace(f'"{found[2]}"', found[1])),
    (r"'(.*?)' is not a valid name.*such as '(\w+)'$", lambda text, _, found: text.replace(f'"{found[1]}"', f'"{found[2]}"')),
    (r"\w+\.(\w+) has the default (.*), which .* write (.*)$", lambda text, _, found: re.sub(rf"(?m)^    {found[1]}: (.*) = .*$", rf"    {found[1]}: \1 = {found[3]}", text)),
    (r"\w+\.(\w+): (\S+) is not hashable; use (.* = .*)$", lambda text, _, found: re.sub(rf"(?m)^    {found[1]}: .*$", f"    {found[1]}: {found[3]}", text)),
    (r"\w+\.(\w+): (\S+) is not hashable; use (.*)$", lambda text, _, found: text.replace(f"{found[1]}: {found[2]}", f"{found[1]}: {found[3]}")),
    (r"declare \w+\.(\w+) as (\S+\[.*?\] = \(\)), or", lambda text, _, found: re.sub(rf"(?m)^    {found[1]}: .*$", f"    {found[1]}: {found[2]}", text)),
    (r"declare \w+\.(\w+) as (\S+\[.*?\]), or", lambda text, _, found: re.sub(rf"(?m)^    {found[1]}: .* =", f"    {found[1]}: {found[2]} =", text)),
    (r"another: (\w+) = (\".*?\") in (\w+)$", lambda text, _, found: written(text, found[3], found[1], found[2])),
    (r"\w+\.(\w+): every section has a prop of this name", lambda text, cls, found: re.sub(rf"(?s)(class {cls}\b.*?)\n    {found[1]} = [^\n]*", r"\1", text)),
    (r"leave (\w+) out", lambda text, cls, found: re.sub(rf"(?s)(class {cls}\b.*?)\n    {found[1]} = [^\n]*", r"\1", text)),
    (r"told as '(.*?)'.* write '(.*?)'$", lambda text, _, found: text.replace(found[1], found[2])),
    (r"write (\w+): (\w+) = …", lambda text, _, found: text.replace(f"    {found[1]} = ", f"    {found[1]}: {found[2]} = ")),
    (r"\w+\.(\w+) is a name that .* such as (\w+)$", lambda text, _, found: re.sub(rf"\b{found[1]}\b", found[2], text)),
    (r"or say (reads_back) = (False)", lambda text, cls, found: written(text, cls, found[1], found[2])),
)  # fmt: skip
"""What an author does with what a refusal, or a warning, says."""


def mended(source: str, fault: str) -> str:
    """The source with the line to write in it."""
    for pattern, apply in RULES:
        if found := re.search(pattern, fault):
            after = apply(source, _class_of(fault), found)
            assert after != source, fault
            return after
    raise AssertionError(f"nothing to write in: {fault}")


def declared(source: str) -> tuple[Domain[Any], list[str]]:
    """The domain that a source declares, and what it is warned of."""
    module = types.ModuleType("first_draft")
    sys.modules[module.__name__] = module
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec(HEAD + source, module.__dict__)
    *_, domain = (each for each in vars(module).values() if isinstance(each, Domain))
    return domain, [str(each.message) for each in told if each.category is LayoutWarning]


def refusals(source: str) -> Iterator[tuple[str, DefinitionError]]:
    """Yield each refusal, with the source that its author writes then."""
    while True:
        try:
            declared(source)
        except DefinitionError as error:
            for fault in error.faults:
                source = mended(source, fault)
            yield source, error
        else:
            return


def accepted(name: str) -> str:
    source = DRAFTS[name][1]
    for after, _ in refusals(source):
        source = after
    return source


@looped("name", DRAFTS)
def test_each_refusal_says_the_line_to_write(name: str) -> None:
    assert len([*refusals(DRAFTS[name][1])]) == DRAFTS[name][0]


def test_most_are_refused_twice_at_most() -> None:
    assert len(DRAFTS) == 14
    assert sum(count <= 2 for count, _ in DRAFTS.values()) >= 12


@pytest.mark.parametrize("name", DRAFTS)
def test_what_is_warned_of_may_be_written(name: str) -> None:
    source = accepted(name)
    first, told = declared(source)
    lines = [each for each in told if "is written in place of" in each]
    for each in lines:
        source = mended(source, each)
    again, left = declared(source)
    assert [each for each in left if "is written in place of" in each] == []
    assert [each.name for each in again.sections] == [each.name for each in first.sections]


EXAMPLES = {
    "date": "2026-03-02",
    "date-time": "2026-03-02T09:40:00Z",
    "time": "09:40",
    "duration": "PT8H",
    "string": "a: b (c), at *d*",
    "integer": 7,
}


@pytest.mark.parametrize("name", DRAFTS)
def test_an_accepted_draft_is_recorded_shown_and_read_back(name: str) -> None:
    domain, _ = declared(accepted(name))
    with HudStore.open(":memory:", domain=domain) as store:
        session = store.session("s")
        for section in domain.sections:
            verb = "add" if section.kind is not None else "set"
            session.record(f"{section.event}.{verb}", **_values(section.draft))
        for density in Density:
            node = Hud.of(session.state())
            text = render(node, density=density)
            read = parse(text, vocabulary=domain.sections)
            if all(each.reads_back and "render" not in vars(each) for each in domain.sections):
                assert read == as_shown(node, density=density)
            assert render(read, density=density) == text


def _values(draft: Any) -> dict[str, Any]:
    """Something for each field of a draft that is required."""
    schema = draft.model_json_schema()
    return {field: _value(schema["properties"][field]) for field in schema.get("required", ())}


def _value(kind: dict[str, Any]) -> Any:
    if "enum" in kind:
        return kind["enum"][0]
    if kind.get("type") == "array":
        return [_value(each) for each in kind["prefixItems"]]
    return EXAMPLES.get(kind.get("format") or kind.get("type", ""), "12.5")
