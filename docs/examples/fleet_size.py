"""How many agents a PostgreSQL carries: calls of a fleet go through processes of Python, a server and its disk.

`python fleet_size.py` prints the table of "Run it for a fleet"; `python fleet_size.py append=0.9 write=1.2` counts with
figures of your own, which `make bench` prints. Nothing here needs a server: it is a simulation, the same each time.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, fields, replace
from heapq import heapify, heapreplace

EVERY = 5.0
"""Seconds from one call of an agent to the next."""

SECONDS = 5.0
"""How long a fleet is looked at."""

BUSY = 0.8
"""How much of the processors is used at most; above, queues grow faster than the work."""


@dataclass(frozen=True)
class Figures:
    """What one call takes, in milliseconds: measured on two cores that others used as well."""

    append: float = 0.5
    """Of the database server's processors, for a record."""
    read: float = 0.35
    """Of them, for what a session looks up before it records."""
    search: float = 38.0
    """Of them, for a search over all sessions, of a million events, for a word that few and one that all have."""
    python: float = 6.0
    """Of a process of Python, for a record and a HUD."""
    write: float = 3.0
    """For a write to the server's disk, which all commits that wait for it share."""
    searches: float = 0.01
    """How many of the calls search as well, from 0 to 1."""


@dataclass(frozen=True)
class Fleet:
    """Servers, and what is theirs."""

    name: str
    databases: int = 1
    """Servers, each with a part of the sessions: a tenant's, or those whose names fall to it."""
    cores: int = 2
    """Of each of them."""
    on_replicas: bool = False
    """Whether others answer searches."""

    def most(self, figures: Figures) -> int:
        """Return how many agents keep the databases busy, and no more."""
        return int(EVERY * self.databases * self.cores * BUSY * 1_000 / self.work(figures))

    def work(self, figures: Figures) -> float:
        """Return what a call takes of a database's processors, in milliseconds, on average."""
        searching = 0.0 if self.on_replicas else figures.searches * figures.search
        return figures.append + figures.read + searching


FLEETS = (
    Fleet("one server, 2 cores"),
    Fleet("one server, 8 cores", cores=8),
    Fleet("and replicas that search", cores=8, on_replicas=True),
    Fleet("a database for each of 4 tenants", databases=4, cores=8, on_replicas=True),
)

AGENTS = (2_000, 10_000, 40_000)


def processes_for(agents: int, figures: Figures) -> int:
    """Return how many processes of Python are busy, and no more."""
    return -int(-agents / EVERY * figures.python / (1_000 * BUSY) // 1)


def waits(agents: int, fleet: Fleet, figures: Figures) -> list[float]:
    """Return how long calls take, in milliseconds, from the call to its answer, in order of their lengths."""
    chance = random.Random(agents)
    databases = [_Database(fleet, figures) for _ in range(fleet.databases)]
    free = [0.0] * processes_for(agents, figures)
    begun = sorted(chance.uniform(0, 1_000 * SECONDS) for _ in range(int(agents * SECONDS / EVERY)))
    reached: list[tuple[float, float]] = []
    for at in begun:
        done = max(at, free[0]) + figures.python
        heapreplace(free, done)
        reached.append((done, at))
    answered: list[float] = []
    for at, begin in sorted(reached):
        searches = not fleet.on_replicas and chance.random() < figures.searches
        answered.append(chance.choice(databases).answers(at, searches=searches) - begin)
    return sorted(answered)


class _Database:
    def __init__(self, fleet: Fleet, figures: Figures) -> None:
        self._figures = figures
        self._free = [0.0] * fleet.cores
        heapify(self._free)
        self._writes = 0.0  # when the write that goes on, or that is to come, begins

    def answers(self, at: float, *, searches: bool) -> float:
        one = self._figures
        work = one.append + one.read + (one.search if searches else 0.0)
        done = max(at, self._free[0]) + work
        heapreplace(self._free, done)
        # What comes in the middle of a write goes with the next one.
        if done > self._writes:
            self._writes = max(done, self._writes + one.write)
        return self._writes + one.write


def table(figures: Figures) -> list[str]:
    """Return the rows: what each arrangement carries, and how long a call takes with so many agents."""
    head = (
        "| servers | agents at most | " + " | ".join(f"{each:,} agents" for each in AGENTS) + " |"
    )
    rows = [head, "| --- | " + "---: | " * (1 + len(AGENTS))]
    for fleet in FLEETS:
        told = [_told(agents, fleet, figures) for agents in AGENTS]
        rows.append(f"| {fleet.name} | {fleet.most(figures):,} | {' | '.join(told)} |")
    need = [f"{processes_for(agents, figures)}" for agents in AGENTS]
    rows.append(f"| processes of Python for it | | {' | '.join(need)} |")
    return [row.rstrip() for row in rows]


def _told(agents: int, fleet: Fleet, figures: Figures) -> str:
    if agents > fleet.most(figures) / BUSY:
        return "too many"
    times = waits(agents, fleet, figures)
    return f"{times[len(times) // 2]:.0f} ms, {times[int(0.99 * (len(times) - 1))]:.0f} ms"


def main(arguments: list[str]) -> None:
    """Print the table, with the figures that are given as NAME=MILLISECONDS."""
    figures, known = Figures(), {each.name for each in fields(Figures)}
    for each in arguments:
        name, _, value = each.partition("=")
        if name not in known or not value.replace(".", "", 1).isdecimal():
            sys.exit(
                f"{each} is no figure: write NAME=MILLISECONDS, with a NAME of {', '.join(sorted(known))}"
            )
        figures = replace(figures, **{name: float(value)})
    print("\n".join(table(figures)))


if __name__ == "__main__":
    main(sys.argv[1:])
