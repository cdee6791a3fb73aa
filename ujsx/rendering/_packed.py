"""The sources of a rendering, as bytes that another process may read.

A user's components and values can be anything: of a class that only one function knows, or that
the reading process does not have. So each is packed by itself. One that cannot be written or read
is :data:`UNSAID`, and all others are what they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from io import BytesIO
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec

from ujsx.components._element import Children
from ujsx.rendering._origin import Origin


class _Unsaid(Enum):
    UNSAID = "unsaid"


UNSAID: Final = _Unsaid.UNSAID
"""What stands for a value that could not be written, or cannot be read here."""


def _read_only(items: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(items)  # whose own name Python cannot look up


def _pickled(value: object) -> bytes:
    """Pickle a value; read-only mappings too, which contexts hold, and Python's own pickles do not."""
    import copyreg
    import pickle  # which those load who use it, and nobody else

    written = BytesIO()
    pickler = pickle.Pickler(written, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {
        **copyreg.dispatch_table,
        MappingProxyType: lambda proxy: (_read_only, (dict(proxy),)),
    }
    pickler.dump(value)
    return written.getvalue()


class Packed(msgspec.Struct, frozen=True, gc=False):
    """A value as bytes; ``None`` for one that cannot be written."""

    data: bytes | None

    @classmethod
    def of(cls, value: object) -> Packed:
        """Return a value packed.

        >>> Packed.of((1, "a")).value(), Packed.of(lambda: 1).value() is UNSAID
        ((1, 'a'), True)
        """
        try:
            return cls(_pickled(value))
        except Exception:  # noqa: BLE001 - a value's own methods may raise anything
            return cls(None)

    def value(self) -> Any:
        """Return the value, or :data:`UNSAID`."""
        import pickle

        if self.data is None:
            return UNSAID
        try:
            return pickle.loads(self.data)  # noqa: S301 - it came inside of another pickle
        except Exception:  # noqa: BLE001 - as above
            return UNSAID


Shared: TypeAlias = "dict[int, tuple[object, Packed]]"
"""What was packed already, by its ``id``, so that what many parts hold is written once."""


class PackedPart(msgspec.Struct, frozen=True):
    """A part of a rendering, without what rendered it."""

    packed: Origin
    """Its origin; what a user wrote is packed."""

    primitives: Packed

    @classmethod
    def of(cls, origin: Origin, primitives: Children, shared: Shared) -> PackedPart:
        """Return a part packed."""

        def packed(value: object) -> Packed:
            if id(value) not in shared:
                # The value is kept, so that its id stays its own.
                shared[id(value)] = (value, Packed.of(value))
            return shared[id(value)][1]

        return cls(
            replace(
                origin,
                heading=packed(origin.heading),
                content=packed(origin.content),
                values={name: packed(value) for name, value in origin.values.items()},
                texts=packed(origin.texts),
            ),
            packed(primitives),
        )

    @property
    def around(self) -> str:
        """The names of the composites around it."""
        return self.packed.around

    @property
    def origin(self) -> Origin:
        """The origin of the part, as far as it can be read here."""
        packed: Any = self.packed
        values: Mapping[str, Packed] = packed.values
        return replace(
            self.packed,
            heading=packed.heading.value(),
            content=packed.content.value(),
            values={name: value.value() for name, value in values.items()},
            texts=packed.texts.value(),
        )

    @property
    def resolved(self) -> Children:
        """The primitives and texts that it resolved into; none where they cannot be read here."""
        primitives = self.primitives.value()
        return () if primitives is UNSAID else primitives
