"""Names of a package that are imported when they are first used: what is said of one that is not there."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any

import pytest

import hud_components
import hud_runtime
import ujsx


def test_an_import_of_a_name_that_is_not_there_names_the_nearest() -> None:
    with pytest.raises(
        ImportError,
        match=r"'DecisionsSection' from 'hud_components'; did you mean \"DecisionsList\"\?$",
    ):
        from hud_components import DecisionsSection  # noqa: F401
    with pytest.raises(ImportError, match=r"did you mean \"BlockersList\"\?$"):
        from hud_components import BlockersSection  # noqa: F401


def test_to_ask_for_it_otherwise_is_an_attribute_error() -> None:
    assert not hasattr(hud_components, "DecisionsSection")
    assert getattr(hud_components, "DecisionsSection", None) is None
    with pytest.raises(AttributeError):
        hud_components.DecisionsSection  # noqa: B018


def test_a_module_that_is_being_imported_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where modules import each other, the package does not have its name yet."""
    monkeypatch.delattr(hud_components, "sections", raising=False)
    from hud_components import sections

    assert sections is sys.modules["hud_components.sections"]


@pytest.mark.parametrize(
    ("package", "name", "today"),
    [
        ("hud_components", "HUD", "Hud"),
        ("hud_components", "ContextInfo", "ContextUsage"),
        ("hud_components", "getDensity", "density_for"),
        ("hud_components", "get_density", "density_for"),
        ("hud_components", "HudEvent", "hud_runtime.Event"),
        ("hud_runtime", "HudEvent", "Event"),
        ("ujsx", "Container", "Fragment"),
    ],
)
def test_a_name_of_the_founding_documents_is_answered_with_todays(
    package: str, name: str, today: str
) -> None:
    with pytest.raises(AttributeError, match=rf"{name!r}; did you mean {today}\?$"):
        getattr(import_module(package), name)
    with pytest.raises(ImportError, match=rf"did you mean {today}\?$"):
        exec(f"from {package} import {name}", {})


@pytest.mark.parametrize("package", [hud_components, hud_runtime, ujsx])
def test_no_name_of_the_founding_documents_hides_one_that_there_is(package: Any) -> None:
    former: dict[str, str] = package._FORMER
    assert not former.keys() & {*package.__all__}
    for today in former.values():
        found = re.match(r"(?:(ujsx|hud_components|hud_runtime(?:\.\w+)?)\.)?([A-Za-z_]+)\Z", today)
        if found:
            assert hasattr(import_module(found[1] or package.__name__), found[2]), today
