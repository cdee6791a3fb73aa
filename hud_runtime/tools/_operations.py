"""The operations of the tool ``hud``, in the order of its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import BaseModel, BeforeValidator

from hud_components import (
    CODING,
    Domain,
    FactEvent,
    Hud,
    HudSection,
    Line,
    State,
    Text,
    ValueSection,
    added_sections,
    agent_layout_of_data,
    agent_vocabulary,
    check_ceiling,
    read_agent_layout,
)
from hud_components.declaring import (
    HudModel,
    Meant,
    SectionEvent,
    SpelledName,
    Spellings,
    local_times,
    respelt,
    verbs_of,
)
from hud_components.declaring import as_text as value_text
from hud_components.folding import (
    DONE,
    EMPTY,
    VERBS,
    Add,
    Clear,
    End,
    Kind,
    Mark,
    New,
    Payload,
    Remove,
    Reopen,
    Reorder,
    Replace,
    Set,
    Update,
    known_items,
    with_index,
)
from hud_components.layout import context_of
from hud_components.words import counted, cut, line
from hud_runtime._errors import EventError, StoreError
from hud_runtime.log import ToolSession
from hud_runtime.log.events import Event, EventDraft, ValidatedFields
from hud_runtime.log.secrets import newly_masked
from hud_runtime.tools._context import SECTION, Which, context, get_summary, list_summaries
from hud_runtime.tools._read import (
    NO_PARENT,
    PARENT,
    WHOLE,
    ParentArguments,
    Result,
    WhichOutput,
    hand_back,
    history,
    search,
    show_output,
    show_parent,
    snapshot,
    value,
)
from hud_runtime.tools._session import (
    AboutOperation,
    NoArguments,
    PageArguments,
    SearchArguments,
    items_of,
    listed,
    said,
    section_of,
    taking,
    written,
)
from ujsx import fragment, read_layout, write_layout
from ujsx.calls import as_meant
from ujsx.components import fields_of
from ujsx.elements import CodeBlock, Paragraph, code
from ujsx.errors import UjsxError, quoted
from ujsx.errors import listed as listed_names
from ujsx.tools import LONGEST_ANSWER, Operation, ToolResult, Toolset, opened

# Operations that record an event, and their answers.


def arguments_of(domain: Domain[Any], section_event: SectionEvent) -> type[BaseModel]:
    """Return the model of an operation's arguments."""
    section: Any = section_event.section
    payload = domain.payload(section_event.type)
    arguments = section_event.verb.arguments_of(section, payload)
    return taking(arguments, New) if issubclass(payload, New) else arguments


def record(section_event: SectionEvent, session: ToolSession[Any], arguments: BaseModel) -> str:
    """Record the requested event, and return the answer; known items are not recorded again."""
    before = session.latest()
    event_type = section_event.type
    given = _values_of(arguments)
    emptied = arguments.emptied if isinstance(arguments, Payload) else ()
    nulls = _nulls(arguments, emptied) if emptied else ()
    if nulls and not given.keys() - {"id"}:
        raise EventError(f"nothing would change: {_NULL}")
    try:
        known = _existing_id(before, section_event, arguments)
        if known is not None:
            return said(session, "answer.known", id=_inert(known))
        done = session.post_all([EventDraft(event_type, given)])
    except EventError as error:
        # Models know operations, not the events behind them.
        raise type(error)(error.message.removeprefix(f"{event_type}: ")) from error
    if not isinstance(done, tuple):  # it is queued in the outbox
        return said(session, "answer.kept")
    [event] = done
    after = session.known
    if after is before:
        return unchanged(session, event)
    if (
        event.type != event_type
    ):  # a different event was recorded: setting a task without words clears it
        section_event = session.domain.section_events[event.type]
    answer = section_event.verb.answer
    if answer == DONE:
        answer = section_event.verb.answer_in(section_event.section)
    if after.look is not None:
        answer = context_of(after).texts.get(f"{section_event.operation}.answer", answer)
    told = answered(answer, event.payload)
    also = section_event.verb.also
    if also is not None and event.type == event_type:
        field = section_event.section.field
        more = also(getattr(before, field), getattr(after, field))
        told = f"{told} {more}" if more else told
    told = _with_value(told, after, section_event)
    if nulls and (kept := _kept(after, section_event, event.payload, nulls)):
        told += f" {said(session, 'answer.kept values', names=', '.join(kept))}"
    if MASK in event.payload.__pydantic_serializer__.to_json(event.payload):
        told += _masked(session, arguments, event.payload)
    return told


