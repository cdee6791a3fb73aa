"""The domain that a command works with: that of `--domain`, or the coding HUD's."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._arguments import UsageError

if TYPE_CHECKING:
    from hud_components import Domain
    from ujsx import Component

OPTION = "--domain"

WITH = "--with"
"""The option that names a module of components."""

FOUND = "the module is found if it is installed, or its folder is in PYTHONPATH"
"""Where an object's module is looked for by a command that a host starts, as the help has it."""

FOUND_HERE = "a module is looked for where it is installed, in PYTHONPATH, and last in this folder"
"""Where it is looked for by a command that a person types."""

NAME_IT = f"name it: {OPTION} package.module:NAME or file.py:NAME"
"""What to do where a session's domain is not at hand."""


def define_domain(parser: ArgumentParser, *, what: str = "the domain of its sessions") -> None:
    """Add the option that names a domain.

    :param what: what the domain is to the command.
    """
    form, found = _form()
    parser.add_argument(
        OPTION, metavar="NAME", help=f"{what}, {form} (default: the coding HUD's); {found}"
    )


def _form() -> tuple[str, str]:
    """How a domain is named, and where it is looked for."""
    from hud_runtime.projects import FORMS

    given = _asked.get()
    return FORMS, FOUND if given is not None and given.folder is None else FOUND_HERE


class _Asked:
    """The domain that the arguments name. It is found once: a command asks for it at every field."""

    def __init__(
        self,
        name: str | None = None,
        modules: tuple[str, ...] = (),
        folder: Path | None = None,
    ) -> None:
        self.name = name
        self.modules = modules
        self.folder = folder
        """Where a person has typed the command; None for one that a host starts."""

    @cached_property
    def domain(self) -> Domain[Any]:
        return domain_of(self.name, folder=self.folder)

    @cached_property
    def components(self) -> tuple[type[Component], ...]:
        own = self.domain.components
        if not (own or self.modules):
            return ()
        from hud_runtime.projects import load_components
        from hud_runtime.session._look import check_components

        for name in self.modules:
            own += load_components(name, folder=self.folder)
        own = tuple(dict.fromkeys(own))
        check_components(own, self.domain.state)
        return own


_asked: ContextVar[_Asked | None] = ContextVar("domain", default=None)


@contextmanager
def asked_in(
    arguments: Sequence[str], folder: Path | None, *, takes_paths: bool = False
) -> Generator[None]:
    """Let :func:`domain` and :func:`own_components` be those that arguments ask for: what a command takes may follow.

    :param folder: where they were typed by a person; None for what a host starts.
    :param takes_paths: whether a file's path may begin in the working folder even so.
    :raises UsageError: where the option has no value.
    """
    names, modules = _values(arguments, OPTION)[:1], _values(arguments, WITH)
    if takes_paths and (names or modules):
        from hud_runtime.projects import with_whole_path

        names, modules = ([*map(with_whole_path, each)] for each in (names, modules))
    token = _asked.set(_Asked(next(iter(names), None), tuple(modules), folder))
    try:
        yield
    finally:
        _asked.reset(token)


def _values(arguments: Sequence[str], option: str) -> list[str]:
    found: list[str] = []
    for place, each in enumerate(arguments):
        if each == "--":
            break
        if each.startswith(f"{option}="):
            found.append(each.removeprefix(f"{option}="))
        if each == option:
            if place + 1 == len(arguments):
                form = "package.module or file.py" if option == WITH else _form()[0]
                raise UsageError(f"{option} needs a value, {form}")
            found.append(arguments[place + 1])
    return found


def asked() -> str | None:
    """Return the name of the domain that the command was given, if it was."""
    given = _asked.get()
    return None if given is None else given.name


def asked_modules() -> tuple[str, ...]:
    """Return the names of the modules whose components layouts may hold, as the command was given them."""
    given = _asked.get()
    return () if given is None else given.modules


def own_components() -> tuple[type[Component], ...]:
    """Return the components of the domain and of the modules that are asked for.

    :raises ProjectError: for a module that is not there, cannot be imported, or has no components.
    :raises UjsxError: for a component that has the name of another.
    """
    return (_asked.get() or _Asked()).components


def asked_name() -> tuple[str | None, Path | None]:
    """Return the name of the domain that is asked for, and the folder in which :func:`domain` looks for it, too.

    The name is None for the coding HUD's, the folder for one that nobody has typed.
    """
    return asked(), None if asked() is None else typed_in()


def typed_in() -> Path | None:
    """Return the folder in which a person has typed the command; None for one that a host starts."""
    given = _asked.get()
    return None if given is None else given.folder


def domain() -> Domain[Any]:
    """Return the domain that is asked for.

    :raises UsageError: for what is no domain.
    :raises ProjectError: for a module that is not there or cannot be imported.
    """
    return (_asked.get() or _Asked()).domain


def domain_of(name: str | None, *, folder: Path | None = None) -> Domain[Any]:
    """Return the domain that a module calls by that name; the coding HUD's for None.

    :param folder: as :func:`load_object` takes it.
    :raises UsageError: for what is no domain.
    :raises ProjectError: for a module that is not there or cannot be imported.
    """
    from hud_components import CODING, Domain

    if name is None:
        return CODING
    from hud_runtime.projects import kind_of, load_object

    found = load_object(name, folder=folder)
    if isinstance(found, Domain):
        given: Domain[Any] = found  # pyright: ignore[reportUnknownVariableType]
        return given
    raise UsageError(f"{name} is {kind_of(found)}, and no Domain")
