"""All operations of the tool ``hud``, in the order in which a model reads of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from hud_components import CODING, Domain, HudSection
from hud_components.declaring import (
    Entry,
    Happening,
    Meant,
    Spellings,
    respelt,
    verbs_of,
)
from hud_components.folding import Add, Clear, Remove, Reorder, Replace, Update
from hud_runtime._errors import EventError, StoreError
from hud_runtime.tools._arguments import About, Nothing, Page, Search, items_of, section_of
from hud_runtime.tools._context import context
from hud_runtime.tools._layouts import (
    NOT_OFFERED,
    Layout,
    reset_layout,
    set_layout,
    show_layout,
)
from hud_runtime.tools._lists import listed
from hud_runtime.tools._parent import NO_PARENT, PARENT, Result, Seen, hand_back, show_parent
from hud_runtime.tools._read import history, search, snapshot, value
from hud_runtime.tools._record import arguments_of, clear, record, replace_items
from hud_runtime.tools._session import SessionLike
from hud_runtime.tools._standing import STANDINGS, Named, stand
from hud_runtime.tools._summaries import SECTION, Which, get_summary, list_summaries
from hud_runtime.tools._whole_output import WHOLE, WhichOutput, show_output
from ujsx.calls import as_meant
from ujsx.tools import LONGEST_ANSWER, Operation, Toolset

NAME = "hud"

READ = "hud_read"
"""The tool that has the operations which only read, where they are a tool of their own."""

READING = "Read your working state. help lists more operations."

WRITES = "that changes the HUD; call the tool hud"
"""What is said of the other operations there."""

APART: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        (
            "compact",
            "compaction",
            "context.compact",
            "compact_context",
            "compact.before",
            "memory.compact",
        ),
        "compacting is a tool of its own: call hud_compact",
    )
)
"""The names that are no operations of the tool ``hud``, each with the answer to it."""

ANEW = "set"
"""The operation that says all items of a section anew, where the section has no verb of this name."""

Part: TypeAlias = Literal["all", "reads", "writes"]
"""Which operations a toolset has: all, those that only read, or those that change something."""

DESCRIPTION = (
    "Working state that survives compaction. Name an item by its id or exact text. "
    "help lists more operations."
)


def hud_toolset(
    session: SessionLike | None = None,
    *,
    limit: int = LONGEST_ANSWER,
    domain: Domain[Any] | None = None,
    layouts: bool = False,
    part: Part = "all",
) -> Toolset:
    """Return the operations on a session's HUD; without a session, to be exported only.

    :param limit: characters of an answer at most; see :class:`ujsx.tools.Toolset`.
    :param domain: the domain, where there is no session; the coding HUD when None.
    :param layouts: whether the agent may lay out its HUD; every request pays for the operations.
    :param part: those that only read are the toolset ``hud_read``.

    >>> sorted({*hud_toolset(layouts=True).operations} - {*hud_toolset().operations})
    ['layout.reset', 'layout.set', 'layout.show']
    """
    tools: list[Toolset] = []
    known = session.domain if session is not None else domain or CODING
    every = [*_all(known, session, limit), *(_on_layouts(session) if layouts else ())]
    absent: Mapping[str, str] = {**APART, **({} if layouts else NOT_OFFERED)}
    if all(section.name != PARENT for section in known.tools):
        if session is not None and _is_child(session):
            every += _on_parent(session)
        else:
            absent = {**absent, **NO_PARENT}
    if part == "reads":
        absent = {**absent, **{each.name: WRITES for each in every if not each.reads}}
    given = [each for each in every if part == "all" or each.reads == (part == "reads")]
    helping = Operation(
        "help",
        About,
        lambda asked: tools[0].describe(asked.operation),
        "on an operation",
        reads=True,
        respelt=partial(respelt, None, About),
    )
    tools.append(
        Toolset(
            [*given, helping],
            name=READ if part == "reads" else NAME,
            description=READING if part == "reads" else described(known),
            limit=limit,
            absent=absent,
            meant=meaning(known, every),
            transaction=nullcontext if session is None else session.exclusive,
        )
    )
    return tools[0]


def meaning(domain: Domain[Any], operations: Iterable[Operation]) -> Callable[[str], Meant]:
    """Return what tells which operation a name means that none of them has."""
    names = tuple(each.name for each in operations)
    return lambda name: _spellings(domain, names).meant(name)


@lru_cache(maxsize=32)
def _spellings(domain: Domain[Any], operations: tuple[str, ...]) -> Spellings:
    """The words that the operations of a tool are understood by."""
    reads = {f"{each.name}.{'get' if each.kind is None else 'list'}": each for each in domain.tools}
    anew = {f"{each.name}.{ANEW}": each for each in domain.tools}
    happenings = domain.operations

    def entry(name: str) -> Entry:
        if name in happenings:
            return Entry.of(name, happenings[name].section, happenings[name].verb)
        return Entry.anew(name, anew[name]) if name in anew else Entry.of(name, reads.get(name))

    return Spellings(map(entry, operations))


def _all(domain: Domain[Any], session: SessionLike | None, limit: int) -> Iterator[Operation]:
    def on(handler: Callable[[Any, Any], object]) -> Callable[[Any], object]:
        return partial(handler, session)

    for section in domain.tools:
        if not section.has_operations:
            continue
        name, is_list = section.name, section.kind is not None
        if is_list:
            yield Operation(
                f"{name}.list",
                Page,
                on(partial(_listed, section, limit)),
                "with ids",
                reads=True,
                respelt=partial(respelt, None, Page),
                rare=section.disclosure.is_apart,  # it is shown in any case
            )
        else:
            yield Operation(
                f"{name}.get", Nothing, on(partial(value, section)), "the text", reads=True
            )
        anew = f"{name}.{ANEW}" if is_replaceable(section) else None
        for operation, each in domain.operations.items():
            if each.section is section:
                verb = each.verb.in_section(section, verbs_of(section))
                arguments = arguments_of(domain, each)
                yield Operation(
                    operation,
                    arguments,
                    on(partial(_recorded, each)),
                    verb.help,
                    rare=verb.rare,
                    respelt=partial(respelt, section, arguments, anew=anew),
                    per_item=is_list and not isinstance(verb, Replace | Reorder | Clear),
                )
        if anew is not None and anew not in domain.operations:
            handler, items = on(partial(_replaced, section)), items_of(domain, section)
            yield Operation(
                anew,
                items,
                handler,
                "all items anew",
                rare=True,
                respelt=partial(_all_meant, section, items),
            )
    yield Operation(
        "section.clear",
        section_of(domain),
        on(clear),
        "a whole section: all its items go",
        rare=True,
        respelt=partial(_section_meant, domain),
    )
    for event_type, told in STANDINGS.items():
        yield Operation(event_type, Named, on(partial(stand, event_type)), told)
    yield Operation("snapshot", Nothing, on(snapshot), "of all sections", reads=True)
    yield Operation(
        "output",
        WhichOutput,
        on(show_output),
        "of an earlier tool call that was shown in part: the whole of it, or some lines",
        rare=True,
        reads=True,
        longest=WHOLE,
    )
    yield Operation("context", Nothing, on(context), "use so far, in tokens", rare=True, reads=True)
    if all(section.name != SECTION for section in domain.tools):
        yield from _on_summaries(on)
    said: Any = partial(respelt, None, Page)
    yield Operation("history", Page, on(history), "of changes", reads=True, respelt=said)
    said = partial(respelt, None, Search)
    yield Operation("search", Search, on(search), "the history", reads=True, respelt=said)


def _all_meant(
    section: type[HudSection], items: Any, given: Mapping[str, Any]
) -> Mapping[str, tuple[str, Any]]:
    """All items of a call under the names that they have; one item is refused, as all others would go.

    :raises EventError: for anything but a list.
    """
    found = respelt(section, items, given)
    known = as_meant(given, found)
    said = [known[each] for each in ("items", section.name) if each in known]
    if said and not isinstance(said[0], list):
        verbs = (each.name for each in verbs_of(section) if isinstance(each, Add | Update))
        about_one = " or ".join(f"{section.name}.{each}" for each in verbs)
        what = section.name.replace("_", " ")
        raise EventError(f"{what} are set by a list of all that stay; for one, call {about_one}")
    return found


def _section_meant(domain: Domain[Any], given: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
    """The section of a call under the name that its argument takes, where it has another one."""
    said = given.get("section")
    with suppress(ValueError):
        field = domain.field_of(said) if isinstance(said, str) else said
        return {} if field == said else {"section": ("section", field)}
    return {}


def _on_summaries(
    on: Callable[[Callable[[Any, Any], object]], Callable[[Any], object]],
) -> Iterator[Operation]:
    told = "of compactions, newest first"
    yield Operation(f"{SECTION}.list", Page, on(list_summaries), told, rare=True, reads=True)
    yield Operation(
        f"{SECTION}.get",
        Which,
        on(get_summary),
        "the whole text of a summary",
        rare=True,
        reads=True,
    )


def _is_child(session: SessionLike) -> bool:
    """Tell whether a session has a parent; of one whose store is gone, every call says why."""
    try:
        return session.parent_id is not None
    except StoreError:
        return False


def _on_parent(session: SessionLike) -> Iterator[Operation]:
    def on(handler: Callable[[Any, Any], object]) -> Callable[[Any], object]:
        return partial(handler, session)

    told = "what your parent has recorded"
    yield Operation(f"{PARENT}.show", Seen, on(show_parent), told, rare=True, reads=True)
    yield Operation(
        f"{PARENT}.hand_back", Result, on(hand_back), "a result, to your parent", rare=True
    )


def _on_layouts(session: SessionLike | None) -> Iterator[Operation]:
    def on(handler: Callable[[Any, Any], object]) -> Callable[[Any], object]:
        return partial(handler, session)

    yield Operation("layout.set", Layout, on(set_layout), "the layout of your HUD")
    yield Operation(
        "layout.show",
        Nothing,
        on(show_layout),
        "the layout and its tags",
        reads=True,
    )
    yield Operation("layout.reset", Nothing, on(reset_layout), "to the usual layout")


def _listed(section: type[HudSection], limit: int, session: SessionLike, page: Page) -> object:
    return listed(section, session.state(), page, limit)


def is_replaceable(section: type[HudSection]) -> bool:
    """Tell whether an agent can say all items of a section anew: where it can remove any of them."""
    removes = any(isinstance(verb, Remove) and verb.is_operation for verb in verbs_of(section))
    return removes and section.can_replace and section.has_operations


def _replaced(section: type[HudSection], session: SessionLike, asked: Any) -> object:
    return replace_items(section, session, asked)


def _recorded(happening: Happening, session: SessionLike, arguments: Any) -> object:
    return record(session, happening, arguments)


def described(domain: Domain[Any]) -> str:
    """Return what a model is told of the tool, with an example of the domain's own."""
    found = _example_of(domain)
    if found is None:
        return DESCRIPTION
    operation, argument = found
    return f'{DESCRIPTION} Several at once: {{"calls":[{{"op":"{operation}","{argument}":"…"}},…]}}'


def _example_of(domain: Domain[Any]) -> tuple[str, str] | None:
    """The operation that a domain has for example, which adds an item, and the argument that is its text."""
    for section in domain.fields.values():
        kind = section.kind
        if kind is None or (domain.example or section.name) != section.name:
            continue
        for verb in verbs_of(section):
            if isinstance(verb, Add):
                return f"{section.name}.{verb.name}", kind.text
    return None
