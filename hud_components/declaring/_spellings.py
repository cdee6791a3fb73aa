"""Synonyms of a domain's operations, events and arguments, as people and models write them.

In: an unknown name. Out: the only known name that it can mean, or a hint with the candidates. A section's own name for
a verb always comes first; the words below are other names of verbs.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, TypeAlias, cast, get_args

from pydantic import BaseModel, ValidationError

from hud_components._models import SOURCE
from hud_components.declaring._checks import field_choices, is_kept, setters, verbs_of
from hud_components.declaring._form import Form
from hud_components.declaring._section import HudSection
from hud_components.declaring._state import ABOUT_ONE
from hud_components.declaring._values import adapter_at
from hud_components.folding import Kind, Mark, Reopen, Reorder, Update, Verb, text_field
from hud_components.words._texts import with_plural
from ujsx import Density
from ujsx.calls import as_meant
from ujsx.components import fields_of, first_text, members_of
from ujsx.errors import UjsxError, listed, quoted

Meant: TypeAlias = tuple[str | None, str]
"""The intended name, if unambiguous, and otherwise the hint at the end of a message."""

_TABLES: Mapping[str, Mapping[str, str]] = json.loads(
    Path(__file__).parents[1].joinpath("data", "synonyms.json").read_text("utf-8")
)

WORDS = _TABLES["words"]
"""The synonyms of each verb: by its own name, which comes first, or else its class."""

MOST_RELATED = 2
"""The most operations related to a word without a section: of more, none is likely."""

ADDING = frozenset("add append create insert new push".split())  # noqa: SIM905
"""Words for adding: for a value whose plural is a list, they add to the list."""

DESTRUCTIVE = frozenset({"Remove", "Clear"})
"""The classes of verbs that remove something: no synonym and no hint leads to them."""

OVERVIEW = "snapshot"
"""The meaning of a word such as "show" without a section."""

RELATED = _TABLES["related"]
"""Words related to verbs: a hint names the verb if nothing else fits."""

FILLERS = "a an the to as in of for my is it and new item entry all many multiple bulk batch set mark current key down off"
"""Words that are ignored in a name beside others."""

TEXTS = (
    "text content description message summary title name value body what item thing details subject msg fact memory "
    "issue problem goal objective key"
)
"""Argument names for the main text of an item, or a value: its first required text."""

HEADINGS = "title name summary subject heading headline label topic key"
"""Names of a short text that may precede a longer one."""

ARGUMENTS = _TABLES["arguments"]
"""Other names of each argument, used if it is not passed."""

ITEMS = "items"
"""The argument with all items of a section."""

LISTS = "items list value values entries data records"
"""Generic names of a list of items."""

EVERY = ("all", "every", "everything")
"""Argument names for all items."""

STATUS = "status state"
"""Argument names for the status of an item."""

OVER = "done complete completed finished resolved closed checked fixed over solved answered handled settled"
"""Words for an item that is over, also as argument names."""

OPEN = "pending todo open unresolved incomplete notstarted notdone"
"""Words for an open item, without separators."""

CHOICES = "status state result outcome level priority severity kind type category stage phase grade rating"
"""Argument names whose value identifies the choice field."""

UNDERWAY = "inprogress wip doing started active planned"
"""Words for an open item if it is new: for a known one they mean more."""

AGAIN = "activeform"
"""Argument names of other todo lists that repeat the text of an item in other words."""

WHOLE = frozenset(
    "todowrite writetodos updateplan updatetodos updatetodolist settodolist managetodolist".split()  # noqa: SIM905
)
"""Names of other systems' tools that replace a whole list, without separators."""

VALUES: Mapping[str, str] = {
    "True": f"{OVER} x",
    "False": f"{OPEN} {UNDERWAY}",
    "reading": "read open opened view viewed viewing",
    "editing": "edit edited modify modified change changed write written writing wip inprogress dirty m",
    "referenced": "reference referencing mention mentioned",
    **dict.fromkeys(["pass"], "passed ok success succeeded green true"),
    "fail": "failed error broken red false",
}
"""The words of other systems for each value: statuses of steps, of files and of checks."""

FLAGS: Mapping[str, bool] = {"yes": True, "no": False}
"""The words of a yes or no."""

NEGATIONS = ("un", "in", "de", "dis")
"""Prefixes that turn a word into its opposite."""

CLOSE = 0.8
"""The least similarity of a misspelt word to the verb in a hint."""

CLOSE_DONE = 0.7
"""The least similarity of an author's verb to the field that it marks: "keep", "kept"."""

CLOSE_SECTION = 0.7
"""The least similarity to a section's name."""

MOST_MEANT = 4
"""The most names in a hint."""


def _folded(name: str) -> str:
    from ujsx.tools._names import folded  # only what is misspelt needs it

    return folded(name)


