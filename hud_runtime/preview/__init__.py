"""The preview of a changing layout, component or session: in the browser, as a report, in the terminal.

In: a :class:`Subject`, which is a layout, an object of an author's code, a domain, a session or a transcript.
Out: data for a page, made by a process of its own, so that an error in the author's code ends nothing else.
The data is the library's: renderings, explanations, comparisons, deliveries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.preview._preview import PAUSE as PAUSE
    from hud_runtime.preview._preview import Fault as Fault
    from hud_runtime.preview._preview import FaultError as FaultError
    from hud_runtime.preview._preview import Preview as Preview
    from hud_runtime.preview._preview import PreviewLook as PreviewLook
    from hud_runtime.preview._preview import Subject as Subject
    from hud_runtime.preview._preview import check_extra as check_extra
    from hud_runtime.preview._preview import example_session as example_session
    from hud_runtime.preview._preview import look_of as look_of
    from hud_runtime.preview._preview import shown_of as shown_of
    from hud_runtime.preview._process import fault_of as fault_of
    from hud_runtime.preview._report import gallery as gallery
    from hud_runtime.preview._report import report as report
    from hud_runtime.preview._server import serve as serve

on_demand(globals())
