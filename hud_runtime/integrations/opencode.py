"""OpenCode: the requests of its plugin, and the answers to them.

In: OpenCode's hooks and events, passed on by ``opencode.js``, which runs inside OpenCode and needs nothing
else. Out: the placement of texts in the next request, and answers to calls of the HUD's tools.
:func:`install` puts the plugin into OpenCode's folder of plugins, and :func:`uninstall` removes it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_components import CODING, Domain
from hud_runtime import observe as observed
from hud_runtime._errors import InstallError
from hud_runtime._location import home_folder, make_folder
from hud_runtime.context.delivery import Delivery, Mode, RequestMessage
from hud_runtime.integrations._hooked import HookedSessions, pruned_answer, record_of
from hud_runtime.integrations._host_session import HostSession
from hud_runtime.integrations._installing import (
    FileChanges,
    installed,
    records_of,
    remarks_on_program,
)
from hud_runtime.integrations._sending import HostSettings, asks_to_compact, nothing
from hud_runtime.integrations._settings_file import SettingsFile, read_file
from hud_runtime.integrations.bridge import Answer, Place, place_of
from hud_runtime.integrations.bridge._place import launcher, store_options
from hud_runtime.log.events import CompactAfter
from hud_runtime.observe._conversation import summary_in, without_steps
from hud_runtime.observe._observations import Record, mapping, sequence, string
from hud_runtime.observe._reader import FolderPlace
from hud_runtime.session import NO_LOOK, GivenLook, HudStore
from hud_runtime.transcripts import formats
from hud_runtime.transcripts.formats._opencode import (
    SEEN_TOOL,
    kind_of,
    steps_of,
    text_of,
    tool_seen,
)
from ujsx.tools import Toolset

if TYPE_CHECKING:
    from hud_runtime.context.compaction import CompactionPolicy

__all__ = ["OpenCode", "install", "programs", "uninstall"]

# The meaning of OpenCode's hooks and events, and the answers to them.

SUMMARY = "summary"
"""The key of the message with the last recorded summary."""

MODES: Mapping[str, Mode] = {"append": "append", "tail": "tail", "system": "system"}

UNTITLED = re.compile(r"(?:New|Child) session - \d")
"""The name of an unnamed session."""

GUIDANCE = """\
The agent keeps a HUD outside the conversation: its task, the decisions, plan, notes and blockers that it has recorded,
the files that it works on and the checks that fail. It is given again in full behind the summary, so be brief about
these. Keep in full what the user asked for or ruled out and still holds, what was found out that the code does not
tell at a glance, what is under way, and exact names, paths and numbers."""
"""The addition to the prompt for a summary, which itself shows nothing of the HUD."""


class OpenCode:
    """Answers the plugin of one running OpenCode, for all its sessions.

    A request has a ``type``, that of a hook or an event of OpenCode, and a ``line``: the session's id, after
    those of its parent sessions.

    :param store: opens the store; retried after a failure.
    :param keeps_deleted: whether to keep a session that the person deletes in OpenCode.
    :param policy: how to request a summary.
    :param look: the layout and the words of its sessions.

    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     opencode = OpenCode(lambda: store)
    ...     def ask(**event):
    ...         return opencode.hook(json.dumps({"line": ["ses_1"], **event}).encode()).text
    ...     _ = ask(type="chat.message", message={"id": "msg_1"}, parts=[{"type": "text", "text": "Add a login."}])
    ...     "Add a login." in ask(type="request", messages=["msg_1"])
    True
    """

    def __init__(
        self,
        store: Callable[[], HudStore[Any]],
        *,
        keeps_deleted: bool = False,
        policy: CompactionPolicy | None = None,
        toolsets: Iterable[Toolset] = (),
        look: GivenLook = NO_LOOK,
    ) -> None:
        self._keeps_deleted = keeps_deleted
        # OpenCode puts breakpoints at the last two messages, so one of them precedes a tail.
        settings = HostSettings(
            has_cache_breakpoint=True,
            prune=True,
            policy=policy,
            layout=look.layout,
            words=look.words,
            toolsets=toolsets,
        )
        self._sessions = HookedSessions(store, settings)

    def hook(self, given: bytes) -> Answer:
        """Answer a hook, or process an event."""
        event = record_of(given)
        if not _line(event):
            return Answer()
        kind = string(event.get("type"))
        if kind == "request":
            return self._request(event)
        if kind == "intervened":
            self._host(event).intervention()
            return self._told({})
        if kind == "prune":
            return self._pruned(event)
        if kind == "session.deleted":
            return self._deleted(event)
        if kind == "session.forked":
            return self._forked(event)
        if kind == "session.compacted":
            self._compacted(self._host(event), event)
            return self._told({})
        row = EVENTS.get(kind or "")
        if row is None:
            return Answer()
        self._host(event).observe(*row(event, {"directory": string(event.get("directory"))}))
        is_summary = kind == "experimental.session.compacting"
        return self._told(self._guidance(self._host(event)) if is_summary else {})

    def call(self, given: bytes) -> Answer:
        """Answer a call of one of the HUD's tools: its name as ``tool``, and its ``arguments``."""
        asked = record_of(given)
        if not _line(asked):
            return Answer()
        result = self._host(asked).call(
            string(asked.get("tool")) or "hud", asked.get("arguments") or {}
        )
        told = {"text": result.text, "is_error": result.is_error}
        return self._told({**told, "compacts": asks_to_compact(result)})

    # --- What is answered ---

    def _request(self, event: Record) -> Answer:
        """The texts for the next request, whose messages have these ids."""
        host = self._host(event)
        self._compacted(host, event)
        ids = [str(each) for each in sequence(event.get("messages"))]
        mode = MODES.get(str(event.get("mode")), "append")
        # The host stores its own prompt; our text would have to be repeated in each request.
        prompts = event.get("prompts") is True
        made = host.before_request(
            texts=ids,
            host_keeps_messages=False,
            sent=False,
            mode=mode,
            intervene=not prompts,
            conversation=_conversation(event),
        )
        notice = host.intervention(take=False) if prompts else None
        said = [*made.replay, *made.parts]
        told = {
            "said": [
                {"text": each.text, "behind": each.behind}
                for each in said
                if each.place == "append"
            ],
            "tail": _joined(made, "tail"),
            "system": _joined(made, "system"),
        }
        if notice is not None:
            told["intervention"] = notice.text
        return self._told(told, partial(_arrived, host, made))

    def _pruned(self, event: Record) -> Answer:
        """A pruned tool output; empty if it is unchanged."""
        tool, output = string(event.get("tool")) or "", mapping(event.get("output"))
        told: dict[str, object] = {}
        for name in ("output", "content"):
            answer = output.get(name)
            made = pruned_answer(self._host(event), tool, event.get("args"), answer)
            if made is not None:
                told[name] = made
        return self._told(told)

    def _guidance(self, host: HostSession) -> Record:
        """The guidance for the summary: in addition to OpenCode's prompt, or a prompt in place of it."""
        policy = host.policy
        said = policy.guidance(GUIDANCE)
        if policy.prompt is None:
            return {"context": said}
        # A prompt of its own replaces everything, including the previous summary.
        session = host.opened
        before = None if session is None else session.known.compacted_context
        prior = ["The summary so far, which yours takes the place of:", before] if before else []
        return {"prompt": "\n\n".join([said, *prior])}

    def _forked(self, event: Record) -> Answer:
        """Begin a copy with all events of its origin, except those after the copied messages."""
        origin = "/".join(_line({"line": event.get("origin")}))
        self._sessions.copy(origin, "/".join(_line(event)))
        since = string(event.get("since"))
        if since:
            self._host(event).observe(observed.Undone(since=since))
        return self._told({})

    def _deleted(self, event: Record) -> Answer:
        line = _line(event)
        if len(line) == 1:
            self._sessions.forget(line[0])
        if not self._keeps_deleted:
            # The person deleted it: all its data is deleted. Subagents' sessions are deleted
            # separately.
            self._sessions.purge("/".join(line))
        return self._told({})

    def _compacted(self, host: HostSession, event: Record) -> None:
        """Record a summary once: from the event or the next request, whichever comes first."""
        told = mapping(event.get("summary"))
        name, text = string(told.get("id")), string(told.get("text"))
        if not name or not text:
            return
        before = host.kept(SUMMARY)
        if name == before:
            return

        def compact() -> None:
            # Stored data may be lost, and the log is not.
            is_known = before is None and _is_known(host, text)
            host.observe(
                *(() if is_known else (observed.Compacted(summary=text),)), keep={SUMMARY: name}
            )

        host.attempt("note a compaction", compact, nothing)

    def _told(self, data: Record, arrived: Callable[[], object] | None = None) -> Answer:
        news = self._sessions.taken_news()
        told = {**data, "news": news} if news else data
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":")) if told else ""
        return Answer(text, arrived)

    # --- Sessions ---

    def _host(self, event: Record) -> HostSession:
        """The session of an event; a subagent's is a child of its parent's."""
        root, *children = _line(event)
        found = self._sessions.of({"session_id": root, "cwd": event.get("directory")})
        for child in children:
            found = found.child(child)
        return found