class SpelledName(NamedTuple):
    """An operation, or a type of event."""

    name: str
    section: type[HudSection] | None
    own: frozenset[str]
    """The words of the verb's own name."""
    words: frozenset[str]
    """All its synonyms."""
    related: frozenset[str]
    """The words for which a hint names it."""
    is_destructive: bool
    is_overview: bool = False
    """True if it shows everything."""
    is_whole: bool = False
    """True if it replaces all items of its section."""
    fields: frozenset[str] = frozenset()
    """The words of the fields that it changes."""
    marks: bool = False
    """True if it marks an item as over."""
    choices: tuple[tuple[str, str, bool], ...] = ()
    """The words for the choices of an update's fields, each with its argument, and whether it ends the item."""

    @classmethod
    def anew(cls, name: str, section: type[HudSection]) -> SpelledName:
        """Return the entry of an operation that replaces all items of a section."""
        words = frozenset({"set", *WORDS["Replace"].split()})
        own = frozenset({"set"})
        return cls(name, section, own, words, frozenset(), is_destructive=True, is_whole=True)

    @classmethod
    def of(
        cls, name: str, section: type[HudSection] | None = None, verb: Verb | None = None
    ) -> SpelledName:
        """Return the entry of a known name.

        :param verb: its verb; without one, it only reads, or belongs to no section.
        """
        last = name.rpartition(".")[2]
        own = {*_words(last), *(() if verb is None else _words(verb.name))}
        marks = isinstance(verb, Mark) or _marks(section, verb)
        done = _done_of(section) if marks else None
        kinds = () if verb is None else tuple(each.__name__ for each in type(verb).__mro__)
        known = _SENSES.get(last if verb is None else verb.name)
        sense = known or next((each for each in kinds if each in WORDS), "")
        if section is None:  # then the text before the verb distinguishes it
            own = {*own, *map(_stem, _words(name))}
        related, words = RELATED.get(sense, ""), WORDS.get(sense, "")
        if marks and not isinstance(verb, Mark):
            words = WORDS["Mark"]
        if marks and section is not None:
            words = _ends_of(section, words)
        if sense == "Clear" and section is not None and section.kind is None:
            related = _ends_of(section, WORDS["Mark"])  # a value that is over is cleared
        return cls(
            name,
            section,
            frozenset(own),
            frozenset({*own, *words.split(), *_words(done or "")}),
            frozenset(related.split()),
            sense in DESTRUCTIVE,
            sense == OVERVIEW,
            fields=frozenset(_words(" ".join(fields_of(section.draft))))
            if section is not None and isinstance(verb, Update)
            else frozenset(),
            marks=marks,
            choices=tuple(_choices(section, verb)),
        )


