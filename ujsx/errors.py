"""Every error that the library raises on purpose.

::

    UjsxError
    ├── DefinitionError     a component class or a rule that cannot be accepted (TypeError)
    ├── PropError           an unknown prop, or a value that does not fit it (ValueError)
    ├── CallError           a call of a function that its arguments do not fit (TypeError)
    ├── ChildError          a child that is no node, or a node within a text (TypeError)
    ├── RenderError         a component that cannot be resolved
    ├── MissingRuleError    no rule for a class in a direction (LookupError)
    ├── LoadError           tree data that does not fit its vocabulary (ValueError)
    ├── LayoutError         a layout document that cannot be read or written (ValueError)
    ├── DensityError        a density that does not exist (ValueError)
    ├── SchemaError         a tool schema that cannot be made (ValueError)
    ├── MdastError          an mdast tree or a Markdown text that cannot be taken (ValueError)
    ├── HastError           a hast tree that is malformed or cannot be written (ValueError)
    ├── SnapshotError       a snapshot that cannot have its name (ValueError)
    ├── StrategyError       a prop for which no values can be made up (ValueError)
    ├── CounterError        a token counter that cannot be made (ValueError)
    └── TargetError           a target that cannot be set up, is used twice, or is none (ValueError)

A message says what was wrong, where, and what to do; an unknown name comes with the nearest known
one. Where an error has a place, ``path`` holds it: in a tree ``Hud / DecisionsList[2] / Item[0]``
(a number is the place among the siblings), in data ``$.children[2].props.title``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


class UjsxError(Exception):
    """The root of the library's errors.

    ``message`` is the sentence alone, ``path`` the place in the tree or the data, or ``None``. ``origin`` is the code that
    returned what is refused, such as a component's ``render``, where no traceback leads to it.
    """

    origin: CodeType | None = None

    def __init__(self, message: str, *, path: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path

    def __str__(self) -> str:
        if self.path is None or self.message.startswith(f"{self.path} "):
            return self.message
        return f"{_short(self.path)}: {self.message}"

    def made_by(self, function: object) -> Self:
        """Record the function that returned the refused value, as a note and in ``origin``.

        A recorded origin stays: it is the innermost function.
        """
        while (wrapped := getattr(function, "__wrapped__", None)) is not None:
            function = wrapped
        code: object = getattr(function, "__code__", None)
        if self.origin is None and isinstance(code, CodeType):
            self.origin = code
            self.add_note(
                f"it is what {code.co_qualname} returned, {code.co_filename}:{code.co_firstlineno}"
            )
        return self

    def within(self, place: str) -> None:
        """Put ``place`` in front of the path, as the error propagates to the parent."""
        self.path = place if self.path is None else f"{place} / {self.path}"


def _short(path: str, *, width: int = 160) -> str:
    """Return a path for a message; a very long one keeps both ends."""
    half = width // 2
    return path if len(path) <= width else f"{path[:half]} … {path[-half:]}"


class UnboundWarning(UserWarning):
    """A component reads a value from the context that lacks what it needs, so it renders nothing.

    Rendering continues; a test that renders the component fails.
    """


class ClockWarning(UserWarning):
    """A test renders a clock-dependent component without ``now=``, so the test sees less than users do."""


class BudgetWarning(UserWarning):
    """A budget that is exceeded because nothing in the tree can be shortened."""


class DefinitionError(UjsxError, TypeError):
    """A component class or rule with a mistake in its declaration.

    ``faults`` has one sentence for each mistake, with its remedy. The message lists several.

    >>> print(DefinitionError("Risks.title: …", "Risks.lines: …"))
    2 faults:
    - Risks.title: …
    - Risks.lines: …
    """

    def __init__(self, *faults: str, path: str | None = None) -> None:
        listed = "\n- ".join((f"{len(faults)} faults:", *faults))
        super().__init__(faults[0] if len(faults) == 1 else listed, path=path)
        self.faults = faults


class PropError(UjsxError, ValueError):
    """A prop that a component does not have, or a value that does not fit it.

    ``problems`` has the path and the sentence of each problem that the component reports.
    """

    problems: tuple[tuple[str, str], ...] = ()


class CallError(UjsxError, TypeError):
    """A call of a public function with arguments that it does not accept."""


class ChildError(UjsxError, TypeError):
    """A child that is not a node, or a child of a component that takes none. Raised where the child is attached.

    Also a node inside an f-string, or added to a text: pass it as a child.
    """


class RenderError(UjsxError):
    """A component that cannot be resolved into primitives, or a node in a place that does not allow it.

    A primitive refuses a misplaced text or primitive where it is attached.
    """


class MissingRuleError(UjsxError, LookupError):
    """A class for which a direction has no rule."""


class LoadError(UjsxError, ValueError):
    """Tree data that the given vocabulary does not allow."""


class LayoutError(UjsxError, ValueError):
    """A layout document that cannot be read, or a tree that cannot be written as one.

    ``line`` and ``column`` count from 1; ``excerpt`` is the source line with a caret under the
    place. They are ``None`` where no document is at hand.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        excerpt: str | None = None,
    ) -> None:
        super().__init__(message, path=path)
        self.line = line
        self.column = column
        self.excerpt = excerpt

    def __str__(self) -> str:
        if self.line is None:
            return super().__str__()
        place = f"line {self.line}, column {self.column}: {self.message}"
        return place if self.excerpt is None else f"{place}\n{self.excerpt}"


