"""The fixture ``tier_snapshots``: what is rendered at each tier is compared with its snapshot."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Never

import pytest

from ujsx import RenderContext, Rendered
from ujsx._density import DensityLike
from ujsx.errors import DefinitionError, did_you_mean, shown
from ujsx.testing._difference import difference
from ujsx.testing._fits import over_budget
from ujsx.testing._renders import Renderable, renders
from ujsx.testing._snapshot_files import TierSnapshotExtension
from ujsx.testing._snapshot_names import check_name, claim, default_name
from ujsx.testing._stale import watch
from ujsx.testing._tiers import Tier, TierTokens, tiers, tokens_table

CALL = "write tier_snapshots(…) with a tree, a layout and state=, or a session"
"""What to write in place of the fixture alone."""

_ARGUMENTS = ("densities", "budget", "state", "now", "context", "or_floor")
"""What is given by name."""


def _advice(other: str) -> str:
    """What to give in place of an argument that there is not."""
    if other == "layout":
        return "give partial(session.hud, layout=…) in place of the session, or the layout with state=session.state()"
    return did_you_mean(f"{other}=", [f"{each}=" for each in _ARGUMENTS])


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
        self.is_called = False

    def __eq__(self, other: object) -> bool:
        """Refuse to be compared: nothing would be rendered.

        :raises DefinitionError: the message says what to write.
        """
        if other is self:
            return True
        raise DefinitionError(
            f"tier_snapshots is called, and not compared with {shown(other)}; {CALL}"
        )

    __hash__ = object.__hash__

    def __call__(
        self,
        what: Renderable,
        name: str | None = None,
        *,
        densities: Iterable[DensityLike] | None = None,
        budget: int | Iterable[int] | None = None,
        state: object = None,
        now: int | None = None,
        context: RenderContext | None = None,
        or_floor: bool = False,
        **others: Never,
    ) -> None:
        """Assert that ``what`` renders at each tier as its snapshot says.

        :param what: a tree; a session; or what renders one at ``density=`` or within ``budget=``,
            such as ``session.hud`` or ``partial(session.hud, layout=mine)``.
        :param name: the case's name. When ``None`` it is the test's, with its classes and its
            parameters; from the second such call of a test on it is numbered.
        :param densities: those to compare; all of them when ``None``.
        :param budget: how many tokens a rendering may have, in place of densities; one number, or
            several, and each is a tier.
        :param state: what the sections of a layout show, such as ``session.state()``.
        :param now: what time it is, in milliseconds since the Unix epoch: for clocks, and what tells an age.
        :param context: what the components of a tree know beside that.
        :param or_floor: whether a rendering may exceed its budget where it is the floor, the least that can be shown.
        :raises AssertionError: where they differ, with the lines that do; where there is no
            snapshot, with the command that writes it; where a rendering exceeds its budget, of which no snapshot is
            written; and with the tokens of all tiers, before and after. Where nothing is shown at all, because
            nothing is bound of what the components look for, or the state has nothing of it.
        :raises SnapshotError: for a name that is no plain file name, or that another test has, and
            for densities beside a budget.
        :raises RenderError: for a ``Rendered`` and a text, which have one tier and no other, for an empty tree,
            and for a ``now`` or a ``state`` that is none.
        :raises DefinitionError: for an argument that there is not; the message says what to give.
        :raises ClockWarning: as a warning: where what tells the time shows less, as there is no ``now``.
        """
        __tracebackhide__ = True
        self.is_called = True
        for other in others:
            raise DefinitionError(f"tier_snapshots takes no {other}=; {_advice(other)}")
        if name is not None:
            check_name(name)
        wanted = tiers(densities, budget)
        subject = renders(what, context=context, state=state, now=now)
        renderings = [tier.render(subject) for tier in wanted]
        subject.check_shows(renderings)
        subject.check_clock(zip([tier.how for tier in wanted], renderings, strict=True))
        if name is None:
            self._unnamed += 1
            case = default_name(self._item, self._unnamed)
        else:
            case = name
        compared = [
            self._compare(case, tier, rendered, or_floor=or_floor)
            for tier, rendered in zip(wanted, renderings, strict=True)
        ]
        problems = [problem for problem, _ in compared if problem]
        if problems:
            raise AssertionError(
                "\n\n".join([*problems, tokens_table([tokens for _, tokens in compared])])
            )

    def _compare(
        self, case: str, tier: Tier, rendered: Rendered, *, or_floor: bool
    ) -> tuple[str | None, TierTokens]:
        """Compare one rendering; say what is wrong with it, and what it takes."""
        name, text = f"{case}.{tier.name}", rendered.text
        extension, location = self._snapshot.extension, self._snapshot.test_location
        path = Path(extension.get_location(test_location=location, index=name))
        claim(path, self._item, self._compared, self._claims)
        before = path.read_text("utf-8") if path.exists() else None
        had = None if before is None else rendered.count_tokens(before)
        tokens = TierTokens(tier, had, rendered.tokens)
        if tier.budget is not None and rendered.budgeted > tier.budget and not or_floor:
            return f"{tier.name}: {over_budget(rendered, tier.budget)}", tokens
        is_same = self._snapshot(name=name) == text
        return (
            None if is_same else self._problem(path, before, text, tokens),
            tokens,
        )

    def _problem(self, path: Path, before: str | None, text: str, tokens: TierTokens) -> str:
        failure = self._snapshot.executions[self._snapshot.num_executions - 1].exception
        if failure is not None:
            raise failure
        place = path.relative_to(self._item.config.rootpath).as_posix()
        if before is None:
            return f"{place} does not exist; pytest --snapshot-update writes it:\n{text or '(nothing)'}"
        return (
            f"{tokens}: {place} is not what is rendered (pytest --snapshot-update accepts it):\n"
            f"{difference(before, text)}"
        )