class Spellings:
    """The operations of a domain, or its event types, by their synonyms.

    >>> from hud_components import NotesSection
    >>> from hud_components.folding import VERBS
    >>> known = Spellings(SpelledName.of(f"notes.{verb}", NotesSection, VERBS[verb]) for verb in ("add", "remove"))
    >>> known.meant("note.record"), known.meant("createNote")
    (('notes.add', ''), ('notes.add', ''))
    >>> known.meant("notes.remark")
    (None, 'known: notes.add, notes.remove')
    """

    def __init__(
        self,
        entries: Iterable[SpelledName],
        kind_of: Callable[[type[HudSection]], Kind | None] = lambda section: section.kind,
        *,
        line: str = '{{"op": "{name}", "section": "{section}"}}',
    ) -> None:
        """``kind_of`` returns the id prefix of a section's items in a domain; ``line`` is a call about a whole section."""
        self._line = line
        self._entries = tuple(entries)
        self._subjects: dict[frozenset[str], list[type[HudSection]]] = {}
        self._other_tools: dict[str, str] = {}
        self._by_prefix: dict[str, type[HudSection]] = {}
        for section in dict.fromkeys(each.section for each in self._entries if each.section):
            for tool, verb in section.other_tools.items():
                self._other_tools[tool] = f"{section.name}.{verb}"
            if (kind := kind_of(section)) is not None and kind.prefix:
                self._by_prefix[kind.prefix] = section
            for form in {frozenset(map(_stem, _words(each))) for each in names_of(section)}:
                self._subjects.setdefault(form, []).append(section)

    def meant(self, name: str) -> Meant:
        """Return the meaning of an unknown name; the part before the verb may be an item's id.

        A resolved name has a hint, too, if it would replace a value, and a list has a similar name.
        """
        if (of_item := _OF_ITEM.fullmatch(name[:LONGEST])) is not None:
            section, verb_said = self._by_prefix.get(of_item["prefix"]), of_item["verb"]
            return (None, "") if section is None else self.meant(f"{section.name}.{verb_said}")
        if name in self._other_tools:
            return self.meant(self._other_tools[name])
        name = name[:LONGEST]
        sections, verb, is_sure = self._read(name)
        within = [each for each in self._entries if not sections or each.section in sections]
        whole = self._whole(name)
        if whole is not None:
            return whole.name, ""
        fillers = _FILLERS if sections else _FILLERS - {"set"}  # "status.set" is no reading
        said = [word for word in verb if word not in fillers] or verb
        fitting = [
            each for each in within if said and all(_fits(word, each.words) for word in said)
        ]
        if (
            not sections
        ):  # "show" alone shows all; "changes" is one word of one entry, and a form of others'
            exact = [each for each in fitting if {*said} <= each.words]
            overview = [each for each in exact if each.is_overview]
            fitting = overview or (exact if len(exact) == 1 else fitting)
        own = [each for each in fitting if each.own == frozenset(said)]
        sure = own or fitting if sections else fitting
        if "all" in verb and any(each.is_destructive for each in sure):
            sure = own = []
            fitting = [each for each in self._entries if not each.section and each.is_destructive]
        if len(sure) == 1 and is_sure and (sections or not sure[0].is_destructive):
            return sure[0].name, self._or_a_list(sure[0], said)
        if len(sections) == 1 and not fitting and (chosen := _chosen(within, said)):
            return None, chosen
        offered = safe = [each for each in within if not _is_opposite(each, verb)]
        if not any(_takes(word) for word in verb):
            over = [each for each in safe if any(_fits(word, each.related) for word in said)]
            safe = [each for each in safe if not each.is_destructive or each in over]
        likely = [*own, *fitting] or self._likely(safe, said, alone=not sections)
        is_removed = all(each.is_destructive for each in likely)
        is_marked = any(each.marks and not each.own & _MARKING for each in within)
        if not (own or fitting) and (
            (is_removed and is_marked)  # a mark of the author's own may mean it, too
            or (not sections and len(likely) > MOST_RELATED)
        ):
            likely = []
        # nonremoving ones come first, and those of all sections
        likely.sort(key=lambda each: (each.is_destructive, each.section is not None))
        head, _, tail = name.rpartition(".")
        its = [each.words | each.related for each in self._entries]
        is_verb = any(_fits(word, each) for word in _words(tail) for each in its)
        if head and is_verb and not (sections or self._is_sure(likely, own or fitting, head)):
            known = listed(sorted({each.section.name for each in self._entries if each.section}))
            return None, f"no section is called {quoted(head)}; known: {known}"
        names = [*dict.fromkeys(each.name for each in likely)][:MOST_MEANT]
        if not names and {*said} & _MARKING and not any(each.marks for each in within):
            offered = within  # what has no end is removed
        # beside a guess, only nonremoving ones are named
        others = safe if names else offered
        shown = [each for each in others if sections and not each.is_whole]
        known = listed([each.name for each in shown if each.name not in names])
        if known and not names and not {*said}.isdisjoint(WORDS["Reopen"].split()):
            ends = [each for each in sections if each.kind is not None and each.kind.end]
            if ends and not any(map(reopens, ends)):
                known = f"{known}; {OPENS_NONE}"
        if names:
            asked = f"did you mean {' or '.join(self._line_of(each, sections) for each in names)}"
            return None, f"{asked}, or {known}?" if known else f"{asked}?"
        return None, f"known: {known}" if known else ""

    @staticmethod
    def _is_sure(likely: list[SpelledName], fitting: list[SpelledName], head: str) -> bool:
        """Tell whether the likely entries are certain: one that fits, or those of a field that the name begins with."""
        is_field = any(each.fields & {*_words(head)} for each in likely)
        return is_field or (len(likely) == 1 and bool(fitting))

    def _line_of(self, name: str, sections: Sequence[type[HudSection]]) -> str:
        """Return an operation in quotes, or the whole call of one that is about the section."""
        if len(sections) != 1 or name not in ABOUT_ONE:
            return quoted(name)
        return self._line.format(name=name, section=sections[0].field)

    def _or_a_list(self, entry: SpelledName, said: Collection[str]) -> str:
        """Return the hint for adding to a value, which may mean its plural, a list."""
        section = entry.section
        if section is None or section.kind is not None or ADDING.isdisjoint(said):
            return ""
        many = f"{section.name}s"
        has_list = any(self._lists_called(many, [section]))
        return self.meant(f"{many}.{VERB_OF_ITEMS}")[1] if has_list else ""

    def _whole(self, name: str) -> SpelledName | None:
        """Return the entry for another system's tool for a whole list."""
        said = _folded(name).removeprefix("hud")
        for each in self._entries if said in WHOLE else ():
            if (
                each.is_whole
                and each.section
                and any(_folded(noun) in said for noun in names_of(each.section))
            ):
                return each
        return None

    def _read(self, name: str) -> tuple[list[type[HudSection]], list[str], bool]:
        """Return the possible sections of a name, the words of its verb, and whether this is certain."""
        head, _, tail = name.replace("/", ".").replace(":", ".").rpartition(".")
        for subject, rest in ((head, tail), (tail, head)) if head else ():
            stems = _stems(subject)
            found = self._subjects.get(stems) or self._subjects.get(stems - _FILLERS)
            if found:
                said = _words(rest)
                found = [*found, *self._lists_called(subject, found)]
                return found, self._without(found, said) or said, len(found) == 1
        words = _words(name)
        forms = [form for form in self._subjects if form <= _stems(name)]
        longest = max(map(len, forms), default=0)
        found = [each for form in forms if len(form) == longest for each in self._subjects[form]]
        if found:
            sections = [*dict.fromkeys(found)]
            sections += self._lists_called(name, sections)
            return sections, self._without(sections, words), len(sections) == 1
        known = [word for form in self._subjects if len(form) == 1 for word in form]
        for word in words:
            if not any(_fits(word, each.words) for each in self._entries):
                for near in get_close_matches(_stem(word), known, 1, CLOSE_SECTION):
                    verb = [each for each in words if each != word]
                    return self._subjects[frozenset({near})], verb, False
        return [], words, True

    def _lists_called(
        self, name: str, found: Collection[type[HudSection]]
    ) -> Iterator[type[HudSection]]:
        """Yield the lists that the plural of a value's name may mean, as in other systems: "tasks"."""
        many = {_stem(word) for word in _words(name) if word != _stem(word)}
        if any(each.kind is not None for each in found):
            return
        for each in dict.fromkeys(entry.section for entry in self._entries if entry.section):
            if each.kind is not None and many & _first_words(each.other_tools):
                yield each

    def _without(self, sections: Collection[type[HudSection]], words: list[str]) -> list[str]:
        """Return the words of a name that are not a section's."""
        own = {
            stem
            for form, found in self._subjects.items()
            if not {*found}.isdisjoint(sections)
            for stem in form
        }
        return [word for word in words if _stem(word) not in own]

    def _likely(
        self, safe: list[SpelledName], said: list[str], *, alone: bool
    ) -> list[SpelledName]:
        """Return the entries for a hint, if none fits."""
        if not said:  # the section by itself
            return [] if alone else [each for each in safe if each.words & _FIRST]
        if alone and not any(map(_takes, said)):
            named = [each for each in safe if any(_is_among(word, each.fields) for word in said)]
            if named:
                return named
        beside = [] if alone else [each for each in self._entries if each.section is None]
        gentle = [each for each in beside if not each.is_destructive]
        for words, fits, entries in (
            ("own", _fits, safe),
            ("words", _fits, safe),
            ("related", _fits, [] if alone and any(map(_takes, said)) else safe),
            ("words", _is_near, safe),
            ("fields", _is_among, safe),
            ("own", _fits, beside),
            ("words", _fits, gentle),
        ):
            known = ((each, getattr(each, words)) for each in entries)
            found = [each for each, its in known if any(fits(word, its) for word in said)]
            if found and words == "related":
                found += [each for each in beside if {*said} & each.own]
            if found:
                return found
        return []