def _with_value(told: str, after: State, section_event: SectionEvent) -> str:
    """Return the answer to the usual verb that sets a value, with the value and its name."""
    section: Any = section_event.section
    is_usual = issubclass(section, ValueSection) and section_event.verb == VERBS["set"]
    value = getattr(after, section.field) if is_usual and section.forms else None
    if value is None:
        return told
    shown = section(**{section.prop: value}).in_short(context_of(after))
    name = section.name.replace("_", " ")
    return f"{told.removesuffix('.')} {name}: {written(Paragraph()[shown])}"


def same(session: ToolSession[Any]) -> str:
    """Return the answer to a call that changed nothing."""
    return said(session, "answer.same")


def unchanged(session: ToolSession[Any], event: Event, *, undo: bool = True) -> str:
    """Return the answer to an event that changed nothing; for a mark on a closed item, it names the item,
    and for a value that is not set, the operation that sets it.

    :param undo: whether to name the operation that reopens the item.
    """
    section_event, given = session.domain.section_events.get(event.type), cast("Any", event.payload)
    if section_event is None:
        return same(session)
    section = section_event.section
    if isinstance(section_event.verb, Update) and getattr(session.known, section.field) is None:
        sets = next((each.name for each in verbs_of(section) if isinstance(each, Set)), None)
        if sets is not None:
            return said(
                session,
                "answer.unset",
                noun=section.name.replace("_", " "),
                call=f"{section.name}.{sets}",
            )
    if not isinstance(section_event.verb, Mark):
        return same(session)
    kind = section.kind
    if kind is None or kind.end is None:
        return same(session)
    items = getattr(session.known, section.field)
    item = next((each for each in items if getattr(each, kind.key) == given.id), None)
    if item is None:
        return same(session)
    call = _undoing(section, kind.end) if undo else None
    about = {"id": given.id, "word": kind.end.word(getattr(item, kind.end.field))}
    if call is None:
        return said(session, "answer.over for good", **about)
    return said(session, "answer.over", call=f"{section.name}.{call}", **about)


def _undoing(section: type[HudSection], end: End) -> str | None:
    """Return the section's operation that reopens an item, if any."""
    verbs = [each for each in verbs_of(section) if each.is_operation]
    for verb in verbs:
        if isinstance(verb, Reopen):
            return verb.name
    for verb in verbs:
        if isinstance(verb, Update) and end.field in fields_of(verb.payload_of(section)):
            return f"{verb.name} {end.field}=false" if end.values == (True,) else verb.name
    return None


MASK = b"[secret: "
"""The beginning of a mask in a payload."""


def _masked(session: ToolSession[Any], arguments: BaseModel, recorded: BaseModel) -> str:
    """Return the note on masked secrets for an answer."""
    kinds = newly_masked(arguments, recorded)
    return f" {said(session, 'answer.masked', kinds=', '.join(kinds))}" if kinds else ""


def _values_of(arguments: BaseModel) -> Mapping[str, object]:
    """Return a call's values. Null means "unchanged", the only way to omit a value where a schema requires all.

    An empty text removes a value, where the arguments' model allows that.
    """
    given = arguments.model_dump(exclude_unset=True)
    filled = arguments.model_dump(exclude_unset=True, exclude_none=True)
    emptied = arguments.emptied if isinstance(arguments, Payload) else None
    if emptied:  # a model of its own, in which null differs from the payload's
        return {
            name: None if name in emptied and value == EMPTY else value
            for name, value in filled.items()
        }
    return ValidatedFields(arguments) if filled == given else filled