class DensityError(UjsxError, ValueError):
    """A density that does not exist."""


class SchemaError(UjsxError, ValueError):
    """A tool schema that cannot be made."""


class MdastError(UjsxError, ValueError):
    """An mdast tree that is malformed, or a Markdown text that cannot be read."""


class HastError(UjsxError, ValueError):
    """A hast tree that is malformed, or cannot be written as HTML."""


class SnapshotError(UjsxError, ValueError):
    """A snapshot with an invalid name, or densities that contradict each other."""


class StrategyError(UjsxError, ValueError):
    """A prop for which the testing kit cannot generate values."""


class CounterError(UjsxError, ValueError):
    """A token counter that cannot be made."""


class TargetError(UjsxError, ValueError):
    """An object that is not a target, or a target that cannot be set up or is used for a second tree."""


LONGEST_NAME = 80
"""Characters of a name that a message repeats."""

LONGEST_MATCH = 400
"""Characters of a known name in a message: more than of a wrong one, as readers copy it. Names are compared over as
many.
"""

MOST_KNOWN = 1_200
"""Characters of known names that a message lists."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to ``name``, or ``None`` when none is close.

    Case is ignored; closeness is that of :func:`difflib.get_close_matches` with its default cut-off of 0.6. Close
    classes with the same first word come first, as many share endings such as ``Section``. The beginning of a single
    name means that name.

    >>> nearest("titel", ["title", "align"]), nearest("sev", ["service", "severity"])
    ('title', 'severity')
    >>> nearest("section", ["Section"])
    'Section'
    >>> nearest("BlockersSection", ["BlockersList", "TableSection"])
    'BlockersList'
    >>> nearest("zebra", ["title"]) is None
    True
    """
    from difflib import get_close_matches  # only errors need it

    by_folded = {candidate.casefold(): candidate for candidate in sorted(known, reverse=True)}
    folded = name[:LONGEST_MATCH].casefold()
    longer = [each for each in by_folded if len(folded) > 2 and each.startswith(folded)]
    if len(longer) == 1:
        return by_folded[longer[0]]
    close = [by_folded[each] for each in get_close_matches(folded, sorted(by_folded), n=_CLOSE)]
    begins = _first_word(name)
    same = [each for each in close if begins and each.startswith(begins)]
    return next(iter(same or close), None)


_CLOSE = 10
"""The most names that count as close."""


