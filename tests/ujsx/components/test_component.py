"""Components written as classes: their props, what is refused, and what is inherited."""

from __future__ import annotations

from collections.abc import Callable
from traceback import format_exception
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.errors import PydanticUserError

from tests.ids import looped
from ujsx import (
    Child,
    ChildError,
    Children,
    Component,
    DefinitionError,
    Density,
    Disclosure,
    FrozenMapping,
    PropError,
    RenderContext,
    Renderer,
    RenderError,
    Rung,
    component,
    render,
)
from ujsx.elements import Paragraph
from ujsx.schema import tool_schema

T = TypeVar("T")

LADDER = Disclosure(ladder=(Rung(Density.MINIMAL, 0), Rung(Density.FULL)))


class Badge(Component):
    """A label."""

    label: str
    """What it says."""

    size: int = 1

    disclosure: ClassVar[Disclosure] = LADDER

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [self.label, children]


class LoudBadge(Badge):
    """A label that is loud."""

    marks: int = 3


class Tree(Component):
    value: str
    parent: Tree | None = None


class Box(Component, Generic[T]):
    content: T


class Early(Component):
    """Its prop's class is not known yet when this class is written."""

    late: Late


class Late(BaseModel):
    x: int = 0


class Point(BaseModel, frozen=True):
    x: int
    note: Any = None


class Anything(Component):
    value: Any = None
    values: tuple[Any, ...] = ()
    bare: tuple = ()  # type: ignore[type-arg]
    point: Point | None = None


class TestProps:
    def test_are_the_fields(self) -> None:
        badge = Badge(label="new")
        assert (badge.label, badge.size) == ("new", 1)

    def test_make_the_value_of_a_node(self) -> None:
        assert Badge(label="a") == Badge(label="a", size=1)
        assert hash(Badge(label="a")) == hash(Badge(label="a", size=1))
        assert Badge(label="a") != Badge(label="b")

    def test_of_another_class_make_another_value(self) -> None:
        assert Badge(label="a") != LoudBadge(label="a")
        assert Badge(label="a") != Point(x=1)

    def test_may_refer_to_a_class_that_comes_later(self) -> None:
        assert Tree(value="a", parent=Tree(value="b")).parent == Tree(value="b")

    def test_may_be_generic(self) -> None:
        assert Box[int](content=3).content == 3
        with pytest.raises(PropError, match="content: Input should be a valid integer"):
            Box[int](content="x")  # type: ignore[arg-type]

    def test_that_are_generic_still_have_to_be_hashable(self) -> None:
        assert Box[list[int]](content=[1]).content == (1,)
        with pytest.raises(PropError, match=r"is not hashable; use tuple\[…, ...\]"):
            Box(content=[1])

    def test_are_validated_as_pydantic_does(self) -> None:
        data: Any = {"label": "a", "size": "3"}
        assert Badge(**data).size == 3


class Loose(Component):
    """A component whose props may be equal and show otherwise."""

    value: Any = None
    names: FrozenMapping[str, int] = FrozenMapping()

    def render(self, ctx: RenderContext, children: Any) -> Any:
        return f"{self.value!r} {list(self.names)}"


class TestEquality:
    @looped(
        ("left", "right"),
        [
            (1, True),
            (1, 1.0),
            (0.0, -0.0),
            ((1, "a"), (True, "a")),
            (frozenset({1}), frozenset({True})),
            (FrozenMapping({"a": 1}), FrozenMapping({"a": True})),
            (Loose(value=1), Loose(value=True)),
        ],
    )
    def test_tells_apart_what_shows_otherwise(self, left: Any, right: Any) -> None:
        assert left == right or isinstance(left, Loose)
        assert Loose(value=left) != Loose(value=right)
        assert Loose(value=left) == Loose(value=left)

    def test_does_not_mind_in_which_order_a_set_is_made(self) -> None:
        words = [f"word {n}" for n in range(50)]
        assert Loose(value=frozenset(words)) == Loose(value=frozenset(words[::-1]))

    def test_tells_apart_mappings_in_another_order(self) -> None:
        one, other = FrozenMapping({"a": 1, "b": 2}), FrozenMapping({"b": 2, "a": 1})
        assert Loose(names=one) != Loose(names=other)
        kept = Renderer()
        for names in (one, other, one):
            node = Loose(names=names)
            assert kept.render(node).text == Renderer().render(node).text