_NULL = 'null leaves a value as it was, and "" takes it away'


def _nulls(arguments: BaseModel, emptied: Collection[str]) -> Collection[str]:
    """Return the fields that a call names only to pass null, though a value could be removed there.

    Empty for a schema that requires all fields, in which null means omitted.
    """
    given = arguments.model_fields_set
    nulls = [each for each in emptied if each in given and getattr(arguments, each) is None]
    is_whole = arguments.model_fields_set >= fields_of(type(arguments)).keys()
    return () if is_whole else sorted(nulls)


def _kept(
    after: State, section_event: SectionEvent, payload: Any, nulls: Iterable[str]
) -> list[str]:
    """Return the fields that still have a value after an update."""
    section: Any = section_event.section
    value: Any = getattr(after, section.field)
    if section.kind is not None:
        value = next((each for each in value if each.id == getattr(payload, "id", "")), None)
    return [each for each in nulls if getattr(value, each, None) is not None]


def clear(session: ToolSession[Any], asked: BaseModel) -> str:
    """Remove all items of a section."""
    before = session.state()
    event = session.record("section.clear", **asked.model_dump())
    if session.known is before:
        return same(session)
    left = len(getattr(session.known, str(asked.model_dump()["section"]), None) or ())
    stays = f" {said(session, 'answer.stays', count=left)}" if left else ""
    return answered(said(session, "answer.cleared"), event.payload) + stays


def replace_items(section: type[HudSection], session: ToolSession[Any], asked: BaseModel) -> str:
    """Replace the items of a section; known ones keep the fields that are omitted.

    :raises EventError: for an empty list, and where no existing item would stay, except in a plan: plans
        are rewritten, while lost records cannot be recovered.
    """
    before = session.latest()
    given = items_in(asked)
    if not given:
        raise EventError("give at least one item; section.clear empties a section")
    kind, old = cast("Kind", section.kind), getattr(before, section.field)
    known = known_items(kind, old, given)
    add = next(each.name for each in verbs_of(section) if isinstance(each, Add))
    call = f"{section.name}.{add}"
    if old and kind.end is None and not any(known):
        raise EventError(
            f"{section.name}.{ANEW} would take all of them away: {_in_short(kind, old)}; call {call} to add to them,"
            " or section.clear first to have none of them"
        )
    fields = {*fields_of(session.domain.replacement(section)), kind.key}

    def filled(item: Any, new: dict[str, Any]) -> dict[str, Any]:
        if item is None:
            return new
        values = item.model_dump(mode="json", include=fields)
        return {**values, **new, kind.key: values[kind.key]}

    draft = EventDraft("section.replace", {section.field: [*map(filled, known, given)]})
    if not isinstance(session.post_all([draft]), tuple):
        return said(session, "answer.kept")
    if session.known is before:
        return same(session)
    now = getattr(session.known, section.field)
    told = counted(context_of(session.known), "items", len(now), "answer.set")
    left = {getattr(item, kind.key) for item in now}
    gone = [item for item in old if getattr(item, kind.key) not in left]
    if not gone:
        return told
    items = written(Paragraph()[_in_short(kind, gone)])
    return f"{told} {said(session, 'answer.gone', items=items, call=call)}"


def _in_short(kind: Kind, items: Iterable[Any]) -> str:
    """Return items by id, with their texts."""
    texts = ((getattr(item, kind.key), line(getattr(item, kind.text))) for item in items)
    return listed_names([f"{key} {quoted(text)}" for key, text in texts])


def items_in(asked: Any) -> list[dict[str, Any]]:
    """Return the items of a call that replaces all, as data."""
    return [each.model_dump(mode="json", exclude_unset=True) for each in asked.items]