def _ends_of(section: type[HudSection], words: str) -> str:
    """Return the words that end something of a section: "unblock" ends blockers, and nothing else."""
    nouns = " ".join(names_of(section))
    return " ".join(each for each in words.split() if each[:2] != "un" or each[2:] in nouns)


def _no_status(within: Collection[SpelledName]) -> str:
    """Return the hint for a name that ends a section's only value, where no field says whether it is over; else empty."""
    names = {entry.name.rpartition(".")[2]: entry.name for entry in within}
    has_status = any(entry.fields & {*STATUS.split()} for entry in within)
    if has_status or not {"set", "clear"} <= names.keys():
        return ""
    its = names["set"].rpartition(".")[0]
    changes = " or ".join(names[each] for each in ("set", "update") if each in names)
    return f"{its} has no status: {changes} changes it, and {names['clear']} leaves none"


def _choices(
    section: type[HudSection] | None, verb: Verb | None
) -> Iterator[tuple[str, str, bool]]:
    """Yield the words for the choices of an update's fields, their arguments, and whether they end an item."""
    if section is None or not isinstance(verb, Update):
        return
    end = section.kind.end if section.kind is not None else None
    known = ({} if end is None else {end.field: end.values}) | field_choices(section.value)
    taken = fields_of(verb.payload_of(section))
    for field, value in [(name, each) for name in known if name in taken for each in known[name]]:
        plain = value.value if isinstance(value, Enum) else value
        is_end = end is not None and field == end.field and value in end.values
        word = end.word(value) if end is not None and is_end else str(plain)
        yield word, f'"{field}": {json.dumps(plain, ensure_ascii=False)}', is_end


def _chosen(within: Sequence[SpelledName], said: Collection[str]) -> str:
    """Return the hint for a name that means a choice, or an item's end, if only an update can set it; else empty."""
    is_over = {*said} <= _MARKING and not any(entry.marks for entry in within)
    for entry in within if said else ():
        given = [
            argument
            for word, argument, _ in entry.choices
            if all(_is_form(one, word) for one in said)
        ]
        if not given and is_over:
            given = [argument for _, argument, is_end in entry.choices if is_end]
        if given:
            return f"did you mean {quoted(entry.name)} with {' or '.join(given)}?"
    return _no_status(within) if said and _MARKING.issuperset(said) else ""


def _is_form(word: str, end: str) -> bool:
    """Tell whether a word and a choice's word are forms of each other: "discharge", "discharged"."""
    return any(_fits(word, {each}) or _fits(each, {word}) for each in _words(end))


def _is_among(word: str, words: Collection[str]) -> bool:
    """Tell whether a word is among those of the fields, in the form of one: "mulch", "mulched"."""
    return word in words or any(_fits(each, {word}) for each in words)


def _is_near(word: str, words: Collection[str]) -> bool:
    return bool(get_close_matches(word, words, 1, CLOSE))


def _is_opposite(entry: SpelledName, verb: Collection[str]) -> bool:
    """Tell whether a name means the opposite of an entry: "undelete", "incomplete", "not_done", "block" of "unblock"."""
    if any(prefix + word in entry.words for prefix in NEGATIONS for word in verb):
        return not entry.own.intersection(verb)
    bare = {
        word.removeprefix(prefix)
        for word in verb
        for prefix in NEGATIONS
        if word.startswith(prefix) and word not in entry.own
    }
    denied = {*verb} if not _NOT.isdisjoint(verb) else set[str]()
    words = entry.words | entry.related if entry.is_destructive else entry.words
    takes_back = entry.is_destructive and not _TAKING_BACK.isdisjoint(verb)
    return takes_back or any(_fits(word, words) for word in bare | denied)


def _takes(word: str) -> bool:
    """Tell whether a word, or the one that it may misspell, removes something."""
    is_denied = any(
        word.startswith(each) and _fits(word.removeprefix(each), _TAKING) for each in NEGATIONS
    )
    near = get_close_matches(word, _TAKING, 1, CLOSE)
    return not is_denied and (_fits(word, _TAKING) or bool(near))


