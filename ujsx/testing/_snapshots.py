"""The fixture ``tier_snapshots``: what is rendered at each tier is compared with its snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Never

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ujsx import Component, RenderContext, Rendered
from ujsx._density import DensityLike
from ujsx.components import examples_of
from ujsx.errors import DefinitionError, SnapshotError, did_you_mean, shown
from ujsx.rendering import RenderedSection
from ujsx.testing._difference import Difference, line_changes, report
from ujsx.testing._fits import over_budget
from ujsx.testing._nothing_shown import shows_nothing
from ujsx.testing._plugin import CALLS
from ujsx.testing._renders import Renderable, renders
from ujsx.testing._snapshot_files import TierSnapshotExtension
from ujsx.testing._snapshot_names import check_name, claim, default_name
from ujsx.testing._stale import watch
from ujsx.testing._tiers import Tier, tiers
from ujsx.testing._token_figures import (
    FILE,
    TOTAL,
    Tolerance,
    WrittenFigures,
    figures_of,
    grown,
    held,
    read_agreed,
)

_ARGUMENTS = ("densities", "budget", "modes", "state", "now", "context", "or_floor")
"""What is given by name."""


def _advice(other: str) -> str:
    """What to give in place of an argument that there is not."""
    if other == "layout":
        return "give partial(session.hud, layout=…) in place of the session, or the layout with state=session.state()"
    return did_you_mean(f"{other}=", [f"{each}=" for each in _ARGUMENTS])


class SnapshotAssertionError(AssertionError):
    """Renderings do not match their snapshots, or exceed what was agreed to."""

    def __init__(self, differences: list[Difference]) -> None:
        super().__init__(report(differences))
        self.differences = differences


class TierSnapshots:
    """Compares renderings with their snapshots; pytest's fixture ``tier_snapshots`` is one."""

    def __init__(self, snapshot: Any, item: pytest.Item, claims: Path | None = None) -> None:
        """Make the fixture of one test.

        :param claims: where processes that run parts of the same tests tell each other which
            snapshots are whose; ``None`` where there is one process.
        """
        if not item.path.is_relative_to(item.config.rootpath):
            pytest.fail(
                f"{item.path} is outside of pytest's root directory {item.config.rootpath}, so it "
                "has no place for snapshots; run pytest with --rootdir",
                pytrace=False,
            )
        watch(item.config)
        self._snapshot = snapshot.use_extension(TierSnapshotExtension)
        self._item = item
        self._claims = claims
        self._unnamed = 0
        self._compared: set[str] = set()
        options = item.config.option
        self._is_updating = bool(options.update_snapshots)
        self._adds = bool(getattr(options, "update_new_snapshots_only", False))
        tolerance: str | None = options.token_tolerance
        self._tolerance = None if tolerance is None else Tolerance.parse(tolerance)
        self.written: list[WrittenFigures] = []
        """The figures of the snapshots that were written."""
        self.is_called = False

    def __eq__(self, other: object) -> bool:
        """Refuse to be compared: nothing would be rendered.

        :raises DefinitionError: the message says what to write.
        """
        if other is self:
            return True
        raise DefinitionError(
            f"tier_snapshots is called, and not compared with {shown(other)}; {CALLS['tier_snapshots']}"
        )

    __hash__ = object.__hash__

    def __call__(
        self,
        what: Renderable | type[Component],
        name: str | None = None,
        *,
        densities: Iterable[DensityLike] | None = None,
        budget: int | Iterable[int] | None = None,
        modes: Mapping[str, Mapping[str, str]] | None = None,
        state: object = None,
        now: int | None = None,
        context: RenderContext | None = None,
        or_floor: bool = False,
        **others: Never,
    ) -> None:
        """Assert that ``what`` renders at each tier as its snapshot says.

        :param what: a tree; a session; what renders one at ``density=`` or within ``budget=``,
            such as ``session.hud`` or ``partial(session.hud, layout=mine)``; or a component's class, for each of its
            ``examples``.
        :param name: the case's name. When ``None`` it is the test's, with its classes and its
            parameters; from the second such call of a test on it is numbered. Examples are named after it, or after
            their class.
        :param densities: those to compare; all of them when ``None``.
        :param budget: how many tokens a rendering may have, in place of densities; one number, or
            several, and each is a tier.
        :param modes: words by the names of modes, such as ``{"no-emoji": NO_EMOJI}``; each tier is compared with
            these words, too, as ``<name>.no-emoji.compact.md``.
        :param state: what the sections of a layout show, such as ``session.state()``.
        :param now: what time it is, in milliseconds since the Unix epoch: for clocks, and what tells an age.
        :param context: what the components of a tree know beside that.
        :param or_floor: whether a rendering may exceed its budget where it is the floor, the least that can be shown.
        :raises AssertionError: where they differ, with each changed line once and the tokens of all tiers, before and
            after; where there is no snapshot, with the command that writes it; where a rendering exceeds its budget,
            of which no snapshot is written; where a section exceeds the tokens in ``tokens.json`` by more than
            ``--token-tolerance``. Where nothing is shown at all, because nothing is bound of what the components look
            for, or the state has nothing of it.
        :raises SnapshotError: for a name that is no plain file name, or that another test has, and
            for densities beside a budget.
        :raises RenderError: for a ``Rendered`` and a text, which have one tier and no other, for an empty tree,
            for a ``now`` or a ``state`` that is none, and for modes of what takes no words.
        :raises DefinitionError: for an argument that there is not, and for a class without examples, or with one that
            the component does not take; the message says what to give.
        :raises ClockWarning: as a warning: where what tells the time shows less, as there is no ``now``.
        """
        __tracebackhide__ = True
        self.is_called = True
        for other in others:
            raise DefinitionError(f"tier_snapshots takes no {other}=; {_advice(other)}")
        if name is not None:
            check_name(name)
        wanted = tiers(densities, budget, modes)
        cases: dict[str, Renderable]
        if isinstance(what, type) and issubclass(what, Component):
            cases = {
                f"{name or what.__name__}.{check_name(one)}": node
                for one, node in examples_of(what).items()
            }
        else:
            cases = {self._next_name() if name is None else name: what}
        differences: list[Difference] = []
        for case, one in cases.items():
            usual = renders(one, context=context, state=state, now=now)
            spoken = {
                mode: renders(
                    one if usual.nodes is None else usual.nodes,
                    context=context,
                    state=state,
                    now=now,
                    words=words,
                )
                for mode, words in (modes or {}).items()
            }
            renderings = [(spoken.get(tier.mode, usual))(**tier.how) for tier in wanted]
            usual.check_shows(renderings)
            usual.check_clock(
                (tier.how, each)
                for tier, each in zip(wanted, renderings, strict=True)
                if not tier.mode
            )
            compared = [
                self._compare(case, tier, rendered, or_floor=or_floor)
                for tier, rendered in zip(wanted, renderings, strict=True)
            ]
            if any(each.is_failure for each in compared):
                differences += compared
        if differences:
            raise SnapshotAssertionError(differences)

    def data(self, error: BaseException | None) -> dict[str, Any]:
        """Return what was found, as data that goes from one process to another.

        :param error: what the test ended with.
        """
        differences = error.differences if isinstance(error, SnapshotAssertionError) else []
        return {"differences": to_builtins(differences), "written": to_builtins(self.written)}

    def _next_name(self) -> str:
        """The name of a case that the author did not name."""
        self._unnamed += 1
        return default_name(self._item, self._unnamed)

    def _compare(self, case: str, tier: Tier, rendered: Rendered, *, or_floor: bool) -> Difference:
        """Compare one rendering with its snapshot, and with the tokens that were agreed to."""
        name, text = f"{case}.{tier.name}", rendered.text
        extension, location = self._snapshot.extension, self._snapshot.test_location
        path = Path(extension.get_location(test_location=location, index=name))
        claim(path, self._item, self._compared, self._claims)
        before = path.read_text("utf-8") if path.exists() else None
        found = Difference(
            case,
            tier.name,
            path.relative_to(self._item.config.rootpath).as_posix(),
            rendered.tokens,
            None
            if before is None
            else rendered.tokens
            if before == text
            else rendered.count_tokens(before),
            shows_nothing=shows_nothing(rendered),
        )
        if tier.budget is not None and rendered.budgeted > tier.budget and not or_floor:
            return replace(found, problem=over_budget(rendered, tier.budget))
        found = replace(found, problem=self._judge(found, rendered, path.parent))
        if self._snapshot(name=name) == text:  # or written, a moment ago
            return found if before is not None else replace(found, before=found.after)
        failure = self._snapshot.executions[self._snapshot.num_executions - 1].exception
        if failure is not None:
            raise failure
        if before is None:
            return replace(found, text=text)
        return replace(found, changes=line_changes(before, text, _section_at(rendered)))

    def _judge(self, found: Difference, rendered: Rendered, folder: Path) -> str:
        """What is wrong with the tokens of a rendering; those of a snapshot that is written are noted."""
        is_new, tolerance = found.before is None, self._tolerance
        is_written = self._is_updating or (is_new and self._adds)
        if not is_written and (tolerance is None or is_new):
            return ""
        try:
            agreed = read_agreed(folder).get(found.case, {}).get(found.tier)
        except SnapshotError:
            if not is_written:
                raise
            agreed = None
        now = figures_of(rendered)
        kept = now
        if tolerance is not None and agreed is not None:
            said = grown(agreed, now, tolerance)
            if said:
                return f"{said}; pytest --snapshot-update without --token-tolerance agrees to it"
            kept = held(agreed, now, tolerance)
        elif not is_written:
            return f"no tokens were agreed to in {FILE}; pytest --snapshot-update writes them"
        if is_written:
            before = agreed or (None if found.before is None else {TOTAL: found.before})
            place = found.path.rpartition("/")[0]
            self.written.append(WrittenFigures(place, found.case, found.tier, before, now, kept))
        return ""


def _section_at(rendered: Rendered) -> Callable[[int], str]:
    """The names of sections by places in a rendering's text."""
    sections = [each for each in rendered.nodes if isinstance(each, RenderedSection)]

    def at(place: int) -> str:
        return next((each.name for each in sections if each.start <= place < each.end), "")

    return at