def answered(answer: str, payload: BaseModel) -> str:
    """Fill in an answer's name and details; a section with one value has no name."""
    name = next(filter(None, (getattr(payload, key, None) for key in _NAMES)), "")
    holes = {each: value for each, value in payload if each != "id" and f"{{{each}}}" in answer}
    said = {each: _inert(value_text(value)) for each, value in holes.items()}
    return (answer if name else answer.replace(" {id}", "")).format(**{**said, "id": _inert(name)})


_NAMES = ("id", "path", "section")
"""Fields of payloads that identify an event's subject."""


def _inert(name: str) -> str:
    """Return an id or a path for an answer, escaped so that it stays inline."""
    short = cut(name, LONGEST_NAME)
    return short if _PLAIN.fullmatch(short) else written(code(line(short)))


LONGEST_NAME = 400
"""Characters of an id or a path that an answer repeats; real paths are seldom longer."""

_PLAIN = re.compile(r"[\w./:-]*")


def _existing_id(state: State, section_event: SectionEvent, new: BaseModel) -> str | None:
    """Return the id of an item that already has all of a new item's content."""
    section = section_event.section
    if section.kind is None or not isinstance(section_event.verb, Add) or section_event.verb.renews:
        return None
    items = getattr(state, section.field)
    index = section.kind.index(items)
    same = section_event.verb.known(section.kind, index, new)
    with_index(index, items)
    return None if same is None else str(getattr(same, section.kind.key))


# Operations with which the agent sets the layout of its HUD.
#
# They are offered on request, because every request pays for their schema.

NOT_OFFERED: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        ("layout.set", "layout.show", "layout.reset"),
        "agent layouts are switched off here; your operator can enable them with "
        '`ujsx serve --agent-layouts offer` or HudStore.open(…, agent_layouts="offer")',
    )
)
"""The help on these operations where they are not offered."""


def _as_text(value: object) -> object:
    """Return a tree that came as data as JSON text."""
    return json.dumps(value) if isinstance(value, dict) else value


class Layout(HudModel):
    """How the HUD is laid out."""

    layout: Annotated[Text, BeforeValidator(_as_text)]
    """All of it, as layout.show has it: <Hud>…</Hud>, or that tree as JSON."""


def set_layout(session: ToolSession[Any], asked: Layout) -> str:
    """Record a valid layout, and return its share of the HUD."""
    before: State = session.state()
    state_class = type(before)
    try:
        session.record("layout.set", layout=document(asked.layout, state_class))
    except EventError as error:  # models know operations, not the events behind them
        raise type(error)(error.message.removeprefix("layout.set: ")) from error
    state = session.state()
    if state is before or state.layout is None:
        return same(session)
    shown = check_ceiling(read_agent_layout(state.layout, state_class), state)
    added = added_sections(read_layout(state.layout, agent_vocabulary(state_class)), state_class)
    answer = said(session, "answer.layout", tokens=f"{shown.tokens:,}")
    if not added:
        return answer
    return f"{answer} {said(session, 'answer.layout added', names=', '.join(_names(added)))}"


def show_layout(session: ToolSession[Any], _arguments: NoArguments) -> ToolResult:
    """Return the agent's layout, or the default one, and the tags that a layout may use."""
    state: State = session.state()
    default = write_layout(Hud()[[section() for section in state.sections]])
    text = default if state.layout is None else state.layout
    whose = said(session, "answer.layout default") if state.layout is None else _own(session)
    about = Paragraph()[said(session, "answer.layout tags", **_tags(type(state)))]
    answer = written(fragment(Paragraph()[whose], CodeBlock(value=text.rstrip("\n")), about))
    return ToolResult(answer, data={"layout": state.layout, "default": default})