def names_of(section: type[HudSection]) -> Iterator[str]:
    """Yield the names of a section, and the nouns for its items."""
    yield from (section.name, section.field, section.event, *section.former, *section.aliases)
    noun = section.texts.get(f"{section.name}.noun") or with_plural(section.name.replace("_", " "))
    yield from noun.split("|")
    yield re.sub("(Section|List)$", "", section.__name__)
    if _A_WORD.fullmatch(item := getattr(section.value, "__name__", "")):
        yield item


_A_WORD = re.compile("[A-Z][a-z]+")
"""The name of a class that is one word."""


def fields_taken(model: type[BaseModel]) -> Mapping[str, Any]:
    """Return the types of a model's arguments by name: its fields, and substitutes for some of them."""
    own = {name: info.annotation for name, info in fields_of(model).items()}
    return {**own, **dict.fromkeys(getattr(model, "_also_takes", ()))}


def sections_named(name: str, sections: Mapping[str, type[HudSection]]) -> list[str]:
    """Return the fields of the sections with a name, in singular or plural.

    >>> from hud_components import CODING
    >>> sections_named("plans", CODING.fields)
    ['next_steps']
    """
    stems = _stems(name)
    return [
        field for field, each in sections.items() if stems and stems in map(_stems, names_of(each))
    ]


def argument_meant(
    section: type[HudSection] | None, model: type[BaseModel], name: str
) -> tuple[str, ...]:
    """Return the fields of a model that another argument name may mean.

    >>> from hud_components import NotesSection
    >>> from hud_components.folding import VERBS
    >>> update = VERBS["update"].payload_of(NotesSection)
    >>> argument_meant(NotesSection, update, "note"), argument_meant(NotesSection, update, "noteId")
    (('id', 'content'), ('id',))
    """
    fields = fields_taken(model)

    said = _folded(name).removeprefix("new")
    own = names_of(section) if section else _WORD.findall(model.__name__)
    nouns = {_folded(each) for each in own}
    text = text_field(section) if section is not None and section.draft else first_text(model)
    target = ["id"] if _is_of_one(model) else []
    others = _first_words(() if section is None else section.other_tools)
    if target and said.removesuffix("s").removesuffix("id") in {*nouns, *others, "item", ""} - {
        said
    }:
        return ("id",)
    is_noun = said in nouns or said.removesuffix("s") in nouns
    for many in ("ids", *([ITEMS] if _takes_items(section, model) else ())):
        if many in fields and (is_noun or said in {*LISTS.split(), text}):
            return (many,)
    if is_noun or said in {*TEXTS.split(), text}:
        texts = [each for each in (text, "text") if each and each in fields][:1]
        if texts or target:
            return (*target, *texts)
    done = _done_of(section)
    if (
        done is not None
        and done in fields
        and said.removeprefix("is") in {*STATUS.split(), *OVER.split()}
    ):
        return (done,)
    found = tuple(each for each in fields if said in ARGUMENTS.get(each, "").split())
    is_why = said in ARGUMENTS["details"].split() and text in fields  # and there are no details
    return found or ((text,) if is_why and text else ())


def _first_words(tools: Iterable[str]) -> set[str]:
    """Return the first words of tool names, which other systems put before a field: ``TaskUpdate``, ``taskId``."""
    return {_folded(_WORD.findall(each)[0]) for each in tools}


def _choice(model: type[BaseModel], name: str, value: object) -> tuple[str, ...]:
    """Return the fields with an argument's value among their choices, if its name is a choice's."""
    fields = fields_taken(model).items() if name.lower() in CHOICES.split() else ()
    return tuple(field for field, kind in fields if value in get_args(kind))


