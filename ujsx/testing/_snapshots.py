"""The fixtures ``tier_snapshots`` and ``schema_snapshots``, the agreed token figures, and the summary of a run."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import isfunction, ismethod
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Never

import msgspec
import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from pydantic import BaseModel

from ujsx import Component, RenderContext, Rendered
from ujsx._density import DensityLike
from ujsx.components import examples_of
from ujsx.errors import DefinitionError, SchemaError, SnapshotError, did_you_mean, shown, synonym
from ujsx.rendering import RenderedNode, RenderedSection
from ujsx.schema import (
    DIALECTS,
    SchemaChange,
    compare_schemas,
    dialect_of,
    schema_tokens,
    tool_definition,
    tool_schema,
)
from ujsx.testing._difference import Difference, SnapshotTier, line_changes, report, tiers
from ujsx.testing._plugin import CALLS
from ujsx.testing._renders import Renderable, over_budget, renders, shows_nothing
from ujsx.testing._snapshot_files import (
    FOLDER,
    SchemaSnapshotExtension,
    TierSnapshotExtension,
    check_name,
    claim,
    default_name,
    watch,
)

# The agreed tokens, in a ``tokens.json`` in each folder of snapshots: by case, tier and section.
#
# The figures are the tokens of each section of a rendering. ``--snapshot-update`` writes them; ``--token-tolerance``
# enforces them.

FILE = "tokens.json"

TOTAL = "total"
"""The name of the figure for a whole rendering."""

ROWS = 40
"""The most rows of the table for a pull request; the others are counted."""

Figures = dict[str, int]
"""Tokens by section."""

AgreedTokens = dict[str, dict[str, Figures]]
"""Figures by case and tier."""


class Tolerance(NamedTuple):
    """The allowed excess over an agreed figure: in tokens, or percent of it."""

    tokens: int = 0
    percent: float = 0.0

    def allows(self, agreed: int, now: int) -> bool:
        """Tell whether ``now`` is within the tolerance of ``agreed``.

        >>> Tolerance(percent=5).allows(100, 105), Tolerance(tokens=4).allows(100, 105)
        (True, False)
        """
        return now <= agreed + self.tokens + agreed * self.percent / 100

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """Return the tolerance for a text such as ``20`` or ``5%``.

        :raises ValueError: for anything else.
        """
        match = re.fullmatch(
            r"(?P<tokens>[0-9]{1,9})|(?P<percent>[0-9]{1,6}(\.[0-9]{1,6})?)%", text
        )
        if match is None:
            raise ValueError(
                f'"{text}" is not a tolerance; write tokens, as in 20, or percent, as in 5%'
            )
        return cls(int(match["tokens"] or 0), float(match["percent"] or 0))


class WrittenFigures(msgspec.Struct, frozen=True):
    """The figures of a snapshot that was written."""

    folder: str
    """The snapshot's folder, from pytest's root directory."""

    case: str
    tier: str
    before: Figures | None
    """The agreed ones, or only the total without any; None for a new snapshot."""

    now: Figures
    agreed: Figures
    """Those to be written."""

    @property
    def place(self) -> tuple[str, str]:
        """The folder and the case: the sort key for the figures of many tests."""
        return self.folder, self.case


def figures_of(rendered: Rendered) -> Figures:
    """Return the tokens of each nonempty section, and of the whole.

    Sections that share a line have one figure, as a line is not the sum of its parts.
    """
    figures: Figures = {}
    for name, tokens in _by_line(rendered.nodes):
        number, place = 1, name
        while place in figures:
            number += 1
            place = f"{name} {number}"
        figures[place] = tokens
    return {**figures, TOTAL: rendered.tokens}


def _by_line(nodes: Iterable[RenderedNode]) -> Iterator[tuple[str, int]]:
    lines: list[list[RenderedNode]] = []
    goes_on = False
    for each in nodes:
        if each.goes_on and goes_on:
            lines[-1].append(each)
        elif each.tokens:
            lines.append([each])
            goes_on = True
    for line in lines:
        if any(isinstance(each, RenderedSection) for each in line):
            yield " + ".join(each.name for each in line), sum(each.tokens for each in line)


def grown(agreed: Figures, now: Figures, tolerance: Tolerance) -> str:
    """Return the sections that exceed the agreed figures, and the excess; nothing if none does.

    >>> grown({"NotesSection": 40, "total": 50}, {"NotesSection": 44, "Hints": 9, "total": 63}, Tolerance(percent=30))
    'Hints has 9 tokens, and no accepted count'
    """
    allowed = f"{tolerance.percent:g} %" if tolerance.percent else f"{tolerance.tokens} tokens"
    return "; ".join(
        f"{name} has {tokens:,} tokens, and no accepted count"
        if name not in agreed
        else f"{name} grew from {agreed[name]:,} to {tokens:,} tokens, by more than {allowed}"
        for name, tokens in now.items()
        if not (name in agreed and tolerance.allows(agreed[name], tokens))
    )


def held(agreed: Figures, now: Figures, tolerance: Tolerance) -> Figures:
    """Return the new agreed figures: the old ones while they hold, so that small steps add up.

    >>> held({"Notes": 40, "Task": 9}, {"Notes": 41, "Hints": 3}, Tolerance(percent=5))
    {'Notes': 40, 'Hints': 3}
    """
    return {
        name: agreed[name]
        if name in agreed and tokens >= agreed[name] and tolerance.allows(agreed[name], tokens)
        else tokens
        for name, tokens in now.items()
    }


def agreed_tokens(text: str | bytes) -> AgreedTokens:
    """Return the tokens in a file of agreed tokens, by case, tier and section.

    :raises SnapshotError: for an invalid text, such as one with merge conflict markers.

    >>> agreed_tokens('{"typical": {"full": {"NotesSection": 40, "total": 45}}}')["typical"]["full"]["total"]
    45
    """
    try:
        return msgspec.json.decode(text, type=AgreedTokens)
    except msgspec.MsgspecError as error:
        raise SnapshotError(
            f"{FILE} does not have tokens by case, tier and section ({error}); pytest --snapshot-update writes it anew"
        ) from None


def read_agreed(folder: Path) -> AgreedTokens:
    """Return the agreed figures of a folder of snapshots; none without a file.

    :raises SnapshotError: as :func:`agreed_tokens` does.
    """
    try:
        return agreed_tokens((folder / FILE).read_bytes())
    except FileNotFoundError:
        return {}


def write_agreed(root: Path, snapshots: Path, written: Iterable[WrittenFigures]) -> None:
    """Write the agreed figures, and drop those of removed snapshots.

    :param root: pytest's root directory.
    :param snapshots: the folder of all snapshots.
    """
    folders: dict[Path, list[WrittenFigures]] = {path.parent: [] for path in snapshots.rglob(FILE)}
    for each in written:
        folders.setdefault(root / each.folder, []).append(each)
    for folder, them in folders.items():
        _write(folder, them)


def _write(folder: Path, written: Iterable[WrittenFigures]) -> None:
    try:
        agreed = read_agreed(folder)
    except SnapshotError:
        agreed = {}
    for each in written:
        agreed.setdefault(each.case, {})[each.tier] = each.agreed
    kept: AgreedTokens = {}
    for case, there in sorted(agreed.items()):
        for tier in sorted(there):
            if (folder / f"{case}.{tier}.md").exists():
                kept.setdefault(case, {})[tier] = there[tier]
    path = folder / FILE
    if not kept:
        path.unlink(missing_ok=True)
        return
    text = json.dumps(kept, indent=2, ensure_ascii=False) + "\n"
    if not path.exists() or path.read_text("utf-8") != text:
        half = path.with_name(f"{FILE}.{os.getpid()}")  # another run may be writing, too
        half.write_text(text, "utf-8", newline="\n")
        half.replace(path)


Changed = Mapping[tuple[str, str, str], tuple[Figures, Figures]]
"""The figures before and after, by folder, case and tier."""


def pull_request_table(changed: Changed) -> str:
    """Return a table in Markdown of the sections whose tokens changed, by tier; of several cases the sums.

    >>> print(pull_request_table({("", "a", "full"): ({"Notes": 9, "total": 9}, {"Notes": 12, "total": 12})}))
    | section | tier | cases | tokens |
    | --- | --- | ---: | ---: |
    | Notes | full | 1 | 9 → 12 |
    | total | full | 1 | 9 → 12 |
    """
    sums: dict[tuple[str, str], tuple[int, int, int, bool]] = {}
    for (_, _, tier), (before, after) in changed.items():
        for name in {**after, **before}:
            # where only the total is known, the section's former tokens are not
            if name == TOTAL or before.keys() != {TOTAL}:
                old, new = before.get(name, 0), after.get(name, 0)
                cases, was, becomes, is_other = sums.get((name, tier), (0, 0, 0, False))
                sums[name, tier] = cases + 1, was + old, becomes + new, is_other or old != new
    rows = [
        f"| {_cell(section)} | {tier} | {cases:,} | {_number(old)} → {_number(new)} |"
        for (section, tier), (cases, old, new, is_other) in sorted(
            sums.items(), key=lambda row: row[0][0] == TOTAL
        )
        if is_other
    ]
    if not rows:
        return ""
    more = [f"| … {len(rows) - ROWS:,} more rows | | | |"] if len(rows) > ROWS else []
    return "\n".join(
        ["| section | tier | cases | tokens |", "| --- | --- | ---: | ---: |", *rows[:ROWS], *more]
    )


def _number(tokens: int) -> str:
    return f"{tokens:,}" if tokens else "–"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_ARGUMENTS = ("densities", "budget", "modes", "state", "now", "context", "or_floor")
"""The keyword arguments."""


def _advice(other: str) -> str:
    """Return the remedy for an unknown argument."""
    if other == "layout":
        return "give partial(session.hud, layout=…) in place of the session, or the layout with state=session.state()"
    if synonym(other, ["budget"], is_sure=True):
        line = "assert_fits(node, 400), from ujsx.testing import assert_fits"
        return f"budget= is what it is rendered within; a test that it stays below is {line}"
    return did_you_mean(f"{other}=", [f"{each}=" for each in _ARGUMENTS])


class SnapshotAssertionError(AssertionError):
    """Renderings that do not match their snapshots, or exceed the agreed tokens."""

    def __init__(self, differences: list[Difference]) -> None:
        super().__init__(report(differences))
        self.differences = differences


class Snapshots:
    """The snapshots of one test: their files, their names, and the comparison with them."""

    extension: ClassVar[type[TierSnapshotExtension]]

    def __init__(self, snapshot: Any, item: pytest.Item, claims: Path | None = None) -> None:
        """Make the fixture of one test.

        :param claims: the folder for sharing claims between processes; ``None`` for a single process.
        """
        watch(item.config)
        self._snapshot = snapshot.use_extension(self.extension)
        self._item, self._claims = item, claims
        self._unnamed = 0
        self._compared: set[str] = set()
        self.is_called = False

    def _next_name(self) -> str:
        """Return the name of an unnamed case."""
        self._unnamed += 1
        return default_name(self._item, self._unnamed)

    def _place(self, name: str) -> tuple[Path, str, str | None]:
        """Claim a snapshot, and return its path, the same from pytest's root directory, and its text if it exists."""
        location = self._snapshot.test_location
        path = Path(self._snapshot.extension.get_location(test_location=location, index=name))
        claim(path, self._item, self._compared, self._claims)
        place = path.relative_to(self._item.config.rootpath).as_posix()
        return path, place, path.read_text("utf-8") if path.exists() else None

    def _is_same(self, name: str, text: str) -> bool:
        """Tell whether a text equals its snapshot, which syrupy may write now."""
        if self._snapshot(name=name) == text:
            return True
        failure = self._snapshot.executions[self._snapshot.num_executions - 1].exception
        if failure is not None:
            raise failure
        return False