def reset_layout(session: ToolSession[Any], _arguments: NoArguments) -> str:
    """Remove the agent's layout."""
    if session.state().layout is None:
        return same(session)
    session.record("layout.reset")
    return said(session, "answer.layout reset")


def _tags(state: type[State]) -> dict[str, str]:
    """Return the tags of a domain's layouts, with its own sections as examples."""
    fields = [each for each in state.sections if each.field in fields_of(state)]
    lists = [
        each.field for each in fields if each.kind is not None and not each.disclosure.is_apart
    ][:1]
    values = [each for each in fields if each.kind is None][:1]
    return {
        "sections": ", ".join(_names(state.sections)),
        "conditions": "".join(
            [
                *(f'has="{each.field}", ' for each in values),
                *(f'field="{name}" above={{5}}, ' for name in lists),
            ]
        ),
        "loops": "".join(f', Each (of="{name}")' for name in lists),
        "values": "".join(
            f', Value (of="{each.field}.{next(iter(fields_of(each.draft)))}")' for each in values
        ),
    }


def document(given: str, state: type[State]) -> str:
    r"""Return the layout document that an agent sent: as it is, from a code fence, or from a tree.

    :raises UjsxError: for an unreadable tree.

    >>> from hud_components import HudState
    >>> document("```\n<Hud/>\n```", HudState)
    '<Hud/>'
    >>> document('{"type": "Hud", "children": ["Port 8080",]}', HudState)
    '<Hud>Port 8080</Hud>\n'
    """
    quoted = _unquoted(given)
    fenced = _FENCED.fullmatch(quoted)
    text = quoted if fenced is None else fenced["inside"]
    return agent_layout_of_data(opened(text, []), state) if _TREE.match(text) else text


def _unquoted(text: str) -> str:
    """Decode a document that came as JSON text."""
    if not text.strip().startswith('"'):
        return text
    with suppress(ValueError):
        inside = json.loads(text)
        return inside if isinstance(inside, str) else text
    return text


_FENCED = re.compile(r"\s*(?P<fence>```|~~~)\w*\n(?P<inside>\s*[<{].*?)\n?(?P=fence)\s*", re.DOTALL)
"""A document that is a single code block."""

_TREE = re.compile(r"""\s*\{\s*["']?(type|props|children|key)["']?\s*:""")
"""The beginning of a tree as JSON; a text in braces is a string."""


def _own(session: ToolSession[Any]) -> str:
    """Return the line above the agent's layout, with the reason where it is not shown."""
    state: State = session.known
    try:
        check_ceiling(read_agent_layout(state.layout or "", type(state)), state)
    except UjsxError as error:
        return said(session, "answer.layout not shown", why=line(str(error)))
    return said(session, "answer.layout own")


def _names(sections: Iterable[type[HudSection]]) -> list[str]:
    return [each.__name__ for each in sections]


# Operations that keep a section pinned or folded until the agent undoes it.


class SectionChoice(HudModel):
    """One section of the HUD."""

    section: Line
    """The section, by its name."""


STANDINGS: Mapping[FactEvent, str] = MappingProxyType(
    {
        "section.pin": "a section open: shown in full until it is folded or reset",
        "section.fold": "a section: only the count of its items is shown",
        "section.reset": "a section: take back its pin or fold",
    }
)
"""The help on each."""


def stand(event_type: FactEvent, session: ToolSession[Any], asked: SectionChoice) -> str:
    """Pin or fold a section, or undo either."""
    before = session.state()
    try:
        event: Any = session.record(event_type, section=asked.section)
    except EventError as error:  # models know operations, not the events behind them
        raise type(error)(error.message.removeprefix(f"{event_type}: ")) from error
    if session.known is before:
        return same(session)
    section = session.domain.fields[event.payload.section]
    call = _call_of(session.domain, event.payload.section)
    verb, name = event_type.rpartition(".")[2], section.name.replace("_", " ")
    return said(session, f"answer.{verb}", section=name, call=call)


