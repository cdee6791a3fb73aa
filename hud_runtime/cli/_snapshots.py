"""Show what changed in the snapshots of HUDs since a revision of Git, section by section.

It compares the files in the folder of snapshots, as they are now, with those of the revision REV, such as HEAD or
main. Each changed line appears once, with its section and with how many snapshots have it; behind it stand the tokens
of each tier, and those of each section where they changed, of the files tokens.json.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from hud_runtime.cli._click import argument
from hud_runtime.cli._commands import Options, UsageError
from hud_runtime.cli._stored import is_there
from hud_runtime.cli._terminal import put_report, remark

if TYPE_CHECKING:
    from ujsx.testing._difference import Difference

FOLDER = "snapshots"

_NAME = re.compile(r"(?P<case>.+)\.(?P<tier>full|compact|minimal|budget-\d+|text)\.md")


@argument("revision", metavar="REV", help="the revision, such as HEAD or main")
@argument(
    "folder",
    metavar="FOLDER",
    default=FOLDER,
    required=False,
    help=f"the folder of snapshots, or one in it (default: {FOLDER})",
)
def run(options: Options) -> int:
    from ujsx.testing._difference import report

    folder = Path(options.folder)
    if not is_there(options.folder, Path.is_dir):
        raise UsageError(f"there is no folder {folder}; name one of snapshots, such as {FOLDER}")
    before, after = _of_revision(folder, options.revision), _of_disk(folder)
    differences = [*_differences(before, after)]
    if differences:
        put_report(f"{report(differences, is_accepted=True)}\n")
    table = _table(before, after)
    if table:
        put_report(f"\n{table}\n")
    if not differences and not table:
        remark(f"no snapshot in {folder} differs from those of {options.revision}")
    return 0


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    from ujsx.testing._difference import Difference, line_changes
    from ujsx.tokens import estimate_tokens

    for path in sorted({**before, **after}):
        match = _NAME.fullmatch(PurePosixPath(path).name)
        old, new = before.get(path, ""), after.get(path, "")
        if match is not None and old != new:
            yield Difference(
                match["case"],
                match["tier"],
                path,
                estimate_tokens(new),
                estimate_tokens(old),
                line_changes(old, new),
            )


def _table(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The tokens of sections that changed, as the files of agreed tokens have them."""
    from ujsx.testing._snapshots import FILE, agreed_tokens, pull_request_table

    changed: dict[tuple[str, str, str], tuple[dict[str, int], dict[str, int]]] = {}
    for path in sorted({**before, **after}):
        if PurePosixPath(path).name == FILE:
            old, new = (agreed_tokens(texts.get(path, "{}")) for texts in (before, after))
            for case in {**old, **new}:
                tiers = old.get(case, {}), new.get(case, {})
                for tier in {**tiers[0], **tiers[1]}:
                    changed[path, case, tier] = tiers[0].get(tier, {}), tiers[1].get(tier, {})
    return pull_request_table(changed)


def _of_disk(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8", "replace")
        for path in folder.rglob("*")
        if path.suffix in {".md", ".json"} and path.is_file()
    }


def _of_revision(folder: Path, revision: str) -> dict[str, str]:
    """The texts that a folder had in a revision."""
    commit = _git(
        folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    if not commit:
        raise UsageError(
            f'Git knows no revision "{revision}" where {folder} is; name one, such as HEAD or main'
        )
    named = _git(folder, "ls-tree", "-r", "-z", commit.decode().strip(), ".").split(b"\0")
    found = [
        (path.decode("utf-8", "replace"), kind.split()[2])
        for kind, _, path in (each.partition(b"\t") for each in named)
        if path.endswith((b".md", b".json"))
    ]
    told = _git(folder, "cat-file", "--batch", given=b"".join(b"%b\n" % blob for _, blob in found))
    texts: dict[str, str] = {}
    for path, _ in found:
        head, _, told = told.partition(b"\n")
        size = int(head.rsplit(b" ", 1)[1])
        texts[path] = told[:size].decode("utf-8", "replace")
        told = told[size + 1 :]
    return texts


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    """What Git says; nothing where it refuses."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments, and a revision that is taken for nothing else
            ("git", "-C", str(folder), *arguments),  # noqa: S607 - the user's own
            input=given,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError(
            "git is not installed, and the snapshots of a revision are in it"
        ) from None
    return done.stdout if done.returncode == 0 else b""
