"""Messages of providers and SDKs, understood once: by a host's adapter, a transcript, a compaction, a pruning.

In: a message of any form, as JSON data or as an object. Out: a statement, with the role of its speaker and its parts.
"""

from hud_runtime.messages._answers import with_answers
from hud_runtime.messages._reader import (
    Part,
    Statement,
    get,
    parts_of,
    read_message,
    text_of,
    word_for,
    words_of,
)
from hud_runtime.messages._tables import (
    BEDROCK,
    KINDS,
    MEDIA,
    MEDIA_KEYS,
    ROLES,
    Kind,
    Role,
    Status,
)
from ujsx.on_demand import on_demand

__all__ = [
    "BEDROCK",
    "KINDS",
    "MEDIA",
    "MEDIA_KEYS",
    "ROLES",
    "Kind",
    "Part",
    "Role",
    "Statement",
    "Status",
    "get",
    "parts_of",
    "read_message",
    "text_of",
    "with_answers",
    "word_for",
    "words_of",
]

on_demand(globals())
