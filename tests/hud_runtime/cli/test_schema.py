"""Components as tools, from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from hud_components import DecisionDraft, DecisionsList, Hud
from hud_components.layout import SECTIONS, layout_vocabulary
from hud_runtime.tools import definitions
from tests.ids import looped
from tests.warm import python
from ujsx.elements import PRIMITIVES, Link, Omitted
from ujsx.schema import DIALECTS, lint, schema_tokens, tool_definition

MODULE = """
from collections.abc import Callable
from typing import Any
from pydantic import BaseModel, ConfigDict
from hud_components import Domain, HudItem, ItemsSection, Line
from ujsx import component
from ujsx.tools import Toolset

class Plain(BaseModel):
    '''A model.'''
    size: int

class Odd(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    call: Callable[[], None]

class Nothing(BaseModel):
    '''Nothing.'''

class Open(BaseModel):
    '''A model with an empty part.'''
    more: Nothing

@component
def Badge(ctx, children, *, label: str):
    '''A word that stands out.'''
    return label

number = 1

class Ship(HudItem):
    text: Line

class Ships(ItemsSection[Ship]):
    name = "ships"
    verbs = ("add",)
    lines = {"full": "{text}"}

OWN = Domain("own", sections=(Ships,))

shop = Toolset(name="shop", description="A shop.")

@shop.operation
def refund(ctx: str, order: str, amount: int = 1) -> str:
    "Refund an order."
    return order

@shop.operation(name="parts.pack")
def pack(parts: Nothing) -> str:
    "Pack parts."
    return "Packed."

def alone(order: str) -> str:
    "Look at an order."
    return order
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

    @looped("dialect", DIALECTS)
    def test_has_the_shape_of_the_dialect(self, ujsx, dialect):
        done = ujsx("schema", "Link", "--dialect", dialect)
        assert done.data == tool_definition(Link, dialect=dialect)

    def test_of_every_name_has_a_tool(self, ujsx):
        known = layout_vocabulary()
        assert {"Hud", "TaskSection", "ContextBar", *PRIMITIVES} <= {*known}
        assert not {"HudSection", "TrustedMarkdown"} & {*known}
        for name in known:
            assert ujsx("schema", name).data["name"], name

    @pytest.mark.parametrize(("name", "tool"), [("Plain", "plain"), ("Badge", "badge")])
    def test_of_your_own_is_found_in_the_current_folder(self, ujsx, module, name, tool):
        assert ujsx("schema", f"{module}:{name}").data["name"] == tool

    def test_is_found_under_an_import_path_with_dots_too(self, ujsx, module):
        assert ujsx("schema", f"{module}.Badge").data["name"] == "badge"
        assert ujsx("schema", "ujsx.elements.Link").data == ujsx("schema", "Link").data

    def test_may_be_any_model_by_its_path(self, ujsx):
        found = ujsx("schema", "hud_components:DecisionDraft").data
        assert found == tool_definition(DecisionDraft, dialect="json-schema")


class TestToolset:
    def test_is_a_tool_for_each_operation(self, ujsx, module):
        data = ujsx("schema", f"{module}:shop", "--dialect", "anthropic").data
        assert data == sys.modules[module].shop.definitions("anthropic")
        assert [each["description"] for each in data] == ["Refund an order.", "Pack parts."]

    def test_may_be_one_tool(self, ujsx, module):
        for layout in ("grouped", "flat"):
            data = ujsx("schema", f"{module}:shop", "--layout", layout).data
            assert data == sys.modules[module].shop.definition("json-schema", layout=layout)

    @pytest.mark.parametrize(
        ("layout", "name", "pointer"),
        [
            ("separate", "parts_pack", "/$defs/Nothing"),
            ("grouped", "shop", "/$defs/Nothing"),
        ],
    )
    def test_is_linted_tool_by_tool(self, ujsx, module, layout, name, pointer):
        asked = ("schema", f"{module}:shop", "--layout", layout, "--lint", "--json")
        done = ujsx(*asked, "--dialect", "gemini")
        refused = [each for each in done.data if each["outcome"] == "refused"]
        assert [(each["component"], each["pointer"]) for each in refused] == [(name, pointer)]
        assert done.status == 1
        assert ujsx(*asked, "--dialect", "openai").status == 0

    def test_has_a_cost_for_each_tool(self, ujsx, module):
        done = ujsx("schema", f"{module}:shop", "--cost", "--dialect", "gemini")
        rows = {line.split()[0]: line.split()[-1] for line in done.out.splitlines()[1:4]}
        assert list(rows) == ["refund", "parts_pack", "together"]
        assert (rows["parts_pack"], rows["together"]) == ("–", "–")  # the rest is no sum to compare
        assert rows["refund"].isdecimal()
        assert "– the dialect refuses it: --lint says why" in done.out

    @pytest.mark.parametrize("option", [[], ["--lint"], ["--cost"]])
    def test_of_one_function_is_its_tool(self, ujsx, module, option):
        done = ujsx("schema", f"{module}:alone", *option)
        assert done.status == 0
        assert option or done.data["description"] == "Look at an order."

    def test_of_the_hud_are_found_by_name(self, ujsx):
        assert ujsx("schema", "tools", "--dialect", "mcp").data == definitions("mcp")
        for tool in definitions("openai"):
            name = tool["function"]["name"]
            assert ujsx("schema", name, "--dialect", "openai").data == tool
        done = ujsx("schema", "tools", "--lint", "--dialect", "openai")
        assert (done.status, done.out) == (0, "every keyword is kept, in the dialect\n")

    def test_of_a_domain_is_that_of_its_hud(self, ujsx, module):
        domain = f"{module}:OWN"
        for layout in ("grouped", "separate"):
            data = ujsx("schema", domain, "--layout", layout, "--dialect", "openai").data
            own = sys.modules[module].OWN
            assert data == definitions("openai", domain=own, layout=layout)
        assert ujsx("schema", domain).data == definitions("json-schema", domain=own)
        assert "ships.add" in ujsx("schema", domain).out
        done = ujsx("schema", domain, "--lint", "--dialect", "openai")
        assert (done.status, done.out) == (0, "every keyword is kept, in the dialect\n")
        rows = ujsx("schema", domain, "--cost", "--dialect", "mcp").out.splitlines()
        assert [row.split()[0] for row in rows[1:4]] == ["hud", "hud_compact", "together"]

    def test_of_one_tool_has_no_layout(self, ujsx, module):
        for what in (f"{module}:alone", "Link", "--all"):
            assert (
                "--layout is for the operations of a toolset"
                in ujsx("schema", what, "--layout", "flat").refusal
            )


class TestAll:
    def test_are_those_that_are_known_by_name(self, ujsx):
        data = ujsx("schema", "--all", "--dialect", "mcp").data
        wanted = [
            tool_definition(each, dialect="mcp") for each in [Hud, *SECTIONS, *PRIMITIVES.values()]
        ]
        assert [each for each in wanted if each not in data] == []
        assert len({each["name"] for each in data}) == len(data)

    @looped("arguments", [[], ["Link", "--all"]])
    def test_stand_in_place_of_a_component(self, ujsx, arguments):
        refusal = ujsx("schema", *arguments).refusal
        assert refusal.startswith("ujsx schema: give either a COMPONENT or --all")


class TestLint:
    def test_lists_what_becomes_of_each_keyword(self, ujsx):
        done = ujsx("schema", "Omitted", "--lint", "--dialect", "anthropic-strict")
        assert done.out.startswith("Omitted in anthropic-strict\n  /properties/count\n")
        assert "minimum 1: described, anthropic-strict does not enforce minimum\n" in done.out

    def test_is_data_too(self, ujsx):
        data = ujsx("schema", "Omitted", "--lint", "--dialect", "anthropic-strict", "--json").data
        found = [
            {name: each[name] for name in ("pointer", "keyword", "value", "outcome", "reason")}
            for each in data
        ]
        assert found == [asdict(loss) for loss in lint(Omitted, "anthropic-strict")]
        assert {(each["component"], each["dialect"]) for each in data} == {
            ("Omitted", "anthropic-strict")
        }

    def test_looks_at_every_dialect_if_none_is_named(self, ujsx):
        data = ujsx("schema", "Omitted", "--lint", "--json").data
        assert {each["dialect"] for each in data} == {
            *("openai-strict", "anthropic-strict"),
            *("gemini", "gemini-json"),
        }

    def test_tells_once_what_is_so_in_all_dialects(self, ujsx, module):
        out = ujsx("schema", f"{module}:shop", "--lint").out
        assert out.startswith(
            "refund in all dialects\n  /properties/order\n    description: missing"
        )
        assert out.count("/properties/order\n    description: missing") == 1
        assert "refund in openai-strict\n  /properties/amount\n    default 1: described" in out
        alone = ujsx("schema", f"{module}:shop", "--lint", "--dialect", "mcp").out
        assert alone.startswith("refund in mcp\n  /properties/order\n    description: missing")

    def test_says_when_there_is_nothing_to_say(self, ujsx):
        done = ujsx("schema", "Link", "--lint", "--dialect", "mcp")
        assert done.out == "every keyword is kept, in the dialect\n"

    def test_tells_what_is_refused_and_exits_with_1(self, ujsx, module):
        done = ujsx("schema", f"{module}:Open", "--lint", "--dialect", "gemini")
        assert (done.status, ujsx("schema", f"{module}:Open", "--lint").status) == (1, 1)
        assert ujsx("schema", f"{module}:Open", "--lint", "--dialect", "openai").status == 0
        assert ": refused, gemini takes no object without properties" in done.out

    def test_of_all_components_has_nothing_refused(self, ujsx):
        data = ujsx("schema", "--all", "--lint", "--json").data
        assert [each for each in data if each["outcome"] == "refused"] == []


class TestCost:
    def test_is_a_figure_for_each_dialect(self, ujsx):
        done = ujsx("schema", "Link", "--cost")
        head, row, _, counter = done.out.splitlines()
        assert head.split() == ["tokens", *DIALECTS]
        assert row.split()[0] == "Link"
        assert all(int(cell) > 0 for cell in row.split()[1:])
        assert counter in {"counted by: rs-bpe o200k_base", "counted by: an estimate"}

    def test_is_data_too(self, ujsx):
        data = ujsx("schema", "Link", "--cost", "--json", "--dialect", "mcp").data
        assert list(data["tokens"]) == ["Link"]
        assert list(data["tokens"]["Link"]) == ["mcp"]

    def test_falls_back_on_the_estimate(self):
        code = (
            "import sys; sys.modules['rs_bpe.bpe'] = None; from hud_runtime.cli import main;"
            "main(['schema', 'Link', '--cost', '--json'])"
        )
        told = subprocess.run([*python(), "-c", code], capture_output=True, check=True).stdout
        assert json.loads(told) == {
            "counter": "an estimate",
            "tokens": {
                "Link": {
                    dialect: schema_tokens(tool_definition(Link, dialect=dialect))
                    for dialect in DIALECTS
                }
            },
        }

    def test_of_several_has_a_sum(self, ujsx):
        *rows, total = ujsx("schema", "--all", "--cost", "--dialect", "mcp").out.splitlines()[1:-2]
        figures = [int(row.split()[-1].replace(",", "")) for row in rows]
        assert total.split() == ["together", f"{sum(figures):,}"]

    def test_has_no_figure_where_a_dialect_refuses(self, ujsx, module):
        data = ujsx("schema", f"{module}:Open", "--cost", "--json").data["tokens"]["Open"]
        assert [dialect for dialect, cost in data.items() if cost is None] == ["gemini"]
        assert "–" in ujsx("schema", f"{module}:Open", "--cost").out

    def test_is_not_asked_for_together_with_lint(self, ujsx):
        assert "either --lint or --cost" in ujsx("schema", "Link", "--cost", "--lint").refusal


class TestRefusal:
    def test_of_an_unknown_component_names_the_nearest(self, ujsx):
        assert ujsx("schema", "decisionlist").refusal == (
            'ujsx schema: "decisionlist" is not a component; did you mean "DecisionsList"?'
        )

    def test_of_an_unknown_dialect_names_the_nearest(self, ujsx):
        assert 'did you mean "openai"?' in ujsx("schema", "Link", "--dialect", "openia").refusal

    def test_of_an_unknown_module_names_it(self, ujsx):
        refusal = ujsx("schema", "no_such_module:X").refusal
        assert 'there is no module "no_such_module", neither installed' in refusal

    def test_of_a_file_alone_tells_what_is_in_it(self, ujsx, module):
        assert ujsx("schema", f"./{module}.py").refusal.endswith(
            f'not "./{module}.py": ./{module}.py has Plain, Odd, Nothing, Open, Badge, number, Ship, '
            "Ships, OWN, shop, refund, pack, alone"
        )

    def test_of_a_module_and_of_what_is_in_one_says_how_they_are_named(self, ujsx, module):
        assert ujsx("schema", module).refusal.startswith(
            f'ujsx schema: "{module}" is not a component; it is a module; name what is in it, as '
            f"{module}:NAME ({module}:Plain, {module}:Odd, "
        )
        assert ujsx("schema", "Plain").refusal == (
            f'ujsx schema: "Plain" is not a component; write {module}:Plain'
        )
        assert module not in sys.modules  # nothing was run

    def test_of_a_package_says_how_what_is_in_it_is_named(self, ujsx, module, tmp_path):
        (tmp_path / "harbour").mkdir()
        (tmp_path / "harbour" / "__init__.py").write_text("size = 1\n", encoding="utf-8")
        assert ujsx("schema", "harbour").refusal.endswith("as harbour:NAME (harbour:size)")

    def test_of_an_unknown_class_names_the_nearest(self, ujsx, module):
        assert 'has no "Bage"; did you mean "Badge"?' in ujsx("schema", f"{module}:Bage").refusal

    @pytest.mark.parametrize("option", [[], ["--lint"], ["--cost"]])
    def test_of_what_is_no_model_says_so(self, ujsx, module, option):
        assert (
            "1 is neither a component class" in ujsx("schema", f"{module}:number", *option).refusal
        )

    def test_of_what_the_dialect_cannot_say_says_why(self, ujsx, module):
        refusal = ujsx("schema", f"{module}:Open", "--dialect", "gemini").refusal
        assert "Open / #/$defs/Nothing: gemini takes no object without properties" in refusal

    @pytest.mark.parametrize("option", [[], ["--lint"]])
    def test_of_a_model_that_no_schema_describes_says_so(self, ujsx, module, option):
        refusal = ujsx("schema", f"{module}:Odd", *option).refusal
        assert "Odd has no JSON Schema: Odd.call is of a type that no call can give" in refusal
        assert "Callable[[], None]" in refusal

    @pytest.mark.parametrize("source", ["x = 1 / 0", "import sys; sys.exit('gone')", "x ="])
    def test_of_a_module_that_fails_says_how(self, ujsx, module, tmp_path, source):
        (tmp_path / "broken_layout.py").write_text(source, encoding="utf-8")
        assert '"broken_layout" cannot be imported: ' in ujsx("schema", "broken_layout:X").refusal
