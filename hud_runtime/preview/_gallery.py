"""A gallery: the examples of all components of a file, each at every density."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hud_runtime._errors import ProjectError
from hud_runtime.preview._faults import fault_of
from hud_runtime.preview._loaded import loaded
from hud_runtime.preview._nodes import tree_data
from hud_runtime.preview._objects import files_of
from hud_runtime.preview._reading import Readings
from hud_runtime.preview._subject import Look, Subject
from hud_runtime.projects import module_of_file, unnamed
from hud_runtime.projects._authors_code import is_of_author
from ujsx.text import visible

if TYPE_CHECKING:
    from ujsx import Component, RenderContext


class Gallery:
    """Answers what is asked of a file with components: what their examples show.

    :raises ProjectError: for a file of which no component declares examples.
    :raises Exception: whatever the file's code raises.
    """

    def __init__(self, subject: Subject, held: ExitStack) -> None:
        from ujsx.components import has_examples

        assert subject.gallery is not None
        before = frozenset(sys.modules)
        sys.dont_write_bytecode = True
        self._name = subject.name
        module = module_of_file(subject.gallery, Path.cwd())
        self._kinds = components_of(module)
        if not any(map(has_examples, self._kinds)):
            raise ProjectError(
                f"no component in {subject.name} declares examples, such as examples: ClassVar[Examples] = lambda: "
                f'{{"usual": …}}; without them name what is to be shown: {unnamed(subject.name, Path.cwd())}'
            )
        self._context = _context_of(subject, held)
        self._readings = Readings()
        self.files = (*files_of(sys.modules.keys() - before), *subject.files)

    def view(self, look: Look) -> dict[str, Any]:
        """Return what the examples show; one that cannot be shown has its fault in its place."""
        return {"name": self._name, "components": [self._component(each) for each in self._kinds]}

    def stamp(self) -> dict[str, Any]:
        """Return what differs once something else is shown: that of files is told by their times."""
        return {"version": 0}

    def ahead(self) -> bool:
        """Tell that there is nothing to be made ahead."""
        return False

    def give_up(self) -> None:
        """Make nothing ahead, as ever."""

    def _component(self, kind: type[Component]) -> dict[str, Any]:
        from ujsx.components import examples_of
        from ujsx.schema._generate import for_a_model

        told: dict[str, Any] = {"name": kind.__name__, "module": kind.__module__, "examples": []}
        told["about"] = visible(for_a_model(kind.__doc__ or "").strip())
        try:
            examples = examples_of(kind)
        except Exception as error:  # noqa: BLE001 - an author's code may raise anything
            return {**told, "fault": msgspec.to_builtins(fault_of(error))}
        return {**told, "examples": [self._example(name, node) for name, node in examples.items()]}

    def _example(self, name: str, node: Any) -> dict[str, Any]:
        told: dict[str, Any] = {"name": visible(name), "tree": tree_data(node)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                told["tiers"] = [*self._tiers(node)]
            except Exception as error:  # noqa: BLE001 - an author's code may raise anything
                told["fault"] = msgspec.to_builtins(fault_of(error))
        return {**told, "notes": [*dict.fromkeys(visible(str(each.message)) for each in caught)]}

    def _tiers(self, node: Any) -> Iterator[dict[str, Any]]:
        from ujsx import Density, render_document

        for density in reversed(Density):
            rendered = render_document(node, density=density, context=self._context)
            (reading,) = self._readings.of(rendered.text, [rendered.text])
            yield {
                "tier": density.value,
                "tokens": rendered.tokens,
                "text": rendered.text,
                "reading": reading,
            }


def components_of(module: object) -> list[type[Component]]:
    """Return the components that a module defines, and those with examples that it imports from its author's code."""
    from hud_components import View
    from ujsx import Component
    from ujsx.components import has_examples

    def is_told(kind: type[Component]) -> bool:
        if has_examples(kind):
            return _is_of(kind, module)
        is_named = bool(getattr(kind, "name", kind.__name__)) or issubclass(kind, View)
        is_base = kind.render is Component.render or not is_named
        return kind.__module__ == getattr(module, "__name__", None) and not is_base

    named = {name: each for name, each in vars(module).items() if not name.startswith("_")}
    kinds = [
        each for each in named.values() if isinstance(each, type) and issubclass(each, Component)
    ]
    return [each for each in dict.fromkeys(kinds) if is_told(each)]


def _is_of(kind: type[Component], module: object) -> bool:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return kind.__module__ == getattr(module, "__name__", None) or is_of_author(file)


def _context_of(subject: Subject, held: ExitStack) -> RenderContext:
    """The context of all examples: the state of the session that is named, or of a domain's example."""
    from ujsx import RenderContext

    if subject.shows_nobodys:
        return RenderContext()
    session = loaded(msgspec.structs.replace(subject, gallery=None), held).session
    return RenderContext().with_value(session.known)
