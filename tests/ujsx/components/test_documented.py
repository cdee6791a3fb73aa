"""Attribute docstrings describe fields as Pydantic's own extraction would have it, later."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from ujsx import Component, PropError
from ujsx.components import DocumentedModel, described_like, fields_of
from ujsx.schema import from_dialect
from ujsx.tools import Operation, Toolset


class Eager(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


CASES = {
    "plain": '''
class A(Base):
    x: int
    """An x."""
    y: str = "b"
    """A y,
       of two lines."""
    z: bool = True
''',
    "field has the last word": '''
class A(Base):
    x: int = Field(description="Said.")
    """Not said."""
    y: Annotated[int, Field(description="Said, too.")]
    """Not said."""
    z: int = Field(default=3, ge=1)
    """Said."""
''',
    "inheritance": '''
class A(Base):
    x: int
    """An x."""
    y: int
    """A y."""
class B(A):
    x: int
    z: int
    """A z."""
class C(B):
    y: int = 3
    """Another y."""
class Mixin(BaseModel):
    m: int
    """Of a model without docstrings."""
class D(Mixin, C):
    pass
class E(D):
    m: int
    """Now with one."""
''',
    "several bases": '''
class A(Base):
    x: int
    """Of A."""
class B(Base):
    x: int
    """Of B."""
class C(A, B):
    pass
class D(B, A):
    x: int = 4
''',
    "generics": '''
T = TypeVar("T")
class A(Base, Generic[T]):
    x: T
    """An x."""
class B(A[int]):
    y: A[str]
    """Nested."""
C = A[bool]
''',
    "the same name twice": '''
def one():
    class A(Base):
        x: int
        """The first."""
    return A
def two():
    class A(Base):
        x: int
        """The second."""
    return A
class A(Base):
    x: int
    """The third."""
if True:
    First = A
    class A(Base):
        x: int
        """The fourth."""
Inner, Other = one(), two()
''',
    "what stands between": '''
def kept(cls):
    return cls
@kept
@kept
class A(
    Base,
):
    x: int
    # a comment
    """Behind a comment."""
    y: int; """On the same line."""
    """A second text."""
    if True:
        z: int
        """In a condition."""
    w: int
    f"""No constant."""
''',
    "at a lower indentation": '''
def make():
    class A(Base):
        x: int
        """Text
that stands further left."""
    return A
A = make()
''',
    "aliases, validators and serialization": '''
class A(Base):
    model_config = ConfigDict(alias_generator=str.upper, validate_by_name=True)
    x: int = Field(validation_alias="in", serialization_alias="out")
    """An x."""
    y: "A | None" = None
    """Recursive."""
    z: list["A"] = []
    """Many."""
    @model_validator(mode="after")
    def check(self):
        return self
    @model_validator(mode="before")
    @classmethod
    def prepare(cls, data):
        return data
    @field_serializer("x")
    def write(self, x: int) -> str:
        return str(x)
    @computed_field
    def c(self) -> int:
        """Computed."""
        return 1
''',
    "an author's hook": '''
class A(Base):
    x: int
    """An x."""
    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema, handler):
        said = handler(core_schema)
        found = handler.resolve_ref_schema(said)
        found["examples"] = [found["properties"]["x"]["description"]]
        return said
class B(A):
    y: int
    """A y."""
    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema, handler):
        said = super().__get_pydantic_json_schema__(core_schema, handler)
        handler.resolve_ref_schema(said)["title"] = "Bee"
        return said
class Hooked:
    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema, handler):
        return handler(core_schema)
class C(Hooked, B):
    pass
''',
    "extras of the field": '''
class A(Base):
    x: int = Field(default=1, json_schema_extra={"description": "Of the extra."})
    """Of the docstring."""
    y: int = Field(default=1, json_schema_extra=lambda schema: schema.update(said=schema["description"]))
    """Heard."""
    z: Annotated[int, WithJsonSchema({"type": "integer", "description": "Of the type."})]
    """Of the field."""
''',
    "told not to": '''
class A(Base):
    model_config = ConfigDict(use_attribute_docstrings=False)
    x: int
    """Not asked for."""
class B(A):
    y: int
    """Not either."""
''',
}  # fmt: skip

HEAD = """
from typing import Annotated, Generic, TypeVar
from pydantic import (
    BaseModel, ConfigDict, Field, WithJsonSchema, computed_field, field_serializer, model_validator
)
"""


def load(path: Path, source: str, base: type[BaseModel]) -> ModuleType:
    """Run a source as a module in whose classes' bases ``Base`` is ``base``."""
    path.write_text(HEAD + source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module)["Base"] = base
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def models(module: ModuleType, base: type[BaseModel]) -> dict[str, Any]:
    found = {name: each for name, each in vars(module).items() if isinstance(each, type)}
    return {
        name: each for name, each in found.items() if issubclass(each, base) and each is not base
    }


