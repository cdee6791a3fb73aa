"""The subject of a preview and its faults: data, for it goes to another process and comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

Asked = Literal[
    "view",
    "rungs",
    "change",
    "node",
    "trees",
    "events",
    "deliveries",
    "schema",
    "cost",
    "stamp",
    "ahead",
]
"""What the process that holds a subject can be asked for."""


class Subject(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is previewed: a tree, a session, or a tree that shows a session.

    Without a tree a session is shown as its agent sees it; without a session a tree shows an example of the domain that is
    named, or an empty one.

    >>> Subject("hud.md", layout="hud.md").is_live
    False
    """

    name: str
    """As the user named it."""

    layout: str | None = None
    """A layout's file: Markdown with tags, or a tree as JSON."""

    object: str | None = None
    """What an author's code calls something: ``package.module:NAME`` or ``folder/file.py:NAME``."""

    gallery: str | None = None
    """A file of an author's code, the components of which show their examples."""

    transcript: str | None = None
    """A file that an agent has left behind, or a session that was exported."""

    store: str | None = None
    session: str | None = None
    """A session of a store, by its id."""

    domain: str | None = None
    """The domain, ``package.module:NAME``, or as a person names an object; that of the coding HUD when None."""

    domain_folder: str | None = None
    """The folder in which a person typed the domain's name; its module is looked for there, too."""

    modules: tuple[str, ...] = ()
    """The modules whose components may stand in the layout, ``package.module`` or a file."""

    @property
    def is_live(self) -> bool:
        """True if other processes may write to the session that is shown."""
        return self.session is not None

    @property
    def shows_nobodys(self) -> bool:
        """True if neither a session nor a domain is named, so that an empty state of the coding HUD is shown."""
        return self.transcript is None and self.session is None and self.domain is None

    @property
    def shows_example(self) -> bool:
        """True if a domain is named and no session, so that an example of the domain is made up."""
        return self.transcript is None and self.session is None and self.domain is not None

    @property
    def files(self) -> list[str]:
        """The files that it names, there or not yet; those that they lead to are known when it was read."""
        named = [self.layout, self.gallery, self.transcript]
        found = [str(Path(each).resolve()) for each in named if each is not None]
        typed = [self.object, self.domain if self.domain_folder is not None else None]
        places = [(each or "").rpartition(":")[0] for each in typed]
        for place in dict.fromkeys([*places, *self.modules]):
            if place.endswith(".py"):
                found.append(str(Path(place).resolve()))
            elif place:
                module = Path.cwd().joinpath(*place.split("."))
                found += [f"{module}.py", str(module / "__init__.py")]
        return found


class Look(msgspec.Struct, frozen=True, omit_defaults=True):
    """How much of a subject is shown, and when.

    >>> Look(density="compact", turn=7)
    Look(turn=7, density='compact', budget=None)
    """

    turn: int | None = None
    """The turn after which it is shown; the last one when None."""

    density: str | None = None
    """By its name; what the context's pressure picks when None."""

    budget: int | Literal["off"] | None = None
    """In tokens; "off" for none; as many as the density and the level allow when None."""


class Frame(msgspec.Struct, frozen=True):
    """A call that an error went through."""

    file: str
    line: int
    function: str
    source: str
    """The line as it stands in the file."""


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a subject cannot be shown, and where that is.

    >>> print(Fault("hud.md: unknown tag", file="hud.md", line=3, column=18))
    hud.md:3:18: hud.md: unknown tag
    """

    message: str
    kind: str = ""
    """The class of the error, where it was an author's code that raised it."""

    file: str | None = None
    line: int | None = None
    column: int | None = None

    excerpt: str = ""
    """The line, and a mark under the column."""

    frames: tuple[Frame, ...] = ()
    """The author's own calls, the last one last."""

    def __str__(self) -> str:
        place = [str(each) for each in (self.file, self.line, self.column) if each is not None]
        kind = f"{self.kind}: " if self.kind else ""
        return f"{':'.join(place)}: {kind}{self.message}" if place else f"{kind}{self.message}"
