"""The doctor's look at hosts: whether what was installed in them finds what it was given."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime._errors import InstallError
from hud_runtime.cli._checks import Finding


def look_at_hosts() -> Iterator[Finding]:
    """Yield, of each host in which a HUD is installed, what its program does not find or cannot use.

    Only the user's own settings are looked into: what they name, the hosts start anyway.
    """
    try:
        from hud_runtime.cli._install import HOSTS, installer_of, remarks_on
        from hud_runtime.integrations._installing import problem_of
    except ImportError:  # a dependency is missing, and another finding says so
        return
    for host in HOSTS:
        name = f"HUD in {host}"
        try:
            programs = installer_of(host).programs()
        except ImportError:  # a dependency is missing, and another finding says so
            return
        except (InstallError, OSError, ValueError) as error:
            yield Finding(name, "its settings cannot be read", "note", str(error))
            continue
        for each in remarks_on(host) if programs else ():
            yield Finding(name, "installed; one thing stands in its way", "note", each)
        for each in programs:
            problem = problem_of(each)
            if problem is None:
                yield Finding(name, f"installed, and started by {each[0]}")
            else:
                advice = "mend that, or install it anew: ujsx install --help"
                yield Finding(
                    name, f"{each[0]} cannot use what it was given: {problem}", "note", advice
                )
