"""Memory as blocks: core memory, memory as a part of domains, and all of it between tags.

The founding document puts tags into a system prompt: ``<goal chars="87/1000">…</goal>`` in ``<core_memory>``, and
recent observations in ``<working_memory>``. No text can close a tag: ``<``, ``>`` and ``&`` are escaped as references.
In Markdown the whole is a code block, so that no line of a text becomes a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Self, cast

from pydantic import Field

from hud_components._coding import CODING
from hud_components._models import Actor, ContextUsage, HudModel, HudValue, Line, PlainItem, Text
from hud_components.declaring import read_mark
from hud_components.declaring._domain import Domain
from hud_components.declaring._form import omitted
from hud_components.declaring._lines import Lines
from hud_components.declaring._section import UNSET, HudSection, ValueProp
from hud_components.declaring._state import State, Width, Worth
from hud_components.declaring._value_section import ValueSection, ValueT, View
from hud_components.folding import Verb, room_of, text_field, usual
from hud_components.memory._working import AgentMemory, WorkingMemory, by_relevance
from hud_components.words._texts import cut, only_child
from ujsx import Child, Children, Density, Disclosure, Examples, RenderContext, Rung, mdast
from ujsx.components import drop_class_variables
from ujsx.elements import CodeBlock, Paragraph, Shortened
from ujsx.targets import xml_references
from ujsx.text import escaped, unhidden


def fill(section: Any, value: Any) -> tuple[int, int]:
    """Return the length and the capacity of a block, in characters.

    >>> fill(CoreGoal, GoalText(content="Add a login."))
    (12, 1000)
    """
    field = text_field(section)
    return len(getattr(value, field, "")), room_of(section.value, field) or 0


def _verbs(model: type[HudValue]) -> tuple[str | Verb, ...]:
    """Return the verbs of a block, whose answers tell how full it is."""

    def told(_before: Any, after: Any) -> str:
        if after is None:
            return ""
        return f"{len(after.content):,} of {room_of(model, 'content') or 0:,} characters."

    return (
        usual("set", help="the whole block", also=told),
        usual(
            "append",
            help="a line to it",
            answer="Updated.",
            told="{section} says more: {said}",
            also=told,
        ),
        usual("clear"),
    )


@drop_class_variables
class CoreBlock(ValueSection[ValueT], Generic[ValueT]):
    """A block of core memory: always shown, its lines kept in full, and never longer than it may be.

    A block of one's own says its model, whose one field is a text with a length, and its verbs.

    >>> from hud_components import CODING
    >>> class PersonaText(HudValue):
    ...     content: Annotated[Line, Field(max_length=300)]
    >>> class Persona(CoreBlock[PersonaText]):
    ...     name = "core_persona"
    ...     title = "Persona"
    ...     lines = {"full": "{content}"}
    >>> [name for name in CODING.with_sections(Persona).operations if name.startswith("core")]
    ['core_persona.set', 'core_persona.append', 'core_persona.clear']
    """

    keeps_lines: ClassVar[bool] = True
    lines: ClassVar[Lines] = MappingProxyType({"full": "{content}"})
    verbs: ClassVar[tuple[str | Verb, ...]] = ("set", "append", "clear")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if cls.value is not None and "verbs" not in vars(cls):
            cls.verbs = _verbs(cls.value)
        super().__pydantic_init_subclass__(**kwargs)


class GoalText(HudValue):
    """What the session is to reach."""

    content: Annotated[Line, Field(max_length=1_000)]
    """One specific aim, in at most 1,000 characters."""


class CoreGoal(CoreBlock[GoalText]):
    """What the session is to reach."""

    name = "core_goal"
    title = "Goal"
    noun = "goal"

    examples: ClassVar[Examples] = lambda: {
        "usual": CoreGoal(core_goal="Let users sign in with short-lived tokens"),
    }

    core_goal: ValueProp[GoalText] = UNSET
    """The goal; that of the session when None."""


class ProgressText(HudValue):
    """What is done, what is in work, what is blocked."""

    content: Annotated[Line, Field(max_length=2_000)]
    """A checklist of what is done, in progress and blocked, in at most 2,000 characters."""


class CoreProgress(CoreBlock[ProgressText]):
    """What is done, what is in work, what is blocked."""

    name = "core_progress"
    title = "Progress"
    noun = "progress"

    examples: ClassVar[Examples] = lambda: {
        "usual": CoreProgress(core_progress="Done: the schema. In progress: the middleware."),
    }

    core_progress: ValueProp[ProgressText] = UNSET
    """The progress; that of the session when None."""


class ContextText(HudValue):
    """What the work relies on."""

    content: Annotated[Line, Field(max_length=1_500)]
    """The files in work and the patterns that hold, in at most 1,500 characters."""


class CoreContext(CoreBlock[ContextText]):
    """What the work relies on: the files in work and the patterns that hold."""

    name = "core_context"
    title = "Working context"
    noun = "working context"

    examples: ClassVar[Examples] = lambda: {
        "usual": CoreContext(core_context="src/auth/tokens.py; errors are returned, not raised"),
    }

    core_context: ValueProp[ContextText] = UNSET
    """The context; that of the session when None."""


CORE: tuple[type[CoreBlock[Any]], ...] = (CoreGoal, CoreProgress, CoreContext)
"""The blocks of the founding document, in its order."""


def block_name(section: type[CoreBlock[Any]]) -> str:
    """Return the name of a block in the tools and in its tag: ``core_goal`` is the block ``goal``."""
    return section.name.removeprefix("core_")


# Memory as a part of domains.

MEMORY: tuple[type[HudSection], ...] = (*CORE, AgentMemory)
"""The sections of memory: ``CODING.with_sections(*MEMORY)``, or in a domain of your own."""

CODING_MEMORY = CODING.with_sections(*MEMORY, name="coding-memory")
"""The coding HUD with memory. The command takes it as ``--domain hud_components.memory:CODING_MEMORY``."""


def working_memory_of(domain: Domain[Any, Any]) -> type[WorkingMemory[Any]] | None:
    """Return a domain's section of working memory, or None."""
    found: Any = next(_sections_of(domain, WorkingMemory), None)
    return cast("type[WorkingMemory[Any]] | None", found)


