"""One log, seen as the log of a project: what is not its own is not there."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore, StoreError
from hud_runtime.log.store import (
    At,
    EventStore,
    Head,
    Snapshot,
    StoredDelivery,
    StoredOutput,
    SweepRules,
)
from hud_runtime.serve.http import ProjectLog
from tests.hud_runtime.store.contract import an_event
from tests.ids import looped

OTHERS = (
    "till", "till/main", "project:till", "shopping", "shop2/main", "Shop", "Shop/main", "sho", "", "/shop",
    "./shop", "../shop/main", "shop\0/main", " shop", "project:shop/main", "project:Shop", "project:",
    "project:project:shop", "shop\\main", "ѕhop/main", "SHOP/main",
)  # fmt: skip


@pytest.fixture
def shop(log: Any) -> ProjectLog:
    return ProjectLog(log, "shop")


def filled(log: Any, session: str) -> None:
    store = HudStore(log)
    opened = store.session(session)
    opened.record("note.add", content="canary of another project")
    opened.keep_output("o-1", "canary output", tool="Bash")
    opened.deliver()


READS = {
    "read": lambda log, other: [*log.read(other)],
    "head": lambda log, other: log.head(other) != Head(),
    "version_at": lambda log, other: log.version_at(other, At.turn(9)),
    "snapshot": lambda log, other: log.snapshot(other, "hud", 1, 2**60),
    "deliveries": lambda log, other: log.deliveries(other),
    "output": lambda log, other: log.output(other, "o-1"),
    "outputs": lambda log, other: log.outputs(other),
    "search": lambda log, other: log.search("canary", session=other),
    "read_all": lambda log, other: [each for _, each in log.read_all() if each.session_id == other],
    "sessions": lambda log, other: other in log.sessions(),
    "verify": lambda log, other: log.verify(),
}
"""What reads: of another project's session it finds nothing."""

WRITES = {
    "append": lambda log, other: log.append(other, 0, [an_event(other or "x", 1)]),
    "exclusive": lambda log, other: log.exclusive(other).__enter__(),
    "save_snapshot": lambda log, other: log.save_snapshot(Snapshot(other, 1, 0, "hud", 1, "{}")),
    "save_delivery": lambda log, other: log.save_delivery(
        StoredDelivery(other, "r", "i", True, "{}")
    ),
    "keep_output": lambda log, other: log.keep_output(
        StoredOutput(other, "o-2", "", "normal", 0, 0, 1, 1, "x")
    ),
    "copy_outputs": lambda log, other: log.copy_outputs(other, "shop/main"),
    "archive": lambda log, other: log.archive(other),
    "purge": lambda log, other: log.purge(other),
    "known_ids": lambda log, other: log.known_ids(["a"]),
    "sweeps": lambda log, other: log.sweeps(),
}
"""What is refused."""

OF_ALL = {"transaction", "close", "sweep_outputs"}
"""What tells nothing of any session."""


def test_every_method_of_a_store_is_tried() -> None:
    methods = {
        name for name, _ in inspect.getmembers(EventStore, inspect.isfunction) if name[0] != "_"
    }
    assert methods == READS.keys() | WRITES.keys() | OF_ALL


@pytest.mark.parametrize("name", READS)
def test_finds_nothing_of_others(log: Any, shop: ProjectLog, name: str) -> None:
    for other in ("till", "till/main", "project:till"):
        filled(log, other) if not other.startswith("project:") else HudStore(log).project("till")
    for other in OTHERS:
        assert not READS[name](shop, other), other


@looped("name", WRITES)
def test_refuses_to_write_to_others(log: Any, shop: ProjectLog, name: str) -> None:
    filled(log, "till/main")
    before = [*log.read_all()]
    for other in OTHERS:
        with pytest.raises(StoreError):
            WRITES[name](shop, other)
    assert [*log.read_all()] == before
    assert [each.id for each in log.outputs("till/main")] == ["o-1"]


def test_a_copy_goes_neither_way(log: Any, shop: ProjectLog) -> None:
    filled(log, "till/main")
    HudStore(shop).session("shop/main")
    for way in (("till/main", "shop/main"), ("shop/main", "till/main")):
        with pytest.raises(StoreError):
            shop.copy_outputs(*way)


@pytest.mark.parametrize("name", ["", "a/b", "project:a", "/"])
def test_a_name_that_would_hold_others_is_refused(log: Any, name: str) -> None:
    with pytest.raises(StoreError, match="not a valid name for a project"):
        ProjectLog(log, name)


def test_of_all_projects_is_the_log_itself(log: Any) -> None:
    filled(log, "till/main")
    whole = ProjectLog(log, None)
    assert whole.sessions() == log.sessions()
    assert [*whole.read_all()] == [*log.read_all()]
    assert len(whole.search("canary")) == 1
    assert whole.verify() == ()


def test_a_project_sees_itself_as_a_store_of_its_own(log: Any, shop: ProjectLog) -> None:
    counted: list[int] = []
    shop = ProjectLog(log, "shop", counted.append)
    filled(log, "till/main")
    store = HudStore(shop)
    store.project("shop").record("note.add", content="Tests run with make")
    parent = store.session("shop", project="shop")
    child = store.session("shop/reviewer", parent=parent)
    parent.record("decision.record", summary="Use JWT")
    assert [each.summary for each in child.parent_seen().state.decisions] == ["Use JWT"]
    assert child.hand_back("Done.")[2]
    assert len(parent.search("jwt")) == 1
    assert store.sessions() == ("shop", "shop/reviewer")
    assert parent.state().notes[0].content == "Tests run with make"
    assert sum(counted) == sum(log.head(each).version for each in shop.sessions())
    assert store.keeping.sweep(SweepRules()).deleted == 0
    with pytest.raises(StoreError, match="session by session"):
        store.search("jwt")


def test_a_parent_of_another_project_cannot_be_named(log: Any, shop: ProjectLog) -> None:
    filled(log, "till/main")
    from hud_runtime import EventError

    with pytest.raises(EventError, match="no session"):
        HudStore(shop).session("shop/child", parent="till/main")


def test_a_parent_that_the_log_names_is_not_seen(log: Any, shop: ProjectLog) -> None:
    """As where somebody with the whole store began the child."""
    filled(log, "till/main")
    HudStore(log).session("shop/child", parent="till/main")
    from hud_runtime import EventError

    child = HudStore(shop).session("shop/child")
    for ask in (child.parent_seen, lambda: child.hand_back("x")):
        with pytest.raises(EventError, match="not there any more"):
            ask()


@given(st.text(max_size=30))
def test_holds_what_begins_with_its_name(text: str) -> None:
    log = ProjectLog(None, "shop")  # type: ignore[arg-type]
    assert log.holds(f"shop/{text}")
    assert log.holds(text) == (text in {"shop", "project:shop"} or text.startswith("shop/"))