def _call_of(domain: Domain[Any], field: str) -> str:
    """Return the operation that shows a whole section."""
    section = domain.fields[field]
    if not section.has_operations:
        return "snapshot"
    return f"{section.name}.{'get' if section.kind is None else 'list'}"


NAME = "hud"

READ = "hud_read"
"""The tool for operations that only read, where they have their own."""

READING = "Read your working state. help lists more operations."

WRITES = "that changes the HUD; call the tool hud"
"""The answer of that tool to other operations."""

APART: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        "compact compaction context.compact compact_context compact.before memory.compact".split(),  # noqa: SIM905
        "compacting is a tool of its own: call hud_compact",
    )
)
"""Names that are not operations of the tool ``hud``, with the answer to each."""

ANEW = "set"
"""The operation that replaces all items of a section without a verb of this name."""

Part: TypeAlias = Literal["all", "reads", "writes"]
"""The operations of a toolset: all, those that only read, or those that change something."""

DESCRIPTION = (
    "Working state that survives compaction. Name an item by its id or exact text. "
    "help lists more operations."
)


def hud_toolset(
    session: ToolSession[Any] | None = None,
    *,
    limit: int = LONGEST_ANSWER,
    domain: Domain[Any] | None = None,
    layouts: bool = False,
    part: Part = "all",
) -> Toolset:
    """Return the operations on a session's HUD; without a session, only for export.

    :param limit: characters of an answer at most; see :class:`ujsx.tools.Toolset`.
    :param domain: the domain where there is no session; the coding HUD when None.
    :param layouts: whether the agent may set its HUD's layout; every request pays for the operations.
    :param part: "reads" is the toolset ``hud_read``.

    >>> sorted({*hud_toolset(layouts=True).operations} - {*hud_toolset().operations})
    ['layout.reset', 'layout.set', 'layout.show']
    """
    tools: list[Toolset] = []
    known = session.domain if session is not None else domain or CODING
    every = [
        *_all(known, session, limit),
        *(_fixed(session, each) for each in (ON_LAYOUTS if layouts else ())),
    ]
    absent: Mapping[str, str] = {**APART, **({} if layouts else NOT_OFFERED)}
    if all(section.name != PARENT for section in known.tools):
        if session is not None and _is_child(session):
            every += [_fixed(session, each) for each in ON_PARENT]
        else:
            absent = {**absent, **NO_PARENT}
    if part == "reads":
        absent = {**absent, **{each.name: WRITES for each in every if not each.reads}}
    given = [each for each in every if part == "all" or each.reads == (part == "reads")]
    helping = Operation(
        "help",
        AboutOperation,
        lambda asked: tools[0].describe(asked.operation),
        "on an operation",
        reads=True,
        respelt=partial(respelt, None, AboutOperation),
    )
    tools.append(
        Toolset(
            [*given, helping],
            name=READ if part == "reads" else NAME,
            description=READING if part == "reads" else described(known),
            limit=limit,
            absent=absent,
            meant=meaning(known, every, session),
            transaction=nullcontext if session is None else session.exclusive,
        )
    )
    return tools[0]


def meaning(
    domain: Domain[Any], operations: Iterable[Operation], session: ToolSession[Any] | None = None
) -> Callable[[str], Meant]:
    """Return a function that maps an unknown name to the operation that it means.

    :param session: if given, a name is ambiguous that could either replace an existing value or ask for an
        item of a list.
    """
    names = tuple(each.name for each in operations)

    def meant(name: str) -> Meant:
        found, hint = _spellings(domain, names).meant(name)
        if found is not None and hint:
            value = None if session is None else session.known[domain.operations[found].section]
            return found, "" if value is None else hint
        return found, hint

    return meant


