"""Names in arguments' own arguments: told with what else is wrong, and with the name that is meant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, RootModel
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_core import SchemaValidator
from typing_extensions import TypedDict

from tests.ids import looped
from tests.work import lines_run
from ujsx.schema import DIALECTS
from ujsx.tools import Operation, Toolset


class Guest(BaseModel):
    name: str
    age: int = 0


class Pet(BaseModel):
    name: str
    breed: str


class Free(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


class Renamed(BaseModel):
    name: str = Field(alias="fullName")


class Guests(RootModel[list[Guest]]):
    pass


class Tree(BaseModel):
    label: str
    below: list[Tree | Leaf] = []


class Leaf(BaseModel):
    label: str
    below: list[Tree | Leaf] = []


Tree.model_rebuild()

Aliased: TypeAlias = "Guest | None"


@dataclass
class Cabin:
    berth_no: int
    deck: Annotated[str, Field(alias="onDeck")] = "A"


@dataclass
class Loose:
    __pydantic_config__ = ConfigDict(extra="allow")
    berth_no: int


@pydantic_dataclass
class Crew:
    berth_no: int = Field(alias="berthNo")


class Meal(TypedDict):
    berth_no: NotRequired[int]


KINDS: dict[str, tuple[Any, Any, list[str]]] = {
    "a model": (Guest, {"nme": "Ann"}, ["$.given.nme"]),
    "a model or nothing": (Guest | None, {"nme": "Ann"}, ["$.given.nme"]),
    "by another name": (Aliased, {"nme": "Ann"}, ["$.given.nme"]),
    "with something about it": (Annotated[Guest, Field(description="Who.")], {"nme": "A"}, ["$.given.nme"]),
    "a list": (list[Guest], [{"name": "A"}, {"nme": "B"}], ["$.given[1].nme"]),
    "a tuple": (tuple[Guest, ...], [{"nme": "B"}], ["$.given[0].nme"]),
    "a root": (Guests, [{"nme": "B"}], ["$.given[0].nme"]),
    "a dictionary": (dict[str, Guest], {"any": {"nme": "B"}}, ["$.given.any.nme"]),
    "one of several": (Guest | Pet, {"age": 1, "breed": "x", "nme": "B"}, ["$.given.nme"]),
    "or anything": (Guest | dict[str, int], {"nme": 1}, []),
    "or what is open": (Guest | Free, {"nme": 1}, []),
    "what complains by itself": (Closed, {"nme": 1}, ["$.given.nme"]),
    "under an alias": (Renamed, {"fullName": "A", "name": "B"}, ["$.given.name"]),
    "a dataclass": (Cabin, {"berth_no": 1, "onDeck": "B", "deck": "C"}, ["$.given.deck"]),
    "one that takes any name": (Loose, {"nme": 1}, []),
    "one of Pydantic's": (list[Crew], [{"berthNo": 1, "berth": 1}], ["$.given[0].berth"]),
    "a typed dictionary": (Meal, {"berth": 1}, ["$.given.berth"]),
    "anything": (Any, {"nme": 1}, []),
    "a text": (str, {"nme": 1}, []),
    "itself": (Tree, {"label": "a", "below": [{"below": [{"labl": 1}]}]}, ["$.given.below[0].below[0].labl"]),
}  # fmt: skip


@looped("case", KINDS)
def test_that_no_type_has_are_found(case: str) -> None:
    kind, value, paths = KINDS[case]

    class Asked(BaseModel):
        given: kind
        needed: int  # and not given, so that nothing can be made of the call

    Asked.__annotations__["given"] = kind
    Asked.model_rebuild(force=True)
    tools = Toolset([Operation("ask", Asked, lambda _: "Done.")], name="t")
    lines = tools.call("ask", {"given": value}).text.splitlines()
    assert [line.partition(": ")[0] for line in lines if "no such argument" in line] == paths


class Booking(BaseModel):
    room: Literal["single", "double"]
    guests: list[Guest]


TOOLS = Toolset([Operation("book", Booking, lambda asked: asked.room)], name="hotel")


def test_are_told_with_the_name_that_is_meant_and_with_all_else() -> None:
    result = TOOLS.call("book", {"room": "twin", "guests": [{"nme": "Ann", "age": "3"}]})
    assert result.text.splitlines()[:3] == [
        '$.guests[0].nme: no such argument; did you mean "name"?',
        "$.room: input should be 'single' or 'double' (got 'twin')",
        "$.guests[0].name: required, but not given",
    ]
    assert result.text.splitlines()[-1] == (
        'for example {"room": "<single | double>", "guests": [{"age": 3, "name": "Ann"}]}'
    )


def test_that_mean_no_other_are_told_with_those_that_there_are() -> None:
    result = TOOLS.call(
        "hotel", {"op": "book", "room": "single", "guests": [{"name": "A", "x": 1}]}
    )
    assert result.text.splitlines()[0] == "$.guests[0].x: no such argument; known: age, name"


class Branch(BaseModel):
    kind: Literal["branch"]
    label: str
    below: list[Annotated[Branch | Twig, Field(discriminator="kind")]] = []


class Twig(BaseModel):
    kind: Literal["twig"]
    label: str
    below: list[Annotated[Branch | Twig, Field(discriminator="kind")]] = []


Branch.model_rebuild()


def test_are_looked_for_in_proportion() -> None:
    tools = Toolset([Operation("grow", Branch, lambda _: "Done.")], name="tree")

    def deep(levels: int) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": "branch", "labl": 1}
        for _ in range(levels):
            data = {"kind": "branch", "label": "a", "below": [data]}
        return data

    def wide(many: int) -> dict[str, Any]:
        return {"kind": "branch", "label": "a", "below": [{"kind": "twig", "labl": 1}] * many}

    for make in (deep, wide):
        small, large = make(20), make(40)
        assert "labl: no such argument" in tools.call("grow", small).text
        counts = [lines_run(partial(tools.call, "grow", data)) for data in (small, large)]
        assert counts[1] < 2.2 * counts[0]


def moor(
    guest: Guest, cabin: Cabin, meal: Meal, crew: list[Crew], free: dict[str, int] | None = None
) -> str:
    """Moor.

    :param guest: Who.
    """
    return f"{guest.name} {cabin.berth_no} {meal} {[each.berth_no for each in crew]}"


class Mooring(BaseModel):
    guest: Guest
    cabin: Cabin
    meal: Meal
    crew: list[Crew]
    free: dict[str, int] | None = None


FITS: dict[str, Any] = {
    "guest": {"name": "Ann"}, "cabin": {"berth_no": 1}, "meal": {}, "crew": [{"berthNo": 2}], "free": {"any": 1},
}  # fmt: skip

OF_FUNCTION = Operation.of(moor)
OF_MODEL = Operation("moor", Mooring, lambda asked: moor(**vars(asked)))


def with_member(path: tuple[str | int, ...], name: str, value: object) -> dict[str, Any]:
    """What fits, and one member more at a place."""
    data: dict[str, Any] = {
        key: [{**each[0]}] if isinstance(each, list) else {**each} for key, each in FITS.items()
    }
    holder: Any = data
    for part in path:
        holder = holder[part]
    holder[name] = value
    return data


@looped("operation", [OF_FUNCTION, OF_MODEL], ids=["function", "model"])
@looped("path", [(), ("guest",), ("cabin",), ("meal",), ("crew", 0), ("free",)])
def test_are_closed_in_the_schema_where_a_call_takes_no_other(
    operation: Operation, path: tuple[str | int, ...]
) -> None:
    tools = Toolset([operation], name="tools")
    assert not tools.call("moor", FITS).is_error, tools.call("moor", FITS).text
    given = with_member(path, "zebra", 1)
    is_taken = not tools.call("moor", given).is_error
    assert is_taken == (path == ("free",))
    for dialect in ("json-schema", "openai", "anthropic", "mcp", "gemini-json", "open-engines"):
        if DIALECTS[dialect].verdict("additionalProperties").name != "KEEP":
            continue
        for layout in ("separate", "grouped"):
            schema = str(tools.definitions(dialect, layout=layout)[0])
            assert schema.count("'additionalProperties': False") >= 5
    [tool] = tools.definitions("mcp")
    assert Draft202012Validator(tool["inputSchema"]).is_valid(given) == is_taken


@looped("operation", [OF_FUNCTION, OF_MODEL], ids=["function", "model"])
def test_are_mended_at_every_depth_as_those_of_arguments_are(operation: Operation) -> None:
    result = Toolset([operation], name="tools").call(
        "moor",
        {"Guest": {"Name": "Ann"}, "cabin": {"berthNo": "1"}, "meal": {"BERTH-NO": 3}, "crew": {"berth_no": 4}},
    )  # fmt: skip
    assert result.text == "Ann 1 {'berth_no': 3} [4]"
    assert sorted(f"{each.kind} {each.path}" for each in result.repairs) == [
        "list $.crew",
        "name $.Guest",
        "name $.Guest.Name",
        "name $.cabin.berthNo",
        "name $.crew[0].berth_no",
        'name $.meal["BERTH-NO"]',
        "number $.cabin.berth_no",
    ]


class Twins(BaseModel):
    some_x: int
    someX: int = 0  # noqa: N815 - as somebody has it


@looped(
    ("kind", "given", "said"),
    [
        (Twins, {"SOME-X": 1}, '$.at["SOME-X"]: no such argument'),
        (Guest, {"NAME": "A", "Name": "B"}, "$.at.Name: no such argument"),
        (Guest, {"name": "A", "Name": "B"}, "$.at.Name: no such argument"),
        (Guest | dict[str, int], {"Name": "B"}, "$.at"),
        (dict[str, Guest], {"x": {"nme": "B"}}, '$.at.x.nme: no such argument; did you mean "name"?'),
    ],
)  # fmt: skip
def test_that_may_mean_several_are_left_as_they_are(kind: Any, given: Any, said: str) -> None:
    def ask(at: kind) -> None: ...

    ask.__annotations__["at"] = kind
    result = Toolset([Operation.of(ask)], name="t").call("ask", {"at": given})
    assert (result.is_error, said in result.text) == (True, True), result.text


def test_are_told_in_the_spelling_in_which_they_came() -> None:
    result = TOOLS.call("book", {"Room": "single", "Guests": [{"Name": 1.5, "AGE": "old"}]})
    assert result.text.splitlines()[:2] == [
        "$.Guests[0].Name: input should be a valid string (got 1.5)",
        "$.Guests[0].AGE: input should be a valid integer (got 'old')",
    ]


class Point(BaseModel):
    x: int
    y: int = 0


def fly(to: Point, speed: int = 1, via: list[Point] = []) -> None:  # noqa: B006
    """Fly."""


def ride(x: int, y: int = 0) -> None:
    """Ride."""


def link(start: Point, end: Point) -> None:
    """Link."""


MOVES = Toolset([Operation.of(each) for each in (fly, ride, link)], name="moves")


@looped(
    ("tool", "given", "said", "instead"),
    [
        ("fly", {"x": 1, "y": 2}, '$.x: no such argument; send {"to": {"x": …}} or {"via": [{"x": …}]}',
         '{"to": {"x": 1, "y": 2}}'),
        ("fly", {"to.x": 1}, '$["to.x"]: no such argument; send {"to": {"x": …}}', '{"to": {"x": 1}}'),
        ("fly", {"to_x": 1}, '$.to_x: no such argument; send {"to": {"x": …}}', '{"to": {"x": 1}}'),
        ("fly", {"to": {"x": 1, "speed": 3}}, '$.to.speed: no such argument; send it beside "to", not inside it',
         '{"to": {"x": 1}, "speed": 3}'),
        ("fly", {"to": {"pos": {"X": 1}}},
         '$.to.pos: no such argument; send what is in it without "pos" around it', '{"to": {"x": 1}}'),
        ("ride", {"point": {"x": 1}},
         '$.point: no such argument; send what is in it without "point" around it', '{"x": 1}'),
        ("ride", {"point": {"x": 1, "z": 1}}, "$.point: no such argument; known: x, y", '{"x": "<integer>"}'),
        ("link", {"x": 1}, '$.x: no such argument; send {"start": {"x": …}} or {"end": {"x": …}}',
         '{"start": {"x": "<integer>"}, "end": {"x": "<integer>"}}'),
    ],
)  # fmt: skip
def test_in_another_place_are_told_with_the_one_where_they_belong(
    tool: str, given: Any, said: str, instead: str
) -> None:
    result = MOVES.call(tool, given)
    assert result.text.splitlines()[0] == said
    assert result.text.splitlines()[-1] == f"for example {instead}"


def test_of_which_more_than_a_few_are_wrong_are_counted() -> None:
    result = MOVES.call("ride", dict.fromkeys("abcde", 1))
    assert result.text.splitlines()[3] == "… and 3 more"
    assert (len(result.data["problems"]), result.data["more"]) == (3, 3)
    assert "more" not in MOVES.call("ride", {"a": 1}).data


def test_that_are_mended_take_a_time_in_proportion() -> None:
    def mended(many: int) -> int:
        given = {"to": {"x": 1}, "via": [{"X": 1}] * many}
        return lines_run(lambda: MOVES.call("fly", given))

    MOVES.call("fly", {"to": {"X": 1}})
    assert mended(40) < 2.2 * mended(20)


class Sprig(BaseModel):
    word: str
    below: list[Sprig | Knot] = []


class Knot(BaseModel):
    title: str
    marks: list[int] = []
    below: list[Sprig | Knot] = []


class Garden(BaseModel):
    plants: list[Sprig | Knot | str]
    chosen: Branch | Twig | None = None


Sprig.model_rebuild()
GARDEN = Toolset([Operation("plant", Garden, lambda asked: asked.model_dump_json())], name="t")
PLANT: Any = {"word": "a", "below": [{"title": "b", "below": [{"word": "c"}]}]}


BUILDS_ANEW = pytest.mark.skipif(
    "_use_prebuilt" not in str(SchemaValidator.__text_signature__),
    reason="this Pydantic takes the validators of the classes",
)


class TestUnionsOfModels:
    def plants(self, levels: int, word: object) -> dict[str, Any]:
        data: dict[str, Any] = {"word": word}
        for level in range(levels):
            data = {("title", "word")[level % 2]: "a", "below": [data]}
        return {"plants": [data]}

    @BUILDS_ANEW
    def test_have_one_complaint_for_each_place(self) -> None:
        lines = GARDEN.call("plant", self.plants(8, [1])).text.splitlines()
        inside = ".below[0]" * 8
        assert lines[0] == f"$.plants[0]{inside}.word: input should be a valid string (got [1])"
        assert [line.partition(" ")[0] for line in lines[1:]] == [lines[0].partition(":")[0], "for"]

    @BUILDS_ANEW
    @looped("word", ["a", [1]])
    def test_are_read_in_proportion(self, word: object) -> None:
        small, large = self.plants(6, word), self.plants(12, word)
        counts = [lines_run(partial(GARDEN.call, "plant", data)) for data in (small, large)]
        assert counts[1] < 2.2 * counts[0]

    @looped(
        "given",
        [
            {"plants": [PLANT, "d", {"title": "e", "marks": [1, 2]}]},
            {"plants": [], "chosen": {"kind": "twig", "label": "f"}},
        ],
    )
    def test_make_what_pydantic_makes(self, given: dict[str, Any]) -> None:
        made = GARDEN.call("plant", given).text
        assert made == Garden.model_validate(given).model_dump_json()
