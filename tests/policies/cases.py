"""The cases of every policy, which stand in the folder of its tests: test_conformance.py puts the contract to each."""

from tests.policies.case import Case
from tests.policies.gaussian import cases as gaussian
from tests.policies.gpucb import cases as gpucb
from tests.policies.lines import cases as lines
from tests.policies.linucb import cases as linucb
from tests.policies.ucb import cases as ucb

CASES: tuple[Case, ...] = (*ucb.CASES, *linucb.CASES, *gpucb.CASES, *gaussian.CASES, *lines.CASES)
