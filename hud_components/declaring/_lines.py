"""The lines of a declaration, and the proof that they are distinguishable."""

from __future__ import annotations

import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from inspect import formatannotation
from itertools import chain, combinations, combinations_with_replacement, islice, pairwise, product
from operator import attrgetter, itemgetter
from types import FrameType, MappingProxyType
from typing import Any, NamedTuple, TypeAlias, get_args, get_origin

from pydantic import AwareDatetime, BaseModel
from pydantic.fields import FieldInfo

from hud_components._models import SOURCE, HudModel, HudValue, PlainItem
from hud_components.declaring._form import (
    AROUND,
    ID,
    ORIGIN,
    UNIT_SIGNS,
    Form,
    LinePiece,
    Over,
    begins_with_words,
    holes_in,
    pieces_of,
    read_item,
    whence_of,
)
from hud_components.declaring._values import (
    TEXT,
    UNSET,
    Faults,
    FormatError,
    Partial,
    ValueLook,
    choices_of,
    formatted,
    is_set,
    look_of,
    may_be_unset,
    no_field,
    nothing_of,
)
from hud_components.words._texts import with_plural
from ujsx import DefinitionError, Density, DensityError, RenderContext, Template, mdast, to_mdast
from ujsx.components import fields_of, first_text, members_of
from ujsx.elements import Paragraph
from ujsx.errors import UnboundWarning, did_you_mean, quoted, shown

# Warnings about layouts that work, but probably not as intended.


class LayoutWarning(UserWarning):
    """A layout that works, but probably not as intended.

    Like any warning it is shown once per place, and ``warnings.filterwarnings`` silences it or makes it an error. The
    place is the author's line that attached the sections, or requested the rendering.
    """


class SectionWarning(LayoutWarning, UnboundWarning):
    """A section of a layout that is not in the domain of the bound state."""


def warn(complaint: str, category: type[LayoutWarning] = LayoutWarning) -> None:
    """Warn about a layout, at the author's line."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - only for mistakes
    level = 2
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(complaint, category, stacklevel=2 if frame is None else level)


_OURS = frozenset({"ujsx", "hud_components", "hud_runtime", "pydantic", "abc", "types"})
"""The packages without authors' lines; Pydantic creates the classes of sections, and ``types`` those of items alone."""


# The check that lines are distinguishable: each line's text is read back by that line, and no other.
#
# A segment of a template (``ujsx.Template``) has at most one hole for any text; the others have a pattern, such as a
# number's. So two segments can write the same text if their ends fit each other, and a few examples for each hole show
# it.

MOST = 500
"""The most examples that are tried."""

_PLAIN = RenderContext()


