"""The answers to a page about a loaded subject, as data from the library."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hud_runtime.preview._preview import PreviewLook, PreviewSource
from hud_runtime.preview._reading import (
    STOPS,
    ReadBlocks,
    States,
    changed_parts,
    kind_of,
    mdast_data,
    piece_of,
    text_on,
    tree_data,
    utf16,
)
from hud_runtime.session import RenderOptions
from ujsx import Density

if TYPE_CHECKING:
    from hud_components import State
    from hud_components.changes import LineReader
    from hud_runtime import Event
    from hud_runtime.context.delivery import ShownHud
    from hud_runtime.preview._reading import VersionCost
    from ujsx import Explanation
    from ujsx.rendering import RenderedNode

KEPT = 16
"""Maximum cached renderings: of a turn and the previous one, currently and before."""

PIECES = 10_000
"""Maximum cached sections on their rungs, of all viewed and prepared turns: some 90 MB."""

EARLY = 8
"""Turns that are prepared before the other sliders' moves: these few share much with any turn."""

PAGE = 100
"""Maximum events, or deliveries, in one answer."""

LONGEST = 4_000
"""Maximum characters of an event's payload; the log has all of it."""

MORE = 100
"""Maximum additional tokens whose effect is computed."""


class _Seen(NamedTuple):
    """A rendering, and its components' warnings."""

    shown: ShownHud
    warnings: tuple[str, ...]


class AwaitedError(BaseException):
    """A more urgent question is waiting; an author's ``except Exception`` does not catch it."""