class TestWithoutValidation:
    def test_is_the_node_that_validation_gives(self) -> None:
        assert Loose.model_construct(value=3) == Loose(value=3)
        assert hash(Loose.model_construct(value=3)) == hash(Loose(value=3))
        assert Loose.model_construct(value=3).model_fields_set == {"value"}
        assert Loose.model_construct(set(), value=3).model_fields_set == set()

    def test_a_default_that_is_made_anew_is_made(self) -> None:
        class Numbered(Component):
            word: str
            numbers: tuple[int, ...] = Field(default_factory=lambda: (1, 2))

        assert Numbered.model_construct(word="a") == Numbered(word="a")

    def test_what_is_missing_stays_missing(self) -> None:
        class Named(Component):
            word: str

        assert vars(Named.model_construct()) == {}


class TestPropErrors:
    def test_an_unknown_prop_comes_with_the_nearest(self) -> None:
        with pytest.raises(PropError) as caught:
            Badge(label="a", sise=3)  # type: ignore[call-arg]
        assert str(caught.value) == 'Badge.sise: no such prop (got 3); did you mean "size"?'
        assert caught.value.path == "Badge.sise"

    def test_an_unknown_prop_without_a_neighbour_lists_all(self) -> None:
        with pytest.raises(PropError, match="known: label, size"):
            Badge(label="a", qqq=3)  # type: ignore[call-arg]

    def test_an_unknown_prop_of_a_component_without_props_says_so(self) -> None:
        with pytest.raises(PropError, match="there are none"):
            Paragraph(size="x")  # type: ignore[call-arg]

    def test_a_wrong_value_is_shown(self) -> None:
        with pytest.raises(PropError) as caught:
            Badge(label=["a"])  # type: ignore[arg-type]
        message = "Badge.label: Input should be a valid string (got ['a'])"
        assert str(caught.value) == message

    def test_a_wrong_value_deep_in_a_prop_is_named_by_its_place(self) -> None:
        data: Any = {"x": "three"}
        with pytest.raises(PropError, match=r"Anything\.point\.x: .*got 'three'"):
            Anything(point=data)

    def test_a_missing_prop_is_named(self) -> None:
        with pytest.raises(PropError, match=r"^Badge\.label: required, but not given$"):
            Badge()  # type: ignore[call-arg]

    def test_all_mistakes_are_told_at_once(self) -> None:
        with pytest.raises(PropError) as caught:
            Badge(lable="a", size="big")  # type: ignore[call-arg, arg-type]
        text = str(caught.value)
        assert 'did you mean "label"?' in text
        assert "required" not in text  # which "lable" was meant for
        assert "Badge.size: Input should be a valid integer" in text

    def test_the_context_is_pydantics_error_which_a_traceback_leaves_out(self) -> None:
        with pytest.raises(PropError) as caught:
            Badge()  # type: ignore[call-arg]
        assert type(caught.value.__context__).__name__ == "ValidationError"
        assert "ValidationError" not in "".join(format_exception(caught.value))

    def test_is_a_value_error(self) -> None:
        assert issubclass(PropError, ValueError)


