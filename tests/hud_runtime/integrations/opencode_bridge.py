"""A bridge that is played: it answers as its first argument says, and notes what it was asked in a file.

It is run alone, without the library, so that it is there at once.
"""

import json
import os
import sys
import time
from contextlib import suppress


def main(how: str, log: str) -> None:
    with open(log, "a", encoding="utf-8") as notes:  # noqa: PTH123 - pathlib takes longer than all else here
        is_first = notes.tell() == 0
        print(json.dumps({"began": os.getpid()}), file=notes, flush=True)
        seen = 0
        while begun := sys.stdin.buffer.read(1):
            if begun in b"\x06\x15":
                print(json.dumps({"became": begun.hex()}), file=notes, flush=True)
                continue
            kind, size, telling = (begun + sys.stdin.buffer.readline()).split()
            asked = json.loads(sys.stdin.buffer.read(int(size)))
            print(
                json.dumps({"kind": kind.decode(), "telling": telling.decode(), **asked}),
                file=notes,
                flush=True,
            )
            seen += 1
            if asked.get("tool") == "die" and (how == "dies" or (how == "dies once" and is_first)):
                os._exit(9)
            answer(how, asked, seen)
        print(json.dumps({"ended": os.getpid()}), file=notes, flush=True)


def answer(how: str, asked: dict, seen: int) -> None:  # type: ignore[type-arg]
    told: dict[str, object] = {}
    if how == "late" and asked.get("type") == "request":
        time.sleep(0.6)
    if asked.get("type") == "request":
        ids = asked["messages"]
        told = {
            "said": [{"text": f"# HUD of {each}", "behind": n + 1} for n, each in enumerate(ids)]
        }
        if how == "intervenes" and (seen == 2 or not asked["prompts"]):
            told["intervention" if asked["prompts"] else "tail"] = "[Memory Pressure: 93%]"
        if asked["mode"] == "system":
            told = {"said": [], "system": "# HUD static", "tail": "rest"}
    if asked.get("type") == "experimental.session.compacting":
        told = {"context": "be brief"}
    if how == "late" and asked.get("type") == "prune":
        time.sleep(0.6)
    if asked.get("type") == "prune":
        told = {"output": "less of it"} if asked["output"].get("output") else {"content": [{}]}
    elif asked.get("tool"):
        told = {
            "text": f"did {asked['tool']}",
            "is_error": asked["tool"] == "bad",
            "compacts": asked["tool"] == "hud_compact",
        }
    text = json.dumps(told).encode() if told else b""
    with suppress(OSError):  # the host has gone
        os.write(1, b"%d\n" % len(text) + text)


if __name__ == "__main__":
    main(*sys.argv[1:])
