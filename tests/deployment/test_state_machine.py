"""Whatever is done in whatever order, in any store: what the slow and obvious version does."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import banditune as bt
from banditune.deployment import Deployment, JsonLinesStore, MemoryStore, SqliteStore, Store, deploy, open_deployment
from tests.naive.deployment import NaiveDeployment
from tests.strategies import share

ARMS = ["a", "b", "é", "'; --"]
REWARDS = st.sampled_from([0.0, 1.0, 0.25, -3.5, 1e-9])


class Deployments(RuleBasedStateMachine):
    """Two processes, as it were, that share a deployment."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.stores: list[Store] = []
        self.ids: dict[int, str] = {}

    def open(self) -> Store:
        if self.kind == "memory":
            return self.memory
        path, kind = ("x.db", SqliteStore) if self.kind == "sqlite" else ("x.jsonl", JsonLinesStore)
        store: Any = kind(self.folder / path, **({"durable": False} if self.kind == "sqlite" else {}))
        self.stores.append(store)
        return store

    @initialize(kind=st.sampled_from(["memory", "sqlite", "lines"]), n_arms=st.integers(1, 3))
    def start(self, kind: str, n_arms: int) -> None:
        self.kind, self.memory = kind, MemoryStore()
        self.naive = NaiveDeployment(lambda arms: bt.UCB(len(arms), alpha=0.3), ARMS[:n_arms])
        self.both: list[Deployment] = [
            deploy(bt.UCB, arms=ARMS[:n_arms], alpha=0.3, store=self.open()) for _ in range(2)
        ]

    @rule(who=st.integers(0, 1))
    def choose(self, who: int) -> None:
        decision = self.both[who].choose()
        assert decision.arm == self.naive.choose()
        assert decision.number == len(self.naive.chosen)
        self.ids[decision.number] = decision.id

    @rule(who=st.integers(0, 1), k=st.integers(1, 4))
    def choose_several(self, who: int, k: int) -> None:
        for decision in self.both[who].choose(k):
            assert decision.arm == self.naive.choose()
            self.ids[decision.number] = decision.id

    @precondition(lambda self: self.ids)
    @rule(who=st.integers(0, 1), data=st.data(), reward=REWARDS)
    def reward(self, who: int, data: st.DataObject, reward: float) -> None:
        number = data.draw(st.sampled_from(sorted(self.ids)))
        given = self.naive.rewards.get(number, reward)
        assert self.both[who].reward(self.ids[number], given) == self.naive.reward(number, given)

    @precondition(lambda self: self.ids)
    @rule(who=st.integers(0, 1), data=st.data())
    def drop(self, who: int, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.ids)))
        assert self.both[who].drop(self.ids[number]) == self.naive.drop(number)

    @rule(who=st.integers(0, 1), data=st.data())
    def change_arms(self, who: int, data: st.DataObject) -> None:
        arm = data.draw(st.sampled_from(ARMS))
        if arm not in self.naive.arms:
            self.both[who].add_arms([arm])
            self.naive.add(arm)
        elif len(self.naive.arms) > 1:
            self.both[who].remove_arms([arm])
            self.naive.remove(arm)

    @rule(who=st.integers(0, 1))
    def start_again(self, who: int) -> None:
        self.both[who] = open_deployment(self.open())

    @precondition(lambda self: self.ids)
    @rule(who=st.integers(0, 1), data=st.data())
    def replay(self, who: int, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.ids)))
        assert self.both[who].replay(self.ids[number]).arm == self.naive.chosen[number]

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "both"):
            return
        for each in self.both:
            table = each.table()
            assert {row.arm: (row.pulls, row.total) for row in table if row.pulls} == self.naive.tally()
            assert sum(row.pending for row in table) == each.pending == len(self.naive.pending)
            assert each.arms == self.naive.arms

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        shutil.rmtree(self.folder)


Deployments.TestCase.settings = settings(share(40), stateful_step_count=30)
TestDeployments = Deployments.TestCase