def respelt(
    section: type[HudSection] | None,
    model: type[BaseModel],
    given: Mapping[str, object],
    *,
    cased: bool = False,
    anew: str | None = None,
) -> dict[str, tuple[str, object]]:
    """Return the arguments that a model does not accept, each with the field and the value that it must mean.

    A field that is already passed is not meant, nor one that two arguments may mean, unless they are a heading and the
    text below it. Redundant arguments of a new item have no field. Names in another case are left to the repair of a
    call, unless ``cased``.

    So are texts that are not in the type of their field, but in that of a line: "45%" for 0.45.

    :param anew: the operation that replaces all items of the section.
    :raises UjsxError: for several texts if one item is changed.

    >>> from hud_components import CODING, NextSteps, NotesSection
    >>> respelt(NotesSection, NotesSection.draft, {"note": "Port 8080"})
    {'note': ('content', 'Port 8080')}
    >>> respelt(NextSteps, CODING.payload("step.update"), {"id": "s-4", "status": "done"})
    {'status': ('completed', True)}
    >>> respelt(NextSteps, CODING.payload("step.update"), {"description": "Add tests", "completed": True})
    {'description': ('id', 'Add tests')}
    """
    known = fields_taken(model)
    has_items = _takes_items(section, model)
    is_shown = bool(_shown_in(section) or _flags_of(model))
    if given.keys() <= known.keys() and not has_items:
        is_named = len(given) < 2 or "id" in given
        found = {} if is_named else _named_by_text(section, model, given)
        return _with_values(section, model, given, found) if is_shown else found
    done, names = _done_of(section), _names_meant(section, model, given, cased=cased)
    text = text_field(section) if section is not None and section.draft else ""
    if text and given.keys() & {"id", text} and _folded(text) not in TEXTS.split():
        # a number, say: what is told beside it under another name is not it
        names = {
            name: field
            for name, field in names.items()
            if field != text or _folded(name) not in TEXTS.split()
        }
    fields, is_new = fields_of(model), not _is_of_one(model)
    found = {
        name: (field, _is_over(given[name], is_new=is_new) if field == done else given[name])
        for name, field in names.items()
    }
    found |= _under_heading(section, model, given, found) if section or cased else {}
    said = as_meant(given, found)
    if not is_new and "id" not in said and any(given.get(each) is True for each in EVERY):
        raise UjsxError('name each item: "id": ["…", "…"]')
    if anew and len(fields) > 1 and [*said] == ["id"] and isinstance(said["id"], list):
        named = cast("list[object]", said["id"])
        if not all(isinstance(each, str) for each in named):
            line = '"calls": [{"op": …}, …]'
            raise UjsxError(f"one item at a time; several are several calls: {line}")
        raise UjsxError(f"texts alone change no item; {anew} says all items anew")
    _check_ends(section, model, given)
    for name in [each for each in given if each not in found and each not in known]:
        if is_new and not cased and _says_nothing(name, given[name], done):
            found[name] = ("", given[name])
    if section is not None and has_items:
        for name, value in given.items():
            items = _items_meant(section, fields[ITEMS], value)
            if items != value:
                found[name] = (ITEMS, items)
    if section is not None and section.draft and not cased:
        for name in sorted(given.keys() - found.keys() - known.keys() - {*SOURCE}):
            _check_kept(section, name)
    return _with_values(section, model, given, found) if is_shown else found


def _with_values(
    section: type[HudSection] | None,
    model: type[BaseModel],
    given: Mapping[str, object],
    found: dict[str, tuple[str, object]],
) -> dict[str, tuple[str, object]]:
    """Return the arguments that differ, with those whose values are given as lines show them."""
    for name, value in given.items():
        field, said = found.get(name, (name, value))
        if (meant := value_shown(section, model, field, said)) is not None:
            found[name] = (field, meant)
    return found


@lru_cache(maxsize=256)
def _shown_in(section: type[HudSection] | None) -> Mapping[str, Sequence[Form]]:
    """Return the fields whose values are not plain texts in a section's lines, each with these lines."""
    found: dict[str, list[Form]] = {}
    for form in () if section is None else chain.from_iterable(map(section.forms_at, Density)):
        for name in form.looks:
            found.setdefault(name, []).append(form)
    return found


def local_times(section: type[HudSection], model: type[BaseModel]) -> frozenset[str]:
    """Return the arguments for date-times whose offset no line shows, or that have none."""
    return frozenset(
        name
        for name, forms in _shown_in(section).items()
        if name in fields_of(model)
        and forms[0].looks[name].kind is datetime
        and _accepts(model, name, "2000-01-01T00:00")
        and (
            all(each.looks[name].read for each in forms)
            or not _accepts(model, name, "2000-01-01T00:00Z")
        )
    )


def _accepts(model: type[BaseModel], name: str, text: str) -> bool:
    try:
        adapter_at(model, name).validate_python(text)
    except ValidationError:
        return False
    return True


def value_shown(
    section: type[HudSection] | None, model: type[BaseModel], name: str, given: object
) -> object:
    """Return the value of a text that its field refuses, if the section's lines show one as this text, or it says yes
    or no; else None.

    :raises UjsxError: for a number that may be two, as "€40.000" may.
    """
    if isinstance(given, str) and name in _flags_of(model):
        return _flag(section, model, name, given)
    forms = _shown_in(section).get(name, ()) if isinstance(given, str) else ()
    shown = [each for form in forms if (each := form.value_of(name, str(given))) is not None]
    if name not in fields_of(model):
        return None
    _check_number(forms, model, name, str(given))
    if not shown or _accepts(model, name, str(given)):
        return None
    field, found = adapter_at(model, name), list[object]()
    for each in shown:
        with suppress(ValidationError):
            found.append(field.dump_python(field.validate_python(each), mode="json"))
    return found[0] if found and all(each == found[0] for each in found) else None


def _check_number(forms: Sequence[Form], model: type[BaseModel], name: str, text: str) -> None:
    """Refuse a text that may be two numbers in the lines that show its field, if the field takes the greater one, too.

    :raises UjsxError: with both.
    """
    read = [(form.both_of(name, text), form.value_of(name, text)) for form in forms]
    pairs = [both for both, _ in read if both is not None]
    if not pairs or any(both is None and value is not None for both, value in read):
        return
    greater, less = (f"{float(each):g}" for each in pairs[0])
    if _accepts(model, name, greater):
        why = f"write the number alone: {greater} or {less} (got {quoted(text)})"
        raise UjsxError(why, path=f"$.{name}")


def _flag(section: type[HudSection] | None, model: type[BaseModel], name: str, word: str) -> object:
    """Return whether a word says yes or no, for a field that holds nothing else; None if it does not."""
    said: object = FLAGS.get(_folded(word))
    if said is None and name == _done_of(section):
        said = _is_over(word, is_new=not _is_of_one(model))
    return said if isinstance(said, bool) else None


