"""Markup with values: what it makes, what it refuses, and that no value is ever read as markup."""

from __future__ import annotations

import gc
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given

from hud_components import DecisionsList, Hud, HudState, NotesSection, Task, TaskSection
from tests.ids import looped
from tests.work import lines_run
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    LayoutError,
    Node,
    RenderContext,
    RenderError,
    Rung,
    explain,
    fragment,
    jsx,
    render,
)
from ujsx.components import Interpolation, as_element, interpolations_of
from ujsx.elements import (
    FootnoteReference,
    Heading,
    InlineCode,
    Item,
    Link,
    LinkReference,
    List,
    Paragraph,
    Section,
    Strong,
    Table,
)
from ujsx.testing import assert_inert
from ujsx.testing.strategies import hostile_texts


@dataclass
class Value:
    """An interpolation, as ``string.templatelib`` has it."""

    value: Any
    expression: str = "value"
    conversion: str | None = None
    format_spec: str = ""


@dataclass
class Template:
    """A t-string, for versions of Python that have none."""

    strings: tuple[str, ...]
    interpolations: tuple[Value, ...] = field(default=())


def t(*parts: str | Value) -> Any:
    """A t-string of texts and values, which take turns."""
    texts = tuple(part for part in parts if isinstance(part, str))
    return Template(texts, tuple(part for part in parts if isinstance(part, Value)))


STATE = HudState(task=Task(description="Add *login*"), notes=[{"content": "Port 8080"}])


class TestTree:
    def test_is_that_of_the_same_calls(self) -> None:
        notes = t("<NotesSection notes=", Value(STATE.notes), "/>")
        made = jsx(
            t(
                "<Hud>\n<TaskSection task=",
                Value(STATE.task, "state.task"),
                ' density="compact"/>\n<DecisionsList decisions=',
                Value(STATE.decisions),
                "/>\n",
                Value(STATE.notes and notes, 'state.notes and t"…"'),
                "</Hud>",
            )
        )
        assert (
            made
            == Hud()[
                TaskSection(task=STATE.task, density="compact"),
                DecisionsList(decisions=STATE.decisions),
                NotesSection(notes=STATE.notes),
            ]
        )

    def test_of_values_by_name(self) -> None:
        made = jsx("<TaskSection task={task}/>", task=STATE.task)
        assert made == TaskSection(task=STATE.task)
        assert jsx("<TaskSection task={ task }/>", task="Add login") == TaskSection(
            task="Add login"
        )

    def test_of_markdown_between_tags(self) -> None:
        made = jsx(
            "# {title}\n\n- {a}\n- **{b}**\n\n| {c} |\n| - |\n", title="T", a="x", b="y", c="z"
        )
        assert render(made) == "# T\n\n- x\n- **y**\n\n| z |\n| - |\n"

    @looped("nothing", [None, True, False, [], ()])
    def test_of_conditions(self, nothing: Any) -> None:
        assert render(jsx("<List>{rows}</List>\n\nText", rows=nothing)) == render(
            fragment(List(), Paragraph()["Text"])
        )

    def test_of_lists_with_templates_in_them(self) -> None:
        rows = [t("<Item>", Value(name), "</Item>") for name in ("Ada", "Grace")]
        names = List()[Item()["Ada"], Item()["Grace"]]
        assert jsx(t("<List>", Value(rows), "</List>")) == names
        assert jsx(t("<List>", Value(iter(rows)), "</List>")) == names

    def test_of_conversions_and_formats(self) -> None:
        made = jsx(
            t("<Strong>", Value("a", "x", "r"), " ", Value(0.256, "y", None, ".0%"), "</Strong>")
        )
        assert render(made) == "**'a' 26%**\n"

    def test_of_values_beside_each_other(self) -> None:
        assert jsx("{a} {b}", a="Ada", b="King") == Paragraph()["Ada", " ", "King"]
        assert jsx("<Strong>{a} {b}</Strong>", a="Ada", b="King") == Strong()["Ada", " ", "King"]
        assert jsx("{a}\n{b}", a=Paragraph()["x"], b=Paragraph()["y"]).children == (
            Paragraph()["x"],
            Paragraph()["y"],
        )

    def test_has_keys(self) -> None:
        assert jsx("<Item key={key}>a</Item>", key="one") == Item()["a"].keyed("one")

    def test_of_a_vocabulary_of_its_own(self) -> None:
        assert jsx("<Strong>{x}</Strong>", [Strong], x="a") == Strong()["a"]
        with pytest.raises(LayoutError, match="<List> is not a known component"):
            jsx("<List>{x}</List>", [Strong], x="a")

    def test_comments_hide_values(self) -> None:
        assert jsx(t("Hello {/* ", Value("x"), " */}you")) == Paragraph()["Hello you"]

    def test_line_ends_and_marks_in_expressions_are_not_read(self) -> None:
        made = jsx(
            t("| a |\r\n| - |\r\n| ", Value("x|y", "a |\n`b`"), " |\r\n\r\n", Value("z"), "")
        )
        assert render(made) == "| a    |\n| ---- |\n| x\\|y |\n\nz\n"