class TestOpenProps:
    @looped(
        ("props", "path"),
        [
            ({"value": [1]}, "Anything.value"),
            ({"values": ({},)}, "Anything.values"),
            ({"bare": ([],)}, "Anything.bare"),
            ({"point": Point(x=1, note=[])}, "Anything.point"),
        ],
    )
    def test_are_checked_when_a_node_is_made(self, props: dict[str, Any], path: str) -> None:
        with pytest.raises(PropError, match="is not hashable") as caught:
            Anything(**props)
        assert caught.value.path == path

    def test_of_a_class_that_comes_later_are_checked_then_too(self) -> None:
        Early.model_rebuild()
        with pytest.raises(PropError, match="make the model frozen"):
            Early(late=Late())

    def test_take_what_can_be_hashed(self) -> None:
        assert hash(Anything(value=(1,), values=("a", 2), point=Point(x=1)))


REFUSED_NAMES = [
    "copy", "schema", "json", "dict", "render", "keyed", "disclosed", "construct",
    "validate", "model_dump", "model_fields",
]  # fmt: skip

OF_THE_CLASS = ["disclosure", "is_primitive", "is_fragment", "takes_children", "provides"]


class TestRefusedNames:
    @looped("name", REFUSED_NAMES)
    def test_a_prop_may_not_shadow_what_a_component_has(self, name: str) -> None:
        with pytest.raises(DefinitionError) as caught:
            type(Component)(
                "Shadow", (Component,), {"__annotations__": {name: str}, "__module__": __name__}
            )
        assert str(caught.value).startswith(
            f"Shadow.{name}: the name is taken by Component.{name}; "
        )

    @looped("name", OF_THE_CLASS)
    def test_what_belongs_to_the_class_is_said_to(self, name: str) -> None:
        with pytest.raises(DefinitionError) as caught:
            type(Component)(
                "Shadow", (Component,), {"__annotations__": {name: Any}, "__module__": __name__}
            )
        assert str(caught.value) == (
            f"Shadow.{name} belongs to the class and is not a prop: drop the annotation, or write "
            f"{name}: ClassVar[…]"
        )

    @looped("value", ["x", 3, None, (), [], Field(default="x")])
    def test_a_prop_without_an_annotation_is_refused(self, value: Any) -> None:
        with pytest.raises((DefinitionError, PydanticUserError)) as caught:
            type(Component)("Mine", (Component,), {"prop": value, "__module__": __name__})
        if isinstance(caught.value, PydanticUserError):  # some versions look first
            pytest.skip("this version of Pydantic refuses it in its own words")
        assert str(caught.value).startswith("Mine.prop: a prop needs an annotation; write prop: ")

    def test_what_is_no_prop_needs_none(self) -> None:
        class Own(Component):
            disclosure = LADDER
            takes_children = False
            _private = 3
            constant: ClassVar[int] = 3

            class Inner:
                pass

            @property
            def size(self) -> int:
                return 1

        assert (Own().size, Own().constant, Own.disclosure) == (1, 3, LADDER)

    def test_nor_that_of_the_models_settings_which_some_versions_of_pydantic_refuse(self) -> None:
        with pytest.raises((DefinitionError, PydanticUserError), match="model_config"):

            class Shadow(Component):
                model_config: str  # type: ignore[assignment]

    def test_nor_what_a_parent_of_its_own_has(self) -> None:
        class Parent(Component):
            def words(self) -> int:
                return 1

        with pytest.raises(DefinitionError, match=r"Child\.words"):
            type(Component)(
                "Child", (Parent,), {"__annotations__": {"words": str}, "__module__": __name__}
            )

    def test_a_class_variable_is_no_prop(self) -> None:
        class Fine(Component):
            disclosure: ClassVar[Disclosure] = LADDER

        assert Fine().disclosure is LADDER

    def test_a_definition_error_is_a_type_error(self) -> None:
        assert issubclass(DefinitionError, TypeError)


