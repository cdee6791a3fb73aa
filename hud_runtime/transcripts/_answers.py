"""Tools' answers in transcripts, with what hosts write into their texts: exit statuses, refusals, wishes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Unpack

from hud_runtime.messages import Part, Status
from hud_runtime.observation._json import Record
from hud_runtime.observation._messages import Place
from hud_runtime.observation._observations import ToolResult

_AT_END = re.compile(
    r"(?:\[exit code:? (?P<a>-?\d+)\]|<exited with exit code (?P<b>-?\d+)>|<returncode>(?P<c>-?\d+)</returncode>"
    r"|\[(?:The command completed with )?exit (?:code|status):? (?P<d>-?\d+)\.?\]|^exit (?:code|status):? (?P<e>-?\d+)"
    r"|Exit Code: (?P<f>-?\d+)(?:\nSignal: .*)?|Process exited with code (?P<g>-?\d+)|Command failed with exit code (?P<h>-?\d+)\.?"
    r"|\[Command finished with exit code (?P<i>-?\d+)\])\s*\Z",
    re.MULTILINE,
)
_AT_START = re.compile(
    r"\A(?:Chunk ID:.*\n)?(?:Wall time:.*\n)?(?:Process exited with code (?P<a>-?\d+)|Exit code:? (?P<b>-?\d+)"
    r"|<returncode>(?P<c>-?\d+)</returncode>|exit_code[=:] ?(?P<d>-?\d+))"
)


def exit_code_in(text: str) -> int | None:
    r"""Return the exit status that an answer tells at its beginning or its end.

    >>> exit_code_in("1 failed\n[exit code 1]"), exit_code_in("fine")
    (1, None)
    """
    match = _AT_START.match(text[:500]) or _AT_END.search(text[-300:])
    if match is None:
        return None
    digits = next(filter(None, match.groups()), "")
    return int(digits[:12]) if digits else None


WISH = re.compile(r"To tell you how to proceed, the user said:\s*(?P<wish>[\s\S]*?)(?:\n\nNote: The user's next message[\s\S]*)?\Z")  # fmt: skip
"""The user's words with the refusal of a call."""

_WRONG = "<tool_use_error>"
"""The beginning of the host's own answer to a call that it could not run."""

_REFUSED = ("The user doesn't want to", "[Request interrupted by user")
"""The beginnings of its answers to calls that the user did not allow."""

_EXIT = re.compile(r"\A(?:Error: )?Exit code:? (?P<code>-?\d{1,5})\b[^\n]*\n?")


def answers_in(
    parts: Iterable[Part], data: Record | None = None, **at: Unpack[Place]
) -> Iterator[ToolResult]:
    """Yield the answers among a message's parts.

    :param data: what the host tells beside their texts.
    """
    for part in parts:
        if part.kind == "result" and part.type == "tool_result":
            yield _of_host(part, data or {}, at)
        elif part.kind == "result" and (part.id is not None or part.type != "retry-prompt"):
            text = part.words
            yield ToolResult(
                **at, text=text, call_id=part.id, status=part.status, exit_code=exit_code_in(text)
            )


def _of_host(part: Part, data: Record, at: Place) -> ToolResult:
    """An answer in a block of Anthropic's, which says whether the call failed."""
    text = part.words
    failed = part.status == "failed"
    code = _EXIT.match(text) if failed else None
    status = _status(failed, text)
    return ToolResult(
        **at,
        text=text[code.end() :] if code and len(text) > code.end() else text,
        call_id=part.id,
        status=status,
        exit_code=int(code["code"]) if code else None,
        wish=wish_in(text) if status == "refused" else "",
        data=data,
    )


def wish_in(answer: str) -> str:
    r"""Return the user's words in the refusal of a call; empty where there are none.

    >>> wish_in("The user doesn't want to proceed. To tell you how to proceed, the user said:\nUse JWT.")
    'Use JWT.'
    """
    wish = WISH.search(answer[:20_000]) if _bare(answer).startswith(_REFUSED) else None
    return wish["wish"].strip() if wish else ""


def _bare(answer: str) -> str:
    return answer[:200].removeprefix(_WRONG).lstrip()


def _status(failed: bool, text: str) -> Status:
    if not failed:
        return "done"
    bare = _bare(text)
    if bare.startswith(_REFUSED):
        return "refused"
    return "cancelled" if bare.startswith("Sibling tool call errored") else "failed"


def is_not_run(content: object) -> bool:
    """Tell whether an answer is the host's own word that it ran nothing, for hosts that do not mark it as an error.

    >>> is_not_run("<tool_use_error>String to replace not found in file.</tool_use_error>")
    True
    """
    return isinstance(content, str) and content.startswith((_WRONG, *_REFUSED))
