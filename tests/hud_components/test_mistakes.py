"""Declarations that are wrong are refused where they stand, in a sentence that says what to write."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, MutableSequence
from contextlib import suppress
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field

from hud_components import (
    CODING,
    Domain,
    HudItem,
    HudSection,
    HudState,
    HudValue,
    ItemsSection,
    Kept,
    Line,
    Moment,
    NotesSection,
    TableSection,
    Target,
    TaskSection,
    ValueSection,
    Verb,
    View,
    Wording,
    agent_vocabulary,
    check_layout,
    parse,
)
from hud_components.declaring import HudModel, LayoutWarning
from hud_components.folding import Add, Update
from hud_components.layout import layout_vocabulary
from hud_runtime import HudStore
from hud_runtime.cli import main
from hud_runtime.tools import definitions
from tests.ids import looped
from ujsx import (
    Child,
    Children,
    DefinitionError,
    Density,
    Disclosure,
    FrozenMapping,
    RenderContext,
    Rung,
    render,
)
from ujsx.elements import Paragraph
from ujsx.schema import tool_definition


class Remedy(HudItem):
    """Something that was tried."""

    what: Line
    outcome: Literal["worked", "failed"] = "failed"
    why: Line | None = None
    tries: int = 1
    over: Kept[bool] = False
    tags: tuple[str, ...] = ()


class Bare(HudModel):
    """A value that does not know who said it."""

    what: Line


class Level(Target):
    level: int


class Plain(HudValue):
    """A value, and no item."""

    what: Line
    plan: Literal["free", "paid"] = "free"


def model(
    base: type[HudModel] = HudItem, settings: dict[str, Any] | None = None, /, **fields: Any
) -> Any:
    """A class of items."""
    space = {
        "__annotations__": {name: kind for name, (kind, _) in fields.items()},
        **{name: default for name, (_, default) in fields.items() if default is not ...},
        "__module__": __name__,
        "__qualname__": "Odd",
    }
    return types.new_class("Odd", (base,), settings or {}, lambda body: body.update(space))


class Crate(HudItem):
    """An item with a part of a part."""

    inside: FrozenMapping[str, FrozenMapping[str, FrozenMapping[str, int]]] = FrozenMapping({})
    what: str
    pieces: int = 1


def items(_model: Any = Remedy, _name: str = "Remedies", /, **body: Any) -> Any:
    """Declare a list."""
    return _declared(ItemsSection[_model], _name, {"lines": {"full": "**{what}**"}, **body})


def value(_model: Any = Plain, _name: str = "Ticket", /, **body: Any) -> Any:
    """Declare a value."""
    return _declared(ValueSection[_model], _name, {"lines": {"full": "**{what}**"}, **body})


def _declared(base: Any, name: str, body: dict[str, Any]) -> Any:
    space = {"name": name.lower(), "__module__": __name__, "__qualname__": name, **body}
    return types.new_class(name, (base,), {}, lambda own: own.update(space))


def other(**body: Any) -> Any:
    return items(Remedy, "Risks", **{"prefix": "k", "noun": "risk", **body})


def two(value: Any, said: Plain) -> Any: ...
def untyped(value: Any, said: Any, moment: Moment) -> Any: ...
def unknown(value: Any, said: Nowhere, moment: Moment) -> Any: ...  # type: ignore[name-defined] # noqa: F821
def plain(value: Any, said: Plain, moment: Moment) -> Any: ...
def asked(value: Any, said: Level, moment: Moment) -> Any:
    return tuple(each.model_copy(update={"tries": said.level}) for each in value)


class Journey(HudValue):
    """Where it leads."""

    what: str
    origin: str


def rises(value: Any, said: Bare, moment: Moment) -> Any: ...
async def later(value: Any, said: Plain, moment: Moment) -> Any: ...


def ladder(*rungs: Rung) -> Any:
    return items(disclosure=Disclosure(rungs))


MISTAKES: dict[str, tuple[Any, str]] = {
    "a field with the name of what each item has": (
        lambda: model(what=(str, ...), origin=(str, ...)),
        "Odd.origin is a name that every item already has; use another one, such as odd_origin",
    ),
    "a value's field with the name of where values come from": (
        lambda: value(Journey),
        "Ticket: Journey.origin is a name that every event and call already has; use another one, such as journey_origin",
    ),
    "a value that does not know who said it": (
        lambda: value(Bare),
        (
            "Ticket: Bare does not record its source; make it a HudValue, or write "
            "is_sourced = False"
        ),
    ),
    "items that do, where the section says otherwise": (
        lambda: items(is_sourced=False),
        "Remedies.is_sourced: Remedy records its source; write is_sourced = True",
    ),
    "a line that tells who said it": (
        lambda: items(lines={"full": "**{what}** {said_by}"}),
        (
            "Remedies.lines: {said_by} is added where it is asked for; leave it out of '**{what}** "
            "{said_by}'"
        ),
    ),
    "a hole that no field fills": (
        lambda: items(lines={"full": "{waht}"}),
        'Remedies.lines: no field of Remedy fills {waht}; did you mean "what"?',
    ),
    "a line without a hole": (
        lambda: items(lines={"full": "tried"}),
        "Remedies.lines: 'tried' shows nothing of Remedy; give it a hole, such as {what}",
    ),
    "a single brace": (
        lambda: items(lines={"full": "{what} }"}),
        "Remedies.lines: '{what} }': Single '}' encountered in format string; a brace is written twice",
    ),
    "a condition and no other line": (
        lambda: items(lines={"full": Wording("~~{what}~~", {"over": True})}),
        (
            "Remedies.lines, full: no line fits an item with over False; add a line without a "
            "condition as the last one"
        ),
    ),
    "a condition that never holds": (
        lambda: items(lines={"full": Wording("{what}", {"outcome": "fialed"})}),
        "Remedies.lines: Remedy.outcome is never 'fialed'; it is one of 'worked', 'failed'",
    ),
    "a hole for what no text is read back as": (
        lambda: items(model(pair=(tuple[int, str], (0, ""))), lines={"full": "{pair}"}),
        (
            "Remedies.lines: {pair} has a type that cannot be read back from text; show a text, a number, a date, a "
            "choice or a tuple of texts, or set reads_back = False in the section"
        ),
    ),
    "a hole with a conversion": (
        lambda: items(lines={"full": "{what!r}"}),
        "Remedies.lines: '{what!r}': {what} has !r; write {what} once",
    ),
    "a hole that stands twice": (
        lambda: items(lines={"full": "{what} {what}"}),
        "Remedies.lines: '{what} {what}': {what} is in this line already; write {what} once",
    ),
    "a hole for the id": (
        lambda: items(lines={"full": "{id} {what}"}),
        "Remedies.lines: {id} is added where it is asked for; leave it out of '{id} {what}'",
    ),
    "lines that are no text": (
        lambda: items(lines=3),
        'Remedies.lines: 3 is not a line; write a text with holes, such as "{what}", or a Wording',
    ),
    "a density that is none": (
        lambda: items(lines={"ful": "{what}"}),
        "Remedies.lines: 'ful' is not a density; did you mean \"full\"?",
    ),
    "no lines, and a field that none can show": (
        lambda: items(Crate, lines={}),
        (
            "Remedies has no lines, and none can show Crate.inside, which has a type that cannot be read back from text;"
            " write lines = {'full': '**{what}** · pieces: {pieces}'}, without it"
        ),
    ),
    "two verbs of one name": (
        lambda: items(verbs=("add", Verb("add", rises))),
        'Remedies.verbs: there are two of the name "add"; leave one out, or give it another name',
    ),
    "an answer with a hole that nothing fills": (
        lambda: items(verbs=(Verb("rise", plain, answer="Rose {ID}."),)),
        (
            "Remedies.verbs: 'rise' answers 'Rose {ID}.', and nothing fills {ID}; did you mean \"id\"?"
        ),
    ),
    "a line of the history with a hole that nothing fills": (
        lambda: items(verbs=(Verb("rise", plain, told="{id} rose{wat}"),)),
        (
            "Remedies.verbs: 'rise' is told as '{id} rose{wat}', and nothing fills {wat}; did you mean "
            '"what"?'
        ),
    ),
    "a hole of the history for another verb": (
        lambda: value(verbs=(Verb("rise", plain, told="{changes}"),)),
        (
            "Ticket.verbs: 'rise' is told as '{changes}', and nothing fills {changes}; known: details, "
            "done, id, item, plan, said, section, text, was, what"
        ),
    ),
    "an answer with a hole without a name": (
        lambda: items(verbs=(Verb("rise", plain, answer="Rose {}."),)),
        "Remedies.verbs: 'rise' answers 'Rose {}.', and nothing fills {}; known: id, plan, what",
    ),
    "an answer with a single brace": (
        lambda: items(verbs=(Verb("rise", plain, answer="Rose }."),)),
        (
            "Remedies.verbs: 'rise' answers 'Rose }.': Single '}' encountered in format string; a brace "
            "is written twice"
        ),
    ),
    "a line of the history with a format": (
        lambda: items(verbs=(Verb("rise", plain, told="{what:>5}"),)),
        ("Remedies.verbs: 'rise' is told as '{what:>5}': a hole holds only a name; write {what}"),
    ),
    "a function in place of a verb": (
        lambda: items(verbs=("add", plain)),
        "Remedies.verbs: plain is a function, and a verb has a name; write Verb('plain', plain)",
    ),
    "rungs that fall": (
        lambda: ladder(Rung(Density.MINIMAL, 5), Rung(Density.COMPACT, 3), Rung(Density.FULL, 1)),
        (
            "Remedies.disclosure: a rung shows at least as many items as the one before it, and "
            "compact/3 comes after minimal/5; raise its limit, or leave it out"
        ),
    ),
    "a floor that is no rung": (
        lambda: items(disclosure=Disclosure((Rung(Density.MINIMAL),), floor=Density.FULL)),
        (
            "Remedies.disclosure: its floor is 'full', and its ladder has no such rung; name one of "
            "minimal"
        ),
    ),
    "a line that is a number": (
        lambda: items(lines={"full": 3}),
        (
            'Remedies.lines: 3 is not a line; write a text with holes, such as "{what}", or a Wording'
        ),
    ),
    "a noun with a form without words": (
        lambda: items(noun="remedy|"),
        ("Remedies.noun: 'remedy|' needs a singular and a plural, such as \"risk|risks\""),
    ),
    "a text misspelt": (
        lambda: items(texts={"remedies.handel": "hud list"}),
        ("Remedies.texts: nothing shows 'remedies.handel'; did you mean 'remedies.handle'?"),
    ),
    "a text that nothing shows": (
        lambda: items(texts={"empty": "none"}),
        (
            "Remedies.texts: nothing shows 'empty'; known: remedies.count.over, remedies.handle, remedies.line.more, "
            "remedies.line.over, remedies.more, remedies.noun, remedies.over, remedies.title"
        ),
    ),
    "a noun in two": (
        lambda: items(noun=("remedy", "remedies")),
        "Remedies.noun: ('remedy', 'remedies') is not a line of text; write noun = \"risk|risks\"",
    ),
    "an example that is not a section": (
        lambda: Domain("desk", [NotesSection], example="note"),
        "example: no section is named 'note'; did you mean \"notes\"?",
    ),
    "no sections": (
        lambda: Domain("desk", ()),
        "sections: 'desk' has none; give it at least one, such as NotesSection",
    ),
    "a section twice": (
        lambda: Domain("desk", [NotesSection, NotesSection]),
        "sections: NotesSection is given twice; leave one out",
    ),
    "a field that cannot be hashed": (
        lambda: items(model(what=(Line, ...), tags=(MutableSequence[str], []))),
        (
            "Odd.tags: collections.abc.MutableSequence[str] is not hashable; use tuple[str, ...] = ()"
        ),
    ),
    "a verb that nobody knows": (
        lambda: items(verbs=("ad",)),
        (
            "Remedies.verbs: there is no verb 'ad'; did you mean \"add\"?; or give a function: Verb('ad', "
            "function)"
        ),
    ),
    "a verb that means a choice": (
        lambda: items(
            model(what=(Line, ...), status=(Literal["open", "approved", "rejected"], "open")),
            verbs=("add", "approve"),
        ),
        (
            "Remedies.verbs: there is no verb 'approve'; write Mark('approve', status='approved'), from"
            " hud_components.folding import Mark; or give a function: Verb('approve', function)"
        ),
    ),
    "a verb that only looks like one that removes": (
        lambda: items(model(what=(Line, ...)), verbs=("add", "approve")),
        (
            "Remedies.verbs: there is no verb 'approve'; known: add, append, clear, complete, remove, reopen,"
            " reorder, replace, resolve, set, update; or give a function: Verb('approve', function)"
        ),
    ),
    "a verb alone": (
        lambda: items(verbs="add"),
        "Remedies.verbs: 'add' is not a tuple; write verbs = ('add',)",
    ),
    "a verb that reads": (
        lambda: items(verbs=(Verb("list", rises),)),
        "Remedies.verbs: 'list' is how a section is read; use another name",
    ),
    "a verb without a function": (
        lambda: items(verbs=(Verb("rise"),)),
        "Remedies.verbs: 'rise' has no function; give one that takes (value, arguments, moment)",
    ),
    "a function of two": (
        lambda: items(verbs=(Verb("rise", two),)),  # type: ignore[arg-type]
        "Remedies.verbs: 'rise' takes (value, arguments, moment), not (value, said)",
    ),
    "a function without an annotation": (
        lambda: items(verbs=(Verb("rise", untyped),)),
        (
            "the verb 'rise' has no model of its arguments; annotate 'said' with Target, or a subclass of it "
            "or of HudModel, or give payload="
        ),
    ),
    "a function annotated with nothing known": (
        lambda: items(verbs=(Verb("rise", unknown),)),
        "the verb 'rise' has an annotation that cannot be resolved: name 'Nowhere' is not defined",
    ),
    "a function that waits": (
        lambda: items(verbs=(Verb("rise", later),)),
        "Remedies.verbs: 'rise' is asynchronous; an event is applied at once: use def",
    ),
    "a list that is set": (
        lambda: items(verbs=("set",)),
        'Remedies.verbs: \'set\' is for one value; a list has "add" and "replace"',
    ),
    "a value that is added to": (
        lambda: value(verbs=("add",)),
        'Ticket.verbs: \'add\' is for lists; a value has "set", "update" and "clear"',
    ),
    "a mark without a field": (
        lambda: items(
            model(what=(Line, ...), seen=(Kept[bool], False), over=(Kept[bool], False)),
            verbs=("add", "complete"),
        ),
        "Remedies.verbs: 'complete' marks an item as over; say which field tells it: done = \"seen\"",
    ),
    "a mark that is no yes or no": (
        lambda: items(done="tries"),
        "Remedies.done: Remedy.tries is not yes or no; declare it as Kept[bool] = False",
    ),
    "a field that sets what is not there": (
        lambda: items(verbs=(Verb("rise", rises, sets={"overr": True}),)),
        "Remedies.verbs: 'rise' sets 'overr', which Remedy has not; did you mean \"over\"?",
    ),
    "items without ids": (
        lambda: items(Plain),
        (
            "Remedies: Plain has no id; make it a HudItem, or name the field that identifies an item: key "
            '= "…"'
        ),
    ),
    "verbs by id of items that have another key": (
        lambda: items(Plain, key="what"),
        (
            "Remedies.verbs: 'add' names an item by its id, and those of Remedies are named by 'what'; give "
            "a function: Verb('add', function)"
        ),
    ),
    "a kept field without a default": (
        lambda: items(model(what=(Line, ...), over=(Kept[bool], ...))),
        "Remedies: Odd.over is set by verbs only, so it needs a default",
    ),
    "a kept field whose default changes": (
        lambda: items(model(what=(Line, ...), at=(Kept[int], Field(default_factory=int)))),
        (
            "Remedies: Odd.at is set by verbs only, and a replay has to give the same again; give it a "
            "default that does not change"
        ),
    ),
    "a field that every event has": (
        lambda: items(model(what=(Line, ...), actor=(str, ""))),
        "Remedies: Odd.actor is a name that every event and call already has; use another one, such as odd_actor",
    ),
    "a field with two names": (
        lambda: items(model(what=(Annotated[str, Field(alias="Was")], ...))),
        "Remedies: Odd.what has an alias, and a field has one name everywhere; leave the alias out",
    ),
    "nothing to fill in": (
        lambda: items(model(over=(Kept[bool], False))),
        "Remedies: Odd has no field that an author can set; add one that is not Kept",
    ),
    "a model that is none": (
        lambda: items(int),
        "ItemsSection[int]: the brackets take a subclass of HudItem; write a class of your own, class Facts(HudItem), with a docstring and a field, such as text: Line",
    ),
    "an attribute misspelt": (
        lambda: items(titel="Tried"),
        (
            'Remedies.titel: a section has no such attribute; did you mean "title"?; an attribute of your '
            "own is annotated: titel: ClassVar[str] = …"
        ),
    ),
    "a weight of the section": (
        lambda: items(weight=-3),
        "Remedies: a weight is above 0, not -3",
    ),
    "a layer that is none": (
        lambda: Disclosure(layer="trun"),  # type: ignore[arg-type]
        "'trun' is not a layer; did you mean \"turn\"?",
    ),
    "a weight that is a text": (
        lambda: Disclosure(weight="3"),  # type: ignore[arg-type]
        "a weight is above 0, not '3'",
    ),
    "a ladder that goes down": (
        lambda: ladder(Rung(Density.FULL, 3), Rung(Density.COMPACT)),
        "a ladder goes up: each rung shows more than the one before it, not full/3, compact",
    ),
    "a title of two lines": (
        lambda: items(title="Tried\nso far"),
        (
            "Remedies.title: 'Tried\\nso far' is not a line of text; leave out white space at its edges, and "
            "line breaks"
        ),
    ),
    "a name that is none": (
        lambda: items(name="So far"),
        (
            "Remedies.name: 'So far' is not a valid name; use lower-case letters, digits and underscores, a letter "
            "first, such as 'so_far'"
        ),
    ),
    "a prop that every section has": (
        lambda: items(prop="limit"),
        (
            "Remedies.prop: 'limit' is a name that every section already has; write prop = "
            '"limit_shown"'
        ),
    ),
    "an upcast of what never happens": (
        lambda: Domain("desk", [items(upcasts={"remedies.ad": dict})]),
        (
            "Remedies.upcasts: nothing of the type 'remedies.ad' happens to it; did you mean "
            '"remedies.add"?'
        ),
    ),
    "a former field that goes nowhere": (
        lambda: Domain("desk", [items(former_fields={"was": "waht"})]),
        (
            "Remedies.former_fields: Remedy has no field 'waht'; did you mean \"what\"?; None is for one "
            "that is gone"
        ),
    ),
    "a former name that is another's": (
        lambda: Domain("desk", [items(former=("risks",)), other()]),
        "Remedies.former: 'risks' is a name of Risks; an event could be of either of them",
    ),
    "what no event of the domain is": (
        lambda: Domain("desk", [items(on={"note.ad": plain}), NotesSection]),
        "Remedies.on: nothing in 'desk' has the type 'note.ad'; did you mean \"note.add\"?",
    ),
    "a name of a fact": (
        lambda: Domain("desk", [items(name="usage")]),
        "Remedies: the name 'usage' is taken by a fact of every session; write name = \"desk_usage\"",
    ),
    "events that tell a fact": (
        lambda: Domain("desk", [items(event="session")]),
        (
            "Remedies: events that begin with 'session' are taken by facts of every session; use another name, "
            'or event = "desk_remedies"'
        ),
    ),
    "two titles alike": (
        lambda: Domain("desk", [items(title="Tried"), other(title="Tried")]),
        "Risks and Remedies have the same title, 'Tried'; give one of them another: title = \"Risks\" in Risks",
    ),
    "two nouns alike": (
        lambda: Domain("desk", [items(noun="try|tries"), other(noun="tries")]),
        "Risks and Remedies both count 'tries'; give one of them another: noun = \"risks try\"",
    ),
    "two lists of one class": (
        lambda: Domain("desk", [items(), items(Remedy, "Later", prefix="l")]),
        "Later and Remedies both count 'remedies'; give one of them another: noun = \"later remedy\"",
    ),
    "two dense lines alike": (
        lambda: Domain(
            "desk",
            [
                value(lines={"full": "{what}", "compact": "**Now:** {what}"}),
                value(Plain, "Order", lines={"full": "{what}", "compact": "**Now:** {plan}"}),
            ],
        ),
        (
            "Order and Ticket could both write '**Now:** free' in a dense HUD; begin one of their "
            "lines with other words, such as '**Order:** **Now:** {plan}' in Order"
        ),
    ),
    "an instance in place of its class": (
        lambda: Domain("desk", [NotesSection()]),  # type: ignore[list-item]
        (
            "sections: NotesSection(density=None, limit=None, unlisted=0, unlisted… is not a section class; "
            "pass the class itself, such as NotesSection"
        ),
    ),
    "a view with verbs, and without anything to show": (
        lambda: types.new_class(
            "Clock", (View,), {}, lambda own: own.update(verbs=("add",), reads="usage")
        ),
        (
            "3 faults:\n"
            "- Clock: a view has no value, so it takes no verbs; make it an ItemsSection or a "
            "ValueSection, or leave verbs out\n"
            "- Clock.reads is not a tuple; write reads = ('usage',)\n"
            "- Clock does not say what it shows; define render(self, ctx, children)"
        ),
    ),
    "items that can be changed": (
        lambda: items(model(HudItem, {"frozen": False}, what=(Line, ...))),
        (
            "Remedies: Odd has frozen=False, and what a state holds never changes in place; leave "
            "frozen out"
        ),
    ),
    "items with more than is declared": (
        lambda: items(model(HudItem, {"extra": "allow"}, what=(Line, ...))),
        (
            "Remedies: Odd has extra='allow', and only fields that are declared are stored; leave "
            "extra out"
        ),
    ),
    "a value with numbers that JSON has not": (
        lambda: value(model(HudValue, {"allow_inf_nan": True}, what=(Line, ...))),
        (
            "Ticket: Odd has allow_inf_nan=True, and JSON, in which a log is stored, has no such "
            "numbers; leave allow_inf_nan out"
        ),
    ),
    "a hole that says how it looks": (
        lambda: items(lines={"full": "{what:>5}"}),
        "Remedies.lines: {what:>5}: only numbers, dates, times and tuples have a format; leave it out",
    ),
    "a domain's name that is none": (
        lambda: Domain("My desk", [NotesSection]),
        "'My desk' is not a valid name for a domain; use lower-case letters, digits, - and _, such as 'my_desk'",
    ),
}


@looped("mistake", MISTAKES)
def test_is_refused_with_what_to_write(mistake: str) -> None:
    declare, sentence = MISTAKES[mistake]
    with pytest.raises(DefinitionError) as refused:
        declare()
    assert str(refused.value) == sentence


def faults_of(declare: Callable[[], Any]) -> tuple[str, ...]:
    with pytest.raises(DefinitionError) as refused:
        declare()
    return refused.value.faults


class TestAllFaultsAreReportedTogether:
    """One error has a sentence for each thing that is wrong."""

    def test_of_a_class(self) -> None:
        faults = faults_of(
            lambda: items(
                titel="Tried",
                name="So far",
                budget=-1,
                done="tries",
                text="waht",
                noun="risk|",
                prefix=3,
                key="what",
                texts={"remedies.titel": "x"},
                lines={"full": ("{wat} {what:%H}", "{id}"), "compact": "{waht}"},
                verbs=("add", "ad", Verb("Rise", rises, rare=1, sets={"overr": 1, "tries": "x"})),
            )
        )
        told = "\n".join(faults)
        for part in (
            *(
                "Remedies.titel",
                "Remedies.name",
                "Remedies.budget",
                "Remedies.done",
                "Remedies.text",
            ),
            *("Remedies.noun", "Remedies.prefix", "{wat}", "{what:%H}", "{id}", "{waht}", "'ad'"),
            *(
                "'Rise' is not a valid name",
                "rare is True",
                "'overr'",
                "Remedy.tries to 'x'",
                "leave key out",
            ),
        ):
            assert told.count(part) >= 1, part
        assert len(faults) == len({*faults})

    def test_of_a_class_whose_model_is_wrong(self) -> None:
        odd = model(what=(MutableSequence[str], []), turn=(int, 0), over=(Kept[bool], ...))
        faults = faults_of(lambda: items(odd, lines={"full": "{what}, {wat}"}, done="ovr"))
        assert len(faults) == 6

    def test_of_a_value_and_a_table(self) -> None:
        assert len(faults_of(lambda: value(lines={"full": "{wat}"}, verbs=("add", "sett")))) == 3
        body = {"columns": ("wat", "what"), "lines": {"full": "{wat}"}}
        assert len(faults_of(lambda: _declared(TableSection[Remedy], "Remedies", body))) == 2

    def test_of_a_domain(self) -> None:
        names = ("Lost", "Later", "Lately")
        alike = [items(Remedy, name, title="Tried", prefix="r", noun=name) for name in names]
        own = items(on={"note.ad": rises}, former=("notes",), former_fields={"was": "waht"})
        assert len(faults_of(lambda: Domain("My desk", alike))) == 7
        assert len(faults_of(lambda: Domain("desk", [NotesSection, own], first=["note"]))) == 4

    @looped("given", [None, 3, (), {}, object(), int, len])
    @looped("attribute", ["name", "verbs", "draft", "done", "text", "on", "prop"])
    def test_of_nonsense(self, attribute: str, given: Any) -> None:
        with suppress(DefinitionError):  # no other error
            items(**{attribute: given})

    def test_of_what_is_right_there_are_none(self) -> None:
        assert faults_of(lambda: items(lines={"full": "{wat}"})) == (
            'Remedies.lines: no field of Remedy fills {wat}; did you mean "what"?',
        )


UNMARKED: dict[str, tuple[Callable[[], Any], str, str]] = {
    "two holes with nothing between": (
        lambda: items(lines={"full": "{what}{why}"}),
        "Remedies.lines, full: where {what} ends is unclear, because {why} follows it without a mark; ",
        "{what}*{why}*",
    ),
    "two holes with a space between": (
        lambda: items(lines={"full": "**{what}** {why} {tags}"}),
        "Remedies.lines, full: where {why} ends is unclear, because {tags} follows it without a mark; ",
        "**{what}** *{why}* {tags}",
    ),
    "a tuple with its own separator before it": (
        lambda: items(lines={"full": "{what}, {tags}"}),
        "Remedies.lines, full: where {what} ends is unclear, because {tags} follows it without a mark; ",
        "{what}, *{tags}*",
    ),
    "white space at its edges": (
        lambda: items(lines={"full": " {what} "}),
        "Markdown has no such line",
        "{what}",
    ),
    "white space inside a mark": (
        lambda: items(lines={"full": "** {what} **"}),
        "Markdown has no such line",
        "**{what}**",
    ),
    "a mark alone": (
        lambda: items(lines={"full": "{tries}* {what}"}),
        "Remedies.lines, full: its marks are not in pairs, or nest; ",
        "{tries} {what}",
    ),
    "marks that nest": (
        lambda: items(lines={"full": "**{what} *{why}***"}),
        "Remedies.lines, full: its marks are not in pairs, or nest; ",
        "{what} *{why}*",
    ),
    "two lines with each other's texts": (
        lambda: items(
            lines={"full": ("*{why}* {what}", "{what}"), "compact": ("*{what}* {why}", "{what}")}
        ),
        "could both write '*x* x'",
        "*{what}* **{why}**",
    ),
    "a dense value that any text reads like, and so may its line": (
        lambda: value(
            lines={"full": "{what}", "compact": "**Ticket:** {what} {plan}", "minimal": "{what}"}
        ),
        "any text would read like it",
        "**Ticket:** {what}",
    ),
    "a dense value that any text reads like": (
        lambda: value(lines={"full": "**{what}**", "compact": "{what}"}),
        "any text would read like it",
        "**Ticket:** {what}",
    ),
}
"""Lines that could not be read back, each with why, and the line that is written in its place."""


@looped("case", UNMARKED)
def test_is_written_with_a_mark_and_a_warning_says_so(case: str) -> None:
    declare, why, better = UNMARKED[case]
    with pytest.warns(LayoutWarning) as told:
        section = declare()
    [warning] = told
    assert why in str(warning.message)
    assert f"{better!r} is written in place of " in str(warning.message)
    known = (
        [form for forms in section.forms.values() for form in forms]
        if isinstance(section.forms, dict)
        else section.forms
    )
    assert better in {form.source for form in known}


class Dose(HudItem):
    """A dose."""

    share: Annotated[float, Field(ge=0, le=1)] | None = None
    part: Annotated[Decimal, Field(gt=0, le=1)] = Decimal(1)
    percent: Annotated[float, Field(ge=0, le=100)] = 50
    sure: int | None = None
    growth: float | None = None


def test_a_percent_sign_after_a_number_from_0_to_1_is_warned_of() -> None:
    with pytest.warns(LayoutWarning) as told:

        class Doses(ItemsSection[Dose]):
            lines: ClassVar[Any] = {
                "full": ("{share:.1f} % {part}%", "{percent}%, {part:.0%}, {sure:.0%}"),
                "compact": ("{growth:.0%}", "up by {growth:+.0%}"),
            }

    assert [str(each.message) for each in told] == [
        "Doses.lines, full: {share} is from 0 to 1, so {share:.1f} % shows 0.3% for 30%; write {share:.0%}",
        "Doses.lines, full: {part} is from 0 to 1, so {part}% shows 0.3% for 30%; write {part:.0%}",
        "Doses.lines, full, line 2: {sure} is a whole number, so {sure:.0%} shows 5000% for 50; write {sure}%, or make it a float",
        "Doses.lines: {growth} has no bounds, so {growth:.0%} shows 4500% for 45; write growth: Annotated[float | None, Field(ge=0, le=1)], or just ge=0 to allow more than 100%",
        "Doses.lines, full: an item with percent or sure may have this line, which does not show it; write '{share:.1f} % {part}%{? ({percent})?}{? ({sure:.0%})?}'",
    ]


class Talk(HudItem):
    """A talk."""

    title: str
    guest: str | None = None
    place: str = ""
    minutes: int | None = None


DASHED = [
    ("{title} with {guest}", "{title}{? with {guest}?}"),
    ("**{title}** (by *{guest}*)", "**{title}**{? (by *{guest}*)?}"),
    ("{title} with {guest} at {place}.", "{title}{? with {guest}?}{? at {place}?}."),
    ("{title}, {minutes} minutes, {place}", "{title}{?, {minutes} minutes?}{?, {place}?}"),
    ("[{guest}] **{title}**", "{?[{guest}] ?}**{title}**"),
    ("{title}€ {place}", "{title}€{? {place}?}"),
    ("{title}, {minutes}€ at {place}", "{title}{?, {minutes}€?}{? at {place}?}"),
    ("{title}{? ({guest})?} at {place}", "{title}{? ({guest})?}{? at {place}?}"),
]
"""Lines that show a dash for most items, each with the line that does not."""


@looped(("line", "better"), DASHED)
def test_a_dash_for_what_is_unset_by_default_is_warned_of(line: str, better: str) -> None:
    with pytest.warns(LayoutWarning) as told:
        items(Talk, "Talks", lines=line)
    [warning] = told
    assert str(warning.message).endswith(f'shows "—" in this line; write {better!r}')
    section = items(Talk, "Talks", lines=better)
    assert "—" not in render(section()["Tea"])


@looped(
    ("line", "better"),
    [
        ("**{title}** {?guest?}", "**{title}**{? {guest}?}"),
        ("**{title}**{?, guest?}", "**{title}**{?, {guest}?}"),
        ("**{title}**{? *guest* ?}", "**{title}**{? *{guest}* ?}"),
        ("**{title}**{? by {guest}?}{?title:?}", "**{title}**{? by {guest}?}{?{title}:?}"),
        ("**{title}**{? a guest?}", "**{title}** a guest"),
    ],
)
def test_a_hole_without_its_braces_gets_them(line: str, better: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        items(Talk, "Talks", lines=line)
    assert str(refused.value).endswith(f"a hole that may be unset; write {better!r}")


def test_what_is_over_is_said_once() -> None:
    class Question(HudItem):
        to: str
        answered: bool = False

    with pytest.raises(DefinitionError, match=r"by itself to what is over; write 'To \{to\}' in"):
        items(Question, "Questions", lines="To {to}{?, {answered}?}", done="answered")
    lines = (Wording("To {to}, answered", {"answered": True}), "To {to}")
    shown: list[str] = []
    for each in ("To {to}", lines):
        domain = Domain("loan", [items(Question, "Questions", lines=each)])
        with HudStore.open(":memory:", domain=domain) as store:
            session = store.session("s")
            session.call("hud", {"op": "questions.add", "to": "Lender 1", "answered": True})
            shown.append(session.call("hud", {"op": "questions.list"}).text.split("\n")[0])
    assert shown == ["- `q-2` (answered) To Lender 1", "- `q-2` To Lender 1, answered"]


@looped(
    "lines",
    [
        ("{title} with {guest}", "{title}"),
        "**{title}** · guest: {guest}",
        "{title}{? with {guest}?}",
        "{guest}",
    ],
)
def test_a_dash_that_is_meant_is_not_warned_of(lines: Any) -> None:
    assert "Tea" in render(items(Talk, "Talks", lines=lines)()[Talk(title="Tea", guest="Tea")])


def test_nodes_behind_a_task_that_there_is_not_are_warned_of() -> None:
    with pytest.warns(LayoutWarning, match=r'write TaskSection\(task="…"\)\[…\], or Section'):
        assert render(TaskSection()[Paragraph()["Ask first."]]) == ""


def test_a_bullet_in_a_line_of_a_list_is_left_out_and_warned_of() -> None:
    with pytest.warns(LayoutWarning) as told:

        class Doses(ItemsSection[Dose]):
            lines: ClassVar[Any] = {"full": ("- [ ] {percent} of", "- {part}")}

    assert [form.source for form in Doses.forms] == ["{percent} of", "{part}"]
    assert "write '{percent} of' and '{part}'" in str(told[0].message)
    assert len(told) == 1


def test_all_lines_that_are_written_otherwise_are_told_at_once() -> None:
    with pytest.warns(LayoutWarning) as told:

        class Remedies(ItemsSection[Remedy]):
            lines: ClassVar[Any] = {"full": "{what} {why}", "compact": "{why} {what}"}

    write = "'{what} *{why}*' is written in place of '{what} {why}' and '**{why}** *{what}*' is"
    assert write in str(told[0].message)
    assert len(told) == 1


@looped("declare", [value, items])
def test_a_draft_leaves_to_the_store_who_said_it(declare: Any) -> None:
    held = Plain if declare is value else Remedy
    section = declare(draft=held)
    assert [*section.draft.model_fields][:2] == ["what", "plan" if held is Plain else "outcome"]
    assert not section.draft.model_fields.keys() & {"id", "said_by", "said_in", "said_at", "over"}


def test_lists_whose_ids_would_begin_alike_get_prefixes_of_their_own() -> None:
    with HudStore.open(
        ":memory:", domain=Domain("desk", [items(), items(Remedy, "Risks", noun="risk")])
    ) as store:
        session = store.session("s")
        for name in ("remedies", "risks"):
            session.record(f"{name}.add", what="Restart")
        assert (session.state().remedies[0].id, session.state().risks[0].id) == ("r-2", "ri-3")


def test_an_answer_names_the_arguments_of_its_verb() -> None:
    verbs = ("add", Verb("rise", asked, answer="{id} rises to {level}."))
    with HudStore.open(":memory:", domain=Domain("desk", [items(verbs=verbs)])) as store:
        session = store.session("s")
        session.record("remedies.add", what="Restart")
        told = session.call("hud", {"op": "remedies.rise", "id": "Restart", "level": 3})
        assert told.text.startswith("r-2 rises to 3.")


def test_what_is_right_is_declared() -> None:
    section = items(lines={"full": "**{what}** — {outcome}", "compact": "{what}"})
    assert section.texts["remedies.title"] == "Remedies"
    assert Domain("desk", [section, value(), other()]).state().remedies == ()


class Dish(HudItem):
    """Something on the menu."""

    price: float = 0.0
    name: str
    extras: tuple[str, ...] = ()


class TestWithoutLines:
    """A class of a model alone is a section as soon as it is used, and may be a base of others until then."""

    def test_each_item_shows_its_text_and_all_else_that_it_says(self) -> None:
        class Dishes(ItemsSection[Dish]): ...

        dishes = Dishes(dishes=["Soup", Dish(name="Pie", price=4.5, extras=("salt, pepper",))])
        text = render(dishes)
        assert text == (
            "# Dishes\n\n- **Soup** · price: 0.0 · extras: *—*\n"
            '- **Pie** · price: 4.5 · extras: *"salt, pepper"*\n'
        )
        assert parse(text, Dishes) == dishes

    def test_it_is_read_back_and_a_tool_before_an_instance_is_made(self) -> None:
        class Dishes(ItemsSection[Dish]): ...

        class Drinks(ItemsSection[Dish]): ...

        read: Any = parse("# Dishes\n\n- **Soup** · price: 2.0 · extras: *—*\n", Dishes)
        assert read.dishes == (Dish(name="Soup", price=2.0),)
        assert tool_definition(Drinks, dialect="mcp")["inputSchema"]["required"] == ["drinks"]

    def test_it_is_a_section_of_a_domain(self) -> None:
        class Dishes(ItemsSection[Dish]): ...

        assert CODING.with_sections(Dishes).fields["dishes"] is Dishes
        assert Domain("kitchen", Dishes).state(dishes=["Soup"])[Dishes] == (Dish(name="Soup"),)

    def test_a_base_stays_one(self) -> None:
        class Base(ItemsSection[Dish]):
            verbs = ("add",)

        class Dishes(Base):
            lines = "{name}"

        class Drinks(Base): ...

        assert (Base.name, Dishes.name) == ("", "dishes")
        for section in (Base, Dishes, Drinks):
            assert section(["Soup"]).prop == section.__name__.lower()
            assert section.verbs == ("add",)


BASES: tuple[type[HudSection], ...] = (ItemsSection, ValueSection)


class TestBases:
    """What sections are derived from is no section: it says what to write instead."""

    @looped("base", BASES)
    def test_stand_in_no_layout(self, base: type[HudSection]) -> None:
        vocabulary = layout_vocabulary() | [base]
        [error] = check_layout(f"<{base.__name__}/>", vocabulary)
        assert f"write class Mine({base.__name__}[…])" in str(error)
        with pytest.raises(DefinitionError, match="has no model; write"):
            render(base())

    @looped("base", BASES)
    def test_are_no_tools(self, base: type[HudSection]) -> None:
        with pytest.raises(DefinitionError, match="has no model; write"):
            tool_definition(base, dialect="mcp")

    @looped("base", [*BASES, View, HudSection])
    def test_are_in_no_domain_and_not_among_the_components(self, base: type[HudSection]) -> None:
        with pytest.raises(DefinitionError, match=r"class Mine\("):
            Domain("desk", [base])
        assert base not in layout_vocabulary()
        assert base not in agent_vocabulary(HudState)


class Blame(HudValue):
    """What is blamed, with who said so."""

    what: Line


class Part(HudItem):
    """An item with a part that is a value."""

    what: Line
    blame: Blame | None = None


class Parts(HudModel):
    """Arguments with parts that are values."""

    blames: tuple[Blame, ...] = ()


def blamed(items: tuple[Remedy, ...], said: Blame, moment: Moment) -> tuple[Remedy, ...]:
    return items


def in_parts(items: tuple[Remedy, ...], said: Parts, moment: Moment) -> tuple[Remedy, ...]:
    return items


def again(items: tuple[Remedy, ...], said: Remedy, moment: Moment) -> tuple[Remedy, ...]:
    return (*items, Remedy(what=said.what))


class TestWhatTheStoreTells:
    """Ids and sources are the store's: no schema of an operation has them."""

    @looped(
        ("verb", "says"),
        [
            (Verb("blame", blamed), "takes Blame, whose said_by only the store"),
            (Verb("blame", in_parts), "Parts.blames holds a Blame"),
            (Update("update", draft=Blame), "takes Blame, whose said_by"),
            (Add("add", arguments=Blame), "takes Blame, whose said_by"),
        ],
    )
    def test_is_no_argument_of_a_verb(self, verb: Verb, says: str) -> None:
        with pytest.raises(DefinitionError, match=says) as caught:
            items(verbs=(verb,))
        assert "a HudModel" in str(caught.value)

    def test_is_in_no_part_of_an_item(self) -> None:
        with pytest.raises(DefinitionError, match=r"Part\.blame holds a Blame"):
            items(Part)

    def test_what_is_left_is_offered(self) -> None:
        section = items(verbs=("add", "update", Verb("again", again)))
        tools = definitions("mcp", domain=Domain("desk", [section]), rare=True)
        assert not {"said_by", "said_in", "said_at"} & {*re.findall(r"\w+", str(tools))}


