"""The request for a summary: its prompt, and the part of a history that it covers."""

# pyright: basic

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

from hud_components import CODING, THRESHOLDS, CompactedContext, Hud, State
from hud_components.declaring import as_usual
from hud_components.folding import with_sections
from hud_components.levels import Thresholds
from hud_runtime.observe import _shell
from hud_runtime.observe import messages as spoken
from hud_runtime.observe._observations import mapping
from hud_runtime.observe._tools import PATHS
from hud_runtime.observe.messages import MessagePart, Statement, get, read_message, word_for
from ujsx import Child, Children, Component, RenderContext, render_document
from ujsx.elements import Item, List, Paragraph, Section, strong
from ujsx.tokens import TokenCounter

# The lines that a conversation's calls have changed, by file, as far as their arguments show.
#
# A line counts as added if the new text has it more often than the old one; moves within a text do
# not count. All lines of a file that was written as a whole count as added: its former content is
# unknown.

READING = frozenset({"view", "read", "undo_edit"})
"""Editors' commands whose arguments contain no change."""


LONGEST_PATH = 1_000
"""Maximum characters of a path; a longer text, or one with a line break, is not a path."""


def changed_lines(said: Iterable[Statement]) -> dict[str, tuple[int, int]]:
    r"""Return the number of lines added to and removed from each file, by path.

    >>> from hud_runtime.observe.messages import read_message
    >>> given = {"file_path": "app.py", "old_string": "a\nb", "new_string": "a\nc\nd"}
    >>> use = {"type": "tool_use", "id": "1", "name": "Edit", "input": given}
    >>> changed_lines([read_message({"role": "assistant", "content": [use]})])
    {'app.py': (2, 1)}
    """
    found: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for each in said:
        for part in each.parts:
            if part.kind == "call":
                _take(found, part.arguments)
    return {path: figures for path, figures in found.items() if any(figures)}


def _take(found: dict[str, tuple[int, int]], given: Mapping[str, Any]) -> None:
    path = _shell.first(given, PATHS) or ""
    is_path = path.strip() and path.isprintable() and len(path) <= LONGEST_PATH
    if not is_path or str(given.get("command")) in READING:
        return
    edits: Any = given.get("edits")
    for one in cast("list[object]", edits) if isinstance(edits, list) else [given]:
        before, after = (
            _counted(_shell.first(mapping(one), each)) for each in (_shell.OLD, _shell.NEW)
        )
        added, removed = found[path]
        found[path] = added + (after - before).total(), removed + (before - after).total()


def _counted(text: str | None) -> Counter[str]:
    return Counter(text.split("\n") if text else ())


# The prompt for a summary: an agent writes it for itself, and sees its HUD and the previous
# summary.

PARTS: tuple[tuple[str, str], ...] = (
    ("Goal", "what this session is to reach, in the user's words where they matter"),
    ("Instructions", "what the user asked for or ruled out, and still holds"),
    ("Discoveries", "what you found out that cannot be read off the code at a glance"),
    ("Accomplished", "what is done, what is under way, what is left"),
    ("Relevant files", "the paths that matter, each with why"),
    ("Notes", "anything else that you would miss"),
)
"""The parts of a summary, by the founding documents on compaction, whose agents work on code."""

PARTS_OF_OTHERS: tuple[tuple[str, str], ...] = tuple(
    (name, meaning.replace("be read off the code", "be looked up"))
    for name, meaning in PARTS
    if name != "Relevant files"
)
"""The parts of a summary in other domains."""