def blocks_of(domain: Domain[Any, Any]) -> tuple[type[CoreBlock[Any]], ...]:
    """Return a domain's blocks of core memory, in its order."""
    found: Any = tuple(_sections_of(domain, CoreBlock))
    return cast("tuple[type[CoreBlock[Any]], ...]", found)


def _sections_of(domain: Domain[Any, Any], kind: Any) -> Iterator[type[HudSection]]:
    return (each for each in domain.sections if issubclass(each, kind) and each.field)


# The whole memory between tags.

CHARACTERS = 1_600
"""The most characters of working memory, from the founding document."""

CORE_TAG, WORKING_TAG = "core_memory", "working_memory"


class TaggedText(HudModel):
    """What stands between two tags."""

    name: Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]*$")]
    """The name of the tag."""

    text: Text
    """What it says; the beginning of it where it is cut."""

    chars: Annotated[int, Field(ge=0)] | None = None
    """How many characters a block has; None where the text says it."""

    room: Annotated[int, Field(ge=0)] | None = None
    """How many characters a block holds."""

    said_by: Actor = "agent"
    """Who said it."""

    id: Text = ""
    """The store's id of what was heard."""


class TaggedMemory(View):
    """Core and working memory in the tags of the founding document, for a layout that asks for them.

    Blocks come in the domain's order, empty ones too: they can be filled. What was heard lately is
    grouped as the domain has it; where it is too much, what counts most is shown.

    >>> from ujsx import render
    >>> goal = TaggedText(name="goal", text="Beat </goal>", room=1_000)
    >>> print(render(TaggedMemory(blocks=(goal,), items=(TaggedText(name="todo", text="Test it"),))), end="")
    ```xml
    <core_memory>
    <goal chars="12/1000">Beat &lt;/goal&gt;</goal>
    </core_memory>
    <working_memory items="1/1">
    <todo>Test it</todo>
    </working_memory>
    ```
    """

    texts = {  # noqa: RUF012 - a declaration
        "tagged_memory.noun": "memory|memories",
        "tagged_memory.handle": "hud working_memory.list",
    }
    disclosure: ClassVar[Disclosure] = Disclosure(
        (
            Rung(Density.MINIMAL, 0, width=Width.SHORT, worth=Worth.AIM),
            Rung(Density.COMPACT, 3, width=Width.LONG, worth=Worth.NEWEST_FEW),
            Rung(Density.FULL, 15, worth=Worth.NEWEST_IN_FULL),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        ),
        weight=4.0,
        floor=Density.MINIMAL,
    )
    characters: ClassVar[int] = CHARACTERS
    """Characters of what was heard lately, whatever there is for the whole HUD."""

    examples: ClassVar[Examples] = lambda: {
        "a goal and a todo": TaggedMemory(
            blocks=(TaggedText(name="goal", text="Let users sign in", room=1_000),),
            items=(TaggedText(name="todo", text="Test expired tokens"),),
        ),
    }

    blocks: tuple[TaggedText, ...] | None = None
    """The blocks of core memory; those of the bound state when None."""

    items: tuple[TaggedText, ...] | None = None
    """What was heard lately, in the order in which it is shown; that of the bound state when None."""

    ranks: tuple[int, ...] | None = None
    """The places of the items by what they count, the highest first; their order when None."""

    unlisted: Annotated[int, Field(ge=0)] = 0
    """How many there are beside the items given."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        """Return the tagged memory of a state; None for a domain without memory."""
        blocks = [_block(each, getattr(state, each.field)) for each in _of(state, CoreBlock)]
        items: list[TaggedText] = []
        ranks: list[int] = []
        for section in _of(state, WorkingMemory):
            heard = getattr(state, section.field)
            shown = section.model_construct().split(heard, None)[0]
            place = {id(item): len(items) + number for number, item in enumerate(shown)}
            ranks += [place[id(heard[each])] for each in by_relevance(heard)]
            items += [
                TaggedText(name=each.slot, text=each.content, said_by=each.said_by, id=each.id)
                for each in shown
            ]
        if not blocks and not items:
            return None
        return cls.model_construct(blocks=tuple(blocks), items=tuple(items), ranks=tuple(ranks))

    def render(self, ctx: RenderContext, children: Children) -> Child:
        blocks, items = self.blocks or (), self.items or ()
        if not blocks and not items and not self.unlisted:
            return None
        short = [_cut(each, ctx.width) for each in blocks]
        several = [_cut(each, ctx.width) for each in items]
        shown = _that_fit(several, self.ranks, self.characters, ctx.limit)
        less = sum(now is not then for now, then in zip(short, blocks, strict=True))
        less += sum(several[place] is not items[place] for place in shown)
        hidden = [each for place, each in enumerate(items) if place not in {*shown}]
        given = [PlainItem(id=each.id) for each in hidden]
        mark = omitted(self.with_texts(ctx), "tagged_memory", given, self.unlisted)
        value = written(short, [several[place] for place in shown], len(items) + self.unlisted)
        remark = less > 0 and Shortened(count=less, handle="hud snapshot")
        return [CodeBlock(value=value, lang="xml"), mark and Paragraph()[mark], remark]

    # --- Reading ---

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        code, ctx = blocks[0], cls.with_texts(ctx)
        if type(code) is not mdast.Code or code.lang != "xml":
            return None
        read = read_tags(code.value)
        if read is None:
            return None
        mark = None
        if len(blocks) > 1:
            mark = read_mark(only_child(blocks[1]), "tagged_memory", ctx, "more")
        if (0 if mark is None else mark.total) != read.unlisted:
            return None
        section = cls(blocks=read.blocks, items=read.items, unlisted=read.unlisted)
        return section, 1 if mark is None else 2


class ReadMemory(NamedTuple):
    """The content of tagged blocks."""

    blocks: tuple[TaggedText, ...]
    items: tuple[TaggedText, ...]
    unlisted: int
    """The number of other items."""


def tagged_memory(state: State, *, characters: int = CHARACTERS) -> str:
    """Return a state's memory as tagged blocks, for a prompt that is not Markdown.

    :param characters: the most characters of working memory's items; the most relevant are included, and
        ``items="3/17"`` shows their number.

    >>> from hud_components.memory import CODING_MEMORY, GoalText
    >>> print(tagged_memory(CODING_MEMORY.state(core_goal=GoalText(content="Add a login."))))
    <core_memory>
    <goal chars="12/1000">Add a login.</goal>
    <progress chars="0/2000"></progress>
    <context chars="0/1500"></context>
    </core_memory>
    """
    made = TaggedMemory.of_state(state)
    if made is None:
        return ""
    items = made.items or ()
    shown = [items[place] for place in _that_fit(items, made.ranks, characters)]
    return written(made.blocks or (), shown, len(items), seen=True)


def _that_fit(
    items: Sequence[TaggedText],
    ranks: Sequence[int] | None,
    characters: int,
    limit: int | None = None,
) -> list[int]:
    """Return the places of the most relevant items within the characters and a limit.

    The first that does not fit ends it: a less relevant item never replaces a more relevant one.
    """
    kept: list[int] = []
    used = 0
    for place in range(len(items)) if ranks is None else ranks:
        used += len(_tag(items[place])) + 1
        if used > characters or (limit is not None and len(kept) >= limit):
            break
        kept.append(place)
    return sorted(kept)


def written(
    blocks: Iterable[TaggedText], items: Sequence[TaggedText], total: int, *, seen: bool = False
) -> str:
    """Return blocks and items between their tags.

    :param total: the number of all items, including those not given.
    :param seen: whether to make hidden characters visible; a rendering does so itself.
    """
    if seen:
        blocks = [_with_text(each, escaped(each.text)) for each in blocks]
        items = [_with_text(each, escaped(each.text)) for each in items]
    lines: list[str] = []
    told = [_tag(each, _chars(each)) for each in blocks]
    if told:
        lines += [f"<{CORE_TAG}>", *told, f"</{CORE_TAG}>"]
    if total:
        lines += [f'<{WORKING_TAG} items="{len(items)}/{total}">', *map(_tag, items)]
        lines.append(f"</{WORKING_TAG}>")
    return "\n".join(lines)


def _with_text(told: TaggedText, text: str) -> TaggedText:
    """Return a block with another form of its text, and the number of characters that it has."""
    chars = len(told.text) if told.chars is None else told.chars
    return told.model_copy(update={"text": text, "chars": None if told.room is None else chars})


def _chars(block: TaggedText) -> str:
    chars = len(block.text) if block.chars is None else block.chars
    return f' chars="{chars}/{block.room or 0}"'


def _tag(told: TaggedText, chars: str = "") -> str:
    source = "" if told.said_by == "agent" else f' said_by="{told.said_by}"'
    return f"<{told.name}{chars}{source}>{xml_references(told.text)}</{told.name}>"


_TAG = re.compile(
    r'<(?P<name>[a-z_][a-z0-9_]*+)(?: chars="(?P<chars>\d{1,9})/(?P<room>\d{1,9})")?'
    r'(?: said_by="(?P<by>agent|user|tool|host)")?>(?P<text>[^<]*+)</(?P=name)>'
)
"""A block, or an item."""

_CORE = re.compile(rf"<{CORE_TAG}>\n")
_WORKING = re.compile(rf'<{WORKING_TAG} items="\d{{1,9}}/(?P<total>\d{{1,9}})">\n')


def read_tags(text: str) -> ReadMemory | None:
    r"""Return the content of tagged blocks in a text, or None.

    >>> goal = '<goal chars="14/1000">Add a &lt;login&gt;</goal>'
    >>> read_tags(f"<core_memory>\n{goal}\n</core_memory>").blocks[0].text
    'Add a <login>'
    """
    core, working = _between(text, _CORE, CORE_TAG), _between(text, _WORKING, WORKING_TAG)
    if core is None and working is None:
        return None
    blocks = () if core is None else tuple(map(_read, _TAG.finditer(core[1])))
    items = () if working is None else tuple(map(_read, _TAG.finditer(working[1])))
    total = 0 if working is None else int(working[0]["total"])
    return ReadMemory(blocks, items, max(total - len(items), 0))


def _between(text: str, opening: re.Pattern[str], tag: str) -> tuple[re.Match[str], str] | None:
    """Return the first opening tag, and the text up to the next closing one."""
    found = opening.search(text)
    end = -1 if found is None else text.find(f"</{tag}>", found.end())
    return None if found is None or end < 0 else (found, text[found.end() : end])


_REFERENCES = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&#13;": "\r"}
_REFERENCE = re.compile("|".join(_REFERENCES))


def _read(match: re.Match[str]) -> TaggedText:
    text = unhidden(_REFERENCE.sub(lambda found: _REFERENCES[found[0]], match["text"]))
    chars, room = (int(each) if each else None for each in match.group("chars", "room"))
    return TaggedText(
        name=match["name"],
        text=text,
        chars=None if chars == len(text) else chars,  # it follows from the text
        room=room,
        said_by=cast("Actor", match["by"] or "agent"),  # one of them, by the pattern
    )


def _cut(told: TaggedText, width: int | None) -> TaggedText:
    if width is None or len(told.text) <= width:
        return told
    return _with_text(told, cut(told.text, width))


def _block(section: type[CoreBlock[Any]], value: Any) -> TaggedText:
    field = text_field(section)
    return TaggedText(
        name=block_name(section),
        text="" if value is None else getattr(value, field),
        room=room_of(section.value, field),
        said_by="agent" if value is None else value.said_by,
    )


def _of(state: State, kind: Any) -> list[Any]:
    """Return the sections of a kind in a state's domain, in the order of declaration."""
    found = (each for each in state.sections if each.field and issubclass(each, kind))
    by_field: dict[str, Any] = {each.field: each for each in found}
    return [by_field[name] for name in type(state).model_fields if name in by_field]
