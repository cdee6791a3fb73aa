"""``python -m tests.golden``: write the files anew, after a change that was meant."""

from tests.golden._golden import HERE, golden

for name, text in golden():
    (HERE / name).write_bytes(f"{text}\n".encode())
