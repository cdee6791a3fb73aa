"""Transcripts: what happened in a session, read off the files that agents leave behind.

In: a file, in any of the formats that are known. Out: drafts of events, and the name of every line that could
not be read. A format yields observations; what they mean is the same for all.
"""

from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._live import (
    GrowingTranscript,
    HudKeeping,
    LiveTranscript,
    ShownItem,
    TranscriptUpdate,
    keeping,
)
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts._transcript import FORMATS, Replay, Transcript, read_transcript, replay
from ujsx.on_demand import on_demand

__all__ = [
    "FORMATS",
    "Format",
    "GrowingTranscript",
    "HudKeeping",
    "LiveTranscript",
    "Replay",
    "ShownItem",
    "Source",
    "Transcript",
    "TranscriptUpdate",
    "keeping",
    "read_transcript",
    "replay",
]

on_demand(globals())