def descriptions(model: type[BaseModel]) -> dict[str, str | None]:
    return {name: field.description for name, field in model.model_fields.items()}


@pytest.mark.parametrize("case", CASES)
class TestAsPydanticHasIt:
    @pytest.fixture
    def pairs(self, tmp_path: Path, case: str) -> list[tuple[Any, Any]]:
        # Modules of one name, so that references in schemas are the same.
        source = CASES[case]
        (tmp_path / "eager").mkdir()
        eager = models(load(tmp_path / "eager" / "documented_case.py", source, Eager), Eager)
        path = tmp_path / "documented_case.py"
        late = models(load(path, source, DocumentedModel), DocumentedModel)
        assert late.keys() == eager.keys()
        return [(eager[name], late[name]) for name in eager]

    def test_in_fields(self, pairs: list[tuple[Any, Any]]) -> None:
        for eager, late in pairs:
            assert descriptions(late) == descriptions(eager)

    @pytest.mark.parametrize("mode", ["validation", "serialization"])
    def test_in_schemas(self, pairs: list[tuple[Any, Any]], mode: Any) -> None:
        for eager, late in pairs:
            assert late.model_json_schema(mode=mode) == eager.model_json_schema(mode=mode)

    def test_in_schemas_of_what_holds_it(self, pairs: list[tuple[Any, Any]]) -> None:
        for eager, late in pairs:
            wanted = TypeAdapter(dict[str, eager]).json_schema()
            assert TypeAdapter(dict[str, late]).json_schema() == wanted
            outer = create_model("Outer", inner=(late | None, None))
            assert outer.model_json_schema() == (
                create_model("Outer", inner=(eager | None, None)).model_json_schema()
            )


class Note(DocumentedModel):
    text: str
    """What it says."""

    size: int = 0


class TestWhatStandsInside:
    def test_a_method_or_a_class_is_not_the_class_s(self) -> None:
        """Pydantic 2.12 takes the one for the other."""

        class Outer(DocumentedModel):
            x: int

            def method(self) -> None:
                x: int  # noqa: F842
                """Of the method."""

            class Inner(DocumentedModel):
                x: int
                """Of the inner class."""

        assert descriptions(Outer) == {"x": None}
        assert descriptions(Outer.Inner) == {"x": "Of the inner class."}


