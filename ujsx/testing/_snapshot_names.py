"""What a snapshot is called: a file name that says where it comes from, and that no other has."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from unicodedata import category

import pytest

from ujsx.errors import SnapshotError, shown

MAX_BYTES = 200
"""How long a case's name may be in UTF-8; file systems take 255 with the density and ``.md``."""

_FORBIDDEN = frozenset('\\/:*?"<>|')
"""What a file name cannot hold everywhere (Microsoft, "Naming Files, Paths, and Namespaces")."""

_OWNERS: pytest.StashKey[dict[str, str]] = pytest.StashKey()
"""The test that each snapshot of a session belongs to, by its path without regard to case."""


def default_name(item: pytest.Item, call: int) -> str:
    """Return what a test's case is called when the test does not say.

    It is the test's name without ``test_``, behind the names of its classes; the second call is
    ``…-2``. What a file name cannot hold is percent-encoded, and a very long name ends in a digest.
    """
    classes = [each.name for each in item.listchain() if isinstance(each, pytest.Class)]
    name = ".".join((*classes, item.name.removeprefix("test_")))
    name = "".join(f"%{ord(each):02X}" if _is_unsafe(each) else each for each in name)
    name = name if call == 1 else f"{name}-{call}"
    if len(name.encode()) <= MAX_BYTES:
        return name
    digest = blake2b(name.encode(), digest_size=8).hexdigest()
    return f"{name.encode()[: MAX_BYTES - 17].decode(errors='ignore')}~{digest}"


def check_name(name: object) -> str:
    """Return a name that an author gave.

    :raises SnapshotError: if it cannot be part of a file's name on every system.
    """
    if (
        isinstance(name, str)
        and name not in {"", ".", ".."}
        and not any(_is_unsafe(each) and each != "%" for each in name)
        and len(name.encode()) <= MAX_BYTES
    ):
        return name
    if not isinstance(name, str):
        raise SnapshotError(
            f"a snapshot's name is a plain file name, not a {type(name).__name__}: the second argument is the name; "
            "of a state write state=…"
        )
    raise SnapshotError(
        f"a snapshot's name is a plain file name, not {shown(name)}; it has no control characters, "
        f"none of {' '.join(sorted(_FORBIDDEN))}, and no more than {MAX_BYTES} bytes"
    )


def claim(path: Path, item: pytest.Item, compared: set[str], claims: Path | None = None) -> None:
    """Make the snapshot at ``path`` that of this test, and of one call in it.

    :param compared: what the test has claimed before; the snapshot is added to it.
    :param claims: a folder in which processes that run parts of the same tests tell each other
        what they claimed.
    :raises SnapshotError: if it has an owner already. Names that differ in case alone are one file
        on some systems.
    """
    key = str(path).casefold()
    owner = item.config.stash.setdefault(_OWNERS, {}).setdefault(key, item.nodeid)
    if claims is not None and owner == item.nodeid:
        owner = _claimed(claims, key, item.nodeid)
    if owner != item.nodeid or key in compared:
        raise SnapshotError(
            f"{path.name} is compared already, by {owner}; give each case a name of its own: "
            "tier_snapshots(node, name)"
        )
    compared.add(key)


def _claimed(claims: Path, key: str, nodeid: str) -> str:
    """Whose a snapshot is, among all processes: the first one's that said so."""
    place = claims / blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    try:
        with place.open("x", encoding="utf-8") as file:
            file.write(nodeid)
    except FileExistsError:
        return place.read_text("utf-8") or "another test"  # which is about to say its name
    return nodeid


def _is_unsafe(character: str) -> bool:
    return character in _FORBIDDEN or character == "%" or category(character)[0] == "C"