@lru_cache(maxsize=32)
def _spellings(domain: Domain[Any], operations: tuple[str, ...]) -> Spellings:
    """Return the spellings by which a tool's operations are understood."""
    reads = {f"{each.name}.{'get' if each.kind is None else 'list'}": each for each in domain.tools}
    anew = {f"{each.name}.{ANEW}": each for each in domain.tools}
    section_events = domain.operations

    def entry(name: str) -> SpelledName:
        if name in section_events:
            return SpelledName.of(name, section_events[name].section, section_events[name].verb)
        return (
            SpelledName.anew(name, anew[name])
            if name in anew
            else SpelledName.of(name, reads.get(name))
        )

    return Spellings(map(entry, operations), domain.kind_of)


def _all(domain: Domain[Any], session: ToolSession[Any] | None, limit: int) -> Iterator[Operation]:
    def on(handler: Callable[[Any, Any], object]) -> Callable[[Any], object]:
        return partial(handler, session)

    for section in domain.tools:
        if not section.has_operations:
            continue
        name, is_list = section.name, section.kind is not None
        if is_list:
            yield Operation(
                f"{name}.list",
                PageArguments,
                on(partial(_listed, section, limit)),
                "with ids",
                reads=True,
                respelt=partial(respelt, None, PageArguments),
                rare=section.disclosure.is_apart,  # the section is always shown
            )
        else:
            yield Operation(
                f"{name}.get", NoArguments, on(partial(value, section)), "the text", reads=True
            )
        anew = f"{name}.{ANEW}" if is_replaceable(section) else None
        for operation, each in domain.operations.items():
            if each.section is section:
                verb = each.verb.in_section(section, verbs_of(section))
                arguments = arguments_of(domain, each)
                yield Operation(
                    operation,
                    arguments,
                    on(partial(record, each)),
                    verb.help,
                    rare=verb.rare,
                    respelt=partial(_set_meant, session, each, arguments)
                    if isinstance(verb, Set) and not is_list
                    else partial(respelt, section, arguments, anew=anew),
                    per_item=is_list and not isinstance(verb, Replace | Reorder | Clear),
                    local_times=local_times(section, arguments),
                )
        if anew is not None and anew not in domain.operations:
            handler, items = on(partial(replace_items, section)), items_of(domain, section)
            yield Operation(
                anew,
                items,
                handler,
                "all items anew",
                rare=True,
                respelt=partial(_all_meant, section, items),
            )
    if any(section.has_operations for section in domain.tools):
        yield Operation(
            "section.clear",
            section_of(domain),
            on(clear),
            "a whole section: all its items go",
            rare=True,
            respelt=partial(_section_meant, domain),
        )
    for event_type, told in STANDINGS.items():
        yield Operation(event_type, SectionChoice, on(partial(stand, event_type)), told)
    has_own = any(section.name == SECTION for section in domain.tools)
    for row in OF_EVERY_DOMAIN:
        if not (has_own and row[0].partition(".")[0] == SECTION):
            yield _fixed(session, row)


def _fixed(session: ToolSession[Any] | None, row: _Row) -> Operation:
    """Return the operation of a row of a table."""
    name, arguments, handler, about, settings = row
    return Operation(name, arguments, partial(handler, session), about, **settings)


_RESPELT = {"reads": True, "respelt": partial(respelt, None, PageArguments)}
_SEARCH = {"reads": True, "respelt": partial(respelt, None, SearchArguments)}
_RARE = {"rare": True, "reads": True}

_Row: TypeAlias = tuple[str, type[BaseModel], Callable[[Any, Any], object], str, Mapping[str, Any]]
"""An operation: its name, arguments, handler, help, and settings."""

_IN_PART = "of an earlier tool call that was shown in part: the whole of it, or some lines"
_COMPACTIONS = "of compactions, newest first"