class TestWhenItIsRead:
    def test_not_while_a_class_is_made(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise AssertionError("a source is read")

        monkeypatch.setattr(linecache, "getlines", refuse)
        monkeypatch.setattr(ast, "parse", refuse)

        class Made(Note):
            more: int = 0
            """More."""

        assert Made(text="a", more=1).model_dump() == {"text": "a", "size": 0, "more": 1}
        assert list(fields_of(Made)) == ["text", "size", "more"]
        with pytest.raises(AssertionError, match="a source is read"):
            assert Made.model_fields

    def test_a_module_is_parsed_once_for_all_its_classes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = "".join(f"class A{n}(Base):\n    x: int\n    '''The {n}.'''\n" for n in range(30))
        module = load(tmp_path / "documented_many.py", source, DocumentedModel)
        parse, parsed = ast.parse, []
        monkeypatch.setattr(ast, "parse", lambda text: parsed.append(text) or parse(text))
        for model in models(module, DocumentedModel).values():
            model.model_json_schema()
            model.model_json_schema()
        assert len(parsed) == 1

    def test_what_is_kept_is_bounded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def read(number: int) -> int:
            """The number of sources that are parsed for a class that is defined anew."""
            source = f"class A(Base):\n    x: int\n    '''The {number}.'''\n"
            module = load(tmp_path / f"documented_{number}.py", source, DocumentedModel)
            before = len(parsed)
            assert descriptions(vars(module)["A"]) == {"x": f"The {number}."}
            return len(parsed) - before

        parse, parsed = ast.parse, []
        monkeypatch.setattr(ast, "parse", lambda text: parsed.append(text) or parse(text))
        assert [read(number) for number in (0, 0, *range(1, 40), 0)] == [1, 0, *[1] * 39, 1]

    def test_while_another_thread_makes_the_parser_fail(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Python 3.11 fails so, now and then (python/cpython#106905)."""
        parse, failed = ast.parse, []

        def fail_once(text: str) -> ast.Module:
            if not failed:
                failed.append(text)
                raise SystemError("AST constructor recursion depth mismatch (before=84, after=78)")
            return parse(text)

        source = "class A(Base):\n    x: int\n    '''Read at the second try.'''\n"
        module = load(tmp_path / "documented_twice.py", source, DocumentedModel)
        monkeypatch.setattr(ast, "parse", fail_once)
        assert descriptions(vars(module)["A"]) == {"x": "Read at the second try."}
        assert failed

    def test_an_edited_file_still_tells(self, tmp_path: Path) -> None:
        path = tmp_path / "documented_edited.py"
        module = load(path, "class A(Base):\n    x: int\n    '''Old.'''\n", DocumentedModel)
        path.write_text("# moved\n" * 20 + path.read_text(encoding="utf-8"), encoding="utf-8")
        linecache.clearcache()
        assert descriptions(vars(module)["A"]) == {"x": "Old."}


class TestWithoutAFile:
    def test_what_a_notebook_runs(self) -> None:
        name = "<a cell of the test>"
        source = "class A(DocumentedModel):\n    x: int\n    '''An x.'''\n"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        space: dict[str, Any] = {"DocumentedModel": DocumentedModel, "__name__": "__main__"}
        exec(compile(source, name, "exec"), space)
        assert descriptions(space["A"]) == {"x": "An x."}

    def test_what_no_source_is_kept_of_has_no_descriptions(self) -> None:
        space: dict[str, Any] = {"Note": Note, "__name__": __name__}
        source = (
            "class A(Note):\n    text: str\n    '''Unread.'''\n    more: int\n    '''Unread.'''\n"
        )
        exec(compile(source, "<unknown>", "exec"), space)
        assert descriptions(space["A"]) == {"text": None, "size": None, "more": None}
        assert "description" not in space["A"].model_json_schema()["properties"]["more"]

    def test_a_module_in_an_archive(self, tmp_path: Path) -> None:
        archive = tmp_path / "packed.zip"
        with zipfile.ZipFile(archive, "w") as packed:
            packed.writestr(
                "documented_packed.py",
                "from ujsx.components import DocumentedModel\n"
                "class A(DocumentedModel):\n    x: int\n    '''An x.'''\n",
            )
        told = _told(
            f"import sys; sys.path.insert(0, {str(archive)!r})\n"
            "from documented_packed import A; print(A.model_fields['x'].description)"
        )
        assert told == "An x."

    def test_docstrings_that_the_interpreter_drops(self, tmp_path: Path) -> None:
        (tmp_path / "documented_bare.py").write_text(
            "from ujsx.components import DocumentedModel\n"
            "class A(DocumentedModel):\n    '''An A.'''\n    x: int\n    '''An x.'''\n",
            encoding="utf-8",
        )
        told = _told(
            f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
            "from documented_bare import A; print(A.__doc__, A.model_fields['x'].description)",
            "-OO",
        )
        assert told == "None An x."


def _told(program: str, *options: str) -> str:
    ran = subprocess.run(
        [sys.executable, *options, "-c", program], capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


class TestModelsOfFields:
    def test_have_the_descriptions_of_those_they_are_made_of(self) -> None:
        made = described_like(create_model("Made", text=(str, ...), other=(int, 0)), Note)
        assert made.__pydantic_fields__["text"].description is None  # it is no documented model
        made = create_model("Made", __base__=DocumentedModel, text=(str, ...), other=(int, 0))
        described_like(made, Note)
        assert made.model_json_schema()["properties"]["text"]["description"] == "What it says."
        assert descriptions(made) == {"text": "What it says.", "other": None}

    def test_keep_what_a_field_brings(self) -> None:
        class Known(Eager):
            text: str
            """What it says."""

        def made(model: type[BaseModel]) -> type[BaseModel]:
            mine = Field(description="Mine.")
            return create_model("Made", text=(str, model.model_fields["text"]), mine=(int, mine))

        assert descriptions(made(Note)) == descriptions(made(Known))
        assert descriptions(made(Note))["mine"] == "Mine."

    def test_a_class_made_by_a_call_is_not_taken_for_one_of_that_name(self) -> None:
        made = create_model("Note", __base__=DocumentedModel, __module__=__name__, text=(str, ...))
        assert descriptions(made) == {"text": None}


class TestComponents:
    def test_find_names_that_are_local_to_their_author(self) -> None:
        class Inner(Component):
            text: str
            """What it says."""

        class Outer(Component):
            inner: Inner | None = None
            """What is in it."""

        schema = Outer(inner=Inner(text="a")).model_json_schema()
        assert schema["properties"]["inner"]["description"] == "What is in it."
        assert schema["$defs"]["Inner"]["properties"]["text"]["description"] == "What it says."

    def test_of_a_user_are_documented_models(self) -> None:
        class Badge(Component):
            label: str
            """What it says."""

        assert Badge.model_fields["label"].description == "What it says."

    def test_a_node_has_its_fields_as_before(self) -> None:
        with pytest.warns(DeprecationWarning, match="model_fields"):
            assert Note(text="a").model_fields["text"].description == "What it says."


class Book(DocumentedModel, frozen=True):
    title: str
    pages: int = 0


class Shelf(Component):
    books: Annotated[tuple[Book, ...], Field(min_length=1)]


class TestUnknownNames:
    def test_are_refused(self) -> None:
        with pytest.raises(ValidationError, match="page\n  Extra inputs are not permitted"):
            Book(title="Emma", page=9)  # type: ignore[call-arg]

    def test_are_refused_in_a_call_that_is_read_back(self) -> None:
        call = {"books": [{"title": "Emma", "page": 9}]}
        with pytest.raises(PropError, match=r"^Shelf\.books\.0\.page: .*not permitted \(got 9\)$"):
            Shelf(**from_dialect(call, Shelf))

    def test_are_ignored_where_the_model_says_so(self) -> None:
        class Open(DocumentedModel):
            model_config = ConfigDict(extra="ignore")
            title: str

        assert Open(title="Emma", page=9).model_dump() == {"title": "Emma"}  # type: ignore[call-arg]

    def test_the_schema_forbids_them(self) -> None:
        assert Book.model_json_schema()["additionalProperties"] is False


class TestAListWithAnInvalidItem:
    def test_is_not_said_to_be_too_short(self) -> None:
        with pytest.raises(PropError) as raised:
            Shelf(books=[{"title": "Emma", "pages": "many"}])  # type: ignore[arg-type]
        [(place, _)] = raised.value.problems
        assert place == "Shelf.books.0.pages"

    def test_is_said_once_in_an_answer(self) -> None:
        tools = Toolset([Operation("show", Shelf, lambda _: None)], name="tools")
        answer = tools.call("show", {"books": [{"title": "Emma", "pages": "many"}]})
        assert [each["path"] for each in answer.data["problems"]] == ["$.books[0].pages"]

    def test_an_empty_one_is_too_short(self) -> None:
        with pytest.raises(PropError, match=r"^Shelf\.books: Tuple should have at least 1 item"):
            Shelf(books=())
