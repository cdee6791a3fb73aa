"""The fixture ``schema_snapshots``: a tool's schemas in every dialect are compared with their snapshots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from inspect import isfunction, ismethod
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from ujsx.errors import DefinitionError, SchemaError, SnapshotError, shown
from ujsx.schema import (
    DIALECTS,
    SchemaChange,
    compare_schemas,
    dialect_of,
    schema_tokens,
    tool_definition,
    tool_schema,
)
from ujsx.testing._snapshot_files import (
    SchemaSnapshotExtension,
    check_name,
    claim,
    default_name,
    watch,
)

ITSELF = "json-schema"
"""The dialect whose snapshot has each operation by itself, with all that validation knows."""

EVENTS = "events"
"""The name, in place of a dialect's, of the snapshot of what is stored."""


class SchemaSnapshots:
    """Compares schemas with their snapshots; pytest's fixture ``schema_snapshots`` is one."""

    def __init__(self, snapshot: Any, item: pytest.Item, claims: Path | None = None) -> None:
        """Make the fixture of one test, as :class:`TierSnapshots` does."""
        watch(item.config)
        self._snapshot = snapshot.use_extension(SchemaSnapshotExtension)
        self._item, self._claims = item, claims
        self._unnamed = 0
        self._compared: set[str] = set()
        self.is_called = False

    def __call__(
        self, what: object, name: str | None = None, *, dialects: Iterable[str] = tuple(DIALECTS)
    ) -> None:
        """Assert that the schemas of ``what`` are those of its snapshots, a file for each dialect.

        :param what: a component or model, an operation or function, a toolset, or a session: its tools, and the
            payloads of its domain's events.
        :param name: the case's name; when ``None`` that of the test, with a number from the second such call on.
        :param dialects: the dialects whose definitions are kept; json-schema, by which changes are judged, always is.
        :raises AssertionError: where a schema differs. The message has each change, whether it breaks calls by
            models that know the old schema, and events that were stored under it, the line to write, and the
            tokens of each dialect before and after.
        :raises SnapshotError: for a name that is no plain file name, or that another test has.
        :raises SchemaError: for an unknown dialect, and what has no schema.
        :raises DefinitionError: for anything else.
        """
        __tracebackhide__ = True
        self.is_called = True
        self._unnamed += name is None
        case = check_name(name) if name is not None else default_name(self._item, self._unnamed)
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
        """Compare a snapshot; return its place, and what it holds unless it is just written."""
        name, text = f"{case}.{kind}", f"{json.dumps(said, indent=2, ensure_ascii=False)}\n"
        location = self._snapshot.test_location
        path = Path(self._snapshot.extension.get_location(test_location=location, index=name))
        claim(path, self._item, self._compared, self._claims)
        before = path.read_text("utf-8") if path.exists() else None
        if self._snapshot(name=name) == text:
            return "", said
        failure = self._snapshot.executions[self._snapshot.num_executions - 1].exception
        if failure is not None:
            raise failure
        place = path.relative_to(self._item.config.rootpath).as_posix()
        try:
            return place, None if before is None else json.loads(before)
        except ValueError as error:
            raise SnapshotError(
                f"{place} is not JSON: {error}; delete it, and write it anew"
            ) from None


def _snapshots_of(what: Any, dialects: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield what is kept for each dialect, and of events."""
    tools = _toolset(getattr(what, "tools", what))
    each_by_itself = [
        {
            "name": one.name,
            "description": one.description or one.help,
            "parameters": tool_schema(one.arguments),
        }
        for one in tools.operations.values()
    ]
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
    """Return what has operations, and definitions in a dialect.

    :raises DefinitionError: for what has none.
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
    """Yield what a failure says of snapshots that differ, as lines."""
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
    """Yield the changes from some tools to others, with the names of the tools."""
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
