"""Omissions: a rendering names what it leaves out."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import cast

from ujsx import Child, Density, RenderContext, Rendered
from ujsx.errors import shown
from ujsx.testing._budgets import names_given, section_names, unknown_names
from ujsx.testing._inert import (
    GivenItem,
    GivenText,
    collapsed,
    given_children,
    given_items,
    pieces_of,
    places,
    says,
    shown_parts,
    without,
)
from ujsx.testing._renders import EVERYTHING, Renderable, Renders, renders

# The check that a rendering names what it leaves out.

_FINER = 16
"""By how much budgets go down at least, from all that there is to the floor: a sixteenth each."""

_MOST = 8
"""How many texts a message names."""

_ADVICE = (
    "where a section leaves something out, it puts an Omitted(count=…) there, brief=True where a line "
    "says it already; what may be left out without a word: "
)


@dataclass(frozen=True, slots=True)
class _Hidden:
    """A text that everything shows, and a rendering neither shows nor names."""

    item: GivenItem
    text: GivenText
    sections: tuple[str, ...]
    """The sections that show it where everything is shown."""

    def __str__(self) -> str:
        of = f" of {shown(self.item.id)}" if self.item.id is not None else ""
        where = " and ".join(self.sections) or "between the sections, where nothing names it"
        return f"{self.text.field}{of}, in {where}: {shown(self.text.text)}"


def assert_nothing_hidden(
    what: Renderable | Rendered,
    *,
    state: object = None,
    now: int | None = None,
    context: RenderContext | None = None,
    but: Collection[str] = (),
) -> None:
    """Assert that whatever a rendering leaves out of its data is named in ``Rendered.omitted``.

    Everything is rendered once, each section on the top of its ladder. A text of the data that stands
    there must, at each density and within budgets from all of that down to the floor, still be in the
    text, or be covered by what its section has in the ledger ``omitted``. An entry covers the items
    whose ids it lists, and as many others as it counts beyond those. An item is an element of a
    collection in a prop, or a prop that is no collection; one of whose texts a part is gone is left
    out in part, and counts. Of a section that a budget hides as a whole, the ledger says so, and that
    covers it.

    Children are looked at once more: a component with a ``render`` that shows none of the texts that it
    was given as children, even where everything is shown, does not know that it has any.

    It sees the texts in props and in the models, data classes, mappings and collections that those
    hold, in children, and in what is bound to the context. It does not see numbers and dates; what
    even the top of a ladder does not show, such as what is beyond an author's ``limit``; what a
    component makes of texts before it shows them (upper case, half a sentence); data that a component
    has from elsewhere; nor components inside one that has a ladder. A text that also stands elsewhere in
    the rendering counts as shown, so short ones are often missed; give test data texts that are
    unlike each other. One that stands in full only as a part of another text that was given, as an id does in a
    title, is not shown by itself. Whether an entry's words or its call are right is not judged.

    :param what: a tree, a session, or what renders one, as for ``tier_snapshots``; or a ``Rendered``,
        which is looked at as it stands.
    :param state: what the sections of a layout show.
    :param now: what time it is, in milliseconds since the Unix epoch: for clocks, and what tells an age.
    :param context: what the components of a tree know beside that.
    :param but: what may be left out without a word: a field (``"Decision.details"``), or a section
        with all that it shows (``"Hints"``).
    :raises AssertionError: with the rendering, the fields, and the texts. And where nothing is shown at all,
        because nothing is bound of what the components look for.
    :raises DefinitionError: for a name in ``but`` that is no name, such as a text in place of a
        collection.

    >>> from ujsx import Component, Density, Disclosure, Rung
    >>> class Names(Component):
    ...     disclosure = Disclosure((Rung(Density.MINIMAL, 1), Rung(Density.FULL)))
    ...     names: tuple[str, ...]
    ...     def render(self, ctx, children):
    ...         return ", ".join(self.names[: ctx.limit])
    >>> assert_nothing_hidden(Names(names=("Ada", "Grace")))
    Traceback (most recent call last):
    AssertionError: at density minimal, a text is neither shown nor counted in Rendered.omitted:
      Names.names, in Names: 'Grace'
    where a section leaves something out, it puts an Omitted(count=…) there, brief=True where a line says it already; what may be left out without a word: but=("Names.names",)
    """
    names_given("but", but, "Decision.details")
    if isinstance(what, Rendered):
        _check_statements("", what, _Everything(what), but)
        return
    shows = renders(cast("Child", what), context=context, state=state, now=now)
    everything = shows(budget=EVERYTHING)
    shows.check_is_bound([everything])
    shows.check_clock([({"budget": EVERYTHING}, everything)])
    _check_children(everything, but)
    given = _Everything(everything)
    for name, rendered in _renderings(shows, everything):
        _check_statements(f"{name}, ", rendered, given, but)


def _check_children(everything: Rendered, but: Collection[str]) -> None:
    words = " ".join(part.words for part in shown_parts(everything))
    for given in given_children(pieces_of(everything)):
        texts = given.texts
        if given.place in but or texts[0].field in but:
            continue
        if not any(says(words, collapsed(each.text)) for each in texts):
            raise AssertionError(
                f"{given.place} shows none of its children, not even where everything is shown: "
                f"{shown(texts[0].text)}\nput them into what its render returns, or refuse them: "
                f'takes_children: ClassVar[bool] = False; what may be dropped: but=("{texts[0].field}",)'
            )


def _renderings(shows: Renders, everything: Rendered) -> Iterator[tuple[str, Rendered]]:
    for density in Density:
        yield f"at density {density}", shows(density=density)
    budget = everything.tokens
    while True:
        rendered = shows(budget=budget)
        yield f"within {budget} tokens", rendered
        if rendered.over_budget or not rendered.tokens or not budget:
            return
        budget = min(rendered.tokens - 1, budget - budget // _FINER)


def _check_statements(
    name: str, rendered: Rendered, everything: _Everything, but: Collection[str]
) -> None:
    hidden = list(_hidden(rendered, everything, but))
    if not hidden:
        return
    lines = [f"  {each}" for each in hidden[:_MOST]]
    if len(hidden) > _MOST:
        lines.append(f"  … {len(hidden) - _MOST} more")
    fields = [f'"{field}"' for field in dict.fromkeys(each.text.field for each in hidden)]
    named = ", ".join(fields) + ("," if len(fields) == 1 else "")
    count = "a text is" if len(hidden) == 1 else f"{len(hidden)} texts are"
    raise AssertionError(
        "\n".join(
            (
                f"{name}{count} neither shown nor counted in Rendered.omitted:",
                *lines,
                f"{_ADVICE}but=({named}){unknown_names('but', but, everything.names)}",
            )
        )
    )


class _Everything:
    """The texts given to a tree, and where they appear with each section on the top of its ladder."""

    def __init__(self, rendered: Rendered) -> None:
        self.items = [*given_items(pieces_of(rendered))]
        given = [text for item in chain.from_iterable(self.items) for text in item.texts]
        self.names = section_names(rendered) | {text.field for text in given}
        """The names that ``but`` may have: of sections, and of fields."""
        self._parts = shown_parts(rendered, opened=True)
        self._given = [*dict.fromkeys(collapsed(each.text) for each in given)]
        self._joined = "\n".join(self._given)  # of collapsed texts none has a line's end in it
        self._starts = [*accumulate((len(each) + 1 for each in self._given), initial=0)]
        self._places: dict[str, tuple[str | None, ...]] = {}

    def places(self, text: str) -> tuple[str | None, ...]:
        """Return the sections that show a text; where it is a part of another one that was given, that one is shown.

        So the title "Work on shop-1" does not show the session's id, which is "shop-1".
        """
        if text not in self._places:
            found = [part for part in self._parts if says(part.words, text)]
            around = {
                self._given[bisect(self._starts, place) - 1] for place in places(self._joined, text)
            }
            longer = sorted((each for each in around if each != text), key=len, reverse=True)
            self._places[text] = tuple(
                part.section for part in found if says(without(part.words, longer), text)
            )
        return self._places[text]


def _hidden(rendered: Rendered, everything: _Everything, but: Collection[str]) -> Iterator[_Hidden]:
    words = " ".join(part.words for part in shown_parts(rendered))
    for items in everything.items:
        ledger = _Ledger.of(rendered, items)
        left_out = [
            (item, gone) for item in items if (gone := [*_gone(item, words, everything, but)])
        ]
        # What is counted is first of all what is gone as a whole; sorting keeps the order otherwise.
        for item, gone in sorted(left_out, key=lambda pair: _is_there_in_part(pair[0], words)):
            sections = {name for each in gone for name in each.sections}
            if not ledger.covers(item, sections):
                yield from gone


def _gone(
    item: GivenItem, words: str, everything: _Everything, but: Collection[str]
) -> Iterator[_Hidden]:
    """The texts of an item that stand where everything is shown, and not in these words."""
    for each in dict.fromkeys(item.texts):
        text = collapsed(each.text)
        if each.field in but or says(words, text):
            continue
        stands = everything.places(text)
        sections = tuple(dict.fromkeys(name for name in stands if name is not None))
        if stands and not any(_kind(name) in but or name in but for name in sections):
            yield _Hidden(item, each, sections)


def _is_there_in_part(item: GivenItem, words: str) -> bool:
    return any(says(words, collapsed(each.text)) for each in item.texts)


def _kind(section: str) -> str:
    """The class of a section, without the key that its name may have."""
    return section.partition("[")[0]


class _Ledger:
    """The omissions that a rendering declares, as the items of one component use them up."""

    def __init__(self, whole: set[str], ids: set[str], room: Counter[str]) -> None:
        self._whole = whole
        self._ids = ids
        self._room = room

    @classmethod
    def of(cls, rendered: Rendered, items: Iterable[GivenItem]) -> _Ledger:
        """Return the ledger of a rendering, for the items of one component."""
        known = {item.id for item in items}
        unshown = {each.name for each in rendered.sections if each.rung is None}
        room: Counter[str] = Counter()
        for entry in rendered.omitted:
            room[entry.section] += entry.count - len(known.intersection(entry.ids))
        return cls(
            {entry.section for entry in rendered.omitted} & unshown,
            {each for entry in rendered.omitted for each in entry.ids},
            room,
        )

    def covers(self, item: GivenItem, sections: Iterable[str]) -> bool:
        """Tell whether an item that is left out of these sections is named; one more of those counted is."""
        names = sorted(sections)
        if item.id in self._ids or not self._whole.isdisjoint(names):
            return True
        counted = next((name for name in names if self._room[name] > 0), None)
        if counted is None:
            return False
        self._room[counted] -= 1
        return True