class TestChanging:
    def test_a_node_is_refused(self) -> None:
        node = Badge(label="new")
        with pytest.raises(PropError) as caught:
            node.label = "old"  # type: ignore[misc]
        assert str(caught.value) == (
            "Badge.label: a node is frozen; make another: node.model_copy(update={'label': 'old'})"
        )
        with pytest.raises(PropError, match="a node is frozen"):
            del node.label
        with pytest.raises(PropError, match=r'Badge\.lable: no such prop.*did you mean "label"'):
            node.lable = "old"  # type: ignore[attr-defined]
        assert node == Badge(label="new")

    def test_a_private_attribute_is_the_authors_own(self) -> None:
        class Counted(Component):
            _calls: int = 0
            label: str = ""

        node = Counted()
        node._calls = 3
        assert node._calls == 3

    def test_a_copy_checks_names_and_values(self) -> None:
        node = Badge(label="new")
        assert node.model_copy(update={"label": "old"}) == Badge(label="old")
        assert node.model_copy() == node
        with pytest.raises(PropError, match=r'Badge\.lable: no such prop.*did you mean "label"'):
            node.model_copy(update={"lable": "old"})
        with pytest.raises(PropError, match=r"Badge\.label: Input should be a valid string"):
            node.model_copy(update={"label": 3})

    def test_a_copy_keeps_what_was_given_and_what_was_made(self) -> None:
        class Numbered(Component):
            number: int = Field(default_factory=iter(range(9)).__next__)
            label: str = Field(default="", validation_alias="name")
            _seen: int = 0

        node = Numbered(name="a")  # type: ignore[call-arg]
        node._seen = 7
        copied = node.model_copy(update={"label": "b"})
        assert (copied.number, copied.label, copied._seen) == (node.number, "b", 7)
        assert copied.model_fields_set == {"label"}


WRONG_DEFAULTS: dict[str, tuple[Any, Any, str]] = {
    "a list": (tuple[str, ...], [], r"its default \[\] is not hashable; use tuple"),
    "a dict": (FrozenMapping[str, int], {}, "is not hashable; use FrozenMapping"),
    "another type": (
        int,
        "three",
        "its default 'three' is not a valid int; change",
    ),
    "a text that is read as a number": (int, "3", "its default '3' is not of its type; write 3"),
    "nothing": (str, None, "its default None is not a valid str;"),
    "a name of a member": (Density, "full", "its default 'full' is not of its type; write <Dens"),
    "out of bounds": (Annotated[int, Field(ge=1)], 0, "greater than or equal to 1"),
    "none of the words": (
        Literal["a", "b"],
        "c",
        "its default 'c' is not valid: Input should be 'a' or 'b'",
    ),
    "a wrong part": (
        tuple[str, ...],
        ("a", 2),
        "is not valid: Input should be a valid string",
    ),
}

RIGHT_DEFAULTS: dict[str, tuple[Any, Any]] = {
    "a whole number for a float": (float, 1),
    "no number": (float, float("nan")),
    "None": (int | None, None),
    "a mapping": (FrozenMapping[str, int], FrozenMapping(a=1)),
    "a function": (Callable[[], int], int),
    "anything": (Any, 3),
    "a tuple": (tuple[float, ...], (1, 2.5)),
    "a component": (Component, Badge(label="x")),
    "in bounds": (Annotated[int, Field(ge=1)], 1),
}


def with_default(kind: Any, default: Any) -> Any:
    """A component of a prop that has to be given, and one with a default."""
    props = {"given": str, "prop": kind}
    return type(Component)(
        "Mine", (Component,), {"__annotations__": props, "prop": default, "__module__": __name__}
    )


