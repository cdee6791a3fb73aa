"""Transcripts: what happened in a session, read off the files that agents leave behind.

In: a file, in any of the formats that are known. Out: drafts of events, and the name of every line that could
not be read. A format yields observations; what they mean is the same for all.
"""

from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._formats import FORMATS
from hud_runtime.transcripts._growing import GrowingTranscript
from hud_runtime.transcripts._keeping import Keeping, Shown, keeping
from hud_runtime.transcripts._live import LiveTranscript, Update
from hud_runtime.transcripts._read import read_transcript
from hud_runtime.transcripts._replay import Replay, replay
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts._transcript import Transcript
from ujsx.on_demand import on_demand

__all__ = [
    "FORMATS",
    "Format",
    "GrowingTranscript",
    "Keeping",
    "LiveTranscript",
    "Replay",
    "Shown",
    "Source",
    "Transcript",
    "Update",
    "keeping",
    "read_transcript",
    "replay",
]

on_demand(globals())
