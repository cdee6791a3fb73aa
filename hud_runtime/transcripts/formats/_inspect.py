"""Inspect's logs: JSON, or a zip with a file for each sample. The first sample that has messages is read."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator

from hud_runtime._errors import TranscriptError
from hud_runtime.observe._observations import (
    AnyObservation,
    Record,
    mapping,
    prose,
    sequence,
    string,
    whole,
)
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._messages import message_seen

ATTACHED = "attachment://"


def recognises(source: Source) -> str | None:
    """Tell why a file is a log of Inspect."""
    if source.kind == "zip":
        return "it holds samples and a header" if _names(source) else None
    first = source.first
    if "eval" in first and ("samples" in first or "plan" in first):
        return "it has an eval and its samples"
    return None


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the messages of a sample tell."""
    samples = list(_samples(source))
    chosen = next((one for one in samples if sequence(one.get("messages"))), None)
    if chosen is None:
        return
    if len(samples) > 1:
        source.skipped["other sample"] += len(samples) - 1
    attachments = mapping(chosen.get("attachments"))
    for line, message in source.listed(chosen["messages"]):
        told = _plain(message, attachments)
        yield from message_seen(told, source, {"line": line}, used=_used(chosen, line))


def _plain(message: Record, attachments: Record) -> Record:
    """A message with its texts, and with its error in the common words."""
    error = mapping(message.get("error"))
    text = _resolved(prose(message.get("content")), attachments) or prose(error.get("message"))
    status = "denied" if error.get("type") == "approval" else "error"
    return {**message, "content": text, **({"status": status} if error else {})}


def _used(sample: Record, line: int) -> int | None:
    """The context's size at the last message, as the sample's output tells it."""
    if line < len(sequence(sample.get("messages"))):
        return None
    return whole(mapping(mapping(sample.get("output")).get("usage")).get("total_tokens")) or None


def _resolved(text: str, attachments: Record) -> str:
    if not text.startswith(ATTACHED):
        return text
    return string(attachments.get(text.removeprefix(ATTACHED))) or text


def _names(source: Source) -> list[str]:
    try:
        with zipfile.ZipFile(source.path) as file:
            names = file.namelist()
    except (OSError, zipfile.BadZipFile):
        return []
    return sorted(one for one in names if one.startswith("samples/") and one.endswith(".json"))


def _samples(source: Source) -> Iterator[Record]:
    if source.kind != "zip":
        yield from map(mapping, sequence(source.first.get("samples")))
        return
    try:
        with zipfile.ZipFile(source.path) as file:
            for name in _names(source):
                if file.getinfo(name).file_size > source.limits.read:
                    source.skip("sample that is too long")
                    continue
                yield mapping(json.loads(file.read(name)))
    except (OSError, ValueError, RecursionError, zipfile.BadZipFile, NotImplementedError) as error:
        raise TranscriptError(f"{source.path} cannot be read: {error}") from None


FORMAT = Format(
    "Inspect log",
    recognises,
    observations,
    estimates=True,
    where="logs/*.eval, logs/*.json",
    quiet={"other sample"},
)
