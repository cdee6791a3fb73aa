"""Components as tools, from the command line."""

from __future__ import annotations

import sys

import pytest

from hud_components import DecisionDraft, DecisionsList
from hud_runtime.cli._schema import components
from ujsx.elements import PRIMITIVES, Link
from ujsx.schema import DIALECTS, tool_definition

MODULE = """
from collections.abc import Callable
from pydantic import BaseModel, ConfigDict
from ujsx import component

class Plain(BaseModel):
    '''A model.'''
    size: int

class Odd(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    call: Callable[[], None]

@component
def Badge(ctx, children, *, label: str):
    '''A word that stands out.'''
    return label

number = 1
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of a module in the current folder."""
    name = "acme_layout"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield name
    sys.modules.pop(name, None)


class TestComponent:
    def test_of_the_hud_is_found_by_name(self, ujsx):
        assert ujsx("schema", "DecisionsList").data == tool_definition(
            DecisionsList, dialect="json-schema"
        )

    def test_that_is_a_primitive_is_found_by_name(self, ujsx):
        assert ujsx("schema", "Link").data == tool_definition(Link, dialect="json-schema")

    @pytest.mark.parametrize("dialect", DIALECTS)
    def test_has_the_shape_of_the_dialect(self, ujsx, dialect):
        done = ujsx("schema", "Link", "--dialect", dialect)
        assert done.data == tool_definition(Link, dialect=dialect)

    @pytest.mark.parametrize("name", components())
    def test_of_every_name_has_a_tool(self, ujsx, name):
        assert ujsx("schema", name).data["name"]

    def test_names_are_those_of_the_hud_and_the_primitives(self):
        assert {"Hud", "TaskSection", "ContextBar", *PRIMITIVES} <= components().keys()
        assert "HudSection" not in components()
        assert "TrustedMarkdown" not in components()

    @pytest.mark.parametrize(("name", "tool"), [("Plain", "plain"), ("Badge", "badge")])
    def test_of_your_own_is_found_in_the_current_folder(self, ujsx, module, name, tool):
        assert ujsx("schema", f"{module}:{name}").data["name"] == tool

    def test_may_be_any_model_by_its_path(self, ujsx):
        found = ujsx("schema", "hud_components:DecisionDraft").data
        assert found == tool_definition(DecisionDraft, dialect="json-schema")


class TestRefusal:
    def test_of_an_unknown_component_names_the_nearest(self, ujsx):
        assert ujsx("schema", "decisionlist").refusal == (
            'ujsx schema: "decisionlist" is no component; did you mean "DecisionsList"?'
        )

    def test_of_an_unknown_dialect_names_the_nearest(self, ujsx):
        assert 'did you mean "openai"?' in ujsx("schema", "Link", "--dialect", "openia").refusal

    def test_of_an_unknown_module_names_it(self, ujsx):
        assert '"no_such_module" cannot be imported' in ujsx("schema", "no_such_module:X").refusal

    def test_of_an_unknown_class_names_the_nearest(self, ujsx, module):
        assert 'has no "Bage"; did you mean "Badge"?' in ujsx("schema", f"{module}:Bage").refusal

    def test_of_what_is_no_model_says_so(self, ujsx, module):
        assert "1 is no component class" in ujsx("schema", f"{module}:number").refusal

    def test_of_a_model_that_no_schema_describes_says_so(self, ujsx, module):
        assert "Odd has no JSON Schema" in ujsx("schema", f"{module}:Odd").refusal

    @pytest.mark.parametrize("source", ["x = 1 / 0", "import sys; sys.exit('gone')", "x ="])
    def test_of_a_module_that_fails_says_how(self, ujsx, module, tmp_path, source):
        (tmp_path / "broken_layout.py").write_text(source, encoding="utf-8")
        assert '"broken_layout" cannot be imported: ' in ujsx("schema", "broken_layout:X").refusal
