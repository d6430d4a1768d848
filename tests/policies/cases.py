"""The cases of every policy, which stand in the folder of its tests: test_conformance.py puts the contract to each."""

from importlib import import_module
from pathlib import Path

from tests.policies.case import Case

CASES: tuple[Case, ...] = tuple(
    case
    for file in sorted(Path(__file__).parent.glob("*/cases.py"))
    for case in import_module(f"tests.policies.{file.parent.name}.cases").CASES
)