class CompactionPrompt(Component):
    """Asks an agent for the summary that stands for its conversation from now on."""

    state: State
    """What the HUD holds, and so need not be repeated; the summary before, too, which has to be."""

    prior: bool = True
    """Whether the summary before is shown; not, where the conversation has it."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        is_coding = isinstance(self.state, CODING.state)
        named = PARTS if is_coding else PARTS_OF_OTHERS
        exact = "exact names, paths and numbers" if is_coding else "exact names and numbers"
        parts = (Item()[strong(name), f": {meaning}"] for name, meaning in named)
        return [
            Paragraph()[
                "The conversation so far is about to be replaced by a summary. You will continue "
                "this session yourself, with that summary and the HUD below and nothing else: "
                f"write for yourself, in full sentences, with {exact}."
            ],
            Paragraph()["Write these parts, and leave out one that would be empty:"],
            List(ordered=True)[parts],
            *self._summary_before(),
            Section(title="What the HUD holds, and keeps")[
                Paragraph()["Do not repeat it; say what it does not."],
                Hud.of(with_sections(as_usual(self.state), compacted_context=None)),
            ],
        ]

    def _summary_before(self) -> list[Child]:
        before = self.state.compacted_context
        if not before:
            return []
        told = (
            "There is a summary of what came before, and yours takes its place: keep what still "
            "holds, mend what has changed, drop what is done with."
        )
        return [Paragraph()[told], CompactedContext(text=before) if self.prior else None]


PROMPT_TOKENS = 30_000
"""Maximum tokens of the prompt; omissions are named in it."""


def compaction_prompt(
    state: State,
    *,
    prior: bool = True,
    replace: str | None = None,
    append: Sequence[str] = (),
    thresholds: Thresholds = THRESHOLDS,
) -> str:
    r"""Return the prompt for a summary of the conversation, with the HUD's content.

    :param prior: whether it shows the previous summary; False if the conversation has it.
    :param replace: your own prompt, used unchanged instead of the parts, the HUD and the previous summary.
    :param append: your own texts after it, used unchanged.
    :param thresholds: the limits of the levels in its HUD.

    >>> from hud_components import HudState
    >>> print(compaction_prompt(HudState()).partition(". ")[0])
    The conversation so far is about to be replaced by a summary
    >>> compaction_prompt(HudState(), replace="Sum it up.", append=["In German."])
    'Sum it up.\n\nIn German.\n'
    """
    if replace is None:
        prompt: Any = CompactionPrompt(state=state, prior=prior)
        context = RenderContext().with_value(thresholds)
        replace = render_document(prompt, budget=PROMPT_TOKENS, context=context).text
    return "\n\n".join(each.strip("\n") for each in (replace, *append)) + "\n"


Write: TypeAlias = Callable[[Literal["user", "assistant"], str], Any]
"""A function that makes a message of an SDK from a role and a text."""

LONGEST_RESULT = 2_000
"""Maximum characters of a tool's result, and of a call's arguments: those of OpenCode 1.18 for a summary."""

OPENING = (
    "The conversation before this was replaced by the summary below, which you have written yourself. Continue"
    " from it."
)
"""The text before the summary in its message."""

EARLIER = "[Earlier messages are left out here.]"
"""The text in place of messages omitted from a request that would be too long."""


class SpokenLine(NamedTuple):
    """A role's words in a request for a summary."""

    role: Literal["user", "assistant"]
    text: str


def lines_of(said: Sequence[Statement]) -> list[SpokenLine]:
    """Return a conversation's words in alternating roles, without system messages.

    >>> from hud_runtime.observe.messages import read_message
    >>> lines_of([read_message({"role": "tool", "tool_call_id": "1", "content": "a.py"})])
    [SpokenLine(role='user', text='[Result] a.py')]
    """
    found: list[tuple[Literal["user", "assistant"], str]] = []
    for each in said:
        if each.role == "system":
            continue
        for part in each.parts:
            text = _words(part).strip()
            if text:
                by_agent = each.role == "assistant" and part.kind != "result"
                found.append(("assistant" if by_agent else "user", text))
    return [
        SpokenLine(role, "\n\n".join(text for _, text in group))
        for role, group in groupby(found, key=itemgetter(0))
    ]


def _words(part: MessagePart) -> str:
    match part.kind:
        case "call":
            return f"[Call of {part.name or 'a tool'}] {_cut(part.text)}"
        case "result":
            return f"[Result] {_cut(part.text)}"
        case "media":
            return f"[{part.text}]"
        case "thought":
            return ""
        case "other":
            return f"[{part.name or 'other'}] {_cut(part.text)}"
        case _:
            return part.text


def _cut(text: str) -> str:
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]} … {len(text) - LONGEST_RESULT:,} more characters"


