"""Transcripts: what happened in a session, read off the files that agents leave behind.

In: a file, in any of the formats that are known. Out: drafts of events, and the name of every line that could
not be read. A format yields observations; what they mean is the same for all.
"""

from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._live import GrowingTranscript as GrowingTranscript
from hud_runtime.transcripts._live import LiveTranscript, keeping
from hud_runtime.transcripts._live import TranscriptUpdate as TranscriptUpdate
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts._transcript import FORMATS as FORMATS
from hud_runtime.transcripts._transcript import Replay as Replay
from hud_runtime.transcripts._transcript import Transcript as Transcript
from hud_runtime.transcripts._transcript import read_transcript as read_transcript
from hud_runtime.transcripts._transcript import replay as replay
from ujsx.on_demand import on_demand

__all__ = ["Format", "LiveTranscript", "Source", "keeping"]

on_demand(globals())
