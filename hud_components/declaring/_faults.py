"""The faults of a declaration: all of them are reported together, so that one run shows what to write."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from ujsx import DefinitionError


class Faults(list[str]):
    """The faults found so far, each a sentence with what to write instead.

    As a context manager it notes a refusal and goes on behind the block: ``with faults: check(…)``. Once
    there is a fault, any other error in a block counts as its consequence.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if isinstance(error, DefinitionError):
            self += error.faults
        return bool(self) and isinstance(error, Exception)

    def check(self) -> None:
        """Refuse the declaration where there are faults.

        :raises DefinitionError: with all of them.
        """
        if self:
            raise DefinitionError(*dict.fromkeys(self))
