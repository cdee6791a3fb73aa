"""The check that lines can be told apart: what one line writes, that line reads back, and no other.

A segment of a template (``ujsx.Template``) has at most one hole for any text; the others hold what a
pattern reads, such as a number. So two segments can write the same text if the ends of the one fit
those of the other, and a few examples for each hole show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, islice, product
from typing import Any, NamedTuple

from hud_components._models import HudModel, HudValue, PlainItem
from hud_components.declaring._faults import Faults
from hud_components.declaring._form import ID, ORIGIN, Form, Over, whence_of
from hud_components.declaring._layout_warning import warn
from ujsx import DefinitionError, RenderContext, Template, mdast, to_mdast
from ujsx.elements import Paragraph
from ujsx.errors import shown

MOST = 500
"""How many examples are tried at most."""

_PLAIN = RenderContext()


class Written(NamedTuple):
    """A line as it may stand in a HUD."""

    template: Template
    examples: Mapping[str, Sequence[str]]
    """By hole, what it may hold; a hole without any holds any text."""
    fixed: Mapping[str, Any]
    """What else it says."""
    owner: str = ""
    """What it is of, for messages."""
    source: str = ""
    """The line as its author wrote it."""

    def told(self, texts: Sequence[str]) -> dict[str, Any]:
        """The text of the line whose segments have these texts."""
        read = dict(self.fixed)
        for segment, text in zip(self.template.segments, texts, strict=True):
            match = segment.pattern.fullmatch(text)
            read.update(match.groupdict() if match else {})
        return read


def line_of(
    form: Form, before: str = "", behind: str = "", owner: str = "", over: Over | None = None
) -> Written:
    """Return the line that a form writes, with an id before it or an origin behind it."""
    template = form.template(_PLAIN, before, behind)
    examples: dict[str, Sequence[str]] = {
        name: form.examples.get(name, ()) for name, _ in form.patterns
    }
    if behind:
        origins = [*whence_of(_PLAIN, over)]
        patterns = {**template.patterns, "origin": "|".join(origins)}
        template = Template(template.source, template.fields, patterns=patterns)
        examples["origin"] = tuple(origins)
    return Written(template, examples, form.fixed, owner, f"{before}{form.source}{behind}")


class Flaw(NamedTuple):
    """Why a line could not be read back."""

    why: str
    form: Form
    better: Form | None
    """The same line with what tells it apart; None where its author has to find it."""
    advice: str
    """What to write, where no better line is known."""


def check_forms(
    section: str,
    forms: Iterable[Form],
    model: type[HudModel] = HudModel,
    over: Over | None = None,
) -> None:
    """Refuse lines that could not be told apart when they are read.

    :param model: what they write: an item may stand behind its id, and before whence it comes.
    :param over: what stands behind an item that is over.

    :raises DefinitionError: with the line to write.
    """
    faults = Faults()
    for flaw in _flaws(section, [*dict.fromkeys(forms)], model, over):
        better = flaw.better and f"write {flaw.better.source!r} in place of {flaw.form.source!r}"
        faults.append(f"{flaw.why}; {better or flaw.advice}")
    faults.check()


def told_apart(
    section: str, forms: Iterable[Form], model: type[HudModel], over: Over | None = None
) -> Mapping[Form, Form]:
    """Return the lines of one list, or of one value, each with the line that is written for it: the same, or
    where that could not be read back, the same with a mark. Then a warning says so.

    :raises DefinitionError: for lines that no mark tells apart.
    """
    found = {form: form for form in forms}
    for _ in found:  # each gets a mark once at most
        flaw = next(_flaws(section, [*dict.fromkeys(found.values())], model, over), None)
        if flaw is None:
            return found
        if flaw.better is None:
            break
        warn_of(flaw.why, flaw.form.source, flaw.better.source)
        better = flaw.better
        found = {old: better if new is flaw.form else new for old, new in found.items()}
    check_forms(section, found.values(), model, over)
    return found


def warn_of(why: str, source: str, better: str) -> None:
    """Warn that another line is written than the one that the author wrote."""
    warn(
        f"{why}; {better!r} is written in place of {source!r}: write that, or reads_back = False in the"
        " section"
    )


def _flaws(
    section: str, forms: Sequence[Form], model: type[HudModel], over: Over | None
) -> Iterator[Flaw]:
    """Yield what is wrong with lines: first with each alone, then with two of them."""
    before = ("", ID) if issubclass(model, PlainItem) else ("",)
    behind = ("", ORIGIN) if issubclass(model, PlainItem | HudValue) else ("",)
    lines: dict[Form, list[Written]] = {}
    for form in forms:
        flaw = _flaw_of(section, form)
        if flaw is not None:
            yield flaw
            continue
        lines[form] = [line_of(form, *each, over=over) for each in product(before, behind)]
    for (first, mine), (second, its) in combinations_with_replacement(lines.items(), 2):
        pairs = combinations(mine, 2) if first is second else product(mine, its)
        alike = ((*pair, text) for pair in pairs if (text := common(*pair)) is not None)
        for one, other, text in islice(alike, 1):
            why = f"{section}.lines: {shown(one.source)} and {shown(other.source)} could both write {shown(text)}"
            marks = ((second, other, one), (first, one, other))
            parted = (_parted(*each) for each in marks)
            form, better = next(filter(None, parted), (second, None))
            yield Flaw(why, form, better, "mark a hole in one of them, such as **{…}**")


def _parted(form: Form, changed: Written, left: Written) -> tuple[Form, Form] | None:
    """One of two lines, and the same with a mark around a hole, with which it differs from the other."""
    if not _AROUND.isdisjoint(changed.template.holes):
        return None  # its author did not write it so
    for better in _marked(form):
        if common(line_of(better, owner=changed.owner), left) is None:
            return form, better
    return None


def _marked(form: Form) -> Iterator[Form]:
    """A line with a mark around each of its holes in turn."""
    for hole, mark in product(_BARE.findall(form.source), ("**", "*")):
        better = replace(form, source=form.source.replace(hole, f"{mark}{hole}{mark}"))
        try:
            better.template(_PLAIN)
        except DefinitionError:
            continue
        yield better


_MARKED = re.compile(r"(\*\*|~~|\*|`)((?:(?!\1).)++)\1")
"""A marked part, perhaps with white space at the edges inside its marks."""

_AROUND = frozenset({"id", "origin"})
"""The holes that stand around a line, and in none."""

_BARE = re.compile(r"(?<![*~`{])\{\w+(?::[^{}]*)?\}(?![*~`}])")
"""A hole without a mark right around it."""


def _flaw_of(section: str, form: Form) -> Flaw | None:
    """What is wrong with a line alone."""
    found = _unread(form)
    if found is None:
        return None
    stripped = replace(form, source=_MARKED.sub(_tight, form.source.strip()))
    better = (each for each in (stripped, *_marked(stripped)) if _unread(each) is None)
    return Flaw(f"{section}.lines: {found[0]}", form, next(better, None), found[1])


def _tight(marked: re.Match[str]) -> str:
    return f"{marked[1]}{marked[2].strip(' ')}{marked[1]}"


def _unread(form: Form) -> tuple[str, str] | None:
    """Why a line could not be read back, and what to do; None where it could."""
    template = form.template(_PLAIN)
    for segment in template.segments:
        names = list(segment.pattern.groupindex)
        for values in _fillings(segment.parts, template, form.examples):
            text = "".join(
                literal + ("" if hole is None else values[template.fields[hole]])
                for literal, hole in segment.parts
            )
            match = segment.pattern.fullmatch(text)
            if match is None or match.groupdict() != {name: values[name] for name in names}:
                return (
                    f"{shown(form.source)} could not be read back from {shown(text)}",
                    "put a mark or other words between its holes",
                )
    texts = [form.examples[name][0] for name in template.fields]
    root = mdast.normalize(to_mdast(Paragraph()[template.fill(*texts)], _PLAIN))
    paragraph: Any = root.children[0] if root.children else None
    read = None if paragraph is None else template.read(paragraph.children)
    if read != dict(zip(template.fields, texts, strict=True)):
        return (
            f"{shown(form.source)} could not be read back: Markdown has no such line",
            "leave out white space at its edges and inside marks, and put words between marks",
        )
    return None


def _fillings(
    parts: Sequence[tuple[str, int | None]],
    template: Template,
    examples: Mapping[str, Sequence[str]],
) -> Iterator[dict[str, str]]:
    """What the holes of a segment may hold; any text tries to look like what stands beside it."""
    holes = [(literal, template.fields[hole]) for literal, hole in parts if hole is not None]
    literals = [literal for literal, _ in parts]
    choices: dict[str, list[str]] = {}
    for place, (_, name) in enumerate(holes):
        if name in template.patterns:
            choices[name] = [*examples[name]]
            continue
        before, behind = literals[place], "".join(literals[place + 1 : place + 2])
        texts = ["x"]
        for each in examples.get(holes[place + 1][1], ()) if place + 1 < len(holes) else ():
            texts += [f"x{behind}{each}", f"{each}{behind}x", f"x{each}", each]
        for each in examples.get(holes[place - 1][1], ()) if place else ():
            texts += [f"{each}{before}x", f"x{before}{each}", f"{each}x", each]
        choices[name] = [text.strip() for text in texts]
    names = [name for _, name in holes]
    for values in islice(product(*(choices[name] for name in names)), MOST):
        yield dict(zip(names, values, strict=True))


def common(one: Written, other: Written) -> str | None:
    """Return a text that both lines could write and that says different things, if there is one."""
    if [each.mark for each in one.template.segments] != [
        each.mark for each in other.template.segments
    ]:
        return None
    texts: list[str] = []
    for mine, its in zip(one.template.segments, other.template.segments, strict=True):
        both = (
            text
            for text in _texts((mine, one), (its, other))
            if mine.pattern.fullmatch(text) and its.pattern.fullmatch(text)
        )
        text = next(both, None)
        if text is None:
            return None
        texts.append(text)
    if one.owner == other.owner and one.told(texts) == other.told(texts):
        names, others = _holes(one), _holes(other)
        if [each for each in names if each in others] == [each for each in others if each in names]:
            return None  # else the same texts stand for each other's fields
    marks = [segment.mark for segment in one.template.segments]
    return "".join(f"{mark}{text}{mark}" for mark, text in zip(marks, texts, strict=True))


def _holes(line: Written) -> list[str]:
    """The holes of a line, in their order."""
    return [name for segment in line.template.segments for name in segment.pattern.groupindex]


def _texts(*segments: tuple[Any, Written]) -> Iterator[str]:
    """Texts that one of two segments writes, with the ends of each of them."""
    before: list[str] = []
    behind: list[str] = []
    for segment, line in segments:
        ends = _ends(segment, line)
        if ends is None:
            yield from _written(segment.parts, line)
        else:
            before += ends[0]
            behind += ends[1]
    for first, last in islice(product(before, behind), MOST):
        yield f"{first}x{last}"


def _ends(segment: Any, line: Written) -> tuple[list[str], list[str]] | None:
    """What stands before and behind the hole for any text; None where there is none."""
    for place, (literal, hole) in enumerate(segment.parts):
        if hole is not None and line.template.fields[hole] not in line.template.patterns:
            before = (*segment.parts[:place], (literal, None))
            return [*_written(before, line)], [*_written(segment.parts[place + 1 :], line)]
    return None


def _written(parts: Sequence[tuple[str, int | None]], line: Written) -> Iterator[str]:
    """What parts without a hole for any text write."""
    texts: list[Sequence[str]] = []
    for literal, hole in parts:
        texts.append((literal,))
        if hole is not None:
            texts.append(line.examples[line.template.fields[hole]])
    for each in islice(product(*texts), MOST):
        yield "".join(each)
