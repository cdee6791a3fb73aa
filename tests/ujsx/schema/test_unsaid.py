"""Law 7 for constraints of every origin: the schema says them, or ``lint`` names them."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Network, IPv6Address
from pathlib import Path
from re import Pattern
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from annotated_types import Predicate
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import (
    UUID4,
    AfterValidator,
    AliasChoices,
    AliasPath,
    AnyUrl,
    AwareDatetime,
    Base64Bytes,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Discriminator,
    Field,
    FilePath,
    FutureDate,
    HttpUrl,
    Json,
    NaiveDatetime,
    PastDate,
    PastDatetime,
    PlainValidator,
    SecretStr,
    StrictInt,
    StringConstraints,
    Tag,
    ValidationError,
    WrapValidator,
    create_model,
    field_validator,
    model_validator,
)
from pydantic.json_schema import GenerateJsonSchema

from tests.ids import looped
from tests.ujsx.schema.keywords import escape
from tests.ujsx.schema.values import values
from ujsx.schema import DIALECTS, lint, to_dialect, tool_schema


def refuse(value: Any) -> Any:
    raise ValueError("never")


class Checked(BaseModel):
    first: int = 0
    last: int = 0

    @model_validator(mode="after")
    def _in_order(self) -> Checked:
        if self.first > self.last:
            raise ValueError("first comes before last")
        return self


class Worded(BaseModel):
    word: str

    @field_validator("word")
    @classmethod
    def _is_lower(cls, word: str) -> str:
        if not word.islower():
            raise ValueError("lower case")
        return word


class Short(BaseModel, str_max_length=2):
    word: str


X, Y = create_model("X", a=(int, ...)), create_model("Y", b=(int, ...))

UNSAID: dict[str, tuple[Any, str]] = {
    "digits": (Annotated[Decimal, Field(max_digits=3)], "max_digits"),
    "places": (Annotated[Decimal, Field(decimal_places=2)], "decimal_places"),
    "decimals": (Annotated[Decimal, Field(ge=0, le=9)], "ge le"),
    "days": (Annotated[date, Field(ge=date(2020, 1, 1))], "ge"),
    "times": (Annotated[time, Field(lt=time(9))], "lt"),
    "instants": (Annotated[datetime, Field(gt=datetime(2020, 1, 1, tzinfo=UTC))], "gt"),
    "spans": (Annotated[timedelta, Field(le=timedelta(hours=1))], "le"),
    "past": (PastDate, "now_op"),
    "future": (FutureDate, "now_op"),
    "past_times": (PastDatetime, "now_op"),
    "naive": (NaiveDatetime, "tz_constraint"),
    "after": (Annotated[str, AfterValidator(refuse)], "function-after"),
    "before": (Annotated[int, BeforeValidator(refuse)], "function-before"),
    "wrap": (Annotated[int, WrapValidator(lambda value, _: refuse(value))], "function-wrap"),
    "plain": (
        Annotated[int, PlainValidator(refuse, json_schema_input_type=int)],
        "function-plain",
    ),
    "predicate": (Annotated[str, Predicate(str.islower)], "function-after"),
    "bound_after": (Annotated[Decimal, AfterValidator(lambda each: each), Field(gt=3)], "gt"),
    "strict": (StrictInt, "strict"),
    "url": (Annotated[HttpUrl, Field()], "allowed_schemes"),
    "file": (FilePath, "format"),
    "json_text": (Json[list[int]], "json"),
    "network": (IPv4Network, "format"),
    "size": (ByteSize, "function-after"),
    "pattern": (Pattern[str], "format"),
    "base64": (Base64Bytes, "format"),
    "number": (complex, "complex"),
    "keys": (dict[Annotated[int, Field(ge=3)], str], "ge"),
    "pairs_as_keys": (dict[tuple[int, int], str], "keys_schema"),
    "elsewhere": (Annotated[int, Field(validation_alias=AliasPath("a", "b"))], "validation_alias"),
    "stripped": (
        Annotated[str, StringConstraints(strip_whitespace=True, pattern="^ ?a$")],
        "strip_whitespace",
    ),
    "checked": (Checked, "function-after"),
    "worded": (Worded, "function-after"),
    "short": (Short, "str_max_length"),
    "told_apart": (
        Annotated[Annotated[X, Tag("x")] | Annotated[Y, Tag("y")], Discriminator(lambda _: "y")],
        "discriminator",
    ),
}
"""Fields with a constraint that JSON Schema does not say, and what ``lint`` calls it."""

SAID: dict[str, tuple[Any, list[Any]]] = {
    "aware": (AwareDatetime, ["2020-01-01T00:00:00Z"]),
    "version": (UUID4, [str(UUID(int=2**127 - 1, version=4))]),
    "uuid": (UUID, ["12345678-1234-5678-1234-567812345678"]),
    "whole_keys": (dict[int, str], [{"-3": "a"}]),
    "number_keys": (dict[float, int], [{"2.5": 1}]),
    "truth_keys": (dict[bool, int], [{"true": 1}]),
    "decimal_keys": (dict[Decimal, int], [{"1E+2": 1}]),
    "infinite_keys": (dict[float, int], [{"inf": 1, "-inf": 2, "nan": 3, "1e-07": 4}]),
    "finite_keys": (dict[Annotated[float, Field(allow_inf_nan=False)], int], [{"1e-07": 4}]),
    "tiny": (Decimal, ["9.9999900E-7", "0E-9", "-1E+2"]),
    "any_decimal": (
        Annotated[Decimal, Field(allow_inf_nan=True)],
        ["NaN", "-NaN", "sNaN", "NaN12", "Infinity", "-Infinity", "9.9999900E-7"],
    ),
    "chosen_keys": (dict[Literal["a", "b"], int], [{"a": 1}]),
    "long_keys": (dict[Annotated[str, Field(min_length=2)], int], [{"ab": 1}]),
    "lower": (Annotated[str, StringConstraints(to_lower=True, strip_whitespace=True)], [" A "]),
    "finite": (Annotated[float, Field(allow_inf_nan=False)], [1.5]),
    "secret": (SecretStr, ["a"]),
    "path": (Path, ["/a"]),
    "address": (IPv4Address, ["127.0.0.1"]),
    "address6": (IPv6Address, ["::1"]),
    "any_url": (AnyUrl, ["https://example.org"]),
    "counted": (Annotated[int, Field(ge=0, multiple_of=2)], [4]),
    "listed": (Annotated[list[int], Field(min_length=1, max_length=2)], [[1]]),
    "mapped": (Annotated[dict[str, int], Field(max_length=1)], [{"a": 1}]),
}
"""Fields whose schema says all, with values that they take."""


def model_of(*names: str) -> type[BaseModel]:
    fields: dict[str, Any] = {
        name: (({**UNSAID, **SAID})[name][0], ...)  # type: ignore[dict-item]
        for name in names
    }
    return create_model("Made", **fields)


def unsaid(model: Any, dialect: str = "json-schema") -> list[tuple[str, str]]:
    return [
        (loss.pointer, loss.keyword) for loss in lint(model, dialect) if loss.outcome == "unsaid"
    ]


class TestUnsaid:
    def test_a_name_beside_a_path_is_said(self) -> None:
        alias = AliasChoices(AliasPath("a", "b"), "c")
        assert unsaid(create_model("Made", x=(int, Field(validation_alias=alias)))) == []

    def test_a_function_is_named_without_its_place_in_memory(self) -> None:
        (loss,) = [
            each
            for each in lint(model_of("told_apart"), "json-schema")
            if each.keyword == "discriminator"
        ]
        assert loss.value == "<lambda>"

    @looped("name", UNSAID)
    def test_is_named_with_its_place(self, name: str) -> None:
        found = unsaid(model_of(name))
        assert set(UNSAID[name][1].split()) <= {keyword for _, keyword in found}
        inside = ("Checked", "Worded", "Short")
        assert all(
            each.startswith((f"/properties/{name}", *(f"/$defs/{kind}" for kind in inside)))
            for each, _ in found
        )

    @looped("name", SAID)
    def test_is_nothing_where_the_schema_says_all(self, name: str) -> None:
        assert unsaid(model_of(name)) == []

    def test_is_named_of_the_root(self) -> None:
        assert unsaid(Checked) == [("", "function-after")]
        assert unsaid(Short) == [("", "str_max_length")]

    def test_names_each_validator_of_a_model_with_several(self) -> None:
        class Several(Worded):
            @model_validator(mode="before")
            @classmethod
            def _before(cls, data: Any) -> Any:
                return data

            @model_validator(mode="after")
            def _after(self) -> Several:
                return self

        assert unsaid(Several) == [
            ("", "function-after"),
            ("", "function-before"),
            ("/properties/word", "function-after"),
        ]

    def test_is_the_same_in_every_dialect_and_no_part_of_the_schema(self) -> None:
        model = model_of("past", "uuid", "size")
        for dialect in DIALECTS:
            assert {each[1] for each in unsaid(model, dialect)} == {"now_op", "function-after"}
            schema = to_dialect(model, dialect)
            assert "unsaid" not in json.dumps(schema)
            assert unsaid(schema, dialect) == []


class TestSaid:
    @looped("name", SAID)
    def test_what_is_valid_for_the_schema_validates_and_the_other_way_round(
        self, name: str
    ) -> None:
        model = model_of(name)
        validator = Draft202012Validator(tool_schema(model))
        for value in SAID[name][1]:
            made = model.model_validate_json(json.dumps({name: value}))
            validator.validate({name: value})
            if name != "secret":
                validator.validate(made.model_dump(mode="json"))

    @looped("finite", [True, False])
    def test_a_model_may_say_for_all_its_numbers_whether_they_are_finite(
        self, finite: bool
    ) -> None:
        class Numbers(BaseModel):
            model_config = ConfigDict(allow_inf_nan=not finite)

            sums: Decimal = Decimal(0)
            shares: dict[float, int] = {}

        validator = Draft202012Validator(tool_schema(Numbers))
        for data in ({"sums": "NaN"}, {"sums": "-Infinity"}, {"shares": {"inf": 1}}):
            assert validator.is_valid(data) is not finite
            with nullcontext() if not finite else pytest.raises(ValidationError):
                Numbers.model_validate(data)

    def test_a_decimal_has_our_pattern_whatever_pydantic_gives_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Some versions give one that refuses what they write themselves: 1E-7."""

        def old(_self: object, _schema: object) -> dict[str, Any]:
            text = {"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"}
            return {"anyOf": [{"type": "number"}, text]}

        monkeypatch.setattr(GenerateJsonSchema, "decimal_schema", old)
        text = tool_schema(model_of("tiny"))["properties"]["tiny"]["anyOf"][1]
        for number in ("1E-7", "-0.5", "10", "Infinity", "NaN", "", "1.2.3"):
            is_finite = number in {"1E-7", "-0.5", "10"}
            assert bool(re.search(text["pattern"], number)) is is_finite, number

    @looped(
        ("name", "value"),
        [
            ("naive", "2020-01-01T00:00:00Z"),
            ("version", "12345678-1234-1678-9234-567812345678"),
            ("whole_keys", {"a": "x"}),
            ("number_keys", {"a": 1}),
            ("truth_keys", {"3": 1}),
        ],
    )
    def test_refuses_what_the_model_refuses(self, name: str, value: Any) -> None:
        model = model_of(name)
        with pytest.raises(ValidationError):
            model.model_validate_json(json.dumps({name: value}))
        assert not Draft202012Validator(tool_schema(model)).is_valid({name: value})

    def test_a_naive_time_is_valid(self) -> None:
        dumped = model_of("naive")(naive="2020-01-01T09:30:01.000005").model_dump(mode="json")
        Draft202012Validator(tool_schema(model_of("naive"))).validate(dumped)


class TestLaw7:
    @settings(max_examples=settings().max_examples // 3, suppress_health_check=[*HealthCheck])
    @given(data=st.data(), names=st.sets(st.sampled_from([*UNSAID, *SAID]), min_size=1, max_size=3))
    def test_what_is_valid_validates_or_lint_names_the_place(
        self, data: st.DataObject, names: set[str]
    ) -> None:
        model = model_of(*sorted(names))
        schema = tool_schema(model)
        value = data.draw(values(schema, schema))
        Draft202012Validator(schema).validate(value)
        try:
            model.model_validate_json(json.dumps(value))
        except ValidationError as error:
            named = [pointer for pointer, _ in unsaid(model)]
            for each in error.errors():
                told = "elsewhere" if each["loc"][0] == "a" else str(each["loc"][0])  # its path
                field = f"/properties/{escape(told)}"
                kind = model.model_fields[told].annotation
                inside = f"/$defs/{getattr(kind, '__name__', '?')}"
                assert any(place.startswith((field, inside)) for place in named), each