def _first_word(name: str) -> str:
    """Return the first word of a class's name, or an empty text for a name of one word."""
    humps = (place for place in range(1, len(name)) if name[place].isupper())
    return name[: next((place for place in humps if name[place - 1].islower()), 0)]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the hint that ends a message about an unknown name.

    >>> did_you_mean("titel", ["title"])
    'did you mean "title"?'
    >>> did_you_mean("x", ["title", "align"])
    'known: align, title'
    >>> did_you_mean("max_tokens", ["budget", "density"])
    'did you mean "budget"?'
    """
    candidates = sorted(known)
    match = synonym(name, candidates) or nearest(name, candidates)
    if match is not None:
        return f"did you mean {quoted(match, width=LONGEST_MATCH)}?"
    return f"known: {listed(candidates)}" if candidates else "there are none"


SYNONYMS = (
    "budget max_tokens tokens token_budget token_limit limit_tokens",
    "count_tokens tokenizer counter token_counter | tokenize encoding",
    "limit count top_k max_items max_results | n max top size last first tail head",
    "density verbosity detail | level mode tier rung",
    "kind type category event_type",
    "text content markdown body message value",
    "tokens token_count num_tokens total_tokens n_tokens",
    "omitted dropped truncated hidden skipped left_out",
    "dialect provider vendor flavor format api target",
    "path file filename filepath db database",
    "at version as_of revision | when",
    "since after | from start offset",
    "timestamp time created_at date when",
    "session session_id thread thread_id conversation",
    "project workspace repo cwd directory dir",
    "query q search term | pattern",
    "payload data fields args arguments",
    "dry_run check simulate what_if no_write preview",
)
"""Synonyms: an unknown name means the known one in its row. Calls accept the words before the bar as arguments; those
after it are only suggested.
"""


def synonym(name: str, known: Iterable[str], *, is_sure: bool = False) -> str | None:
    """Return the one known synonym of a name, or ``None``.

    :param is_sure: whether to consider only the words that calls accept.

    >>> synonym("--max-tokens", ["--budget", "--json"]), synonym("budget", ["title"])
    ('--budget', None)
    >>> synonym("when", ["at"]), synonym("when", ["at"], is_sure=True)
    ('at', None)
    """
    by_word = {each.strip("-=").replace("-", "_").casefold(): each for each in known}
    said = name.strip("-=").replace("-", "_").casefold()
    rows = [(row.partition(" |")[0] if is_sure else row).split() for row in SYNONYMS]
    found = {by_word[each] for row in rows if said in row for each in row if each in by_word}
    return found.pop() if len(found) == 1 else None


def listed(names: Sequence[str]) -> str:
    """Return names for an error message: as many as fit, and the number of the others.

    >>> listed(["align", "title"])
    'align, title'
    >>> listed([f"n-{number}" for number in range(1_000)])[-21:]
    'n-186, … and 813 more'
    """
    shown, used = list[str](), 0
    for name in names:
        short = quoted(name, width=LONGEST_MATCH)[1:-1]
        used += len(short) + 2
        if used > MOST_KNOWN:
            break
        shown.append(short)
    more = len(names) - len(shown)
    return ", ".join([*shown, *([f"… and {more} more"] if more else [])])


def quoted(name: str, *, width: int = LONGEST_NAME) -> str:
    """Return a name for an error message: quoted, and cut if it is too long.

    >>> quoted("n-2"), len(quoted("n" * 1_000))
    ('"n-2"', 82)
    """
    return f'"{name if len(name) <= width else f"{name[: width - 1]}…"}"'


def mistakes_of(error: ValidationError) -> list[ErrorDetails]:
    """Return Pydantic's errors, without those that only follow from others.

    Pydantic counts only the valid items of a list: an invalid one then also makes the list too short.

    >>> from pydantic import TypeAdapter, ValidationError
    >>> from typing import Annotated
    >>> from pydantic import Field
    >>> try:
    ...     TypeAdapter(Annotated[tuple[int, ...], Field(min_length=1)]).validate_python(["a"])
    ... except ValidationError as error:
    ...     [(each["loc"], each["type"]) for each in error.errors()], [each["loc"] for each in mistakes_of(error)]
    ([((0,), 'int_parsing'), ((), 'too_short')], [(0,)])
    """
    found = error.errors(include_url=False)
    places = [each["loc"] for each in found]

    def is_counted_wrong(each: ErrorDetails) -> bool:
        depth = len(each["loc"])
        return each["type"] == "too_short" and any(
            len(place) > depth and place[:depth] == each["loc"] for place in places
        )

    return [each for each in found if not is_counted_wrong(each)]


def complaint(detail: Mapping[str, Any]) -> str:
    """Return the message of one Pydantic error; of a validator's error, its author's words alone.

    :param detail: one of :func:`mistakes_of` an error, with its ``type`` and ``msg``.

    >>> complaint({"type": "value_error", "msg": "Value error, an amount is even"})
    'an amount is even'
    """
    said: str = detail["msg"]
    return said.removeprefix(_RAISED.get(detail["type"], ""))


def is_raised(detail: Mapping[str, Any]) -> bool:
    """Tell whether a Pydantic error comes from an author's validator."""
    return detail["type"] in _RAISED


_RAISED = {"value_error": "Value error, ", "assertion_error": "Assertion failed, "}
"""Pydantic's error types for exceptions of validators, and the prefixes of their messages."""


def shown(value: object, *, width: int = 60) -> str:
    """Return a value's ``repr`` for an error message, cut to ``width`` characters.

    >>> shown("a" * 100, width=10)
    "'aaaaaaaa…"
    """
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - a broken __repr__ must not hide the mistake it is shown for
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    return text if len(text) <= width else f"{text[: width - 1]}…"