@lru_cache(maxsize=1_024)
def _flags_of(model: type[BaseModel]) -> frozenset[str]:
    """Return the fields that hold a yes or no, and nothing else."""
    fields = fields_of(model).items()
    return frozenset(
        name for name, info in fields if {*members_of(info.annotation)} - {NoneType} == {bool}
    )


def _check_ends(
    section: type[HudSection] | None, model: type[BaseModel], given: Mapping[str, object]
) -> None:
    """Refuse an argument that says that an item is open, of an operation that ends items.

    :raises UjsxError: with the operation that says it, if any.
    """
    done = _done_of(section)
    if section is None or done is None or not fields_of(model).keys() <= {"id", "ids"}:
        return
    names = {*STATUS.split(), *OVER.split(), _folded(done)}
    if any(_folded(name) in names and _is_over(given[name]) is False for name in given):
        edits = [
            each.name
            for each in verbs_of(section)
            if isinstance(each, Update) and done in fields_of(each.payload_of(section))
        ]
        line = f'write {section.name}.{edits[0]} with "{done}": false' if edits else OPENS_NONE
        raise UjsxError(f"it ends an item, and does not open one; {line}")


def _check_kept(section: type[HudSection], name: str) -> None:
    """Refuse an argument for a field that only verbs or the store set.

    :raises UjsxError: with the verbs that set it.
    """
    info = fields_of(section.value).get(name)
    if info is None or not is_kept(info):
        return
    by = [f"{section.name}.{each.name}" for each in setters(section, name)]
    kind = section.kind
    if kind is not None and kind.order == name:
        by = ["the store, in the order of the items"]
        moves = [each.name for each in verbs_of(section) if isinstance(each, Reorder)]
        by += [f"{section.name}.{each}" for each in moves]
    more = ""
    if kind is not None and kind.done == name and not reopens(section):
        more = f"; {OPENS_NONE}"
    raise UjsxError(f"set by {listed(by)} only{more}" if by else "set by no verb", path=f"$.{name}")


OPENS_NONE = "no operation opens an item again"


def reopens(section: type[HudSection]) -> bool:
    """Tell whether a verb of a section may reopen an item."""
    return any(isinstance(each, Reopen) or each.function for each in verbs_of(section))


def _named_by_text(
    section: type[HudSection] | None, model: type[BaseModel], given: Mapping[str, object]
) -> dict[str, tuple[str, object]]:
    """Return the text that identifies the item to change, if nothing else does."""
    if section is None or not _is_of_one(model) or not section.draft:
        return {}
    text = text_field(section)
    return {text: ("id", given[text])} if isinstance(given.get(text), str) else {}


def _under_heading(
    section: type[HudSection] | None,
    model: type[BaseModel],
    given: Mapping[str, object],
    found: Mapping[str, tuple[str, object]],
) -> dict[str, tuple[str, object]]:
    """Return a heading and the text below it for an item with one text: joined, or the text as its details.

    >>> from hud_components import DecisionsList, NextSteps
    >>> _under_heading(NextSteps, NextSteps.draft, {"title": "Tests", "description": "of login"}, {})["title"]
    ('description', 'Tests: of login')
    >>> _under_heading(DecisionsList, DecisionsList.draft, {"title": "JWT", "description": "Stateless."}, {})
    {'title': ('summary', 'JWT'), 'description': ('details', 'Stateless.')}
    """
    if section and (not section.draft or (section.kind and section.kind.key != "id")):
        return {}
    known, text = fields_taken(model), text_field(section) if section else first_text(model) or ""
    if text in given and _folded(text) not in TEXTS.split():
        return {}
    if _is_of_one(model) and "id" not in as_meant(given, found):
        return {}
    said = [
        name
        for name, value in given.items()
        if isinstance(value, str)
        and text in (name, *argument_meant(section, model, name))
        and found.get(name, (text,))[0] == text
        and (name == text or name not in known)
    ]
    if len(said) != 2:
        return {}

    ranks = [
        (_folded(name) not in HEADINGS.split(), _folded(name) in TEXTS.split()) for name in said
    ]
    if ranks[0] == ranks[1] or (section is None and min(ranks)[0]):
        return {}
    heading, below = said if ranks[0] < ranks[1] else said[::-1]
    first, rest = str(given[heading]), str(given[below])
    if section and section.kind and re.fullmatch(f"{section.kind.prefix}-[0-9]+", first):
        edits = [each.name for each in verbs_of(section) if isinstance(each, Update)]
        line = f'"id": {quoted(first)} with {section.name}.{edits[0]}, or ' if edits else ""
        line += "the text alone for a new one"
        raise UjsxError(f"{quoted(first)} is an item's id; write {line}")
    taken = {*given, *(field for field, _ in found.values())}
    if "details" in {*known} - taken:
        return {heading: (text, first), below: ("details", rest)}
    both = rest if rest.startswith(first) else ": ".join(filter(str.strip, (first, rest)))
    return {heading: (text, both), below: (text, both)}


def _is_of_one(model: type[BaseModel]) -> bool:
    """Tell whether arguments are about an existing item."""
    fields = fields_of(model)
    return "id" in fields and fields["id"].is_required()


def _says_nothing(name: str, value: object, done: str | None) -> bool:
    """Tell whether an argument of a new item is redundant: that it is open, or its text in other words."""
    said = _folded(name).removeprefix("is")
    if said in STATUS.split() or (said in {*OVER.split(), done} and isinstance(value, bool)):
        return value is False or _is_over(value, is_new=True) is False
    return said in AGAIN.split()