class TestDefaults:
    @looped("case", WRONG_DEFAULTS)
    def test_that_do_not_fit_are_refused_with_the_class(self, case: str) -> None:
        kind, default, message = WRONG_DEFAULTS[case]
        with pytest.raises(DefinitionError, match=r"^Mine\.prop: .*" + message):
            with_default(kind, default)

    @looped("case", RIGHT_DEFAULTS)
    def test_that_fit_stay_what_they_are(self, case: str) -> None:
        kind, default = RIGHT_DEFAULTS[case]
        assert with_default(kind, default)(given="x").prop is default

    def test_of_a_function_are_looked_at_too(self) -> None:
        with pytest.raises(
            DefinitionError, match=r"^Words\.words: its default \[\] is not hashable"
        ):

            @component
            def Words(
                ctx: RenderContext,
                children: Children,
                *,
                words: tuple[str, ...] = [],  # type: ignore[assignment]
            ) -> Child:
                return words

    def test_of_a_class_that_holds_itself_are_looked_at_too(self) -> None:
        with pytest.raises(DefinitionError, match=r"^Nested\.inner: its default 3 is not valid: "):

            class Nested(Component):
                inner: Nested | None = 3  # type: ignore[assignment]

    def test_are_not_shown_to_a_models_own_validator_without_the_other_props(self) -> None:
        class Checked(Component):
            low: int
            high: Annotated[int, Field(le=9)] = 9

            @model_validator(mode="before")
            @classmethod
            def _in_order(cls, props: dict[str, Any]) -> dict[str, Any]:
                assert props["low"] <= props.get("high", 9)
                return props

        assert Checked(low=1).high == 9


WRONG_METHODS: dict[str, tuple[str, Any, str]] = {
    "render with another": (
        "render",
        lambda self, more: more,
        r"def render\(self, ctx, children\)",
    ),
    "render with too many": ("render", lambda self, ctx, children, more: "x", "def render"),
    "render by name": ("render", lambda self, *, ctx, children: "x", "def render"),
    "provide without itself": ("provide", lambda: None, r"def provide\(self, ctx\)"),
    "disclosed with a context": ("disclosed", lambda self, ctx: None, r"def disclosed\(self\)"),
}


class TestMethods:
    @looped("case", WRONG_METHODS)
    def test_that_cannot_be_called_are_refused_with_the_class(self, case: str) -> None:
        name, function, message = WRONG_METHODS[case]
        with pytest.raises(
            DefinitionError, match=rf"^Mine\.{name} takes the wrong arguments; .*{message}"
        ):
            type(Component)("Mine", (Component,), {name: function, "__module__": __name__})

    def test_get_the_arguments_that_they_name(self) -> None:
        class Plain(Component):
            label: str

            def render(self) -> Child:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
                return self.label

        class Around(Component):
            def render(self, children: Children) -> Child:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
                return ["(", children, ")"]

            def provide(self) -> RenderContext:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
                return RenderContext(density=Density.MINIMAL)

        assert render(Around()[Plain(label="a")]) == "(a)\n"
        with pytest.raises(ChildError, match=r"^Plain: it takes no children"):
            Plain(label="a")["b"]

    @looped(
        "method",
        [
            lambda self, ctx, children, mark="!": mark,
            lambda *args: "!",
            lambda self, *args, mark="!": mark,
            staticmethod(lambda ctx, children: "!"),
        ],
    )
    def test_that_can_be_called_are_not(self, method: Any) -> None:
        made = type(Component)("Mine", (Component,), {"render": method, "__module__": __name__})
        assert render(made()) == "!\n"


class TestRender:
    def test_makes_a_component_a_composite(self) -> None:
        assert not Badge.is_primitive
        assert Paragraph.is_primitive

    def test_is_missing_in_a_primitive(self) -> None:
        with pytest.raises(RenderError, match="Paragraph is a primitive: it has no render"):
            Paragraph().render(RenderContext(), ())

    def test_a_subclass_of_a_primitive_with_render_is_a_composite(self) -> None:
        class Note(Paragraph):
            def render(self, ctx: RenderContext, children: Children) -> Child:
                return Paragraph()["Note: ", children]

        assert render(Note()["x"]) == "Note: x\n"


