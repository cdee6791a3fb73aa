"""A session of a domain in which every section has something to show: its example, or what its operation's schema asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hud_components import Domain, HudSection
    from hud_runtime import HudSession, HudStore
    from ujsx.tools import Operation

NAME = "example"

ITEMS = 3
"""How many items each list has."""

USED = 90_000
"""Tokens of the context that every turn reads: 45 % of it, so that everything may be shown."""

EXAMPLE = "no session is named, so an example of the domain is made up; give --session"
"""What is said of a tree that shows one."""

UNSAID = "…"
"""What an example's text is where nothing says what it could be."""


def example_session(store: HudStore[Any], domain: Domain[Any]) -> HudSession[Any]:
    """Record a made-up session: each section's first operation, with the values of the section's first example, or with
    arguments that the operation's schema describes.

    >>> from hud_components import Domain, NotesSection
    >>> from hud_runtime import HudStore
    >>> desk = Domain("desk", [NotesSection])
    >>> with HudStore.open(":memory:", domain=desk) as store:
    ...     print(example_session(store, desk).hud(density="full").text.splitlines()[2])
    ## Notes
    """
    from hud_runtime.tools import hud_toolset

    session = store.session(NAME)
    operations = hud_toolset(session).operations
    turn = 0
    section: type[HudSection]
    for section in domain.sections:
        names = [each.operation for each in domain.happenings.values() if each.section is section]
        first = next((operations[each] for each in names if each in operations), None)
        if first is None:
            continue
        count = 1 if section.kind is None else ITEMS
        made_up = (_arguments(first, 1 + number) for number in range(count))
        for arguments in _exemplary(section, first) or made_up:
            turn += 1
            session.record("context.snapshot", actor="host", used=USED, turn=turn)
            # A call that is refused leaves its section empty, and says so.
            if arguments is not None:
                session.call("hud", {"call": {"op": first.name, **arguments}})
    return session


def _exemplary(section: type[HudSection], operation: Operation) -> list[dict[str, Any]]:
    """What the operation is called with for the values of the section's first example; nothing without one."""
    from pydantic import BaseModel

    from ujsx.components import as_element, examples_of, has_examples

    if not section.prop or not has_examples(section):
        return []
    node = next(iter(examples_of(section).values()))
    value: Any = getattr(as_element(node).component, section.prop)
    values: tuple[Any, ...] = value if section.kind is not None else (value,)
    known = operation.arguments.model_fields
    told = (
        each.model_dump(mode="json", exclude_unset=True)
        for each in values
        if issubclass(type(each), BaseModel)
    )
    return [{name: field for name, field in each.items() if name in known} for each in told]


def _arguments(operation: Operation, number: int) -> dict[str, Any] | None:
    from ujsx.tools import example_arguments

    made = example_arguments(operation)
    fields = operation.arguments.model_fields
    return (
        None
        if made is None
        else {
            name: _text(fields[name].description or name, number)
            if value == UNSAID and name in fields
            else value
            for name, value in made.items()
        }
    )


def _text(description: str, number: int) -> str:
    sentence = description.partition(". ")[0].rstrip(".")
    return sentence if number == 1 else f"{sentence} ({number})"