OF_EVERY_DOMAIN: tuple[_Row, ...] = (
    ("snapshot", NoArguments, snapshot, "of all sections", {"reads": True}),
    ("output", WhichOutput, show_output, _IN_PART, {**_RARE, "longest": WHOLE}),
    ("context", NoArguments, context, "use so far, in tokens", _RARE),
    (f"{SECTION}.list", PageArguments, list_summaries, _COMPACTIONS, _RARE),
    (f"{SECTION}.get", Which, get_summary, "the whole text of a summary", _RARE),
    ("history", PageArguments, history, "of changes", _RESPELT),
    ("search", SearchArguments, search, "the history", _SEARCH),
)
"""The operations that every domain has; those on summaries where no section has their name."""

ON_PARENT: tuple[_Row, ...] = (
    (f"{PARENT}.show", ParentArguments, show_parent, "what your parent has recorded", _RARE),
    (f"{PARENT}.hand_back", Result, hand_back, "a result, to your parent", {"rare": True}),
)

ON_LAYOUTS: tuple[_Row, ...] = (
    ("layout.set", Layout, set_layout, "the layout of your HUD", {}),
    ("layout.show", NoArguments, show_layout, "the layout and its tags", {"reads": True}),
    ("layout.reset", NoArguments, reset_layout, "to the usual layout", {}),
)


def _set_meant(
    session: ToolSession[Any] | None,
    section_event: SectionEvent,
    arguments: type[BaseModel],
    given: Mapping[str, Any],
) -> Mapping[str, tuple[str, Any]]:
    """Return the arguments of a call that sets a value, under their own names.

    :raises EventError: where only some fields are given, and an existing value could be updated.
    """
    section = section_event.section
    found = respelt(section, arguments, given)
    if session is None or session.known[section] is None:
        return found
    fields, told = fields_of(arguments), as_meant(given, found)
    missing = [name for name, info in fields.items() if info.is_required() and name not in told]
    update = next((each.name for each in verbs_of(section) if isinstance(each, Update)), None)
    if update and missing and any(name in fields for name in told):
        raise EventError(
            f"{section_event.operation} needs {', '.join(missing)}; to change some fields of the one that there is, call"
            f" {section.name}.{update}"
        )
    return found


def _all_meant(
    section: type[HudSection], items: Any, given: Mapping[str, Any]
) -> Mapping[str, tuple[str, Any]]:
    """Return the items of a call that replaces all. A single item is refused, as it would remove the others.

    :raises EventError: for a value that is not a list.
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
    """Return a call's section under the name that the argument accepts, if it differs."""
    said = given.get("section")
    with suppress(ValueError):
        field = domain.field_of(said) if isinstance(said, str) else said
        return {} if field == said else {"section": ("section", field)}
    return {}


def _is_child(session: ToolSession[Any]) -> bool:
    """Tell whether a session has a parent; if its store is gone, each call reports that instead."""
    try:
        return session.parent_id is not None
    except StoreError:
        return False


def _listed(
    section: type[HudSection], limit: int, session: ToolSession[Any], page: PageArguments
) -> object:
    return listed(section, session.state(), page, limit)


def is_replaceable(section: type[HudSection]) -> bool:
    """Tell whether an agent can replace all items of a section: it can if it may remove any of them."""
    removes = any(isinstance(verb, Remove) and verb.is_operation for verb in verbs_of(section))
    return removes and section.can_replace and section.has_operations


def described(domain: Domain[Any]) -> str:
    """Return the description of the tool for models, with an example from the domain."""
    found = _example_of(domain)
    if found is None:
        return DESCRIPTION
    operation, argument = found
    return f'{DESCRIPTION} Several at once: {{"calls":[{{"op":"{operation}","{argument}":"…"}},…]}}'


def _example_of(domain: Domain[Any]) -> tuple[str, str] | None:
    """Return the domain's example operation, which adds an item, and its text argument."""
    for section in domain.fields.values():
        kind = section.kind
        if kind is None or (domain.example or section.name) != section.name:
            continue
        for verb in verbs_of(section):
            if isinstance(verb, Add):
                return f"{section.name}.{verb.name}", kind.text
    return None
