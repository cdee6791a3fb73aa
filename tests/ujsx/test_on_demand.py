"""Names of a package that are imported when they are first used: what is said of one that is not there."""

from __future__ import annotations

import sys

import pytest

import hud_components


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
