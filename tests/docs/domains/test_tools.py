"""What models are given of a domain, and what they send."""

from __future__ import annotations

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hud_components import HudItem, ValueSection
from hud_runtime import EventError
from hud_runtime.tools import definitions
from tests.docs.domains.cases import CASES
from ujsx.schema import DIALECTS, LAYOUTS


def parameters(tool: dict[str, Any]) -> dict[str, Any]:
    """The schema of a tool, wherever a provider has it."""
    inner = tool.get("function", tool)
    keys = ("parameters", "parametersJsonSchema", "input_schema", "inputSchema")
    return next(
        (inner[key] for key in keys if key in inner), {}
    )  # Gemini's has none for no arguments


def test_a_value_that_cannot_be_is_refused_and_nothing_is_recorded(case, played):
    for call, begins in case.refused:
        before = played.version
        result = played.call("hud", call)
        assert result.is_error, call
        assert result.text.startswith(begins), (call, result.text)
        assert played.version == before


def test_record_refuses_what_the_tool_refuses(case, played):
    for call, _ in case.refused:
        fields = dict(call)
        if "id" in fields and fields["op"].endswith(".add"):
            continue  # an author of events may bring an id
        with pytest.raises(EventError):
            played.record(fields.pop("op"), **fields)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_tool_says_all_operations_in_every_dialect(case, dialect):
    """Of dialects, layouts and domains each pair is there once: the layouts go round the domains."""
    place = CASES.index(case) + [*DIALECTS].index(dialect)
    for layout in [each for n, each in enumerate(LAYOUTS) if (n + place) % len(CASES) == 0]:
        says_all_operations(case, dialect, layout)


def says_all_operations(case: Any, dialect: str, layout: str) -> None:
    tools = definitions(dialect, layout=layout, rare=True, domain=case.domain)
    for tool in tools:
        if dialect != "gemini":
            Draft202012Validator.check_schema(parameters(tool))
    said = repr(tools)
    for operation in case.domain.operations:
        section, verb = operation.split(".")
        named = {
            "loose": rf"{section}(: [^.]*\b|\.){verb}\b",
            "separate": rf"'hud_{section}_{verb}'",
        }
        assert re.search(named.get(layout, re.escape(operation)), said), operation


def test_the_calls_of_the_story_are_valid_by_the_schema(case):
    [tool, _] = definitions("json-schema", layout="grouped", rare=True, domain=case.domain)
    validator = Draft202012Validator(parameters(tool))
    for call in case.calls:
        validator.validate({"call": call})
    for call, _ in case.refused:
        if call["op"] not in case.domain.operations:
            assert not validator.is_valid({"call": call})


def test_a_strict_provider_fills_in_nulls(case, store):
    """Where every argument is required, null stands for what is not said."""
    session = store.session("strict")
    for call in case.calls:
        operation = case.domain.operations[call["op"]]
        model = operation.verb.arguments_of(operation.section, case.domain.payload(operation.type))
        unsaid = dict.fromkeys(model.model_fields)
        result = session.call("hud", {"call": {**unsaid, **call}})
        assert not result.is_error, result.text
    plain = case.played(store, "plain")
    assert dated(session.state()) == dated(plain.state())


def dated(state: Any) -> dict[str, Any]:
    """What a state says but for its times: the clock has gone on."""
    return {
        field: [
            {name: said for name, said in vars(one).items() if not name.endswith("_at")}
            for one in (value if isinstance(value, tuple) else (value,))
            if one is not None
        ]
        for field, value in vars(state).items()
        if field in type(state).lists or field in {each.field for each in state.sections}
    }


def test_nothing_that_the_store_or_a_verb_knows_is_asked_for(case):
    """A model fills in the draft: no new item's id, and no field that only verbs set."""
    for operation in case.domain.operations.values():
        section, verb = operation.section, operation.verb
        model = verb.arguments_of(section, case.domain.payload(operation.type))
        asked = set(model.model_fields)
        if verb.name in ("add", "set"):
            assert asked == set(section.draft.model_fields)
        if verb.function is None:
            unknown = set(section.value.model_fields) - set(section.draft.model_fields)
            assert not asked & (unknown - {"id"})


def test_what_each_operation_is_for_can_be_asked(case, played):
    for name in case.domain.operations:
        answer = played.call("hud", {"op": "help", "operation": name})
        assert not answer.is_error
        assert re.search(r"^{}(: .*\b|\.){}\b".format(*name.split(".")), answer.text)


def test_every_section_lists_what_it_has(case, played):
    state = played.state()
    for section in case.domain.tools:
        if issubclass(section, ValueSection):
            answer = played.call("hud", {"op": f"{section.name}.get"})
        else:
            answer = played.call("hud", {"op": f"{section.name}.list"})
            ids = [one.id for one in state[section] if isinstance(one, HudItem)]
            assert all(f"`{each}`" in answer.text for each in ids)
        assert not answer.is_error


def test_every_section_can_be_cleared(case, played):
    for section in case.domain.tools:
        answer = played.call("hud", {"op": "section.clear", "section": section.field})
        assert not answer.is_error, answer.text
        assert not played.state()[section]
