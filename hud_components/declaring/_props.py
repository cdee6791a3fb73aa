"""Types of props that take more than they hold: a text for an item, a list for a tuple, a name for a density.

Pydantic sees the type of what a prop holds. Type checkers see what may be given, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from hud_components._models import ContextUsage, HudModel

HeldT = TypeVar("HeldT")
GivenT = TypeVar("GivenT")
ItemT = TypeVar("ItemT", bound=HudModel)

if TYPE_CHECKING:

    class Prop(Generic[HeldT, GivenT]):
        """A prop that holds the first type and is given the second."""

        def __get__(self, node: object, section: object, /) -> HeldT: ...

        def __set__(self, node: object, given: GivenT, /) -> None: ...

else:

    class Prop:
        """The type that a prop holds."""

        def __class_getitem__(cls, types):  # noqa: ANN001, ANN204
            return types[0]


ItemsProp: TypeAlias = Prop[
    tuple[ItemT, ...] | None, Iterable[ItemT | Mapping[str, Any] | str] | None
]
"""The type of a prop that holds items: ``remedies: ItemsProp[Remedy] = UNSET``.

Each may be given as an item, as its fields, or as the text of its first required text field.
"""

ValueProp: TypeAlias = Prop[ItemT | None, ItemT | Mapping[str, Any] | str | None]
"""The type of a prop that holds one value, given in the same ways: ``ticket: ValueProp[TicketInfo]``."""

UsageProp: TypeAlias = Prop[ContextUsage | None, ContextUsage | Mapping[str, Any] | str | None]
"""The type of a prop that holds a use of the context, which a share such as "67%" stands for, too."""

UNSET: Any = None
"""The default of such props: None, which type checkers take for any type."""
