"""Record the answers of some calls and commands, or compare today's with those recorded.

    python -m tests.golden record [NAME ...]      writes tests/golden/answers.json
    python -m tests.golden compare [NAME ...]     exit 1 and a line for each answer that differs

Numbers are compared to the last bit. Long arrays are recorded by their size, first numbers and a digest; the files of
`reproduce` by the numbers in them. Sentences are wording: only that there is one is compared.

LAPACK differs by processor in the last bit: answers are those of its kernels for AVX2, which any x86-64 of today has.
OPENBLAS_CORETYPE names others.
"""

import os

os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")  # before NumPy is loaded

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.calls import CALLS
from tests.golden.commands import COMMANDS, run, write_logs

RECORDED = Path(__file__).parent / "answers.json"
LONG = 12  # numbers from which an array is recorded by a digest
RENAMED = {  # keys that have had another name
    "plausible": "within_one_se",
    "unseen": "held_out",
    "refused": "rejected",
    "told": "knowledge",
}
# what no two runs have in common
LEFT_OUT = {"parts", "seconds", "learning_seconds", "seconds_a_game", "seconds_per_run", "version"}


def main(action: str, *names: str) -> int:
    """Record or compare; return the exit code."""
    known = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    today = dict(_answers(names or (*CALLS, *COMMANDS)))
    if action == "record":
        RECORDED.write_text(json.dumps(known | today, indent=1, sort_keys=True) + "\n")
        return 0
    differing = [line for name, found in today.items() for line in _differences(name, _rename(known.get(name)), found)]
    for line in differing:
        print(line)
    print(f"{len(today)} answers compared, {len(differing)} differences")
    return 1 if differing else 0


def _answers(names: Iterator[str] | tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        write_logs(Path(folder))
        for name in names:
            print(name, file=sys.stderr)
            answer = CALLS[name]() if name in CALLS else run(name, Path(folder))
            yield name, json.loads(json.dumps(_plain(answer)))


def _plain(value: Any) -> Any:
    """An answer as JSON holds it, long arrays and texts by their digests."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items() if key not in LEFT_OUT}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        if len(value) > LONG and all(isinstance(each, int | float) for each in value):
            return {"n": len(value), "first": list(value[:3]), "sha256": _digest(json.dumps(value))}
        return [_plain(each) for each in value]
    if isinstance(value, str) and len(value) > 500:
        return {"n": len(value), "sha256": _digest(value)}
    return value.item() if isinstance(value, np.generic) else value


def _rename(recorded: Any) -> Any:
    """A recorded answer with the keys of today."""
    if isinstance(recorded, dict):
        return {RENAMED.get(key, key): _rename(each) for key, each in recorded.items() if key not in LEFT_OUT}
    return [_rename(each) for each in recorded] if isinstance(recorded, list) else recorded


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _differences(where: str, before: Any, now: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted(before.keys() | now.keys()):
            yield from _differences(f"{where}.{key}", before.get(key), now.get(key))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for place, (a, b) in enumerate(zip(before, now, strict=True)):
            yield from _differences(f"{where}[{place}]", a, b)
    elif before != now and not (before != before and now != now) and not (_is_sentence(before) and _is_sentence(now)):
        yield f"{where}: recorded {before!r}, now {now!r}"


def _is_sentence(value: Any) -> bool:
    return isinstance(value, str) and " " in value


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
