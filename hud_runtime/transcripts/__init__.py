"""Transcripts: the events of a session, read from the files that agents leave behind.

In: a file, in any known format. Out: drafts of events, and the number of each unreadable line. A format
yields observations, whose meaning is the same for all formats.
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
