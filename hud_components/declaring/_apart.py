"""Whether lines can be told apart: what one of them writes is read back by it, and by no other.

A segment of a template (``ujsx.Template``) has at most one hole for any text; the others hold what a
pattern reads, such as a number. So two segments can write the same text if the ends of the one fit
those of the other, and a few examples for each hole show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement, islice, product
from typing import Any, NamedTuple

from hud_components._models import HudModel, HudValue, PlainItem
from hud_components.declaring._faults import Faults
from hud_components.declaring._form import ID, ORIGIN, Form, whence_of, without_formats
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
        """What the line says whose segments have these texts."""
        read = dict(self.fixed)
        for segment, text in zip(self.template.segments, texts, strict=True):
            match = segment.pattern.fullmatch(text)
            read.update(match.groupdict() if match else {})
        return read


def line_of(form: Form, before: str = "", behind: str = "", owner: str = "") -> Written:
    """Return the line that a form writes, with an id before it or an origin behind it."""
    template = form.template(_PLAIN, before, behind)
    examples: dict[str, Sequence[str]] = {
        name: form.examples.get(name, ()) for name, _ in form.patterns
    }
    if behind:
        origins = [*whence_of(_PLAIN)]
        patterns = {**template.patterns, "origin": "|".join(origins)}
        template = Template(template.source, template.fields, patterns=patterns)
        examples["origin"] = tuple(origins)
    return Written(template, examples, form.fixed, owner, f"{before}{form.source}{behind}")


def check_forms(section: str, forms: Iterable[Form], model: type[HudModel] = HudModel) -> None:
    """Refuse the lines of one list, or of one value, that could not be told apart when read.

    :param model: what they write: an item may stand behind its id, and before whence it comes.

    :raises DefinitionError: with each two lines that could write the same.
    """
    before = ("", ID) if issubclass(model, PlainItem) else ("",)
    behind = ("", ORIGIN) if issubclass(model, PlainItem | HudValue) else ("",)
    around = [*product(before, behind)]
    faults = Faults()
    lines: dict[Form, list[Written]] = {}
    for form in dict.fromkeys(forms):
        with faults:
            _check_alone(section, form)
            lines[form] = [line_of(form, *each) for each in around]
    for mine, its in combinations_with_replacement(lines.values(), 2):
        pairs = combinations(mine, 2) if mine is its else product(mine, its)
        alike = ((*pair, text) for pair in pairs if (text := common(*pair)) is not None)
        for one, other, text in islice(alike, 1):
            faults.append(
                f"{section}.lines: {shown(one.source)} and {shown(other.source)} "
                f"could both write {shown(text)}; {_told_apart(one, other)}"
            )
    faults.check()


def _told_apart(one: Written, other: Written) -> str:
    """What to write in place of one of two lines: a mark around a hole, with which they differ."""
    for changed, left in ((other, one), (one, other)):
        if not _AROUND.isdisjoint(changed.template.holes):
            continue  # its author did not write it so
        for hole, mark in product(_BARE.findall(changed.source), ("**", "*")):
            marked = changed.source.replace(hole, f"{mark}{hole}{mark}")
            line, patterns = changed.template, changed.template.patterns
            try:
                template = Template(without_formats(marked), line.fields, patterns=patterns)
            except DefinitionError:
                continue
            if common(changed._replace(template=template), left) is None:
                return f"write {marked!r} in place of {changed.source!r}"
    return "mark a hole in one of them, such as **{…}**"


_AROUND = frozenset({"id", "origin"})
"""The holes that stand around a line, and in none."""

_BARE = re.compile(r"(?<![*~`{])\{\w+(?::[^{}]*)?\}(?![*~`}])")
"""A hole without a mark right around it."""


def _check_alone(section: str, form: Form) -> None:
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
                raise DefinitionError(
                    f"{section}.lines: {shown(form.source)} could not be read back from "
                    f"{shown(text)}; put a mark or other words between its holes"
                )
    texts = [form.examples[name][0] for name in template.fields]
    root = mdast.normalize(to_mdast(Paragraph()[template.fill(*texts)], _PLAIN))
    paragraph: Any = root.children[0] if root.children else None
    read = None if paragraph is None else template.read(paragraph.children)
    if read != dict(zip(template.fields, texts, strict=True)):
        raise DefinitionError(
            f"{section}.lines: {shown(form.source)} could not be read back: Markdown has no such "
            "line; leave out white space at its edges and inside marks, and put words between marks"
        )


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