class TierSnapshots(Snapshots):
    """The comparison of renderings with their snapshots: pytest's fixture ``tier_snapshots``."""

    extension = TierSnapshotExtension

    def __init__(self, snapshot: Any, item: pytest.Item, claims: Path | None = None) -> None:
        """Make the fixture of one test.

        :param claims: the folder for sharing claims between processes; ``None`` for a single process.
        """
        if not item.path.is_relative_to(item.config.rootpath):
            pytest.fail(
                f"{item.path} is outside of pytest's root directory {item.config.rootpath}, so it "
                "has no place for snapshots; run pytest with --rootdir",
                pytrace=False,
            )
        super().__init__(snapshot, item, claims)
        options = item.config.option
        self._is_updating = bool(options.update_snapshots)
        self._adds = bool(getattr(options, "update_new_snapshots_only", False))
        tolerance: str | None = options.token_tolerance
        self._tolerance = None if tolerance is None else Tolerance.parse(tolerance)
        self.written: list[WrittenFigures] = []
        """The figures of written snapshots."""

    def __eq__(self, other: object) -> bool:
        """Refuse to be compared: nothing would be rendered.

        :raises DefinitionError: with the call to write.
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
        """Assert that the rendering of ``what`` at each tier equals its snapshot.

        :param what: a tree; a session; a function that renders at ``density=`` or within ``budget=``, such as
            ``session.hud`` or ``partial(session.hud, layout=mine)``; or a component class, for each of its
            ``examples``.
        :param name: the case's name. When ``None`` it is the test's, with its classes and parameters, numbered from the
            second such call. Examples are named after it, or after their class.
        :param densities: the densities to compare; all of them when ``None``.
        :param budget: one or several token budgets instead of densities; each is a tier.
        :param modes: texts by mode name, such as ``{"no-emoji": NO_EMOJI}``; each tier is also compared with these
            texts, as ``<name>.no-emoji.compact.md``.
        :param state: the data of a layout's sections, such as ``session.state()``.
        :param now: the current time, in milliseconds since the Unix epoch, for clocks and ages.
        :param context: the rest of the components' context.
        :param or_floor: whether a rendering may exceed its budget if it is the floor.
        :raises AssertionError: for differences, with each changed line once and the tokens of all tiers, before and
            after; for a missing snapshot, with the command that writes it; for a rendering that exceeds its budget,
            which is not written as a snapshot; for a section that exceeds the tokens in ``tokens.json`` by more than
            ``--token-tolerance``; and if nothing is shown, because the data that the components need are not bound, or
            missing in the state.
        :raises SnapshotError: for a name that is not a plain file name, or used by another test, and for densities with
            a budget.
        :raises RenderError: for a ``Rendered`` and a text, which have only one tier, for an empty tree, for an invalid
            ``now`` or ``state``, and for modes of a subject without texts.
        :raises DefinitionError: for an unknown argument, and for a class without examples, or with an invalid one.
        :raises ClockWarning: as a warning: if clock-dependent components show less without ``now``.
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
            same = one if usual.nodes is None else usual.nodes
            spoken = {
                mode: renders(same, context=context, state=state, now=now, words=words)
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
        """Return the findings, as data for another process.

        :param error: the outcome of the test.
        """
        differences = error.differences if isinstance(error, SnapshotAssertionError) else []
        return {"differences": to_builtins(differences), "written": to_builtins(self.written)}

    def _compare(
        self, case: str, tier: SnapshotTier, rendered: Rendered, *, or_floor: bool
    ) -> Difference:
        """Compare one rendering with its snapshot, and with the agreed tokens."""
        name, text = f"{case}.{tier.name}", rendered.text
        path, place, before = self._place(name)
        tokens = rendered.tokens
        known = tokens if before is None or before == text else rendered.count_tokens(before)
        former, is_empty = None if before is None else known, shows_nothing(rendered)
        found = Difference(case, tier.name, place, tokens, former, shows_nothing=is_empty)
        if tier.budget is not None and rendered.budgeted > tier.budget and not or_floor:
            return replace(found, problem=over_budget(rendered, tier.budget))
        found = replace(found, problem=self._judge(found, rendered, path.parent))
        if self._is_same(name, text):  # or written, a moment ago
            return found if before is not None else replace(found, before=found.after)
        if before is None:
            return replace(found, text=text)
        return replace(found, changes=line_changes(before, text, _section_at(rendered)))

    def _judge(self, found: Difference, rendered: Rendered, folder: Path) -> str:
        """Return the fault of a rendering's tokens; those of a written snapshot are recorded."""
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
                return f"{said}; pytest --snapshot-update without --token-tolerance accepts it"
            kept = held(agreed, now, tolerance)
        elif not is_written:
            return f"{FILE} has no accepted counts; pytest --snapshot-update writes them"
        if is_written:
            before = agreed or (None if found.before is None else {TOTAL: found.before})
            place = found.path.rpartition("/")[0]
            self.written.append(WrittenFigures(place, found.case, found.tier, before, now, kept))
        return ""


def _section_at(rendered: Rendered) -> Callable[[int], str]:
    """Return a function from places in a rendering's text to section names."""
    sections = [each for each in rendered.nodes if isinstance(each, RenderedSection)]

    def at(place: int) -> str:
        return next((each.name for each in sections if each.start <= place < each.end), "")

    return at


# The end of a run with snapshots: the differences of all tests, the written figures, and a table of them.

Found = Iterable[Mapping[str, Any]]
"""The findings of tests' fixtures, from their reports."""


def summary(found: Found, failed: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the report's parts for a run, each with its title.

    :param failed: the tests that failed only because of snapshots.
    """
    differences = _all(found, "differences", Difference)
    if failed and differences:
        count = sum(each.is_failure for each in differences)
        more = f" and {len(failed) - 1:,} more tests" if len(failed) > 1 else ""
        them = "snapshot fails" if count == 1 else "snapshots fail"
        yield f"{count:,} {them}: {min(failed)}{more}", report(differences)
    written: list[WrittenFigures] = _all(found, "written", WrittenFigures)
    table = pull_request_table(
        {(*each.place, each.tier): (each.before or {}, each.now) for each in written}
    )
    if table:
        yield "tokens, as a table for a pull request", table


def write(found: Found, root: Path) -> None:
    """Write the agreed figures.

    :param root: pytest's root directory.
    """
    write_agreed(root, root / FOLDER, _all(found, "written", WrittenFigures))


def _all(found: Found, name: str, kind: type[Any]) -> list[Any]:
    made = [msgspec.convert(one, kind) for each in found for one in each[name]]
    return sorted(made, key=lambda one: one.place)  # from any worker


# The fixture ``schema_snapshots``: a tool's schemas in every dialect are compared with their snapshots.

ITSELF = "json-schema"
"""The dialect whose snapshot has each operation separately, with all constraints of validation."""

EVENTS = "events"
"""The name of the snapshot of stored events, in place of a dialect's."""


class SchemaSnapshots(Snapshots):
    """The comparison of schemas with their snapshots: pytest's fixture ``schema_snapshots``."""

    extension = SchemaSnapshotExtension

    def __call__(
        self, what: object, name: str | None = None, *, dialects: Iterable[str] = tuple(DIALECTS)
    ) -> None:
        """Assert that the schemas of ``what`` equal its snapshots, a file for each dialect.

        :param what: a component or model, an operation or function, a toolset, or a session: its tools, and the
            payloads of its domain's events.
        :param name: the case's name; when ``None`` that of the test, numbered from the second such call.
        :param dialects: the dialects to store; json-schema, which decides about changes, is always stored.
        :raises AssertionError: for a changed schema, with each change, whether it breaks calls by models that know the
            old schema, and events stored under it, the line to write, and the tokens of each dialect before and after.
        :raises SnapshotError: for a name that is not a plain file name, or used by another test.
        :raises SchemaError: for an unknown dialect, and an object without a schema.
        :raises DefinitionError: for anything else.
        """
        __tracebackhide__ = True
        self.is_called = True
        case = self._next_name() if name is None else check_name(name)
        today = dict(_snapshots_of(what, [dialect_of(each).name for each in dialects]))
        former = {kind: self._former(case, kind, said) for kind, said in today.items()}
        missing = [place for place, before in former.values() if before is None]
        changed = {
            kind: before
            for kind, (_, before) in former.items()
            if before not in (None, today[kind])
        }
        if missing or changed:
            written = [
                f"{each} does not exist; pytest --snapshot-update writes it" for each in missing
            ]
            raise AssertionError("\n".join([*written, *_report(what, changed, today)]))

    def _former(self, case: str, kind: str, said: object) -> tuple[str, Any]:
        """Compare a snapshot; return its place, and its content unless just written."""
        name, text = f"{case}.{kind}", f"{json.dumps(said, indent=2, ensure_ascii=False)}\n"
        _, place, before = self._place(name)
        if self._is_same(name, text):
            return "", said
        try:
            return place, None if before is None else json.loads(before)
        except ValueError as error:
            raise SnapshotError(
                f"{place} is not JSON: {error}; delete it, and write it anew"
            ) from None


def _snapshots_of(what: Any, dialects: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield the stored content of each dialect, and of events."""
    tools = _toolset(getattr(what, "tools", what))
    each_by_itself: list[dict[str, Any]] = []
    for one in tools.operations.values():
        told, parameters = one.description or one.help, tool_schema(one.arguments)
        each_by_itself.append({"name": one.name, "description": told, "parameters": parameters})
    yield ITSELF, _kept(each_by_itself)
    for dialect in dialects:
        if dialect != ITSELF:
            try:
                yield dialect, _kept(tools.definitions(dialect))
            except SchemaError as error:
                yield dialect, {"refused": str(error)}
    domain: Any = getattr(what, "domain", None)
    if hasattr(domain, "stored_schemas"):
        yield EVENTS, domain.stored_schemas()


def _kept(tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {"tokens": sum(map(schema_tokens, tools)), "tools": tools}


def _toolset(given: Any) -> Any:
    """Return the object with operations, and definitions in a dialect.

    :raises DefinitionError: for an object without them.
    """
    from ujsx.tools import Operation, Toolset

    operation: Any = given
    if isinstance(given, type(BaseModel)):
        operation = Operation(tool_definition(given)["name"], given, lambda _: None)
    elif isfunction(given) or ismethod(given):
        operation = Operation.of(given)
    if isinstance(operation, Operation):
        return Toolset([operation], name=f"{operation.name}.alone")
    if hasattr(given, "operations") and hasattr(given, "definitions"):
        return given
    raise DefinitionError(
        f"schema_snapshots takes a model, a function, an Operation, a Toolset or a session, not {shown(given)}; of a "
        "domain give a session, store.session(…)"
    )


def _report(what: Any, changed: Mapping[str, Any], today: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a failure about differing snapshots."""
    yield "the schemas are not those of the snapshots (pytest --snapshot-update accepts them)"
    if ITSELF in changed:
        yield from _verdict(
            "models' calls", _changes_of_tools(changed[ITSELF]["tools"], today[ITSELF]["tools"])
        )
    if EVENTS in changed:
        yield from _verdict("stored events", what.domain.stored_changes(changed[EVENTS]))
    rows = [("tokens", "before", "after")]
    for dialect in (each for each in changed if each != EVENTS):
        before, after = changed[dialect], today[dialect]
        if "refused" in after:
            yield f"{dialect} cannot express it: {after['refused']}"
        rows.append((dialect, _tokens(before), _tokens(after)))
    if len(rows) > 1:
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        yield from (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )


def _tokens(kept: Mapping[str, Any]) -> str:
    return "refused" if "refused" in kept else f"{kept['tokens']:,}"


def _verdict(of: str, changes: Iterable[tuple[str, SchemaChange]]) -> Iterator[str]:
    found = sorted(changes, key=lambda each: not each[1].is_breaking)
    is_breaking = any(each.is_breaking for _, each in found)
    yield f"{of}: {'BREAKING' if is_breaking else 'compatible'}"
    yield from (f"  {name}: {each}" for name, each in found)


def _changes_of_tools(
    old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> Iterator[tuple[str, SchemaChange]]:
    """Yield the changes between two sets of tools, with their names."""
    before, after = ({each["name"]: each for each in tools} for tools in (old, new))
    for name in {**before, **after}:
        if name not in after:
            yield name, SchemaChange("", "", None, None, True, "the tool is gone", "keep it")
        elif name not in before:
            yield name, SchemaChange("", "", None, None, False, "the tool is new")
        else:
            was, now = (
                {**tool["parameters"], "description": tool["description"]}
                for tool in (before[name], after[name])
            )
            yield from ((name, each) for each in compare_schemas(was, now))
