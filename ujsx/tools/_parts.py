"""Long answers, a part at a time: nothing is lost, and no answer fills a model's context.

A part is asked for by the call itself, with ``part`` beside its arguments. The last long answers are
kept, so that their parts belong together whatever has happened since.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from ujsx.schema._router import CALL, OP
from ujsx.tools._json import CallError
from ujsx.tools._names import names
from ujsx.tools._operation import Operation
from ujsx.tools._result import ToolResult

LONGEST_ANSWER = 16_000
"""Characters of an answer at most, about 4,000 tokens; the line that names the next part not counted."""

PART = "part"
"""The argument that asks for a part of a long answer, counted from 1; see :func:`part_name`."""

KEPT = 4
"""Long answers that are kept."""

BACK = 200
"""Characters that a line which is too long is followed back, for a letter to go on with."""

LONGEST_CALL = 400
"""Characters of arguments that an answer repeats in the call for its next part."""

GOES_ON = "…"
"""What stands before a part that begins inside a line."""


def parts(text: str, limit: int) -> list[str]:
    r"""Cut a text into parts of at most ``limit`` characters, at ends of lines where there are any.

    Joined they are the text.

    >>> parts("one\ntwo\nthree", 8)
    ['one\ntwo\n', 'three']
    """
    found: list[str] = []
    start = 0
    while len(text) - start > limit:
        end = start + limit
        cut = text.rfind("\n", start, end) + 1
        if cut <= start:
            letters = (
                at for at in range(end, max(start + 1, end - BACK), -1) if text[at].isalpha()
            )
            cut = next(letters, end)
        found.append(text[start:cut])
        start = cut
    return [*found, text[start:]]


def part_name(operation: Operation) -> str:
    """Return the argument that asks for a part of an operation's long answer: a name that none of its own has.

    >>> from ujsx.elements import Link
    >>> part_name(Operation("link", Link))
    'part'
    >>> def lines(part: int) -> str: ...
    >>> part_name(Operation.of(lines))
    'answer_part'
    """
    own, name = names(operation.arguments), PART
    while name in own:
        name = f"answer_{name}"
    return name


def part_in(arguments: dict[str, Any], operation: Operation) -> tuple[dict[str, Any], int | None]:
    """Return the arguments without :func:`part_name`, and which part is asked for.

    :raises CallError: for what is no number of a part.
    """
    own = part_name(operation)
    if own not in arguments:
        return arguments, None
    rest = {name: value for name, value in arguments.items() if name != own}
    asked = arguments[own]
    if isinstance(asked, str) and asked.strip().isdecimal():
        asked = int(asked[:9])
    if asked is None:
        asked = 1
    if not isinstance(asked, int) or isinstance(asked, bool) or asked < 1:
        raise CallError("a part is a number, from 1 on", path=f"$.{own}")
    return rest, asked


class LongAnswers:
    """The last long answers of a toolset.

    :param limit: characters of an answer at most.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._kept: OrderedDict[str, ToolResult] = OrderedDict()

    def limit_of(self, operation: Operation) -> int:
        """Return how many characters of an operation's answer are told at once."""
        return max(self.limit, operation.longest or 0)

    def kept(self, operation: Operation, arguments: dict[str, Any]) -> ToolResult | None:
        """Return the whole answer to a call, if it is one of the last long ones."""
        return self._kept.get(_key(operation, arguments))

    def part(
        self,
        result: ToolResult,
        operation: Operation,
        arguments: dict[str, Any],
        number: int,
        *,
        shared: bool,
    ) -> ToolResult:
        """Return a part of an answer, with the call that shows the next; a short one as it is.

        Its text alone comes in parts; the data, which is for programs, is whole.

        :param shared: whether the call was one of the tool that operations share.
        :raises CallError: where there are not so many parts.
        """
        every = parts(result.text, self.limit_of(operation))
        if number > len(every):
            raise CallError(f"the answer has {len(every)} parts", path=f"$.{part_name(operation)}")
        if len(every) == 1:
            return result
        key = _key(operation, arguments)
        self._kept[key] = result
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        shown = every[number - 1]
        begins_line = number == 1 or every[number - 2].endswith("\n")
        where = f"Part {number} of {len(every)}"
        if number < len(every):
            where += f"; the next: {_next(operation, arguments, number + 1, shared=shared)}"
        end = "" if shown.endswith("\n") else "\n"
        return replace(result, text=f"{'' if begins_line else GOES_ON}{shown}{end}\n{where}")


def _next(operation: Operation, arguments: dict[str, Any], number: int, *, shared: bool) -> str:
    """The call for a part, or how to make it of a long one."""
    name = part_name(operation)
    call = {**({OP: operation.name} if shared else {}), **arguments, name: number}
    text = json.dumps({CALL: call} if shared else call, ensure_ascii=False)
    return text if len(text) <= LONGEST_CALL else f'the same call with "{name}": {number}'


def _key(operation: Operation, arguments: dict[str, Any]) -> str:
    return f"{operation.name} {json.dumps(arguments, sort_keys=True, default=repr)}"
