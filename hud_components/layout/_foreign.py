"""Sections of HUDs that other programs write: known by their headings, and read for what they say.

In: the blocks of a document. Out: sections of ours with the same facts. A heading may stand at any depth, with a
sign before it and a count behind it; a list may be one of Markdown's, or lines that begin with a bullet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from hud_components.declaring._section import HudSection
from hud_components.sections._active_files import ActiveFile, ActiveFiles, FileStatus
from hud_components.sections._blockers_list import Blocker, BlockersList
from hud_components.sections._compacted_context import CompactedContext
from hud_components.sections._context_bar import ContextBar
from hud_components.sections._decisions_list import Decision, DecisionsList
from hud_components.sections._next_steps import NextSteps, Step
from hud_components.sections._notes_section import Note, NotesSection
from hud_components.sections._task_section import Task, TaskSection
from ujsx import mdast

Reading = Literal["task", "context", "decisions", "files", "steps", "notes", "blockers", "compacted", "title"]  # fmt: skip

HEADINGS: Mapping[str, Reading] = {
    "task": "task", "current task": "task", "goal": "task", "objective": "task",
    "context": "context", "context usage": "context", "context status": "context",
    "decisions": "decisions", "key decisions": "decisions",
    "active files": "files", "files": "files", "key files": "files", "working files": "files",
    "next steps": "steps", "steps": "steps", "todo": "steps", "todos": "steps", "plan": "steps", "tasks": "steps",
    "notes": "notes", "project notes": "notes", "working memory": "notes",
    "blockers": "blockers", "open blockers": "blockers",
    "compacted context": "compacted", "before the compaction": "compacted",
    "state": "title", "hud": "title", "agent state": "title", "session state": "title",
}  # fmt: skip
"""What stands under which heading, in small letters."""

_HEADING = re.compile(r"\W*(?P<name>\w[\w ]*\w)\W*(?:[(:\[].*)?", re.DOTALL)
_BULLET = re.compile(r"^[ \t]*(?:[•‣◦▪–*-]|\d{1,4}[.)])[ \t]+", re.MULTILINE)
_USED = re.compile(
    r"(?P<percent>\d{1,3})[ \t]{0,4}%[^(%\n]{0,40}\((?P<used>[\d.,]{1,15})(?P<k>[kM]?)[ \t]{0,4}/[ \t]{0,4}"
    r"(?P<limit>[\d.,]{1,15})(?P<l>[kM]?)(?:[ \t]{1,4}tokens)?(?:,[ \t]{0,4}(?P<model>[^)\n]{1,200}))?\)"
)
_LABEL = re.compile(r"(?:current )?task[ \t]*:[ \t]*(?P<task>\S.*)", re.IGNORECASE)
_COUNTS = re.compile(r"\w[\w ]{0,30}: \d+[^|\n]{0,40}(?:\|[ \t]*\w[\w ]{0,30}: \d+[^|\n]{0,40})*")
"""How many there are of what: the sections themselves say so, too."""
_SCALE = {"": 1, "k": 1_000, "M": 1_000_000}


def foreign_at(blocks: Sequence[Any]) -> tuple[list[HudSection], int] | None:
    r"""Return the sections that begin with the first block, and how many blocks they take.

    A heading that only says that this is a HUD is a beginning without a section.

    >>> found = foreign_at(mdast.from_markdown("### Key Decisions\n- Use JWT\n").children)
    >>> found[0][0].decisions[0].summary, found[1]
    ('Use JWT', 2)
    """
    first = blocks[0]
    if type(first) is mdast.Paragraph:
        return _line(_text(first))
    if type(first) is not mdast.Heading:
        return None
    title = _text(first)
    match = _HEADING.fullmatch(title)
    of = HEADINGS.get(match["name"].lower()) if match else None
    if of is None:
        return None
    body: list[Any] = []
    for place in range(1, len(blocks)):
        block = blocks[place]
        if type(block) is mdast.Heading:
            break
        body.append(block)
    if of == "title":
        return [], 1
    if of == "context":
        bar = _bar("\n".join((title, *map(_text, body))))
        return None if bar is None else ([bar], 1 + len(body))
    read = _READERS[of](body)
    return None if read is None else ([read], 1 + len(body))


def _line(text: str) -> tuple[list[HudSection], int] | None:
    """Lines without a heading: the context's use, and the task with its label."""
    found: list[HudSection] = []
    for line in text.splitlines():
        label = _LABEL.fullmatch(line.strip())
        bar = None if label else _bar(line)
        if label:
            found.append(TaskSection(task=Task(description=label["task"])))
        elif bar:
            found.append(bar)
        elif not _COUNTS.fullmatch(line.strip()):
            return None
    return (found, 1) if found else None