class Renderings(ABC):
    """The renderings of a subject: the latest ones are cached, and others are prepared in advance.

    :param is_awaited: returns whether somebody waits for a view; other work is then interrupted.
    """

    def __init__(
        self, loaded: PreviewSource, name: str, is_awaited: Callable[[], bool] = lambda: False
    ) -> None:
        self._loaded = loaded
        self._is_awaited = is_awaited
        self._name = name
        self._session = loaded.session
        self._states = States(self._session)
        self._look = PreviewLook()
        self._asked = (0, self._look)
        self._forget()

    def _forget(self) -> None:
        """Clear the caches: they are outdated, or incomplete."""
        from ujsx import Renderer

        self._kept: OrderedDict[tuple[int, PreviewLook], _Seen] = OrderedDict()
        self._renderer = Renderer(keeps=PIECES, before_each=self._step_aside)
        self._readings = ReadBlocks(self._step_aside)
        self._lines: LineReader | None = None
        self._beside: list[PreviewLook] = []
        self._later = 0
        self._ahead: list[int] | None = None
        self._counting: VersionCost | None = None
        self._is_urgent = False

    def _step_aside(self) -> None:
        """Interrupt the current work if somebody waits for something else."""
        if not self._is_urgent and self._is_awaited():
            raise AwaitedError

    @property
    def turns(self) -> int:
        """The last turn of the session; a tree without a session has none."""
        return 0 if self._loaded.is_tree_alone else self._session.turn

    def ahead(self) -> bool:
        """Prepare the likely next answers: the last requested look at other turns, and with other sliders'
        positions.

        Each call prepares one look. The first turns are far apart; those between two of them share most
        sections with them. A look is interrupted if somebody asks a question meanwhile; its finished parts
        stay cached.

        :return: whether there is more to do.
        :raises Exception: anything that the author's code raises; preparation then ends.
        """
        try:
            if self._ahead is None:
                turns = range(0, self.turns, -(-self.turns // STOPS) or 1)
                if not self._folded(turns):
                    return True
                self._ahead = spread(turns)[::-1]
                self._later = max(len(self._ahead) - EARLY, 0)
            if self._beside and len(self._ahead) <= self._later:
                look = self._beside[-1]
                self._told(look, self._seen(look))
                self._beside.pop()
            elif self._ahead:
                look = _of_turn(self._look, self._ahead[-1])
                self._told(look, self._made(look, self._state(look, is_stop=True)))
                self._ahead.pop()
            return bool(self._beside or self._ahead)
        except AwaitedError:
            return True
        except BaseException:
            self._beside, self._ahead = [], []
            raise

    def _folded(self, turns: Sequence[int]) -> bool:
        """Compute the states from which all others are folded; return whether nobody asked a question meanwhile."""
        for turn in turns:
            if self._is_awaited():
                return False
            self._state(PreviewLook(turn), is_stop=True)
        return True

    def give_up(self) -> None:
        """Clear the caches after an incomplete preparation, and prepare nothing more."""
        self._forget()
        self._ahead = []

    def _at(self, look: PreviewLook) -> PreviewLook:
        """Return the look with its resolved turn."""
        turn = self.turns if look.turn is None else min(max(look.turn, 0), self.turns)
        return _of_turn(look, turn)

    def _state(self, look: PreviewLook, *, is_stop: bool = False) -> Any:
        from hud_runtime import At

        session = self._session
        if look.turn is None or look.turn >= self.turns:
            return session.known
        if look.turn and not is_stop:  # its previous turn, with which it is compared, is on the way
            self._states.at(session.log.version_at(session.id, At.turn(look.turn - 1)))
        version = session.log.version_at(session.id, At.turn(look.turn))
        return self._states.at(version, is_stop=is_stop)

    def _seen(self, look: PreviewLook) -> _Seen:
        """The rendering of a look; the latest ones are cached."""
        key = self._session.version, look
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        seen = self._kept[key] = self._made(look, self._state(look))
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return seen

    def _made(self, look: PreviewLook, state: State) -> _Seen:
        told: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            asked = RenderOptions(
                density=look.density,  # type: ignore[arg-type]
                budget=look.budget,
                layout=self._loaded.tree,
                on_warning=told.append,
            )
            shown = self._session.shown(asked, state=state, renderer=self._renderer)
        told += [str(each.message) for each in caught]
        return _Seen(shown, tuple(dict.fromkeys(told)))

    @abstractmethod
    def _told(self, look: PreviewLook, seen: _Seen) -> object:
        """Return a page's data of a rendering."""


class Answers(Renderings):
    """Answers questions about a subject. Each answer is JSON data, for any look."""

    def stamp(self) -> dict[str, Any]:
        """Return data that changes once somebody has written to the session."""
        version = self._session.log.head(self._session.id).version
        return {"version": version}

    def view(self, look: PreviewLook) -> dict[str, Any]:
        """Return the rendering, by its nodes, and its omissions.

        Somebody waits for it: it is never interrupted, and other work is interrupted for it.
        """
        self._is_urgent = True
        try:
            return self._view(look)
        finally:
            self._is_urgent = False

    def _view(self, look: PreviewLook) -> dict[str, Any]:
        self._session.refresh()
        if self._states.is_erased():
            self._forget()
        look = self._at(look)
        seen = self._seen(look)
        if (look.density, look.budget) != (self._look.density, self._look.budget):
            self._ahead = None
        if (key := (self._session.version, look)) != self._asked:
            self._beside = beside(look)[::-1]
        self._look, self._asked = look, key
        return self._told(look, seen)

    def _told(self, look: PreviewLook, seen: _Seen) -> dict[str, Any]:
        rendered, room = seen.shown.rendered, seen.shown.room
        usage = getattr(self._state(look), "usage", None)
        nodes = rendered.nodes
        return {
            "name": self._name,
            "domain": self._session.domain.name,
            "turn": look.turn,
            "turns": self.turns,
            "has_turns": not self._loaded.is_tree_alone,
            "version": self._session.version,
            "density": room.density,
            "budget": room.budget,
            "used": None if usage is None else usage.percentage,
            "tokens": rendered.tokens,
            "over_budget": rendered.over_budget,
            "nodes": [_node(each) for each in nodes],
            "reading": self._readings.of(rendered.text, [each.text for each in nodes]),
            "layers": [_data(each, "layer tokens") for each in rendered.layers],
            "omitted": [
                _data(each, "section count ids tokens handle what") | {"ids": each.ids[:PAGE]}
                for each in rendered.omitted
            ],
            "notes": [*self._loaded.notes, *seen.warnings],
        }

    def rungs(self, look: PreviewLook) -> dict[str, Any]:
        """Return the cost of each rung of each section, and the effect of more tokens."""
        seen = self._seen(self._at(look))
        rendered, room = seen.shown.rendered, seen.shown.room
        budget = rendered.tokens if room.budget is None else room.budget
        ladders = self._explained(seen.shown, budget, None)
        bought = ladders
        if room.density is not None and str(room.density) != "full":
            bought = self._explained(seen.shown, budget, room.density)
        return {
            "sections": [
                {
                    "name": each.name,
                    "budget": each.budget,
                    "values": [str(one) for one in each.interpolations],
                    "rungs": [
                        {"rung": _rung(one.rung), "tokens": one.tokens, "useful": one.is_useful}
                        for one in each.rungs
                    ],
                }
                for each in ladders.sections
            ],
            **_data(bought, "floor more missing"),
            "has_budget": room.budget is not None,
            "next": [
                {
                    "section": each.section,
                    "before": _rung(each.before),
                    "after": _rung(each.after),
                    "tokens": each.tokens,
                }
                for each in (bought.next if room.budget is not None else ())
            ],
        }

    def change(self, look: PreviewLook) -> dict[str, Any]:
        """Return the changes since the previous turn, the cause of the broken prefix, and the delta.

        ``byte`` is the first different one in UTF-8, and ``place`` the same in a page's units, UTF-16.
        """
        look = self._at(look)
        if not look.turn:
            return {"turn": None}
        from hud_components.changes import LineReader, tell, update
        from ujsx import compare

        before = self._seen(_of_turn(look, look.turn - 1)).shown
        now = self._seen(look).shown
        found = compare(before.rendered, now.rendered)
        broken = found.broken
        reader = self._lines = self._lines or LineReader()
        said = update(
            tell(before.node, before.rendered, before.context, reader),
            now.node,
            now.rendered,
            now.context,
            reader,
        )
        return {
            "turn": look.turn - 1,
            **_data(found, "kept kept_tokens lost_tokens new_tokens"),
            "byte": len(now.rendered.text[: found.place].encode("utf-8", "surrogatepass")),
            "place": utf16(now.rendered.text[: found.place]),
            "broken": broken
            and {
                **_data(broken, "node path line field"),
                "changes": [str(each) for each in broken.changes[:PAGE]],
            },
            "parts": changed_parts(before.rendered, now.rendered),
            "delta": None if said is None else said.text,
            "delta_tokens": None if said is None else now.rendered.count_tokens(said.text),
        }

    def node(self, look: PreviewLook, index: int) -> dict[str, Any]:
        """Return the tree of a node of the rendering, and its text one rung higher."""
        shown = self._seen(self._at(look)).shown
        nodes = shown.rendered.nodes
        if not 0 <= index < len(nodes):
            return {"index": None}
        node = nodes[index]
        return {"index": index, **_made_of(node), "next": self._higher(shown, index)}

    def trees(self, look: PreviewLook) -> list[dict[str, Any]]:
        """Return the trees of all nodes of the rendering."""
        return [_made_of(each) for each in self._seen(self._at(look)).shown.rendered.nodes]

    def events(self, look: PreviewLook, after: int = 0) -> dict[str, Any]:
        """Return the events of a turn, a page at a time."""
        from hud_runtime import At
        from hud_runtime.log.projection import described

        look = self._at(look)
        turn, session = look.turn or 0, self._session
        first = session.log.version_at(session.id, At.turn(turn - 1)) if turn else 0
        found = _of_one_turn(session.events(max(first, after)), turn)
        page = [*islice(found, PAGE + 1)]
        return {
            "events": [
                {
                    **_data(each, "version timestamp actor type"),
                    "words": described(each, session.domain)[:LONGEST],
                    "payload": each.payload.model_dump_json()[:LONGEST],
                }
                for each in page[:PAGE]
            ],
            "after": page[PAGE - 1].version if len(page) > PAGE else None,
        }

    def deliveries(self, look: PreviewLook) -> dict[str, Any]:
        """Return the stored deliveries of the session's HUD, newest first."""
        from hud_runtime.context.delivery import kept_deliveries

        kept = kept_deliveries(self._session.log, self._session.id)
        return {
            "deliveries": [
                {
                    **_data(each, "id reader mode version why"),
                    "is_sent": is_sent,
                    "parts": [_data(one, "kind place since text") for one in each.parts],
                }
                for each, is_sent in kept[::-1][:PAGE]
            ],
            "count": len(kept),
        }

    def schema(self, look: PreviewLook, dialect: str = "json-schema") -> dict[str, Any]:
        """Return the tools of the HUD, or that of a shown tree's component, in a dialect."""
        from hud_runtime.tools import definitions
        from ujsx.schema import DIALECTS, tool_definition
        from ujsx.tokens import estimate_tokens

        made = definitions(dialect, domain=self._session.domain)
        for component in self._components():
            made.append(tool_definition(component, dialect=dialect))
        texts = [_indented(each) for each in made]
        return {
            "dialects": [*DIALECTS],
            "dialect": dialect,
            "tools": [
                {"name": str(each.get("name") or each.get("title") or "tool"), "text": text,
                 "tokens": estimate_tokens(text)}
                for each, text in zip(made, texts, strict=True)
            ],
        }  # fmt: skip

    def cost(self, look: PreviewLook, prices: str = "anthropic") -> dict[str, Any]:
        """Return the HUD's costs, turn by turn, as in ``ujsx cost``; or the progress, if the question
        must be repeated.

        A long session takes a while: it is counted a piece at a time, and the result stays until somebody
        writes to the session.
        """
        from hud_runtime.preview._reading import VersionCost

        counting, session = self._counting, self._session
        key = (session.version, prices)
        if counting is None or (counting.version, counting.prices) != key:
            counting = self._counting = VersionCost(session, self.turns, prices)
        try:
            bill = counting.go_on(self._is_awaited)
        except BaseException:
            self._counting = None  # it cannot continue: the next question reports the error again
            raise
        if bill is None:
            return {"counted": counting.done, "of": counting.of}
        return {
            "turns": [
                [each.turn, each.tokens, each.appended, each.kept, each.lost, each.broken_by]
                for each in bill.turns
            ],
            "ways": [[way, cost, bill.ratio(way)] for way, cost in bill.ways.items()],
            "without": bill.without,
            "tools": [bill.tool_tokens, bill.tools],
            "cheapest": bill.cheapest,
            "is_assumed": bill.is_assumed,
        }

    def _explained(self, shown: ShownHud, budget: int, density: Any) -> Explanation:
        from ujsx import explain

        return explain(
            shown.node,
            budget,
            density=density,
            more=MORE,
            context=shown.context.with_density("full"),  # the rendering's own is given separately
            renderer=self._renderer,
        )

    def _higher(self, shown: ShownHud, index: int) -> dict[str, Any] | None:
        """A section's text on the next rung that a budget reaches; None on the last."""
        from ujsx.rendering import RenderedSection

        rendered, budget = shown.rendered, shown.room.budget
        node = rendered.nodes[index]
        piece = piece_of(shown.node, shown.context, index)
        if piece is None or not isinstance(node, RenderedSection):
            return None
        place = sum(isinstance(each, RenderedSection) for each in rendered.nodes[:index])
        ladders = self._explained(shown, rendered.tokens if budget is None else budget, None)
        rungs = ladders.sections[place].rungs
        same = [at for at, each in enumerate(rungs) if each.rung == node.rung]
        less = [at for at, each in enumerate(rungs) if each.tokens <= node.tokens]
        for each in rungs[max(same or less, default=-1) + 1 :]:
            if each.rung is None or not each.is_useful:
                continue
            text = text_on(piece, each.rung)
            tokens = rendered.count_tokens(text)
            if text.strip() != node.text.strip() and tokens >= node.tokens:
                return {"rung": _rung(each.rung), "text": text, "tokens": tokens}
        return None

    def _components(self) -> list[Any]:
        """The classes of composites in a tree without a session that are not sections: these have their own
        schemas.
        """
        from hud_components import HudSection
        from ujsx import Component, Element
        from ujsx.components import as_element

        tree: Any = self._loaded.tree
        if not self._loaded.is_tree_alone or not isinstance(tree, Component | Element):
            return []
        component = as_element(cast("Component", tree)).component
        is_own = not (component.is_primitive or isinstance(component, HudSection))
        return [type(component)] if is_own else []


def beside(look: PreviewLook) -> list[PreviewLook]:
    """Return the looks after one move of a slider other than the turn's: each other density, and no
    budget, or the usual one.

    >>> beside(PreviewLook(7, "full"))[0], beside(PreviewLook(7, "full"))[-1]
    (PreviewLook(turn=7, density=None, budget=None), PreviewLook(turn=7, density='full', budget='off'))
    """
    densities = [each for each in (None, *map(str, Density)) if each != look.density]
    return [
        *(PreviewLook(look.turn, each, look.budget) for each in densities),
        PreviewLook(look.turn, look.density, None if look.budget == "off" else "off"),
    ]


def spread(turns: Sequence[int]) -> list[int]:
    """Return turns in an order in which the first are far apart.

    >>> spread(range(0, 80, 10))
    [0, 40, 20, 60, 10, 30, 50, 70]
    """
    step = 1 << max(len(turns) - 1, 0).bit_length()
    found = dict.fromkeys(turns[:1])
    while step > 1:
        found |= dict.fromkeys(turns[::step])
        step //= 2
        found |= dict.fromkeys(turns[step :: 2 * step])
    return [*found]


def _of_turn(look: PreviewLook, turn: int) -> PreviewLook:
    return PreviewLook(turn, look.density, look.budget)


def _of_one_turn(events: Iterator[Event], turn: int) -> Iterator[Event]:
    for each in events:
        if each.turn > turn:
            return
        yield each


def _rung(rung: object) -> str | None:
    return None if rung is None else str(rung)


def _node(node: RenderedNode) -> dict[str, Any]:
    from ujsx.rendering import RenderedSection

    section = node if isinstance(node, RenderedSection) else None
    rung = section and section.rung
    return {
        **_data(node, "name path text"),
        "tokens": node.tokens if node.text else 0,
        "layer": node.layer,
        "kind": kind_of(node),
        "is_section": section is not None,
        "rung": _rung(rung),
        "density": rung and rung.density,
        "capped_at": section and section.capped_at,
    }


def _made_of(node: RenderedNode) -> dict[str, Any]:
    return {
        **_data(node, "path fingerprint"),
        "tree": [tree_data(each) for each in node.nodes],
        "mdast": mdast_data(node.text),
    }


def _indented(data: Any) -> str:
    import json

    return json.dumps(data, indent=2, ensure_ascii=False)


def _data(source: object, names: str) -> dict[str, Any]:
    """Return attributes of an object, by name."""
    return {name: getattr(source, name) for name in names.split()}
