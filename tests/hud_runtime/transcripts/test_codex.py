"""Codex's newer rollouts: calls that a program makes, and ends that are told before the answers."""

from __future__ import annotations

import json
from pathlib import Path

from hud_runtime.transcripts import Transcript, read_transcript
from tests.hud_runtime.integrations.codex_player import recorded
from tests.ids import looped


def test_what_a_program_calls_is_seen_and_nothing_is_told_twice(tmp_path: Path) -> None:
    lines = recorded()
    main = lines[0]["rollout"]
    path = tmp_path / "rollout.jsonl"
    records = [each["record"] for each in lines if each.get("rollout") == main]
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    transcript = read_transcript(path)
    assert transcript.format == "Codex rollout"
    told = [(each.type, each.payload) for each in transcript.drafts]
    results = [payload["result"] for kind, payload in told if kind == "check.result"]
    assert results == ["fail", "pass"]  # the second by a program
    steps = [payload["description"] for kind, payload in told if kind == "step.add"]
    assert steps == ["Limit wrong attempts"]
    notes = [payload["content"] for kind, payload in told if kind == "note.add"]
    assert notes == ["The worker listens on port 8080", "Five attempts an hour"]
    assert not transcript.skipped.get("answer without a call")


PATCH = "*** Begin Patch\n*** Update File: src/parse.py\n@@\n-a\n+b\n*** End Patch\n"


def _answered(folder: Path, name: str, given: str, output: str, *between: object) -> Transcript:
    """A rollout in which a tool with a text as its input is called once."""
    call = {"type": "custom_tool_call", "call_id": "c1", "name": name, "input": given}
    answer = {"type": "custom_tool_call_output", "call_id": "c1", "output": output}
    records = [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/w", "cli_version": "0.145.0"}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "Rename it"}},
        {"type": "response_item", "payload": call},
        *({"type": "event_msg", "payload": one} for one in between),
        {"type": "response_item", "payload": answer},
    ]
    path = folder / "rollout.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return read_transcript(path)


def test_a_patch_that_failed_is_an_error_and_no_edit(tmp_path: Path) -> None:
    words = "apply_patch verification failed: Failed to find expected lines in src/parse.py"
    told = _answered(tmp_path, "apply_patch", PATCH, f"{words}:\na").drafts
    assert "file.edit" not in [each.type for each in told]
    assert [each.payload["message"] for each in told if each.type == "error.encountered"] == [
        f"src/parse.py: {words}:"
    ]


PROGRAM = f"const r = await tools.apply_patch({json.dumps(PATCH)}); text(r);"
HEADER = "Script completed\nWall time 3.9 seconds\nOutput:\n"


def test_a_call_of_a_program_that_is_told_as_completed_is_read_once(tmp_path: Path) -> None:
    change = {"type": "FileChange", "id": "i1", "status": "completed"}
    change["changes"] = {"/w/src/parse.py": {"type": "update"}}  # type: ignore[assignment]
    done = {"type": "item_completed", "item": change}
    found = _answered(tmp_path, "exec", PROGRAM, f"{HEADER}Success.", done)
    assert [each.payload["path"] for each in found.drafts if each.type == "file.edit"] == ["src/parse.py"]  # fmt: skip
    assert found.not_understood == ""


@looped(
    "program",
    [
        "const r = await tools.exec_command({cmd: 'SINGLE', workdir: \"/w\"}); text(r.output);",
        'text(await tools.exec_command({"cmd":"GIVEN","max_output_tokens":1000}));',
        '// run: all of it\nconst r = await tools.exec_command({\n  cmd: "GIVEN",\n});\ntext(r.output)',
    ],
)
@looped("as_json", [False, True])
def test_the_one_call_of_a_program_is_read(tmp_path: Path, program: str, as_json: bool) -> None:
    said = "FAILED tests/test_a.py::test_total - assert 1 == 2\n1 failed"
    output = json.dumps({"output": said, "exit_code": 1}) if as_json else said
    command = 'cd a && python -m pytest -q -k \\"x: y\\"'
    program = program.replace("GIVEN", command).replace("SINGLE", command.replace("\\", ""))
    found = _answered(tmp_path, "exec", program, f"{HEADER}{output}")
    checks = [each.payload for each in found.drafts if each.type == "check.result"]
    assert [(each["name"], each["result"]) for each in checks] == [("pytest -k x: y in a", "fail")]
    assert found.not_understood == ""


def test_a_patch_of_a_program_that_did_not_apply_is_an_error(tmp_path: Path) -> None:
    said = "Script failed\nWall time 0.1 seconds\nScript error:\napply_patch verification failed: Failed to find expected lines in src/parse.py"  # fmt: skip
    found = _answered(tmp_path, "exec", PROGRAM, said)
    kinds = {each.type for each in found.drafts}
    assert "error.encountered" in kinds
    assert "file.edit" not in kinds


@looped(
    "program",
    [
        f"const patch = {json.dumps(PATCH)}; await tools.apply_patch(patch);",
        "for (const cmd of ['ls', 'pwd']) await tools.exec_command({cmd});",
        "await tools.exec_command({cmd: `ls ${folder}`});",
        'await tools.exec_command({cmd: "ls"}); await tools.exec_command({cmd: "pwd"});',
        'const {exec_command} = tools; await exec_command({cmd: "ls"}); tools.exec_command({cmd: "ls"})',
        'await tools.exec_command({cmd: "ls " + folder});',
    ],
)
def test_a_program_whose_calls_are_not_written_out_is_named(tmp_path: Path, program: str) -> None:
    found = _answered(tmp_path, "exec", program, f"{HEADER}Success.")
    assert not [each for each in found.drafts if each.type.startswith(("file", "check"))]
    assert found.not_understood == "1 tool call not understood: a program's own calls"