class TestRefusal:
    @looped(
        ("template", "values", "said"),
        [
            ("<TaskSection task={task}/>", {}, "line 1, column 19: there is no value for {task}"),
            ("<TaskSection task={s.task}/>", {}, "write {task}, and pass task=s.task"),
            ("Hello {s.name}", {}, "line 1, column 7: a value is passed by name: write {name}"),
            (
                "a\n\nHello {name}",
                {"name": 1},
                r"line 3, column 7: 1 \(int\) is not a valid child; to show it, pass name=str\(1\)",
            ),
            ("<TaskSection\n  task={x}/>", {"x": 3.5}, r"line 2, column 8: "),
            ("<TaskSection task={x}/>", {"x": "a", "y": 1}, r"the template does not use {y}"),
            ("a `{x}`", {"x": "a"}, "line 1, column 4: values are not allowed in code"),
            ("[a]({x})", {"x": "a"}, "braces are not evaluated, as in the url"),
            ("<Nots notes={x}/>", {"x": 1}, "<Nots> is not a known component"),
            ("<Strong>{x}", {"x": "a"}, "<Strong> is not closed"),
            ("<TrustedMarkdown source={x}/>", {"x": "a"}, "for an author's own code"),
            ("<Item key={x}>a</Item>", {"x": 3}, "line 1, column 11: a key is a string"),
            (
                "<Strong {...x}>a</Strong>",
                {"x": 3},
                "line 1, column 9: {...x} is a mapping of props, not 3",
            ),
            (5, {}, "a template is a text or a t-string, not int"),
            (t("a ", Value("x"), ""), {"x": 1}, "has its values in its braces; leave out x="),
            (t("a {name}", Value("x"), ""), {}, "line 1, column 3: a value is passed by name"),
            (
                t("a `", Value("x", "s.x"), "`"),
                {},
                "line 1, column 4: values are not allowed in code",
            ),
            (t("a\n", Value(1, "s.x"), ""), {}, r"line 2, column 1: 1 \(int\)"),
        ],
    )
    def test_says_where_and_what_to_write(self, template: Any, values: Any, said: str) -> None:
        with pytest.raises(LayoutError, match=said):
            jsx(template, **values)

    def test_shows_the_expression_as_it_was_written(self) -> None:
        with pytest.raises(LayoutError) as raised:
            jsx(t("<TaskSection task=", Value(3.5, "state['task']", None, ""), "/>"))
        assert raised.value.excerpt.splitlines()[0] == "  <TaskSection task={state['task']}/>"


def table_of(x: str) -> Node:
    read = jsx("| a |\n| - |")
    assert isinstance(read.component, Table)
    [row] = read.children
    [cell] = row.children  # type: ignore[union-attr]
    return read.component[row.component[cell.component[x]]]  # type: ignore[union-attr]


PLACES: dict[str, Callable[[str], Node]] = {
    "{x}": lambda x: Paragraph()[x],
    "a {x} b": lambda x: Paragraph()["a ", x, " b"],
    "**{x}**": lambda x: Paragraph()[Strong()[x]],
    "# {x}": lambda x: Heading(depth=1)[x],
    "- {x}": lambda x: List()[Item()[x]],
    "| {x} |\n| - |": table_of,
    "<Section title={x}>a</Section>": lambda x: Section(title=x)["a"],
    "<InlineCode value={x}/>": lambda x: InlineCode(value=x),
    "<LinkReference identifier={x}>a</LinkReference>": lambda x: LinkReference(identifier=x)["a"],
    "<FootnoteReference identifier={x}/>": lambda x: FootnoteReference(identifier=x),
    "<Link url={x}>a</Link>": lambda x: Link(url=x)["a"],
    "<Item key={x}>a</Item>": Item()["a"].keyed,
    "<Strong>{x}</Strong>": lambda x: Strong()[x],
}
"""Templates with a value in each place where one can stand, and the same trees by hand."""


class TestValues:
    @pytest.mark.parametrize("template", PLACES)
    @given(x=hostile_texts(min_size=1))
    def test_are_never_markup(self, template: str, x: str) -> None:
        before, _, behind = template.partition("{x}")
        by_hand = PLACES[template](x)
        for made in (jsx(template, x=x), jsx(t(before, Value(x), behind))):
            if template == "{x}":
                assert render(made) == render(by_hand)
            else:
                assert made == by_hand

    @pytest.mark.parametrize("kind", ["LinkReference", "ImageReference", "FootnoteReference"])
    @given(x=hostile_texts(min_size=1))
    def test_that_lead_to_no_definition_are_never_markup(self, kind: str, x: str) -> None:
        assert_inert(jsx(f"see <{kind} identifier={{x}}/>", x=x))