def within(lines: Sequence[SpokenLine], most: int | None, count: TokenCounter) -> list[SpokenLine]:
    """Return the newest lines within a token limit, with a note of the omission; at least one.

    >>> lines = [SpokenLine("user", "one two three"), SpokenLine("assistant", "four"), SpokenLine("user", "five")]
    >>> [each.text for each in within(lines, 2, lambda text: len(text.split()))]
    ['[Earlier messages are left out here.]', 'four', 'five']
    """
    if most is None:
        return list(lines)
    start, total = len(lines), 0
    while start > 0:
        total += count(lines[start - 1].text)
        if total > most and start < len(lines):
            break
        start -= 1
    return _without_first(lines, start)


def newer_half(lines: Sequence[SpokenLine]) -> list[SpokenLine] | None:
    """Return the newer half of the lines; None if there is no half."""
    return _without_first(lines, (len(lines) + 1) // 2) if len(lines) > 1 else None


def _without_first(lines: Sequence[SpokenLine], count: int) -> list[SpokenLine]:
    if not count:
        return list(lines)
    kept = [each for each in lines[count:] if each.text != EARLIER]
    if kept and kept[0].role == "user":
        return [SpokenLine("user", f"{EARLIER}\n\n{kept[0].text}"), *kept[1:]]
    return [SpokenLine("user", EARLIER), *kept]


def request(lines: Sequence[SpokenLine], prompt: str, write: Write) -> list[Any]:
    """Return the messages of a request: the conversation, and then the prompt as the user's.

    >>> request([SpokenLine("assistant", "Done.")], "Sum it up.", lambda role, text: (role, text))
    [('user', '[Earlier messages are left out here.]'), ('assistant', 'Done.'), ('user', 'Sum it up.')]
    """
    said = list(lines)
    if said and said[0].role == "assistant":  # providers require a user message first
        said.insert(0, SpokenLine("user", EARLIER))
    if said and said[-1].role == "user":
        said[-1] = SpokenLine("user", f"{said[-1].text}\n\n{prompt}")
    else:
        said.append(SpokenLine("user", prompt))
    return [write(each.role, each.text) for each in said]


def written(like: Any, role: Literal["user", "assistant"], text: str) -> Any:
    """Return a message as data, in another one's form.

    >>> written({"role": "model", "parts": []}, "assistant", "Done.")
    {'role': 'model', 'parts': [{'text': 'Done.'}]}
    >>> written({"role": "user", "content": "Hi"}, "user", "Go on.")
    {'role': 'user', 'content': 'Go on.'}
    """
    if get(like, "info") is not None:
        return {"info": {"role": role}, "parts": [{"type": "text", "text": text}]}
    content = get(like, "content")
    if isinstance(content, list) and content and get(content[0], "type") is None:  # Bedrock's
        return {"role": role, "content": [{"text": text}]}
    if get(like, "parts") is not None:
        name = "model" if role == "assistant" else "user"
        return {"role": name, "parts": [{"text": text}]}
    return {"role": role, "content": text}


# The rest of a history after its last compaction, and the links between its messages.
#
# A summary has a mark in a field, not in its text: text that only looks like a summary is text. A
# host that keeps its whole history puts the marked message after the messages that it replaces, and
# computes the valid messages before each request.

MessageT = TypeVar("MessageT")

SUMMARY, KEPT = "summary", "kept"
"""The fields of the mark: whether a message is a summary, and how many messages before it stay unchanged."""

MARKS = (SUMMARY, KEPT, "finish", "error")
"""Fields for hosts, which no provider accepts."""


def marked(message: dict[str, Any], kept: int = 0) -> dict[str, Any]:
    """Return a message as a summary of those before it, for a host that keeps its whole history.

    :param kept: the number of messages right before it that stay unchanged.

    >>> marked({"role": "user", "content": "The login is done."})
    {'role': 'user', 'content': 'The login is done.', 'summary': True, 'kept': 0}
    """
    return {**message, SUMMARY: True, KEPT: kept}


def is_summary(message: Any) -> bool:
    """Return whether a message is marked as a summary, complete and without an error.

    >>> is_summary({"role": "user", "content": "So far", "summary": True, "error": "cut off"})
    False
    """
    if _has_mark(message):
        return not message.get("error") and bool(message.get("finish", True))
    info = get(message, "info")
    if info is not None:
        is_whole = bool(get(info, "finish")) and not get(info, "error")
        return get(info, "role") == "assistant" and get(info, "summary") is True and is_whole
    return read_message(message).has("summary")


def messages_since_compaction(messages: Sequence[MessageT]) -> list[MessageT]:
    """Return the valid messages: those since the last complete compaction without an error.

    System messages stay first; then come the summary, without its mark, and the messages that it keeps. A
    result whose call precedes the compaction includes that call, with all other results of its message.
    Without a compaction all messages are valid. None is changed.

    :param messages: oldest first, in the form of any API that is known here (:mod:`hud_runtime.observe.messages`).

    >>> history = [
    ...     {"role": "system", "content": "You write code."},
    ...     {"role": "user", "content": "Add a login."},
    ...     {"role": "assistant", "content": "Done."},
    ...     marked({"role": "user", "content": "The login is done."}),
    ...     {"role": "user", "content": "Now the API."},
    ... ]
    >>> [each["content"] for each in messages_since_compaction(history)]
    ['You write code.', 'The login is done.', 'Now the API.']
    """
    counted = what_counts(messages)
    return [_unmarked(messages[n]) if n == counted.summary else messages[n] for n in counted.order]


class CountedMessages(NamedTuple):
    """The valid messages of a history."""

    order: list[int]
    """Their indexes, in the order in which a model reads them."""

    summary: int | None = None
    """The index of the summary; None for none."""

    brought: frozenset[int] = frozenset()
    """The indexes of messages that are included only for a result's call."""


def what_counts(messages: Sequence[Any]) -> CountedMessages:
    """Return the valid messages of a history: see :func:`messages_since_compaction`."""
    place = next((n for n in range(len(messages) - 1, -1, -1) if is_summary(messages[n])), None)
    if place is None:
        return CountedMessages([*range(len(messages))])
    said = [read_message(each) for each in messages]
    start, first = _beginning(messages, place)
    whole = {*range(first, start), *range(place + 1, len(messages))}
    whole = {n for n in whole if not is_summary(messages[n])}
    system = [n for n in range(start) if said[n].role == "system" and n not in whole]
    own = {*system, *range(start, place + 1)}
    brought = _brought(whole, links(said)) - whole - own
    # An included call follows the summary: it belongs to the next messages.
    order = [*system, *range(start, place + 1), *sorted(brought | whole)]
    return CountedMessages(order, place, frozenset(brought))


def _beginning(messages: Sequence[Any], place: int) -> tuple[int, int]:
    """The start of a compaction, and the first message before it that it keeps."""
    info = get(messages[place], "info")
    if info is None or _has_mark(messages[place]):
        kept = get(messages[place], KEPT) if isinstance(messages[place], Mapping) else 0
        return place, max(0, place - (kept if isinstance(kept, int) else 0))
    parent = get(info, "parentID")
    for n in range(place - 1, -1, -1):
        if parent is not None and get(get(messages[n], "info"), "id") == parent:
            return n, _tail_of(messages, n)
    return place, place


def _tail_of(messages: Sequence[Any], marker: int) -> int:
    """The first message that OpenCode keeps, according to the part that requested the compaction."""
    parts = get(messages[marker], "parts") or ()
    names = [get(each, "tail_start_id") for each in parts if get(each, "type") == "compaction"]
    for n in range(marker):
        if get(get(messages[n], "info"), "id") in [each for each in names if each]:
            return n
    return marker


def _has_mark(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get(SUMMARY) is True


def _unmarked(message: Any) -> Any:
    if not _has_mark(message):
        return message
    return {key: value for key, value in message.items() if key not in MARKS}


# --- What belongs together ---


def links(said: Sequence[Statement]) -> list[tuple[int, int]]:
    """Return the pairs of messages that providers accept only together: a call and its result.

    Results without an id belong to the oldest call of that name without a result. Reasoning in a message of
    its own belongs to the next message.

    >>> call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}]}
    >>> answer = {"role": "tool", "tool_call_id": "1", "content": "a.py"}
    >>> links([read_message(call), read_message(answer)])
    [(0, 1)]
    """
    found: list[tuple[int, int]] = []
    by_id: dict[str, int] = {}
    by_name: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, each in enumerate(said):
        for part in each.parts:
            if part.kind == "call" and part.id is not None:
                by_id[part.id] = place
            elif part.kind == "call":
                by_name[part.name].append(place)
            elif part.kind == "result" and part.id is not None:
                found += [(by_id[part.id], place)] if part.id in by_id else []
            elif part.kind == "result" and by_name[part.name]:
                found.append((by_name[part.name].popleft(), place))
        is_thought = bool(each.parts) and all(part.kind == "thought" for part in each.parts)
        if is_thought and place + 1 < len(said):
            found.append((place, place + 1))
    return [(first, last) for first, last in found if first != last]


def cuts(said: Sequence[Statement]) -> list[bool]:
    """Return for each index whether a history can be cut before it without parting linked messages.

    A call without a result yet is not parted from it either.

    >>> call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}]}
    >>> cuts([read_message({"role": "user", "content": "Go."}), read_message(call)])
    [True, True, False]
    """
    open_ = [0] * (len(said) + 2)
    for first, last in [*links(said), *_waiting(said)]:
        open_[first + 1] += 1
        open_[last + 1] -= 1
    free: list[bool] = []
    parted = 0
    for place in range(len(said) + 1):
        parted += open_[place]
        free.append(parted == 0)
    return free


def _waiting(said: Sequence[Statement]) -> list[tuple[int, int]]:
    """The calls of the last answer without a result yet, as if that came next."""
    last = next((n for n in range(len(said) - 1, -1, -1) if said[n].role == "assistant"), None)
    if last is None:
        return []
    answered = {part.id for each in said[last:] for part in each.parts if part.kind == "result"}
    waits = any(part.kind == "call" and part.id not in answered for part in said[last].parts)
    if not waits or (None in answered):
        return []
    return [(last, len(said))]


def _brought(whole: set[int], pairs: Sequence[tuple[int, int]]) -> set[int]:
    """The messages that the kept ones include."""
    partners: defaultdict[int, list[int]] = defaultdict(list)
    for first, last in pairs:
        partners[first].append(last)
        partners[last].append(first)
    found = set(whole)
    waiting = list(whole)
    while waiting:
        for other in partners[waiting.pop()]:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


# --- Media ---


def without_media(messages: Sequence[MessageT]) -> list[MessageT]:
    """Return messages in which a word represents each image, document and sound: ``[image]``.

    A message without media is the identical object; nothing is changed in place. Objects of an SDK stay
    unchanged.

    >>> shown = [{"role": "user", "content": [{"type": "image", "source": {"data": "iVBOR"}}]}]
    >>> without_media(shown)
    [{'role': 'user', 'content': [{'type': 'text', 'text': '[image]'}]}]
    """
    return [_bare(each) for each in messages]


def _bare(value: Any, depth: int = 0) -> Any:
    if depth > DEEPEST:
        return value
    if isinstance(value, list | tuple):
        made: Any = [_bare(each, depth + 1) for each in value]
        return value if all(new is old for new, old in zip(made, value, strict=True)) else made
    if not isinstance(value, Mapping):
        return value
    stands = _stands_for(value)
    if stands is not None and depth:
        return stands
    kept = {key: _bare(each, depth + 1) if key in WITHIN else each for key, each in value.items()}
    return value if all(kept[key] is each for key, each in value.items()) else kept


WITHIN = frozenset([
    "content", "parts", "output", "functionResponse", "function_response", "toolResult", "state", "attachments",
])  # fmt: skip
"""Fields that may contain media; calls' arguments are not searched."""

DEEPEST = 12
"""Maximum depth of fields that are searched; no API has media deeper than six."""


def _stands_for(part: Mapping[str, Any]) -> Any:
    kind = part.get("type")
    if isinstance(kind, str) and kind in spoken.MEDIA and "role" not in part:
        word, text = spoken.MEDIA[kind]
        return {"type": text, "text": f"[{word}]"}
    if "type" in part or "role" in part:
        return None
    key = next((each for each in spoken.MEDIA_KEYS if each in part), None)
    if key is not None:
        return {"text": f"[{word_for(part[key])}]"}
    bedrock = next(
        (each for each in spoken.BEDROCK[:-1] if isinstance(part.get(each), Mapping)), None
    )
    return None if bedrock is None else {"text": f"[{bedrock}]"}
