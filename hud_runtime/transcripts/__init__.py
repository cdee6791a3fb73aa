"""Transcripts: what happened in a session, read off the files that agents leave behind.

In: a file, in any of the formats that are known. Out: drafts of events, and the name of every line that could
not be read. A format yields observations; what they mean is the same for all.
"""

from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts._transcript import FORMATS as FORMATS
from hud_runtime.transcripts._transcript import GrowingTranscript as GrowingTranscript
from hud_runtime.transcripts._transcript import LiveTranscript, keeping
from hud_runtime.transcripts._transcript import Replay as Replay
from hud_runtime.transcripts._transcript import Transcript as Transcript
from hud_runtime.transcripts._transcript import TranscriptUpdate as TranscriptUpdate
from hud_runtime.transcripts._transcript import read_transcript as read_transcript
from hud_runtime.transcripts._transcript import replay as replay
from hud_runtime.transcripts.formats import Format
from ujsx.on_demand import on_demand

__all__ = ["Format", "LiveTranscript", "Source", "keeping"]

on_demand(globals())
