"""A mapping that can be a prop: immutable and hashable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, get_args

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

K = TypeVar("K")
V_co = TypeVar("V_co", covariant=True)


class FrozenMapping(Mapping[K, V_co]):
    """An immutable mapping with hashable values. Its order is that of its making.

    As a prop's type it takes any mapping, and its schema is that of ``dict``.

    >>> ports = FrozenMapping({"http": 80})
    >>> ports["http"], hash(ports) == hash(FrozenMapping(http=80)), ports == {"http": 80}
    (80, True, True)
    """

    __slots__ = ("_items",)

    def __init__(
        self, items: Mapping[K, V_co] | Iterable[tuple[K, V_co]] = (), /, **more: V_co
    ) -> None:
        self._items: dict[Any, Any] = dict(items, **more)

    def __getitem__(self, key: K, /) -> V_co:
        value: V_co = self._items[key]
        return value

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenMapping({self._items!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        key, value = get_args(source) or (Any, Any)
        as_dict: CoreSchema = handler.generate_schema(dict[key, value])  # type: ignore[valid-type]
        return core_schema.no_info_after_validator_function(
            cls,
            as_dict,
            serialization=core_schema.plain_serializer_function_ser_schema(
                dict, return_schema=as_dict, when_used="unless-none"
            ),
        )
