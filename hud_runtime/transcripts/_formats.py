"""The formats that are known: those of installed packages first, then ours, the more particular ones before."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from hud_runtime._errors import TranscriptError
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts.formats import (
    _aider,
    _atif,
    _claude_code,
    _cline,
    _codex,
    _codex_exec,
    _copilot,
    _gemini,
    _inspect,
    _messages,
    _mini_swe_agent,
    _opencode,
    _openhands,
    _openhands_v1,
    _responses,
    _streams,
    _swe_agent,
)

GROUP = "ujsx.transcripts"
"""The entry points with which a package adds formats: each is a :class:`Format`."""

FORMATS: tuple[Format, ...] = (
    _codex.FORMAT,
    _codex_exec.FORMAT,
    *_streams.FORMATS,
    _copilot.FORMAT,
    _opencode.FORMAT,
    _gemini.FORMAT,
    _openhands.FORMAT,
    _openhands_v1.FORMAT,
    _atif.FORMAT,
    _inspect.FORMAT,
    _claude_code.FORMAT,
    _mini_swe_agent.FORMAT,
    _swe_agent.FORMAT,
    _aider.FORMAT,
    _messages.PYDANTIC_AI,
    _messages.LANGCHAIN,
    _messages.VERCEL,
    _messages.BEDROCK,
    _messages.GEMINI,
    _cline.UI,
    _cline.FORMAT,
    _responses.FORMAT,
    _messages.LINES,
    _messages.CHAT,
)
"""Ours; the first that recognises a file reads it."""


@cache
def installed() -> tuple[Format, ...]:
    """Return the formats that other packages add.

    Raises :class:`TranscriptError` for an entry point that cannot be loaded, or is no format.
    """
    found: list[Format] = []
    for point in entry_points(group=GROUP):
        try:
            form = point.load()
        except Exception as error:  # what a package's module raises may be anything
            raise TranscriptError(
                f"the format {point.name} of {point.value} cannot be loaded: {error}; remove the package, or"
                " mend it"
            ) from error
        if not isinstance(form, Format):
            raise TranscriptError(
                f"the entry point {point.name} of the group {GROUP} is no Format, but {type(form).__name__}"
            )
        found.append(form)
    return tuple(found)


def all_formats() -> tuple[Format, ...]:
    """Return all formats that are known, in the order in which they are asked."""
    return (*installed(), *FORMATS)