class TestPlan:
    def test_a_template_again_costs_hardly_more_than_its_calls(self) -> None:
        def by_hand() -> Node:
            return Hud()[TaskSection(task=STATE.task), NotesSection(notes=STATE.notes)]

        text = "<Hud>\n<TaskSection task={task}/>\n<NotesSection notes={notes}/>\n</Hud>"

        def made() -> Node:
            return jsx(text, task=STATE.task, notes=STATE.notes)

        assert made() == by_hand()
        assert lines_run(made) - lines_run(by_hand) < 100  # reading it anew runs thousands

    def test_it_rendered_again_costs_at_most_a_fifth_more_than_its_calls(self) -> None:
        rows = [f"row {number}" for number in range(20)]

        def by_hand() -> str:
            return render(Section(title="T")[List()[[Item()[row] for row in rows]]])

        text = "<Section title={title}>\n<List>{rows}</List>\n</Section>"

        def made() -> str:
            return render(jsx(text, title="T", rows=[Item()[row] for row in rows]))

        assert made() == by_hand()
        assert lines_run(made) <= 1.2 * lines_run(by_hand)

    def test_what_depends_on_no_value_is_made_once(self) -> None:
        text = '<Hud>\n<Section title="a">\nFor ever.\n</Section>\n{x}\n</Hud>'
        one, two = (jsx(text, x=Paragraph()[each]) for each in "ab")
        assert one.children[0] is two.children[0]

    def test_what_is_kept_of_templates_is_bounded(self) -> None:
        def static(title: object) -> object:
            text = f'<Hud>\n<Section title="{title}">\nFor ever.\n</Section>\n{{x}}\n</Hud>'
            return jsx(text, x=Paragraph()["b"]).children[0]

        first = static(0)
        assert static(0) is first
        for number in range(1, 300):
            static(number)
        assert static(0) is not first
        assert static("long " * 4_000) is not static("long " * 4_000)


@pytest.mark.skipif(
    sys.version_info < (3, 14), reason="t-strings came with Python 3.14: make python314"
)
def test_t_strings_of_python() -> None:
    runpy.run_path("tests/python314/t_strings.py")


class Names(Component):
    """Names in a line."""

    disclosure = Disclosure((Rung(Density.MINIMAL, 1), Rung(Density.FULL)))
    names: tuple[str, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return ", ".join(self.names[: ctx.limit])


def places_that_live() -> int:
    return sum(type(each) is Interpolation for each in gc.get_objects())


class TestPlaces:
    """Each value of a template keeps its expression and its place."""

    TEXT = "<Section title={title}>\n\n{ first }\n\n<Names names={names} key='n'/>\n\n</Section>\n"

    def tree(self, names: object = ("a",)) -> Element:
        given = {"title": "T", "first": Paragraph()["x"], "names": names}
        return jsx(self.TEXT, [Names, Section], **given)

    def test_are_told_by_an_explanation(self) -> None:
        explanation = explain(self.tree(), 100)
        (section,) = explanation.sections
        assert section.interpolations == (Interpolation("names", 5, 14, "names"),)
        assert "\nthe template's values\n  Names[n]: names={names} at line 5, column 14\n" in str(
            explanation
        )

    def test_are_told_by_errors_of_a_rendering(self) -> None:
        tree = self.tree()
        broken = as_element(tree.children[1]).component
        object.__setattr__(broken, "names", 3)
        with pytest.raises(RenderError, match=r"names=\{names\} at line 5, column 14"):
            render(tree)

    def test_are_those_of_the_value_and_of_its_props(self) -> None:
        inner = jsx("<Names names={a}/>", [Names], a=("x",))
        tree = jsx("a\n\n{more}\n", [Names], more=inner)
        component = as_element(as_element(tree).children[1]).component
        assert [str(each) for each in interpolations_of(component)] == [
            "{more} at line 3, column 1",
            "names={a} at line 1, column 14",
        ]

    def test_are_no_part_of_a_value_and_go_with_it(self) -> None:
        by_hand = Names(names=("a",))
        template = "<Names names={a}/>" + 20_000 * " "  # too long for its plan to be kept
        made = as_element(jsx(template, [Names], a=("a",))).component
        assert made == by_hand
        assert hash(made) == hash(by_hand)
        assert interpolations_of(by_hand) == ()
        gc.collect()  # what other tests have left
        number = places_that_live()
        del made
        gc.collect()
        assert places_that_live() == number - 1

    def test_are_not_told_of_others_of_a_class_without_props(self) -> None:
        class Bare(Component):
            def render(self, ctx: RenderContext, children: Children) -> Child:
                return "x"

        child = jsx("a\n\n{x}", x=Bare()).children[1]
        (place,) = interpolations_of(as_element(child).component)
        assert (child, place.expression) == (Bare(), "x")
        assert interpolations_of(Bare()) == ()

    def test_of_a_t_string_have_its_expressions(self) -> None:
        tree = jsx(t("<Names\n  names=", Value(("a",), "state.names"), "/>"), [Names])
        (place,) = interpolations_of(as_element(tree).component)
        assert place == Interpolation("state.names", 2, 9, "names")