class TestInheritance:
    def test_adds_props(self) -> None:
        assert LoudBadge(label="a", marks=1).marks == 1

    def test_keeps_render(self) -> None:
        assert render(LoudBadge(label="a")["!"]) == "a!\n"

    def test_keeps_the_disclosure(self) -> None:
        assert LoudBadge.disclosure is LADDER

    def test_a_prop_of_the_parent_may_not_be_declared_again(self) -> None:
        with pytest.raises(DefinitionError):
            type(Component)(
                "Other", (Badge,), {"__annotations__": {"render": str}, "__module__": __name__}
            )

    def test_a_prop_of_the_parent_may_be_narrowed(self) -> None:
        class Small(Badge):
            size: int = 0

        assert Small(label="a").size == 0

    def test_the_default_disclosure_has_a_rung_for_each_density(self) -> None:
        assert [rung.density for rung in Component.disclosure.ladder] == list(Density)


SOURCE = '''
from pydantic import Field
from ujsx import Component

class Dynamic(Component):
    """Made without a file."""

    label: str = Field(description="What it says.")
    size: int = 1
    """How large."""
'''


class TestDescriptions:
    def test_come_from_docstrings_under_the_props(self) -> None:
        assert tool_schema(Badge)["properties"]["label"]["description"] == "What it says."

    def test_are_inherited(self) -> None:
        assert tool_schema(LoudBadge)["properties"]["label"]["description"] == "What it says."

    def test_come_from_fields_too(self) -> None:
        class Other(Component):
            label: str = Field(description="What it says.")

        assert tool_schema(Other)["properties"]["label"]["description"] == "What it says."

    def test_a_class_without_a_source_file_still_works(self) -> None:
        """Docstrings under props need the file; ``Field`` does not."""
        names: dict[str, Any] = {"__name__": "without_a_file"}
        exec(SOURCE, names)
        properties = tool_schema(names["Dynamic"])["properties"]
        assert properties["label"]["description"] == "What it says."
        assert properties["size"] == {"default": 1, "type": "integer"}


class TestMaking:
    """The validator makes a node itself; all that a class says of its nodes holds as before."""

    def test_by_data_is_an_error_of_pydantic(self) -> None:
        class Badge(Component):
            label: str

        assert Badge.model_validate({"label": "a"}) == Badge(label="a")
        with pytest.raises(ValidationError, match="label"):
            Badge.model_validate({"lable": "a"})

    def test_a_prop_that_is_a_component_may_be_one_of_several(self) -> None:
        class Badge(Component):
            label: str

        class Holder(Component):
            value: Badge | int

        assert Holder.model_validate({"value": 3}).value == 3
        assert Holder.model_validate({"value": {"label": "a"}}).value == Badge(label="a")
        with pytest.raises(PropError, match=r"Holder\.value\.Badge\.label"):
            Holder(value={"label": 3})  # type: ignore[arg-type]

    def test_by_data_looks_for_what_cannot_be_hashed(self) -> None:
        class Open(Component):
            value: Any

        with pytest.raises(ValidationError, match="is not hashable"):
            Open.model_validate({"value": [1]})
        with pytest.raises(PropError, match="is not hashable"):
            Open(value=[1])

    def test_goes_through_an_init_of_its_own(self) -> None:
        class Shout(Component):
            label: str

            def __init__(self, label: str, times: int = 1) -> None:
                super().__init__(label=label.upper() * times)

        assert Shout("a", times=2).label == "AA"
        assert Shout(label="a").label == "A"
        with pytest.raises(PropError, match=r"Shout\.label"):
            Shout(label=_NoText())  # type: ignore[arg-type]

    def test_may_be_strict(self) -> None:
        class Strict(Component):
            model_config = ConfigDict(strict=True)
            count: int

        assert Strict(count=1).count == 1
        with pytest.raises(PropError, match=r"Strict\.count"):
            Strict(count="1")  # type: ignore[arg-type]

    def test_without_props_is_one_object_whatever_its_truth(self) -> None:
        class Empty(Component):
            def __bool__(self) -> bool:
                return False

        assert Empty() is Empty()


class _NoText:
    def upper(self) -> int:
        return 3