def _bar(text: str) -> ContextBar | None:
    match = _USED.search(text)
    if match is None:
        return None
    used, limit = _count(match["used"], match["k"]), _count(match["limit"], match["l"])
    if not used or not limit:
        return None
    model = match["model"].strip() if match["model"] else None
    return ContextBar.model_validate({"usage": {"used": used, "limit": limit, "model": model}})


def _count(digits: str, scale: str) -> int:
    try:
        return round(float(digits.replace(",", "")) * _SCALE[scale])
    except ValueError:
        return 0


def _task(body: Sequence[Any]) -> HudSection | None:
    text = " ".join(_lines(body))
    return TaskSection(task=Task(description=text)) if text else None


def _decisions(body: Sequence[Any]) -> HudSection:
    found = (_divided(one) for one in _lines(body))
    return DecisionsList(
        decisions=tuple(Decision(summary=what, details=why) for what, why in found)
    )


def _divided(text: str) -> tuple[str, str]:
    """A decision, and what stands behind its dash."""
    for dash in (" — ", " – ", " -- "):
        what, _, why = text.partition(dash)
        if what.strip() and why.strip():
            return what.strip(), why.strip()
    return text, ""


_STATUSES: Mapping[str, FileStatus] = {"editing": "editing", "edited": "editing", "referenced": "referenced", "referencing": "referenced"}  # fmt: skip


def _files(body: Sequence[Any]) -> HudSection:
    return ActiveFiles(files=tuple(map(_file, _lines(body))))


def _file(text: str) -> ActiveFile:
    """A file, and what stands in parentheses behind it."""
    path, _, rest = text.rpartition(" (")
    said = rest.removesuffix(")") if path.strip() and rest.endswith(")") else ""
    bare = (path if said else text).strip().strip("`") or text
    return ActiveFile(path=bare, status=_STATUSES.get(said, "reading"))


def _steps(body: Sequence[Any]) -> HudSection:
    return NextSteps(
        steps=tuple(
            Step(description=text, completed=is_done)
            for block in body
            for text, is_done in _entries(block)
            if text
        )
    )


def _notes(body: Sequence[Any]) -> HudSection:
    return NotesSection(notes=tuple(Note(content=one) for one in _lines(body)))


def _blockers(body: Sequence[Any]) -> HudSection:
    return BlockersList(blockers=tuple(Blocker(description=one) for one in _lines(body)))


def _compacted(body: Sequence[Any]) -> HudSection | None:
    text = "\n\n".join(map(_text, body)).strip()
    return CompactedContext(text=text) if text else None


_READERS: Mapping[Reading, Callable[[Sequence[Any]], HudSection | None]] = {
    "task": _task, "decisions": _decisions, "files": _files, "steps": _steps, "notes": _notes,
    "blockers": _blockers, "compacted": _compacted,
}  # fmt: skip


def _lines(body: Sequence[Any]) -> list[str]:
    return [text for block in body for text, _ in _entries(block) if text]


def _entries(block: Any) -> Iterator[tuple[str, bool]]:
    """The items of a list, or the lines of a paragraph, and whether each is done."""
    if type(block) is mdast.List:
        for item in block.children:
            said = " ".join(_text(item).split())
            is_struck = any(type(one) is mdast.Delete for one in _within(item))
            yield said, item.checked is True or is_struck
        return
    text = _text(block)
    pieces = _BULLET.split(text) if _BULLET.search(text) else [text]
    for piece in pieces:
        said = " ".join(piece.split())
        is_struck = said.startswith("~~") and said.endswith("~~")
        yield said.strip("~") if is_struck else said, is_struck


def _within(node: Any) -> Iterator[Any]:
    for child in getattr(node, "children", ()):
        yield child
        yield from _within(child)


def _text(node: Any) -> str:
    """The text of a node, without its marks."""
    if isinstance(value := getattr(node, "value", None), str):
        return value
    if type(node) is mdast.Break:
        return "\n"
    joint = "\n" if type(node) in (mdast.List, mdast.ListItem, mdast.Blockquote) else ""
    return joint.join(map(_text, getattr(node, "children", ())))
