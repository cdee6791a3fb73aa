"""Commands that are groups of actions: ``ujsx session list``, ``ujsx store backup``."""

from __future__ import annotations

from argparse import REMAINDER, ArgumentParser, Namespace

from hud_runtime.cli._arguments import one_of
from hud_runtime.cli._commands import Command


class Group:
    """A command whose first argument is the action; what follows is for that to read."""

    def __init__(self, name: str, description: str, *actions: Command) -> None:
        self.__doc__ = description
        self.name = name
        self.actions = {each.name: each for each in actions}
        """What can be done, in the order in which the help shows it."""

    def define(self, parser: ArgumentParser) -> None:
        """Let the parser take an action and its arguments, and list the actions in its help."""
        parser.usage = f"{parser.prog} ACTION [ARGUMENT ...]"
        width = max(map(len, self.actions)) + 2
        lines = "\n".join(f"  {each.name:<{width}}{each.summary}" for each in self.actions.values())
        parser.epilog = f"actions:\n{lines}\n\n`{parser.prog} ACTION --help` says more about each."
        parser.add_argument("action", metavar="ACTION", help="what to do, from the list below")
        rest = parser.add_argument(
            "arguments", metavar="ARGUMENT", nargs=REMAINDER, help="with what"
        )
        rest.required = False  # which of them are, the action says

    def run(self, options: Namespace) -> int:
        """Do what the action is asked for, and return the exit status.

        :raises UsageError: if there is no such action.
        """
        action = self.actions[one_of(options.action, [*self.actions], "action")]
        return action.run(f"ujsx {self.name}", options.arguments)


SESSION = Group(
    "session",
    """Look into a store of sessions, and keep them: as files, archived, or not at all.

    A session is named by its id; `ujsx serve` calls that of a project by the project's folder, so that
    `.` is the session of the current one. `project:NAME` is what a project's new sessions start with.
    """,
    Command("list", "_session_list:List", "list the sessions, the last used first"),
    Command("show", "_session_list:Show", "say what there is of a session"),
    Command("tail", "_session_events:Tail", "print the last events, and follow"),
    Command("context", "_session_context:Context", "tell how full its context is, exactly"),
    Command(
        "summaries", "_session_context:Summaries", "list its compactions' summaries, or print one"
    ),
    Command("outputs", "_session_outputs:Outputs", "list the tool outputs that were pruned"),
    Command(
        "compactions", "_session_compactions:Compactions", "list what each compaction did, and why"
    ),
    Command("search", "_session_events:Search", "find events by their words"),
    Command("export", "_session_files:Export", "write a session as a file"),
    Command("import", "_session_files:Import", "read a session from a file"),
    Command("archive", "_session_keep:Archive", "compress what is long past"),
    Command("purge", "_session_keep:Purge", "delete sessions for good"),
    Command("erase", "_session_erase:Erase", "erase the texts of one event for good"),
)

STORE = Group(
    "store",
    """Keep a store safe: back it up while it is in use, put a backup back, and repair what is damaged.

    A store is more than its file: copying `hud.db` leaves out what was written last, and what is archived.
    """,
    Command("backup", "_store:Backup", "copy the store while it is in use"),
    Command("restore", "_store:Restore", "put a backup back"),
    Command("repair", "_store:Repair", "save what can be read of a damaged one"),
    Command("checkpoint", "_store:Checkpoint", "empty the write-ahead log"),
    Command("expire", "_store_expire:Expire", "delete sessions that nobody has used for long"),
    Command("sweep", "_store_sweep:Sweep", "let go of old tool outputs"),
    Command("outbox", "_store_outbox:InOutbox", "what waits for a database server that was away"),
    Command("copy", "_store_copy:Copy", "copy it whole, to a file or a database server"),
    Command("role", "_store_copy:Role", "print the rights of who uses one in a server"),
)

TOKEN = Group(
    "token",
    """Say who may ask `ujsx serve --http`: make tokens, each of a project, list and revoke them.

    They are kept in a file that only you may read, as hashes. A token itself is shown once, when it is made.
    """,
    Command("add", "_token:Add", "make one, and print it"),
    Command("list", "_token:Listed", "list them, without what is secret"),
    Command("revoke", "_token:Revoke", "let one be valid no more"),
)

HISTORY = Group(
    "history",
    """Browse what OpenCode has kept of its sessions, in its database, which is only read.

    It may be in use. A session is named by its id, the id's beginning, or `last`.
    """,
    Command("summary", "_history:Summary", "count projects, sessions, messages"),
    Command("sessions", "_history:Sessions", "list sessions, the last used first"),
    Command("messages", "_history:Messages", "print a session as a transcript"),
    Command("message", "_history:Message", "print one message, whole"),
    Command("search", "_history:Search", "find messages by their words"),
    Command("compactions", "_history_context:Compactions", "list compactions, or print a summary"),
    Command("context", "_history_context:Context", "tell how full a context was, exactly"),
    Command("plans", "_history:Plans", "list the plans of agents, or print one"),
    Command("children", "_history:Children", "list the sessions of subagents"),
    Command("compare", "_history_files:Compare", "put two sessions side by side"),
    Command("export", "_history_files:Export", "write a session as a transcript"),
)

SNAPSHOTS = Group(
    "snapshots",
    "Show what changed in the snapshots that tests keep of HUDs.",
    Command("diff", "_snapshots", "compare them with those of a revision"),
)

NEW = Group(
    "new",
    """Write a small domain or component that works, and its snapshot test, to go on from.

    Nothing that is there already is overwritten.
    """,
    Command("domain", "_new:NewDomain", "write the sections of an agent's HUD"),
    Command("component", "_new:NewComponent", "write a component"),
)
