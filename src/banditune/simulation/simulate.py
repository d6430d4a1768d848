"""Many runs of many policies: the regret after log-spaced rounds, on recorded tasks or on problems drawn as played."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError, TaskError
from banditune.interruption import Threads, Work, call_with_watch
from banditune.kernels.lines.index import growth_of_rounds
from banditune.kernels.simulator.rewards import RECORDED, Source, reward_at
from banditune.kernels.simulator.run import play_alone, play_corral, recommend_at_checks, regrets
from banditune.kernels.simulator.state import HORIZON, SCHEDULE, CorralState, State
from banditune.policies.base import OnlinePolicy
from banditune.policies.comparison_entries import Entry
from banditune.policies.losses import PULLS, Loss, choose_loss
from banditune.policies.updates import Updates
from banditune.problems.problem import Bandit
from banditune.rng import derive_seed
from banditune.tasks.draws import number_twins
from banditune.tasks.task import Task
from banditune.validation import LONGEST_GAME, format_value, whole_number

StateT = TypeVar("StateT", State, CorralState)

MOST_TABLED = 2**21  # rounds: 16 megabytes


def pulls_of(policy: Any, source: Source, rounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how often each arm was pulled after each of the increasing rounds: (rounds, n_arms).

    A policy of ours is left as it was; any other is played with, and ends where the run ends.
    """
    pulls = np.zeros((rounds.size, source.kinds.size), np.int64)
    state = policy.simulator_state() if isinstance(policy, OnlinePolicy) else None
    if isinstance(state, CorralState):
        call_with_watch(play_corral, _copy_arrays(state), source, rounds, pulls)
    elif state is not None:
        call_with_watch(play_alone, _copy_arrays(state), _growth(state, int(rounds[-1])), source, rounds, pulls)
    else:
        online_pulls(policy, source, rounds, pulls)
    return pulls


def _copy_arrays(state: StateT) -> StateT:
    """Return a state with copies of its arrays, which a run changes."""
    parts: Any = (part.copy() if isinstance(part, np.ndarray) else part for part in state)
    return type(state)(*parts)


def online_pulls(policy: Any, source: Source, rounds: NDArray[np.int64], pulls: NDArray[np.int64]) -> None:
    """Fill the pulls of a run that is played with `select` and `update`, when rewards become known to the policy."""
    updates = getattr(policy, "updates", None) or Updates()
    counts, known = np.zeros(source.kinds.size, np.int64), np.zeros(source.kinds.size, np.int64)
    arms: list[int] = []
    for check, until in enumerate(rounds.tolist()):
        for t in range(len(arms), until):
            arm = policy.select()
            arms.append(arm)
            counts[arm] += 1
            if updates.pending:
                policy.expect(arm)
            for late in arms[updates.count_known(t) : updates.count_known(t + 1)]:
                policy.update(late, reward_at(late, int(known[late]), *source))
                known[late] += 1
        pulls[check] = counts


def _growth(state: State, rounds: int) -> NDArray[np.float64]:
    """Return how the bonus of UCB grows in at least so many rounds, or as many as are tabled."""
    tabled = min(1 << rounds.bit_length(), MOST_TABLED)
    return _tabulate(int(state.own[SCHEDULE]), float(state.own[HORIZON]), tabled)


@lru_cache(maxsize=32)  # as many as there are powers of two
def _tabulate(schedule: int, horizon: float, rounds: int) -> NDArray[np.float64]:
    return growth_of_rounds(schedule, horizon, rounds)


A_DECADE = 20  # so many rounds are recorded of each power of ten


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """The regret of every entry in every run."""

    entries: tuple[Entry, ...]
    rounds: NDArray[np.int64]  # (c,) after which the regret was recorded; the last is the horizon
    regret: NDArray[np.float64]  # (entries, tasks, repetitions, c)
    seconds: NDArray[np.float64]  # (entries,) of one core, for all runs

    def __post_init__(self) -> None:
        for part in (self.rounds, self.regret, self.seconds):
            part.flags.writeable = False

    def of(self, name: str) -> NDArray[np.float64]:
        """Return the regret of an entry: (tasks, repetitions, c)."""
        names = [entry.name for entry in self.entries]
        if name not in names:
            raise ParameterError(f"there is no entry {format_value(name)}; there are {', '.join(names)}")
        runs: NDArray[np.float64] = self.regret[names.index(name)]
        return runs

    def final(self, name: str) -> NDArray[np.float64]:
        """Return the regret of an entry at the horizon, the mean over the repetitions: (tasks,)."""
        means: NDArray[np.float64] = self.of(name)[:, :, -1].mean(axis=1)
        return means


def log_rounds(horizon: int, a_decade: int = A_DECADE) -> NDArray[np.int64]:
    """Return rounds from 1 to the horizon, about so many for each power of ten, as even as whole numbers allow.

    >>> log_rounds(100, 3).tolist()
    [1, 2, 5, 10, 22, 46, 100]
    """
    n_rounds = int(np.ceil(a_decade * np.log10(horizon))) + 1
    return np.unique(np.rint(np.geomspace(1, horizon, n_rounds)).astype(np.int64))


def policy_seed(seed: int, name: str, task: int, repetition: int) -> int:
    """Return the seed with which an entry is started in a run."""
    return derive_seed(seed, "play", name, task, repetition)