def _conversation(event: Record) -> list[RequestMessage] | None:
    """The words of the request's messages; None if an older plugin does not send them."""
    if event.get("said") is None:
        return None
    return [
        message
        for each in map(mapping, sequence(event.get("said")))
        for message in _messages_of(each)
    ]


def _messages_of(said: Record) -> Iterator[RequestMessage]:
    """A message of OpenCode, and then the results of its calls, which it contains."""
    text, calls, results = (string(said.get(name)) or "" for name in ("text", "calls", "results"))
    yield RequestMessage(text, said.get("by") == "assistant", calls)
    if results:
        yield RequestMessage("", shown=results)


# --- What is observed ---


def _message(event: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    text = text_of(map(mapping, sequence(event.get("parts"))))
    if text:
        name = string(mapping(event.get("message")).get("id")) or ""
        yield observed.UserMessage(**place, text=text, message_id=name)


def _tool(event: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    output = mapping(event.get("output"))
    state = {
        "status": "completed",
        "input": event.get("args"),
        # A tool of an MCP server returns blocks.
        "output": output.get("output", output.get("content")),
        "metadata": output.get("metadata"),
    }
    part = {"tool": event.get("tool"), "callID": event.get("callID"), "state": state}
    return tool_seen(part, **place)


def _answered(event: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    info = mapping(mapping(event.get("properties")).get("info"))
    return ANSWER(event, place) if kind_of(info) == "assistant" else iter(())


def _removed(event: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    if name := string(mapping(event.get("properties")).get("messageID")):
        yield observed.Undone(**place, since=name)


def _titled(title: object) -> str | None:
    text = string(title)
    return None if text is None or UNTITLED.match(text) else text


ANSWER = formats.agent(
    message_id="properties.info.id",
    usage="properties.info.tokens",
    model="properties.info.modelID",
    limit="limit",
)
EVENTS: Mapping[str, formats.Teller] = {
    "chat.message": _message,
    "tool.execute.after": _tool,
    "message.part.updated": formats.each("properties.part", SEEN_TOOL),
    "message.updated": _answered,
    "message.removed": _removed,
    "session.updated": formats.title(text=formats.at("properties.info.title", _titled)),
    "todo.updated": formats.plan(steps=formats.at("properties.todos", steps_of)),
    "file.edited": formats.changed(path="properties.file"),
    "experimental.session.compacting": formats.compacting(reason="="),
}
"""The reader of each event, as of the records of a transcript."""


def _is_known(host: HostSession, summary: str) -> bool:
    """Whether a summary is in the log already: another process may have recorded it."""
    text = summary_in(summary)
    texts = text, without_steps(text)
    events = host.session.events(types=("compact.after",))
    return any(
        isinstance(each.payload, CompactAfter) and each.payload.summary in texts for each in events
    )


# --- Data ---


def _arrived(host: HostSession, delivery: Delivery) -> None:
    if delivery.parts:
        host.sent(delivery)


def _joined(delivery: Delivery, place: Mode) -> str:
    return "\n".join(each.text for each in delivery.parts if each.place == place)


def _line(event: Record) -> list[str]:
    return [each for each in sequence(event.get("line")) if isinstance(each, str) and each]


# Installing and uninstalling the plugin in OpenCode's folder. OpenCode's settings are not changed.

PLUGIN = Path(__file__).with_name("opencode.js")
"""The plugin, with placeholders for its settings."""

NAME = Path("plugins") / "ujsx.js"
"""Its path in a folder of OpenCode's settings."""

OURS = "`ujsx install opencode` writes this file"
"""The text that identifies our plugin."""

SETTINGS = "const SETTINGS = "

OLDEST = "1.18.33"
"""The oldest version in which a session was tested."""

PURE = "OPENCODE_PURE"
"""The environment variable with which OpenCode loads no plugin."""


def install(
    project: Path | None = None,
    *,
    store: str | Path | None = None,
    domain: str | None = None,
    layout: str | None = None,
    words: str | None = None,
    modules: Sequence[str] = (),
    declared: Domain[Any] | None = None,
    mode: Mode = "append",
    prune: bool = False,
    config: Path | None = None,
    memory: bool = False,
) -> FileChanges:
    """Install the HUD in OpenCode: in one project, or in all projects of this user.

    :param project: the project's folder; None for all of the user's.
    :param store: the store's file; None for the user's own.
    :param domain: the domain of new sessions, as ``package.module:NAME``; the plugin passes it on.
    :param layout: the layout of new sessions: the absolute path of a file, or an object's name, as for the
        domain.
    :param words: the words of new sessions, named in the same way.
    :param modules: ``package.module``, or the absolute paths of files, with components for layouts.
    :param declared: that domain itself; None for the coding HUD's.
    :param mode: the placement of the HUD.
    :param prune: whether to prune tool outputs before the model gets them.
    :param config: the folder of the user's settings of OpenCode; None for the environment's.
    :param memory: whether its agents get the tools ``memory`` and ``memory_compact`` as well: past sessions, read
        and searched, and a compaction under the name of an older plugin.
    :raises InstallError: if another plugin has the name of ours, and for a project's folder that is a link.
        Then nothing is changed.
    """
    place = place_of(store, domain, layout, words, tuple(modules))
    text = plugin_text(place, mode, declared, prune=prune, memory=memory)
    files = _files(project, config, place, text)
    for each in files:
        each.check()
    make_folder(place.folder)
    changed = [each for each in files if each.install()]
    return installed(files, changed, [each.backup for each in files[1:] if each.backup.exists()])


def uninstall(
    project: Path | None = None, *, store: str | Path | None = None, config: Path | None = None
) -> FileChanges:
    """Uninstall the HUD from OpenCode. Recorded data stays.

    :raises InstallError: if another plugin has the name of ours.
    """
    files = _files(project, config, place_of(store))
    for each in files:
        each.check(adds=False)
    changed = [each for each in files if each.uninstall()]
    with suppress(OSError):  # other plugins are there, or the folder is missing
        files[0].path.parent.rmdir()
    return installed(files, changed)


def programs(config: Path | None = None) -> list[list[str]]:
    """Return the commands that the user's plugin starts, if it is ours."""
    text = read_file(_folder(None, config) / NAME) or ""
    lines = [each.removeprefix(SETTINGS) for each in text.splitlines() if each.startswith(SETTINGS)]
    return [[*map(str, json.loads(each)["program"])] for each in lines[:1] if OURS in text]


def remarks() -> Iterator[str]:
    """Yield the problems of an installed HUD."""
    yield from remarks_on_program("OpenCode", "opencode", "npm install -g opencode-ai", OLDEST)
    if os.environ.get(PURE):
        yield f"{PURE} is set, so OpenCode loads no plugin and has no HUD: unset it"


def plugin_text(
    place: Place,
    mode: Mode = "append",
    domain: Domain[Any] | None = None,
    *,
    prune: bool = False,
    memory: bool = False,
) -> str:
    """Return the plugin's text for a store, with its settings."""
    from hud_runtime.tools import definitions, instructions_of

    tools = definitions("json-schema", domain=domain, memory_compact=memory)
    # A plugin has no instructions in the prompt, so the tool's description has them.
    instructions = instructions_of(CODING if domain is None else domain, is_shown=True)
    tools[0] |= {"description": f"{tools[0]['description']}\n\n{instructions}"}
    program = [*launcher(), "bridge", "--stdio", *store_options(place)]
    if memory:
        from hud_runtime.history import MEMORY

        tools += MEMORY.definitions("json-schema")
        program.append("--memory")
    settings = {"program": program, "mode": mode, "prune": prune, "tools": tools}
    # Escaped, so that no program takes one of these characters for the end of a line.
    line = f"{SETTINGS}{json.dumps(settings)}"
    lines = PLUGIN.read_text("utf-8").splitlines(keepends=True)
    return "".join(f"{line}\n" if each.startswith(SETTINGS) else each for each in lines)


def _folder(project: Path | None, config: Path | None) -> Path:
    """The folder of a project's settings, or of the user's."""
    if project is not None:
        return project.resolve() / ".opencode"
    return config or Path(
        os.environ.get("XDG_CONFIG_HOME") or home_folder() / ".config", "opencode"
    )


def _files(
    project: Path | None, config: Path | None, place: Place, text: str = ""
) -> tuple[SettingsFile, ...]:
    """The plugin with this text, and the file that excludes a project's plugin from version control."""
    plugin = SettingsFile(
        _folder(project, config) / NAME,
        partial(_plugin_with, text),
        partial(_plugin_with, ""),
        records_of(place),
        within=None if project is None else project.resolve(),
    )
    return (plugin, *_ignored(project, place))


def _plugin_with(text: str, now: str) -> str:
    if now and OURS not in now[:1_000]:
        raise InstallError("it is another program's plugin; rename it")
    return text


# --- A project's plugin names places of this machine, so it is kept out of what the team shares ---


def _ignored(project: Path | None, place: Place) -> tuple[SettingsFile, ...]:
    """The person's own file of git's exclusions, if the project has one."""
    if project is None or not (project / ".git").is_dir():
        return ()
    root = project.resolve()
    path = root / ".git" / "info" / "exclude"
    return (SettingsFile(path, _with_line, _without_line, records_of(place), within=root),)


LINE = f"/.opencode/{NAME.as_posix()}"


def _with_line(text: str) -> str:
    if LINE in text.splitlines():
        return text
    missing = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{missing}{LINE}\n"


def _without_line(text: str) -> str:
    return "".join(each for each in text.splitlines(keepends=True) if each.strip() != LINE)
