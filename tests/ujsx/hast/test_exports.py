"""What ``ujsx.hast`` exports."""

from __future__ import annotations

import inspect

from tests.ids import looped
from ujsx import hast

ALIASES = {"AnyNode", "Content", "PropertyValue"}
"""Names that are no class and no function: their docstring stands in the source."""


class TestAll:
    @looped("name", sorted({*hast.__all__} - ALIASES))
    def test_every_name_is_documented(self, name: str) -> None:
        value = getattr(hast, name)
        assert inspect.isclass(value) or inspect.isfunction(value)
        assert value.__doc__
        assert not value.__doc__.startswith(f"{name}(")

    def test_every_node_class_is_there(self) -> None:
        from ujsx import hast

        classes = {
            name
            for name, value in vars(hast).items()
            if inspect.isclass(value)
            and value.__module__ == hast.__name__
            and not name.startswith("_")
        }
        assert classes <= {*hast.__all__}