def simulate(
    entries: Sequence[Entry],
    tasks: Iterable[Task | Bandit],
    *,
    horizon: int,
    repetitions: int = 1,
    rounds: Sequence[int] | None = None,
    seed: int = 0,
    loss: Loss | str = "regret",
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Play every entry on every task, `repetitions` times each, and record the regret after some rounds.

    In a repetition the k-th pull of an arm gives every entry the same reward, so that differences between them are
    paired. The rewards of a `Bandit` are drawn as they are needed and never held. A `Task` gives its own rewards; in
    repetition r it is extended with seed + r, as `bt.play` does. With a loss that counts what comes after the run, that
    is recorded instead of the regret, as if the run ended there; the arm is recommended by what was seen. The result is
    the same to the last bit whatever the executor; `progress` is called with the number of runs done.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> from banditune.problems import bernoulli
    >>> from banditune.baselines import UCB1, entry
    >>> played = simulate([entry(UCB1), entry(UCB, alpha=0.1)], bernoulli(3).bandits(4), horizon=100)
    >>> played.regret.shape[:3], int(played.rounds[-1])
    ((2, 4, 1), 100)
    """
    checked = _check_entries(entries)
    known = list(tasks)
    for k, task in enumerate(known):
        if not isinstance(task, Task | Bandit):
            raise TaskError(f"tasks[{k}] must be a bt.Task or a Bandit of bt.problems, got {format_value(task)}")
    if not known:
        raise TaskError("tasks must hold at least one task, got none")
    horizon = whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
    repetitions = whole_number("repetitions", repetitions, least=1)
    seed, measured = whole_number("seed", seed, least=0), choose_loss(loss)
    if not measured.is_lost:
        raise ParameterError(f'loss must be lost, not earned, to be simulated; got "{measured.name}"')
    known = list(number_twins(known, horizon))
    recorded = log_rounds(horizon) if rounds is None else _check_rounds(rounds, horizon)
    if executor is None:
        with Threads() as own:
            return _simulate_all(checked, known, horizon, repetitions, recorded, seed, measured, own, progress)
    return _simulate_all(checked, known, horizon, repetitions, recorded, seed, measured, executor, progress)


def _simulate_all(
    entries: tuple[Entry, ...],
    tasks: list[Task | Bandit],
    horizon: int,
    repetitions: int,
    rounds: NDArray[np.int64],
    seed: int,
    loss: Loss,
    executor: Executor,
    progress: Callable[[int], None] | None,
) -> Simulation:
    """Return all runs through the executor, a task's repetition at a time."""
    regret = np.empty((len(entries), len(tasks), repetitions, rounds.size))
    seconds = np.zeros(len(entries))
    for each in entries:  # runs of no round: compiled before the clocks run
        source, no_round = _source(tasks[0], 1, seed, 0), np.zeros(1, np.int64)
        pulls_of(each.start_on(0, tasks[0].n_arms, horizon, seed), source, no_round)
    places = [(k, r) for k in range(len(tasks)) for r in range(repetitions)]
    play = partial(_run_task, entries, horizon, rounds, seed, loss)
    with Work() as work:
        jobs = [work.submit(executor, play, tasks[k], k, r) for k, r in places]
        for done, ((k, r), job) in enumerate(zip(places, jobs, strict=True)):
            regret[:, k, r], spent = job.result()
            seconds += spent
            if progress:
                progress((done + 1) * len(entries))
    return Simulation(entries, rounds, regret, seconds)


def _run_task(
    entries: tuple[Entry, ...],
    horizon: int,
    rounds: NDArray[np.int64],
    seed: int,
    loss: Loss,
    task: Task | Bandit,
    number: int,
    repetition: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the loss of every entry in one repetition of a task, and the seconds it took: what a worker does."""
    source, means = _source(task, horizon, seed, repetition), task.means
    gaps = means.max() - means
    lost, seconds = np.empty((len(entries), rounds.size)), np.empty(len(entries))
    for place, each in enumerate(entries):
        start = time.thread_time()
        policy = each.start_on(number, task.n_arms, horizon, policy_seed(seed, each.name, number, repetition))
        pulls = pulls_of(policy, source, rounds)
        regrets(pulls, loss.gaps * gaps, lost[place])
        if loss.later:
            recommended = np.zeros(rounds.size, np.int64)
            recommend_at_checks(pulls, loss.recommend == PULLS, source, recommended)
            lost[place] += loss.later * gaps[recommended]
        seconds[place] = time.thread_time() - start
    return lost, seconds


def _source(task: Task | Bandit, horizon: int, seed: int, repetition: int) -> Source:
    """Return what a run draws its rewards from."""
    if isinstance(task, Bandit):
        return task.source(repetition)
    full = task.extend(horizon, seed=seed + repetition)
    n_arms = full.n_arms
    kinds, numbers = np.full(n_arms, RECORDED), np.zeros((n_arms, 2))
    return Source(kinds, numbers, np.zeros(n_arms, np.uint64), full.flat, full.starts)


def _check_entries(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries with names that tell them apart, for results and seeds go by name."""
    checked = tuple(entries)
    for k, each in enumerate(checked):
        if not isinstance(each, Entry):
            raise ParameterError(
                f"entries[{k}] must be an Entry, as banditune.baselines.entry makes it; got {format_value(each)}"
            )
    names = [each.name for each in checked]
    if not names or len(set(names)) < len(names):
        raise ParameterError(f"entries must be at least one, with different names; got {names}")
    return checked


def _check_rounds(rounds: Sequence[int], horizon: int) -> NDArray[np.int64]:
    """Increasing rounds, the last of them the horizon."""
    found = [whole_number("rounds", t, least=1, most=horizon) for t in rounds]
    if sorted(set(found)) != found or found[-1:] != [horizon]:
        raise ParameterError(f"rounds must increase and end with the horizon ({horizon}), got {format_value(rounds)}")
    return np.array(found)