def _takes_items(section: type[HudSection] | None, model: type[BaseModel]) -> bool:
    """Tell whether ``items`` are those of the section; an item may have a field of that name."""
    field = fields_of(model).get(ITEMS)
    if section is None or field is None:
        return field is not None
    own = section.draft or ()
    return any(
        isinstance(each, type) and issubclass(each, own) for each in get_args(field.annotation)
    )


def _items_meant(section: type[HudSection], field: Any, given: Any) -> Any:
    """Return the items of a list with the names of their fields; anything else unchanged."""
    model = get_args(field.annotation)[0]

    def meant(item: Any) -> Any:
        said: Any = item
        return as_meant(said, respelt(section, model, said)) if isinstance(item, dict) else said

    items: Any = given
    return [meant(each) for each in items] if isinstance(given, list) else items


def _is_over(value: object, *, is_new: bool = False) -> object:
    """Return whether a word means that an item is over; anything else unchanged."""
    said = _folded(value) if isinstance(value, str) else ""
    is_open = said in OPEN.split() or (is_new and said in UNDERWAY.split())
    return True if said in OVER.split() else False if is_open else value


def _names_meant(
    section: type[HudSection] | None,
    model: type[BaseModel],
    given: Mapping[str, object],
    *,
    cased: bool,
) -> dict[str, str]:
    """Return the arguments that are not fields of a model, each with the only field that it can mean."""
    known = fields_taken(model)
    from ujsx.tools._names import variant_of  # only what is misspelt needs it

    usual = {name: variant_of(name, known) for name in given}
    free = {*known} - {*usual.values()}
    strange = {
        name: argument_meant(section, model, name) or _choice(model, name, given[name])
        for name, field in usual.items()
        if field is None
    }
    for name, fields in strange.items():
        if isinstance(given[name], list):  # of what an operation is about
            strange[name] = fields[:1]
    found: dict[str, str] = {}
    if cased:
        taken = Counter(usual.values())
        found = {
            name: field
            for name, field in usual.items()
            if field is not None and field != name and taken[field] == 1
        }
    while True:  # what one takes, another does not mean
        meant = {name: [*free.intersection(fields)] for name, fields in strange.items()}
        asked = Counter(
            chain.from_iterable(fields for fields in meant.values() if len(fields) == 1)
        )
        sure = {name: fields[0] for name, fields in meant.items() if len(fields) == 1}
        new = {name: field for name, field in sure.items() if asked[field] == 1}
        if not new and len(strange) == 1 and usual.keys() - strange.keys():
            [name] = strange  # what an update is about, beside what changes
            new = {name: "id"} if "id" in meant[name] else {}
        if not new:
            return found
        found |= new
        free -= {*new.values()}
        strange = {name: fields for name, fields in strange.items() if name not in new}


def _marks(section: type[HudSection] | None, verb: Verb | None) -> bool:
    """Tell whether an author's verb marks an item as over: its name is another form of the field's."""
    done = _done_of(section)
    if done is None or section is None or verb is None or type(verb) is not Verb:
        return False
    is_free = not any(isinstance(each, Mark) for each in verbs_of(section))
    return is_free and bool(get_close_matches(verb.name, [done], 1, CLOSE_DONE))


def _done_of(section: type[HudSection] | None) -> str | None:
    """Return the field for whether an item of a section is over."""
    kind = None if section is None else section.kind
    return None if kind is None else kind.done


def _fits(word: str, words: Collection[str]) -> bool:
    """Tell whether a word is in a set, in any form: "recorded", "notes", "closing"."""
    stem = word.removesuffix("ing")
    forms = {word, _stem(word), stem, f"{stem}e"}
    if word.endswith("ed"):
        forms |= {word[:-1], word[:-2]}
    if word.endswith("ied"):
        forms.add(f"{word[:-3]}y")
    return not forms.isdisjoint(words)


def _words(name: str) -> list[str]:
    """Each word of a name, once."""
    return [word for word in dict.fromkeys(map(str.lower, _WORD.findall(name))) if word != "hud"]


def _stems(name: str) -> frozenset[str]:
    return frozenset(map(_stem, _words(name)))


def _stem(word: str) -> str:
    """Return a noun's stem, for singular and plural."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word if word.endswith("ss") else word.removesuffix("s")


_TAKING = frozenset(
    " ".join(f"{WORDS[each]} {RELATED.get(each, '')}" for each in DESTRUCTIVE).split()
)

_OF_ITEM = re.compile(r"(?P<prefix>[a-z]+)-[0-9]+(?:\.[0-9]+)?\.(?P<verb>\w+)", re.ASCII)
"""An item's id followed by a verb."""

_MARKING = frozenset(WORDS["Mark"].split())

VERB_OF_ITEMS = "add"
"""The word for finding the operation that adds an item."""

_NOT = frozenset({"not", "dont", "no", "never", "un"})

_TAKING_BACK = frozenset({"undo", "revert", "rollback"})
"""Words for the way back to an earlier state, which removing is not."""

_SENSES = {words.split()[0]: sense for sense, words in WORDS.items()}

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

_FILLERS = frozenset(FILLERS.split())

_FIRST = frozenset({"add", "set", "list", "get"})
"""Words for the first use of a section."""

LONGEST = 200
"""The most characters of a name that are compared."""
