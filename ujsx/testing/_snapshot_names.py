"""The name of a snapshot: a file name that says where it comes from, and that no other has."""

from __future__ import annotations

import os
import re
from hashlib import blake2b
from pathlib import Path
from unicodedata import category, is_normalized, normalize

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
    ``…-2``. Parameters that pytest escapes stand there as they are. What a file name cannot hold is
    percent-encoded, as in an address (RFC 3986, section 2.1), and a very long name ends in a digest.
    """
    classes = [each.name for each in item.listchain() if isinstance(each, pytest.Class)]
    own = item.name if item.config.getini(_UNESCAPED) else unescaped(item.name)
    name = percent_encoded(".".join((*classes, own.removeprefix("test_"))))
    name = name if call == 1 else f"{name}-{call}"
    if len(name.encode()) <= MAX_BYTES:
        return name
    digest = blake2b(name.encode(), digest_size=8).hexdigest()
    return f"{name.encode()[: MAX_BYTES - 17].decode(errors='ignore')}~{digest}"


_UNESCAPED = "disable_test_id_escaping_and_forfeit_all_rights_to_community_support"
"""pytest's option to have parameters in the names of tests as they are."""

_ESCAPE = re.compile(r"\\(?:[\\tnr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
"""What pytest writes for a character of a parameter, by Python's codec ``unicode_escape``."""

_ESCAPED = re.compile(rf"(?:[^\\]|{_ESCAPE.pattern})*+")
"""A name in which every backslash is one of an escape."""


def unescaped(name: str) -> str:
    r"""Return a test's name with its parameters as they were before pytest escaped them.

    What pytest would not have escaped so stays as it is: names that differ go on to differ.

    >>> unescaped(r"test_x[\u8336]"), unescaped(r"test_x[a\\u8336]"), unescaped(r"test_x[\d]")
    ('test_x[茶]', 'test_x[a\\u8336]', 'test_x[\\d]')
    """
    if not _ESCAPED.fullmatch(name):
        return name
    escapes = {each: each.encode().decode("unicode_escape") for each in _ESCAPE.findall(name)}
    if any(text.encode("unicode_escape").decode() != each for each, text in escapes.items()):
        return name
    return _ESCAPE.sub(lambda escape: escapes[escape[0]], name)


def percent_encoded(name: str) -> str:
    r"""Return a name as a file's, in which every character that is no safe one is its bytes of UTF-8.

    A name that some file systems would take for another one, as its accents are characters of their own
    (Unicode's form NFC is another text), has all such characters encoded.

    >>> percent_encoded("茶/ä%"), percent_encoded("a\u0308")
    ('茶%2Fä%25', 'a%CC%88')
    """
    is_one = is_normalized("NFC", name)
    return "".join(
        each
        if not _is_unsafe(each) and (is_one or each.isascii())
        else "".join(f"%{byte:02X}" for byte in each.encode("utf-8", "surrogatepass"))
        for each in name
    )


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
    :raises SnapshotError: if it has an owner already. Names that differ in case alone, or in how their accents
        are made up, are one file on some systems.
    """
    key = normalize("NFC", normalize("NFD", str(path)).casefold())
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
    said = place.with_suffix(f".{os.getpid()}")
    said.write_text(nodeid, "utf-8")
    try:
        os.link(said, place)  # with its words, so that nobody reads half of them
    except FileExistsError:
        return place.read_text("utf-8")
    finally:
        said.unlink()
    return nodeid


def _is_unsafe(character: str) -> bool:
    return character in _FORBIDDEN or character == "%" or category(character)[0] == "C"
