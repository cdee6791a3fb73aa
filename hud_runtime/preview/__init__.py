"""The preview of a layout, component or session while it changes: in the browser, as a report, in the terminal.

In: a :class:`Subject`, which is a layout, an object of an author's code, a domain, a session or a transcript.
Out: data for a page, read by a process of its own, so that a mistake in the author's code ends nothing else.
What the data says is what the library says: renderings, explanations, comparisons, deliveries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.preview._preview import PAUSE, FaultError, Preview, look_of
    from hud_runtime.preview._process import fault_of
    from hud_runtime.preview._report import gallery, report
    from hud_runtime.preview._server import application, check_extra, serve
    from hud_runtime.preview._subject import Fault, PreviewLook, Subject, example_session, shown_of

__all__ = [
    "PAUSE",
    "Fault",
    "FaultError",
    "Preview",
    "PreviewLook",
    "Subject",
    "application",
    "check_extra",
    "example_session",
    "fault_of",
    "gallery",
    "look_of",
    "report",
    "serve",
    "shown_of",
]

on_demand(
    globals(),
    {
        "_preview": ("FaultError", "PAUSE", "Preview", "look_of"),
        "_process": ("fault_of",),
        "_report": ("gallery", "report"),
        "_server": ("application", "check_extra", "serve"),
        "_subject": ("Fault", "PreviewLook", "Subject", "example_session", "shown_of"),
    },
)
"""The names, each loaded with what it needs."""