class WrittenLine(NamedTuple):
    """A line as it may appear in a HUD."""

    template: Template
    examples: Mapping[str, Sequence[str]]
    """Example texts by hole; a hole without any accepts any text."""
    form: Form
    owner: str = ""
    """Its owner, for messages."""
    source: str = ""
    """The line as its author wrote it."""
    around: tuple[str, str] = ("", "")
    """The text before and behind the form's own."""

    def told(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return the text of the line with these texts in its segments."""
        read = dict(self.form.fixed)
        for segment, text in zip(self.template.segments, texts, strict=True):
            match = segment.pattern.fullmatch(text)
            read.update(match.groupdict() if match else {})
        return read


def line_of(
    form: Form, before: str = "", behind: str = "", owner: str = "", over: Over | None = None
) -> WrittenLine:
    """Return the line of a form, with an id before it or an origin after it."""
    template = form.template(_PLAIN, before, behind)
    examples: dict[str, Sequence[str]] = {
        name: form.examples.get(name, ()) for name, _ in form.patterns
    }
    if behind:
        origins = [*whence_of(_PLAIN, over)]
        patterns = {**template.patterns, "origin": "|".join(origins)}
        template = Template(template.source, template.fields, patterns=patterns)
        examples["origin"] = tuple(origins)
    source = f"{before}{form.source}{behind}"
    return WrittenLine(template, examples, form, owner, source, (before, behind))


class Flaw(NamedTuple):
    """The reason that a line cannot be read back."""

    why: str
    form: Form
    better: Form | None
    """The same line with a distinguishing mark; None if its author has to find one."""
    advice: str
    """The remedy, if no better line is known."""
    is_rare: bool = False
    """Whether it depends on an item's values."""


def check_forms(
    section: str,
    forms: Iterable[Form],
    model: type[HudModel] = HudModel,
    over: Over | None = None,
) -> None:
    """Refuse lines that are indistinguishable when read back.

    :param model: the model of their data: an item may have its id before it, and its origin after it.
    :param over: the suffix of an item that is over.

    :raises DefinitionError: with the line to write.
    """
    faults = Faults()
    for flaw in _flaws(section, [*dict.fromkeys(forms)], model, over):
        better = flaw.better and f"write {flaw.better.source!r} in place of {flaw.form.source!r}"
        faults.append(f"{flaw.why}; {better or flaw.advice}")
    faults.check()


def told_apart(
    section: str,
    forms: Iterable[Form],
    model: type[HudModel],
    over: Over | None = None,
    label: str = "",
) -> Mapping[Form, tuple[Form, ...]]:
    """Return the lines of one list, or of one value, each with its written forms: the same, or with a mark if it could
    not be read back; or both, if that depends on the values of an item.

    :param label: the title before lines that may be so.
    :raises DefinitionError: for lines that no mark can distinguish.
    """
    begin = label and f"**{label}:** "
    found = {form: _choices(form, begin) for form in forms}
    for _ in range(3 * len(found)):  # each gets at most one mark, for some items or for all
        written = [*chain.from_iterable(found.values())]
        flaw = next(chain(_unusual(written), _flaws(section, written, model, over)), None)
        if flaw is None:
            return found
        found = {form: _mended(each, flaw, begin) for form, each in found.items()}
    check_forms(section, chain.from_iterable(found.values()), model, over)
    return found


def _choices(form: Form, begin: str) -> tuple[Form, ...]:
    """Return a form as it is written: with marks for some items, if it has a second line for that.

    :param begin: the beginning of lines that may be so; others have these marks for all items.
    """
    if not form.marked:
        return (form,)
    if not form.source.startswith(begin):
        return (_with_marks(form),)
    return form, replace(form, source=form.marked, given="", marked="")


def _with_marks(form: Form) -> Form:
    """Return a form with the marks for all items that it has for some."""
    return form.instead(form.marked, form.why) if form.marked else form


def _mended(forms: tuple[Form, ...], flaw: Flaw, begin: str) -> tuple[Form, ...]:
    """Return the written forms of one line without a flaw; the same if it is another's, or has no remedy."""
    first, better = forms[0], flaw.better
    if flaw.form is forms[-1] and better is not None:
        why = first.why or flaw.why
        if flaw.is_rare or first.marked:
            return _choices(replace(first, marked=better.source, why=why), begin)
        return (first.instead(better.source, why),)
    return (_with_marks(first),) if flaw.form is first else forms


def _unusual(forms: Sequence[Form]) -> Iterator[Flaw]:
    """Yield the lines with marks for some items that usual items need, too."""
    for form in filter(attrgetter("marked"), forms):
        template = form.template(_PLAIN)
        texts = [_usual_text(form, name, n) for n, name in enumerate(form.fields)]
        read = read_item(forms, _PLAIN, template.nodes(*texts), AROUND[:1])
        if not form.means(read, form.told((template, *texts))):
            yield Flaw(form.why, form, None, "")


def _usual_text(form: Form, name: str, number: int) -> str:
    """Return a text as usual items have it in a hole: another one in each for any text."""
    if name in dict(form.patterns):
        return form.examples[name][0]
    look, words = form.looks.get(name, TEXT), f"x{number} y"
    return look.write((words, words) if look.kind is tuple else words)


def warn_of(forms: Iterable[Form]) -> None:
    """Warn about the lines that replace the author's, all in one message."""
    told = {form.given: form for form in forms if form.given}
    if told:
        whys = "; ".join(dict.fromkeys(form.why for form in told.values()))
        lines = " and ".join(
            f"{form.source!r} is written in place of {given!r}" for given, form in told.items()
        )
        write = "write that" if len(told) == 1 else "write those"
        warn(f"{whys}; {lines}: {write}, or reads_back = False in the section")


def _flaws(
    section: str, forms: Sequence[Form], model: type[HudModel], over: Over | None
) -> Iterator[Flaw]:
    """Yield the flaws of lines: of each alone, then of pairs."""
    before = ("", ID) if issubclass(model, PlainItem) else ("",)
    behind = ("", ORIGIN) if issubclass(model, PlainItem | HudValue) else ("",)
    around = [each for each in AROUND if each[0] in before and each[1] in behind]
    lines: list[list[WrittenLine]] = []
    for form in forms:
        flaw = _flaw_of(section, form)
        if flaw is not None:
            yield flaw
            continue
        lines.append([line_of(form, *each, over=over) for each in around])
    for mine, its in combinations_with_replacement(lines, 2):
        pairs = combinations(mine, 2) if mine is its else product(mine, its)
        for pair in pairs:
            earlier, later = sorted(pair, key=lambda line: AROUND.index(line.around))
            text = None if later.form.marked else common(earlier, later)
            if text is not None:
                both = f"{shown(earlier.source)} and {shown(later.source)}"
                why = f"{section}.lines: {both} could both write {shown(text)}"
                yield _flaw_of_two(why, earlier, later, [*chain.from_iterable(lines)])
                break


def _flaw_of_two(
    why: str, earlier: WrittenLine, later: WrittenLine, every: Sequence[WrittenLine]
) -> Flaw:
    """Return the flaw of two lines with a common text, which is read as the earlier one."""
    advice = "mark a hole in one of them, such as **{…}**"
    ways = [*_parted(later, earlier, every)]
    if earlier.form.marked:
        ways.append((False, earlier.form, None))
    ways += _parted(earlier, later, every)
    _, form, better = max(ways, key=itemgetter(0), default=(False, later.form, None))
    return Flaw(why, form, better, advice, is_rare=better is not None and form is later.form)


def _parted(
    changed: WrittenLine, left: WrittenLine, every: Sequence[WrittenLine]
) -> Iterator[tuple[bool, Form, Form | None]]:
    """Yield one of two lines with a mark around a hole that distinguishes it from the other, and whether that does so
    from all lines.
    """
    is_other = _told_otherwise(changed.form, left.form) is not None
    for better in _marked_forms(changed.form, every=is_other):
        line = line_of(better, *changed.around, owner=changed.owner)
        if common(line, left) is None:
            is_clear = all(common(line, other) is None for other in every)
            yield is_clear, changed.form, better


def _marked_forms(form: Form, *, every: bool = False) -> Iterator[Form]:
    """Yield a line with a mark around each of its holes in turn: of those without one, or then in place of another."""
    holes = re.findall(_hole(r"\w+"), form.source)
    holes += re.findall(_MARKED_HOLE, form.source) if every else ()
    for hole, mark in product(holes, ("**", "*")):
        better = form.source.replace(hole, f"{mark}{hole.strip('*~`')}{mark}")
        if better != form.source and _is_template(form, better):
            yield replace(form, source=better)


_MARKED_HOLE = r"[*~`]+\{\w+(?::[^{}]*)?\}[*~`]+"
"""The pattern of a hole with its mark."""

_MARKED = re.compile(r"(\*\*|~~|\*|`)((?:(?!\1).)++)\1")
"""A marked part, perhaps with white space at the edges inside its marks."""


def _flaw_of(section: str, form: Form) -> Flaw | None:
    """Return the flaw of a line alone."""
    found = _unread(form)
    if found is None:
        return None
    stripped = replace(form, source=_MARKED.sub(_tight, form.source.strip()))
    better = (each for each in (stripped, *_marked_forms(stripped)) if _unread(each) is None)
    is_rare = _unread(replace(form, marked=form.source)) is None
    return Flaw(f"{section}.lines: {found[0]}", form, next(better, None), found[1], is_rare)


def _tight(marked: re.Match[str]) -> str:
    return f"{marked[1]}{marked[2].strip(' ')}{marked[1]}"


def _unread(form: Form) -> tuple[str, str] | None:
    """Return the reason that a line cannot be read back, and the remedy; None if it can, with marks for some items."""
    template = form.template(_PLAIN)
    for segment in () if form.marked else template.segments:
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
    """Yield possible texts of a segment's holes; a hole for any text imitates its neighbors."""
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


def common(one: WrittenLine, other: WrittenLine) -> str | None:
    """Return a text that both lines could write with different meanings, if there is one."""
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
            return _told_otherwise(one.form, other.form)  # else each means the other's fields
    marks = [segment.mark for segment in one.template.segments]
    return "".join(f"{mark}{text}{mark}" for mark, text in zip(marks, texts, strict=True))


def _told_otherwise(one: Form, other: Form) -> str | None:
    """Return a text that is another value in a hole of each of two forms, by its formats, if there is one."""
    for name in filter(one.looks.get, other.looks):
        looks = one.looks[name], other.looks[name]
        for text in (_usual_text(form, name, 0) for form in (one, other)):
            is_common = all(re.fullmatch(look.pattern or ".+", text) for look in looks)
            if is_common and looks[0].value(text) != looks[1].value(text):
                return text
    return None


def _holes(line: WrittenLine) -> list[str]:
    """Return the holes of a line in order."""
    return [name for segment in line.template.segments for name in segment.pattern.groupindex]


def _texts(*segments: tuple[Any, WrittenLine]) -> Iterator[str]:
    """Yield texts that one of two segments writes, with the ends of each."""
    before: list[str] = []
    between: list[list[str]] = []
    behind: list[str] = []
    for segment, line in segments:
        ends = _ends(segment, line)
        if ends is None:
            yield from _written(segment.parts, line)
        else:
            before += ends[0]
            between.append(ends[1])
            behind += ends[2]
    for *first, last in islice(product(before, *between, behind), MOST):
        yield f"{''.join(first)}x{last}"


def _ends(segment: Any, line: WrittenLine) -> list[list[str]] | None:
    """Return the texts before the first hole for any text, from there to the last one, and after it, or None without
    one.
    """
    parts, fields = segment.parts, line.template.fields
    holes = [hole is not None and fields[hole] not in line.examples for _, hole in parts]
    if True not in holes:
        return None
    first, last = holes.index(True), len(holes) - 1 - holes[::-1].index(True)
    before, behind = (*parts[:first], (parts[first][0], None)), parts[last + 1 :]
    between = (("", parts[first][1]), *parts[first + 1 : last], (parts[last][0], None))
    written = (before, between if first < last else (), behind)
    return [[*_written(each, line)] for each in written]


def _written(parts: Sequence[tuple[str, int | None]], line: WrittenLine) -> Iterator[str]:
    """Return the text of parts without a hole for any text."""
    texts: list[Sequence[str]] = []
    for literal, hole in parts:
        texts.append((literal,))
        if hole is not None:
            texts.append(line.examples.get(line.template.fields[hole], ("x",)))
    for each in islice(product(*texts), MOST):
        yield "".join(each)


class Wording(NamedTuple):
    """A line for items with these values: ``Wording("~~{what}~~", {"done": True})``."""

    template: str
    when: Mapping[str, Any] = MappingProxyType({})


LinesOf: TypeAlias = "str | Wording | Sequence[str | Wording]"
"""The line of a density, or several, of which the first with all fields set is written."""

Lines: TypeAlias = "Mapping[Any, LinesOf] | LinesOf"
"""Lines by density, or only those in full."""


def lines_by_density(lines: Any) -> Mapping[Any, Any]:
    """Return lines by density, from those or the full ones alone."""
    return lines if hasattr(lines, "items") else {"full": lines}


def usual_lines(section: str, model: type[BaseModel], fields: Iterable[str]) -> dict[str, str]:
    """Return the default lines of a section: all fields of an item, after the first required text.

    :param section: the class's name, for messages.
    :param fields: the fields for authors.
    :raises DefinitionError: for a field that no line can represent.

    >>> class Dish(PlainItem):
    ...     name: str
    ...     table: int
    ...     wish: str = ""
    >>> usual_lines("Dishes", Dish, ("name", "table", "wish"))
    {'full': '**{name}** · table: {table} · wish: *{wish}*'}
    """
    looks = {name: look_of(fields_of(model)[name].annotation) for name in fields}
    known = {name: look for name, look in looks.items() if look is not None}
    first = first_text(model)
    parts: list[str] = []
    for name in sorted(known, key=lambda name: name != first):
        hole = f"{{{name}}}" if known[name].pattern else f"*{{{name}}}*"
        named = f"{name.replace('_', ' ')}: {hole}"
        parts.append(f"**{{{name}}}**" if name == first else named)
    lines = {"full": f"{{{next(iter(known), '…')}}}" if len(looks) == 1 else " · ".join(parts)}
    if strange := [name for name in looks if name not in known]:
        field = (
            f"{model.__name__}.{strange[0]}, which has a type that cannot be read back from text"
        )
        raise DefinitionError(
            f"{section} has no lines, and none can show {field}; write lines = {lines}, without it"
        )
    return lines


class LineOwner(NamedTuple):
    """The class in whose body lines stand: a section, or the class of its items."""

    name: str
    model: type[BaseModel]
    """The model of the data in the lines."""

    reads_back: bool = True
    """Whether the lines are read back; otherwise a hole accepts any value, as text."""

    in_list: bool = False
    """Whether each line is an item of a list, which has a bullet already."""

    done: str | None = None
    """The field for whether an item is over, which is shown behind its line."""

    @property
    def fields(self) -> Mapping[str, FieldInfo]:
        """The fields of the model."""
        return fields_of(self.model)

    def refused(self, why: str) -> DefinitionError:
        return DefinitionError(f"{self.name}.lines: {why}")

    def place(self, form: Form) -> str:
        """Return the place of a line in the declaration, for a message."""
        _, density, *number = form.whole.split(".")
        return ", line ".join((f"{self.name}.lines, {density}", *number))

    def shown_fields(self) -> Iterator[str]:
        """Yield the fields that a hole can represent."""
        for name, info in self.fields.items():
            if name not in _STORES and look_of(info.annotation) is not None:
                yield name


def forms_of(owner: LineOwner, name: str, lines: Lines) -> dict[Density, tuple[Form, ...]]:
    """Return the forms of each density; one without lines uses those of the next fuller one.

    :param name: the section's name, under which a table of words may replace the lines.
    :raises DefinitionError: for an unknown density, a hole without a field, a field that no hole can represent, and an
        item that no line can write.
    """
    given, written = _by_density(owner, lines), dict[str, str]()
    faults = Faults()
    found: dict[Density, tuple[Form, ...]] = {}
    for density in reversed(Density):
        if density not in given:
            found[density] = list(found.values())[-1]
            continue
        forms: list[Form] = []
        for number, wording in enumerate(given[density], start=1):
            whole = f"{name}.{density}" if number == 1 else f"{name}.{density}.{number}"
            written[whole] = wording.template
            with faults:
                forms += _forms_of_line(owner, whole, wording)
        found[density] = tuple(forms)
        if not faults:
            with faults:
                found[density] = _completed(owner, density, forms)
    faults.check()
    _warn_of_losses(owner, found[Density.FULL], written)
    _warn_of_dashes(owner, found[Density.FULL], written)
    blank = {
        field: nothing_of(owner.fields[field].annotation)
        for forms in found.values()
        for form in forms
        for field in form.dashed
    }
    if not blank:
        return found
    known = {form: replace(form, blank=blank) for forms in found.values() for form in forms}
    return {density: tuple(known[form] for form in forms) for density, forms in found.items()}


_BULLET = re.compile(r"\A[-*•] (?:\[[ xX]\] )?(?=\S)")
"""Matches the bullet of a line, and its checkbox."""


def labelled(
    name: str, title: str, forms: Mapping[Density, tuple[Form, ...]]
) -> Mapping[Density, tuple[Form, ...]]:
    """Return a value's full lines, with dense ones that are labeled.

    :param name: the section's, under which a table of words may replace the lines.
    """
    full = forms[Density.FULL]
    begin = all(begins_with_words(form.source) for form in full)
    if not title or not _MARKS.isdisjoint(title) or begin:
        return forms
    label = title.replace("{", "{{").replace("}", "}}")
    dense = tuple(
        replace(
            form.labelled(label),
            text=form.text.replace(f"{name}.full", f"{name}.compact", 1),
            given="",
        )
        for form in full
    )
    return {Density.FULL: full, Density.COMPACT: dense, Density.MINIMAL: dense}


def _by_density(owner: LineOwner, lines: Lines) -> dict[Density, tuple[Wording, ...]]:
    by_density = lines_by_density(lines)
    try:
        given = {Density.of(key): _wordings(owner, value) for key, value in by_density.items()}
    except DensityError as error:
        flag = next((name for name in by_density if name in owner.fields), None)
        if flag is None:
            raise owner.refused(str(error)) from None
        full = by_density.get("full", "…")
        line = f'{{"full": (Wording({by_density[flag]!r}, {{{flag!r}: True}}), {full!r})}}'
        raise owner.refused(f"{error}; write lines = {line}") from None
    if not given.get(Density.FULL) or not all(given.values()):
        written = {Density.of(key): line for key, line in by_density.items() if line}
        first = {Density.FULL: f"{{{next(owner.shown_fields(), '…')}}}"}
        pairs = ((str(key), shown(line, width=200)) for key, line in {**first, **written}.items())
        said = ", ".join(f"{quoted(key)}: {line}" for key, line in pairs)
        raise owner.refused(f'the line for "full" is missing; write lines = {{{said}}}')
    return _without_bullets(owner, given) if owner.in_list else given


def _without_bullets(
    owner: LineOwner, given: Mapping[Density, tuple[Wording, ...]]
) -> dict[Density, tuple[Wording, ...]]:
    """Return lines of a list, without bullets of their own, about which it warns."""
    bare = {
        density: tuple(each._replace(template=_BULLET.sub("", each.template)) for each in several)
        for density, several in given.items()
    }
    other = [density for density in given if given[density] != bare[density]]
    if other:
        pairs = [
            pair for density in other for pair in zip(given[density], bare[density], strict=True)
        ]
        lines = dict.fromkeys(repr(line.template) for was, line in pairs if was != line)
        why = "each item is in a list, and has its bullet and its mark already"
        warn(f"{owner.name}.lines, {' and '.join(other)}: {why}; write {' and '.join(lines)}")
    return bare


def _wordings(owner: LineOwner, value: Any) -> tuple[Wording, ...]:
    given: Any = value
    is_one = isinstance(value, str | Wording) or not isinstance(value, Iterable)
    several: tuple[Any, ...] = (given,) if is_one else (*given,)
    for each in several:
        if not isinstance(each, str | Wording):
            line = 'write a text with holes, such as "{what}", or a Wording'
            raise owner.refused(f"{shown(each)} is not a line; {line}")
    return tuple(each if isinstance(each, Wording) else Wording(each) for each in several)


MOST_PARTS = 4
"""The most optional parts of a line: 16 lines, with and without each."""


def _forms_of_line(owner: LineOwner, whole: str, wording: Wording) -> list[Form]:
    """Return the forms of a line, one for each choice of its optional parts, those with more parts first."""
    template, when = wording
    pieces, parts = _optional_in(template, owner.fields)
    if _line_of(pieces, parts) != template:
        raise owner.refused(_wrong_part(owner, template))
    texts = product(*((each.text, "") if each in parts else (each.text,) for each in pieces))
    forms: list[Form] = []
    for number, each in enumerate(texts):
        place = f"{whole}?{number}" if number else whole
        forms.append(_form(owner, place, Wording("".join(each), when)))
    _warn_of_shares(owner, forms[0])
    return forms


def _optional_in(
    line: str, known: Mapping[str, FieldInfo]
) -> tuple[list[LinePiece], list[LinePiece]]:
    """Return the pieces of a line, and those of them that may be left out."""
    pieces = pieces_of(line)
    parts = [
        each
        for each in pieces
        if each.is_optional
        and any(name not in known or may_be_unset(known[name]) for name in each.holes)
    ]
    return pieces, parts[:MOST_PARTS]


def _line_of(pieces: Iterable[LinePiece], parts: Collection[LinePiece]) -> str:
    return "".join(f"{{?{each.text}?}}" if each in parts else each.text for each in pieces)


def _wrong_part(owner: LineOwner, template: str) -> str:
    """Return the fault of a line with an optional part that is never left out, with the line to write."""
    known = owner.fields

    def with_hole(match: re.Match[str]) -> str:
        blank, before, name, behind = match.groups()
        return f"{{?{blank}{before}{{{name}}}{behind}?}}" if name in known else match[0]

    pieces, parts = _optional_in(_PART_OF_A_WORD.sub(with_hole, template), known)
    better, given = _line_of(pieces, parts), shown(template, width=200)
    for piece in (each for each in pieces if each.is_optional):
        for name in piece.holes:
            if name not in known or choices_of(known[name].annotation) != (False, True):
                continue
            no = shown("".join(each.text for each in pieces if each is not piece), width=200)
            if name == owner.done:
                why = f"{name} is added by itself to what is over"
                return f"{why}; write {no} in place of {given}"
            yes = shown(better.replace(f"{{{name}}}", name), width=200)
            line = f"(Wording({yes}, {{{shown(name)}: True}}), {no}) in place of {given}"
            why = f"{name} is always set, to yes or no"
            return f"{why}; write {line}, from hud_components import Wording"
    where = "each between {? and ?}, not inside another, and with a hole that may be unset"
    rule = f"up to {MOST_PARTS} parts of a line are optional, {where}"
    return f"{shown(template)}: {rule}; write {shown(better, width=200)}"


_PART_OF_A_WORD = re.compile(r"( ?)\{\?([^\w{}]*)(\w+)([^\w{}]*)\?\}")
"""An optional part of one word, which may be a hole without its braces."""


def _form(owner: LineOwner, place: str, wording: Wording) -> Form:
    """The form of a line."""
    template, when = wording
    faults = Faults()
    looks: dict[str, ValueLook] = {}
    for hole, spec in _formats_of(owner, template).items():
        known = None if hole in _STORES else owner.fields.get(hole)
        # what stands for a refused hole, so that the rest of its line is checked
        looks[hole] = (known and look_of(known.annotation)) or ValueLook(ANYTHING)
        with faults:
            if hole in _STORES:
                line = f"leave it out of {shown(template)}"
                raise owner.refused(f"{{{hole}}} is added where it is asked for; {line}")
            looks[hole] = _look(owner, hole, spec)
    for field, value in when.items():
        faults.of(_check_when, owner, field, value)
    patterns = {hole: look.pattern for hole, look in looks.items() if look.pattern}
    if not owner.reads_back:
        patterns = {hole: look.pattern or ANYTHING for hole, look in looks.items()}
    form = Form(
        place,
        tuple(looks),
        when,
        template,
        tuple(patterns.items()),
        {hole: look.examples for hole, look in looks.items() if owner.reads_back},
        {hole: look for hole, look in looks.items() if look is not TEXT},
    )
    with faults:
        form = _decodable(owner, form, is_right=not faults)
    faults.check()
    return form


def _warn_of_losses(owner: LineOwner, forms: Sequence[Form], written: Mapping[str, str]) -> None:
    """Warn about a line that some items get although another one shows more of what they have.

    :param written: the lines as their author wrote them, by name.
    """
    known = owner.fields
    always = {name for name, info in known.items() if not may_be_unset(info)}
    for form in {each.whole: each for each in forms}.values():
        alike = [each for each in forms if each.fixed == form.fixed]
        own = {*form.fields}
        others = (each for each in reversed(alike) if each.whole != form.whole)
        more = [each.source for each in others if not own.isdisjoint(each.fields)]
        holes = {
            name: f"{{{name}:{spec}}}" if spec else f"{{{name}}}"
            for line in more
            for name, spec, _ in holes_in(form.text, line)
        }
        lost = [
            name
            for name in holes
            if name not in own
            and not known[name].is_required()
            and next(each for each in alike if {*each.fields} <= {*own, *always, name}) is form
        ]
        if lost:
            why = f"an item with {' or '.join(lost)} may have this line, which does not show it"
            better = written[form.whole] + "".join(f"{{? ({holes[name]})?}}" for name in lost)
            warn(f"{owner.place(form)}: {why}; write {shown(better, width=200)}")


def _warn_of_dashes(owner: LineOwner, forms: Sequence[Form], written: Mapping[str, str]) -> None:
    """Warn about a field that is unset by default and in every line, so that most items show a dash for it.

    :param written: the lines as their author wrote them, by name.
    """
    shared = set[str].intersection(*({*form.fields} for form in forms))
    for form in {each.whole: each for each in forms}.values():
        better = written[form.whole]
        for name in reversed(form.fields):
            info = owner.fields[name]
            has_default = not info.is_required() and info.default_factory is None
            if name in shared & form.dashed and has_default and not is_set(info.default):
                better = _with_optional(name, better)
        pieces = [each for each in pieces_of(better) if each.is_optional]
        is_other = better != written[form.whole] and len(pieces) <= MOST_PARTS
        if is_other and not form.given and not [*_unusual([form])]:  # another warning is first
            names = " or ".join(name for each in pieces for name in each.holes if name in shared)
            why = f'an item without {names} shows "{UNSET}" in this line'
            warn(f"{owner.place(form)}: {why}; write {shown(better, width=200)}")


_WORDS_BEHIND = r"(?: \w+)+(?=\s*(?:[^\w\s{*~`\"(\[]|\{\?|$))"
"""The words behind a hole, such as a unit, up to the end or a separator."""


def _with_optional(name: str, line: str) -> str:
    """Return a line with the hole and the words around it as an optional part; unchanged if a label is before the hole.

    >>> _with_optional("who", "**{what}** by *{who}*, {where}")
    '**{what}**{? by *{who}*?}, {where}'
    >>> _with_optional("who", "{what} · owner: {who}")
    '{what} · owner: {who}'
    """
    hole = rf"\{{{name}\b[^{{}}]*\}}"
    if re.search(rf"\w:[*~` ]*{hole}", line):
        return line
    bracketed = rf"[^{{}}()\[\]]*[(\[][^{{}}()\[\]]*{hole}[^{{}}()\[\]]*[)\]]"
    plain = (
        rf"[^{{}}()\[\]*~`\"]*(?P<mark>[*~`\"]*){hole}(?P=mark)[{UNIT_SIGNS}]?(?:{_WORDS_BEHIND})?"
    )
    first = re.sub(rf"^([^{{}}]*{hole}[^{{}}]*?)(?=[*~`\"(\[]*\{{\w)", r"{?\1?}", line)
    behind = rf"(?<=\}})(?P<end>[*~`)\]\"{UNIT_SIGNS}]*(?:{_WORDS_BEHIND})?)(?![*~`\w{{])(?P<part>{bracketed}|{plain})"
    return re.sub(behind, r"\g<end>{?\g<part>?}", first)


def _warn_of_shares(owner: LineOwner, form: Form) -> None:
    """Warn about a percent sign after a number from 0 to 1, which the line shows as it is, and about a whole number as a
    share.
    """
    place = owner.place(form)
    for said, name in _PERCENT.findall(form.source):
        starts, ends = _bounds(owner.fields[name])
        if 0 in starts and 1 in ends:
            why = f"{{{name}}} is from 0 to 1, so {said} shows 0.3% for 30%"
            warn(f"{place}: {why}; write {{{name}:.0%}}")
    for said, name in _SHARE.findall(form.source):
        known = owner.fields.get(name)
        kinds = set[Any]() if known is None else {*members_of(known.annotation)}
        if int in kinds:
            why = f"{{{name}}} is a whole number, so {said} shows 5000% for 50"
            warn(f"{place}: {why}; write {{{name}}}%, or make it a float")
        elif known and kinds & {float, Decimal} and "+" not in said and not any(_bounds(known)):
            why = f"{{{name}}} has no bounds, so {said} shows 4500% for 45"
            line = f"{name}: Annotated[{formatannotation(known.annotation)}, Field(ge=0, le=1)]"
            more = "or just ge=0 to allow more than 100%"
            warn(f"{owner.name}.lines: {why}; write {line}, {more}")


def _bounds(info: FieldInfo) -> tuple[set[Any], set[Any]]:
    """Return the least and the greatest values of a field, if declared."""
    parts = (info, *map(FieldInfo.from_annotation, get_args(info.annotation)))
    rules = [each for part in parts for each in part.metadata]
    starts = {getattr(each, "ge", getattr(each, "gt", None)) for each in rules}
    ends = {getattr(each, "le", getattr(each, "lt", None)) for each in rules}
    return starts - {None}, ends - {None}


_PERCENT = re.compile(r"(\{(\w+)(?::[^{}]*[^{}%])?\} ?%)")
"""A hole without a percent format, before a percent sign."""

_SHARE = re.compile(r"(\{(\w+):[^{}]*%\})")
"""A hole with a percent format."""


def _decodable(owner: LineOwner, form: Form, *, is_right: bool) -> Form:
    """Return a line whose holes are distinguishable: the same, or one with other marks.

    :param is_right: whether it has no other fault: otherwise it is refused anyway.
    :raises DefinitionError: for a line for which no mark suffices.
    """
    linkless = _LINK.sub(r"\1: *\2*", form.source)
    has_link = linkless != form.source and _is_template(form, linkless)
    try:
        form.template(RenderContext())
    except DefinitionError as error:
        found = ("", linkless) if has_link else next(_marked_names(form), None)
        if found is None:
            raise owner.refused(str(error)) from None
    else:
        if has_link:
            warn(f"{owner.place(form)}: a line has no links; write {linkless!r}")
        return form
    name, better = found
    if has_link:
        why = "a line has no links"
    else:
        why = _unclear(form, name) if name else "its marks are not in pairs, or nest"
    made = form.instead(better, f"{owner.place(form)}: {why}")
    typed = replace(form, marked=better, why=made.why)
    if name and _is_template(typed, form.source):
        return typed
    return made if is_right else replace(form, source=better)


_LINK = re.compile(r"!?\[([^\[\]]+)\]\(([^()\s]+)\)")
"""A link, or an image, with what it shows and where it leads."""


def _unclear(form: Form, marked: str) -> str:
    """Return the reason that two texts of a line are indistinguishable: the first two such.

    :param marked: the hole that gets a mark to distinguish it from the text before it.
    """
    texts = re.compile(_hole(r"(\w+)"))
    found = [each for each in texts.finditer(form.source) if each[1] not in dict(form.patterns)]
    for first, second in pairwise(found):
        part = form.source[first.start() : second.end()]
        names = tuple(name for name in form.fields if re.search(rf"\{{{name}\b", part))
        if not _is_template(replace(form, fields=names), part):
            return f"where {{{first[1]}}} ends is unclear, because {{{second[1]}}} follows it without a mark"
    return f"where {{{marked}}} starts is unclear, because it has no mark"


def _marked_names(form: Form) -> Iterator[tuple[str, str]]:
    """Yield lines with distinguishable holes: with marks around texts, or with other marks if the present ones are
    wrong; each with the first newly marked hole, if that is the only change.
    """
    texts = [name for name in form.fields if name not in dict(form.patterns)]
    for plain in (form.source, *(form.source.replace(mark, "") for mark in "*~`")):
        marked = plain
        for name in ("", *texts[1:]):
            marked = re.sub(_hole(name), r"*\g<0>*", marked) if name else marked
            if marked != form.source and _is_template(form, marked):
                yield name if plain == form.source else "", marked


def _hole(name: str) -> str:
    """Return the pattern of a hole without a mark."""
    return rf"(?<![*~`{{])\{{{name}(?::[^{{}}]*)?\}}(?![*~`}}])"


def _is_template(form: Form, source: str) -> bool:
    try:
        replace(form, source=source).template(RenderContext())
    except DefinitionError:
        return False
    return True


def _formats_of(owner: LineOwner, template: str) -> dict[str, str]:
    """Return the holes of a line in order, each with its format or an empty one."""
    specs: dict[str, str] = {}
    for name, spec, conversion in holes_in(f"{owner.name}.lines:", template):
        if conversion or name in specs:
            why = f"has !{conversion}" if conversion else "is in this line already"
            raise owner.refused(f"{shown(template)}: {{{name}}} {why}; write {{{name}}} once")
        specs[name] = spec
    if not specs:
        why = f"{shown(template)} shows nothing of {owner.model.__name__}"
        hole = f"{{{next(owner.shown_fields(), 'what')}}}"
        raise owner.refused(f"{why}; give it a hole, such as {hole}")
    return specs


def _look(owner: LineOwner, name: str, spec: str) -> ValueLook:
    """Return the look of a hole's values."""
    _check_field(owner, name, spec)
    annotation: Any = owner.fields[name].annotation
    look = look_of(annotation)
    if look is None and not owner.reads_back and not spec:
        return ValueLook()
    if look is None:
        why = f"{{{name}}} has a type that cannot be read back from text"
        line = f"{_shown_as(owner, name)}, or set reads_back = False in the section"
        raise owner.refused(f"{why}; {line}")
    try:
        made = formatted(look, spec) if spec else look
    except FormatError as error:
        advice = str(error).replace("{…", f"{{{name}")
        raise owner.refused(f"{{{name}:{spec}}}: {advice}") from None
    # no format shows the offset, so without it the text is a part of the time
    is_part = spec and AwareDatetime in members_of(annotation)
    return made._replace(read=Partial) if is_part else made


def _shown_as(owner: LineOwner, name: str) -> str:
    """Return the declaration to write for a field that no hole can represent."""
    info = owner.fields[name]
    inside = get_args(info.annotation)
    if isinstance(get_origin(info.annotation), type) and len(inside) == 1 and look_of(inside[0]):
        is_empty = info.get_default(call_default_factory=True) in (set(), [])
        kind = f"tuple[{formatannotation(inside[0])}, ...]{' = ()' if is_empty else ''}"
        return f"declare {owner.model.__name__}.{name} as {kind}"
    return "show a text, a number, a date, a choice or a tuple of texts"


def _check_field(owner: LineOwner, name: str, spec: str) -> None:
    if name in owner.fields:
        return
    if name in vars(owner.model):
        raise owner.refused(_computed(owner, name, spec))
    hint = _COUNTED if name in _COUNTS else did_you_mean(name, owner.shown_fields())
    raise owner.refused(f"no field of {owner.model.__name__} fills {{{name}}}; {hint}")


def _computed(owner: LineOwner, name: str, spec: str) -> str:
    """Return the fault of a hole for a property or a method of a model, with the method to write."""
    model, section = owner.model, owner.name
    first, call = next(owner.shown_fields(), "…"), "()" if callable(vars(model)[name]) else ""
    computed = f"{name}{call}:{spec}" if spec else f"{name}{call}"
    text = f'[f"{{each.{first}}}: {{each.{computed}}}"]'
    base, elements = "ItemsSection", "Item, List, Section"
    made = f"List()[[Item(){text} for each in self.given(ctx)]]"
    if issubclass(model, HudValue) and not issubclass(model, PlainItem):
        base, elements = "ValueSection", "Paragraph, Section"
        made = f"Paragraph(){text.replace('each.', 'self.given(ctx).')}"
    if section == model.__name__:  # the lines stand in its items' class
        section = with_plural(section).rpartition("|")[2]
    why = "is computed, and a line holds fields alone, which are read back"
    render = f'def render(self, ctx): return Section(title="{section}")[{made}]'
    place = f"in class {section}({base}[{model.__name__}]), in place of lines"
    line = f"reads_back = False and {render} {place}, from ujsx.elements import {elements}"
    return f"{{{name}}} {why}; write {line}"


_COUNTS = frozenset({"count", "total", "n", "len", "length"})
_COUNTED = "a list without a line for minimal is counted there; leave that line out"


def _check_when(owner: LineOwner, name: str, value: Any) -> Iterator[str]:
    if name not in owner.fields:
        yield no_field(f"{owner.name}.lines", owner.model, name)
        return
    choices = choices_of(owner.fields[name].annotation)
    if choices is not None and value not in choices:
        known = ", ".join(map(shown, choices))
        why = f"{owner.model.__name__}.{name} is never {shown(value)}"
        yield f"{owner.name}.lines: {why}; it is one of {known}"


def _completed(owner: LineOwner, density: Density, forms: Sequence[Form]) -> tuple[Form, ...]:
    """Return lines of which one fits every item: as a last resort, the last one shows a dash for unset values. Lines
    whose conditions exclude some item are refused.
    """
    names = sorted({name for form in forms for name in form.fixed})
    values: list[list[Any]] = []
    for name in names:
        choices = choices_of(owner.fields[name].annotation)
        told = [form.fixed[name] for form in forms if name in form.fixed]
        values.append([*told, _OTHER] if choices is None else [*choices])
    dashed: dict[int, set[str]] = defaultdict(set)
    for each in product(*values):
        case = dict(zip(names, each, strict=True))
        fitting = [
            number
            for number, form in enumerate(forms)
            if all(case[name] == is_ for name, is_ in form.fixed.items())
        ]
        if not fitting:
            known = [f"{name} {shown(is_)}" for name, is_ in case.items() if is_ is not _OTHER]
            item = ", ".join(known) or f"another {names[0]}"
            why = (
                f"no line fits an item with {item}; add a line without a condition as the last one"
            )
            raise DefinitionError(f"{owner.name}.lines, {density}: {why}")
        if all([*_unset(forms[number], case, owner.fields)] for number in fitting):
            last = forms[fitting[-1]]
            for number in fitting:
                if forms[number].whole == last.whole:
                    dashed[number] |= {*_unset(last, case, owner.fields)}
    return tuple(_dashed(form, dashed[number]) for number, form in enumerate(forms))


def _dashed(form: Form, fields: set[str]) -> Form:
    """Return the form that shows a dash for some unset fields."""
    patterns = {
        name: f"{pattern}|{UNSET}" if name in fields else pattern for name, pattern in form.patterns
    }
    examples = {
        name: (*texts, UNSET) if name in fields and name in patterns else texts
        for name, texts in form.examples.items()
    }
    return replace(
        form, patterns=tuple(patterns.items()), examples=examples, dashed=frozenset(fields)
    )


def _unset(form: Form, case: Mapping[str, Any], known: Mapping[str, FieldInfo]) -> Iterator[str]:
    """Yield the holes of a line that may be unset."""
    for name in form.fields:
        is_ = case.get(name, _OTHER)
        if may_be_unset(known[name]) if is_ is _OTHER else not is_set(is_):
            yield name


_STORES = frozenset({"id", "origin", *SOURCE})
"""The fields around a line, never inside."""

ANYTHING = ".+"
"""The pattern of a hole whose line is not read back."""

_MARKS = frozenset("*~`")

_OTHER: Any = object()
"""Any other value."""