def test_a_tag_of_an_authors_own_says_how_it_can_be_one(tmp_path, capsys):
    text = "<Hud>\n<OvenLoad/>\n</Hud>"
    said = {
        known: check_layout(text, vocabulary)[0].message
        for known, vocabulary in (
            ("given", layout_vocabulary()),
            ("of an agent", agent_vocabulary(HudState)),
        )
    }
    assert (
        "; add your own to the vocabulary, as in PRIMITIVES | [OvenLoad]; known: " in said["given"]
    )
    file = tmp_path / "layout.md"
    file.write_text(text, encoding="utf-8")
    assert main(["render", str(file)]) != 0
    assert (
        "; for a section of your own name its domain (--domain module:NAME), for another component pass --with MODULE or list it in the "
        "domain's components=; " in capsys.readouterr().err
    )
    assert "is not a known component; known: " in said["of an agent"]


class TestItemsAlone:
    """A section that declares nothing of its own needs no class: that of its items, or of its value, stands for it."""

    def test_a_domain_makes_their_sections_with_the_lines_of_the_class(self) -> None:
        class Bed(HudItem):
            """A bed of the garden."""

            lines: ClassVar[Any] = {"full": "**{name}** {moisture:.0%}", "compact": "{name}"}

            name: Line
            moisture: Annotated[float, Field(ge=0, le=1)] = 0.5

        class Season(HudValue):
            lines = "It is {name}."

            name: Line

        class Next(View):
            reads = (Season, Bed)

            def render(self, ctx: RenderContext, children: Children) -> Child:
                state = self.read(ctx)
                return Paragraph()[f"{state[Season].name}: {len(state[Bed])} beds"]

        garden = Domain("garden", [Bed, Season, Next])
        with HudStore.open(":memory:", domain=garden) as store:
            session = store.session("s")
            session.record("beds.add", "North", moisture=0.3)
            session.record("season.set", "spring")
            state, text = session.state(), session.hud().text
            shown = "# HUD\n\n## Beds\n\n- **North** 30%\n\n## Season\n\nIt is spring.\n\nspring: 1 beds\n"
            assert text == shown
            assert session.hud(density="compact").text.startswith("# HUD\n\n**Beds:** North\n")
            assert [bed.name for bed in state[Bed]] == ["North"]
            read: Any = parse(text, garden)
            assert read.children[0].beds == (Bed(name="North", moisture=0.3),)
        assert Domain("other", [Bed]).sections == garden.sections[:1]
        assert garden.sections[0].__doc__ == "A bed of the garden."

    def test_a_declared_section_comes_before_one_of_its_own_and_its_lines_before_theirs(
        self,
    ) -> None:
        class Bed(HudItem):
            lines = "{name}"

            name: Line

        first: Any = Domain("first", [Bed])

        class Beds(ItemsSection[Bed]): ...

        assert Beds.lines == "{name}"
        assert Domain("second", [Bed]).sections == (Beds,)
        assert first.state(beds=["North"])[Bed] == (Bed(name="North"),)

        class Rows(ItemsSection[Bed]):
            lines = "Row {name}"

        assert render(Rows()["1"]) == "# Rows\n\n- Row 1\n"
        with pytest.raises(DefinitionError, match=r"has several; write Beds or Rows$"):
            Domain("third", [Bed])

    def test_a_state_does_not_guess_which_of_two_sections_is_asked_for(self) -> None:
        class Bed(HudItem):
            name: Line

        class Beds(ItemsSection[Bed]): ...

        class LateBeds(ItemsSection[Bed]):
            noun = "late bed"

        state: Any = Domain("garden", [Beds, LateBeds]).state(beds=["North"], late_beds=["South"])
        assert state[LateBeds] == (Bed(name="South"),)
        with pytest.raises(DefinitionError, match=r"write state\[Beds\] or state\[LateBeds\]$"):
            state[Bed]

    def test_methods_and_properties_may_have_the_names_of_what_is_a_sections(self) -> None:
        class Bed(HudItem):
            plant: Line

            @property
            def title(self) -> str:
                return self.plant.upper()

            def order(self) -> int:
                return len(self.plant)

        bed = Bed(plant="Beans")
        assert (bed.title, bed.order()) == ("BEANS", 5)

    def test_fields_may_have_their_names_and_what_is_a_sections_is_refused(self) -> None:
        class Change(HudItem):
            lines: int
            title: str
            done: bool = False

        class Changes(ItemsSection[Change]): ...

        assert (
            render(Changes()[Change(lines=3, title="Fix")]) == "# Changes\n\n- **Fix** · lines: 3\n"
        )
        for name in ("title", "name", "noun", "verbs", "done"):
            line = rf"{name}: str = …, and .* class Mine\(ItemsSection\[Wrong\]\): {name} = …"
            with pytest.raises(DefinitionError, match=line):
                type("Wrong", (HudItem,), {name: "x", "__module__": __name__})
