"""The bundled tasks."""

import os
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import FileError
from banditune.io.files import read_all_arrays, read_arrays
from banditune.rng import generator
from banditune.tasks.task import ZERO_ONE, Task

N_HEADLINE_TESTS = 300
ARMS_OF_A_TEST = {3: 0.05, 4: 0.61, 5: 0.18, 6: 0.16}  # number: probability
VIEWS_OF_AN_ARM = 8.1, 0.31  # mean and standard deviation of the logarithm
CLICK_RATE, BETWEEN_TESTS, WITHIN_A_TEST = 0.014, 0.62, 0.21  # the median, standard deviations of the logarithm


def lcdb() -> list[Task]:
    """160 model-selection tasks: which of 20 learners is best on a data set, after training on 256 rows?

    An arm is a learner; its rewards are its accuracies over up to 25 splits of the data. Learners that did not run on
    a data set are absent from that task. From the Learning Curve Database (Mohr et al. 2022), MIT licence: see
    LICENSE.lcdb.

    >>> tasks = lcdb()
    >>> len(tasks), tasks[0].name, tasks[0].n_arms
    (160, 'openml-3', 18)
    """
    arrays = _load_arrays("lcdb_anchor256.npz")
    accuracy, ids, learners = arrays["accuracy"].astype(np.float64), arrays["openml_id"], arrays["learners"]
    tasks = []
    for rows, openml_id in zip(accuracy, ids, strict=True):
        observed = [(str(learner), row[~np.isnan(row)]) for learner, row in zip(learners, rows, strict=True)]
        ran = [(learner, rewards) for learner, rewards in observed if rewards.size > 0]
        names, rewards = [learner for learner, _ in ran], [rewards for _, rewards in ran]
        tasks.append(Task(rewards, arms=names, name=f"openml-{openml_id}", limits=ZERO_ONE))
    return tasks


def headlines() -> list[Task]:
    """300 simulated headline tests: which of 3 to 6 headlines of an article is clicked most often?

    An arm is a headline, and what is known of it are its totals: how often it was shown, and how often clicked. The
    tests are drawn from a hierarchy like that of a large archive of real ones (`scripts.headline_parameters` estimates
    it): 3, 4, 5 or 6 headlines with probabilities 0.05, 0.61, 0.18 and 0.16; each shown about 3,300 times (a
    standard deviation of 0.31 of the logarithm, between tests), which comes to some 14,000 views a test; the click rate
    of a test has a median of 1.4% (a standard deviation of 0.62 of its logarithm), and the rates of its headlines lie
    around it (0.21). No headline comes back in another test. The draws are the same in every call.

    >>> tasks = headlines()
    >>> len(tasks), tasks[0].name, tasks[0].n_arms
    (300, 'test 1', 5)
    """
    random = generator(0, "headlines")
    sizes = random.choice(list(ARMS_OF_A_TEST), N_HEADLINE_TESTS, p=list(ARMS_OF_A_TEST.values()))
    tasks: list[Task] = []
    for k, n_arms in enumerate(sizes):
        views = random.poisson(random.lognormal(*VIEWS_OF_AN_ARM), n_arms)
        level = np.log(CLICK_RATE) + random.normal(0.0, BETWEEN_TESTS)
        rates = np.minimum(np.exp(random.normal(level, WITHIN_A_TEST, n_arms)), 1.0)
        clicks = random.binomial(views, rates)
        tasks.append(Task.from_counts(views.tolist(), clicks.tolist(), name=f"test {k + 1}"))
    return tasks


def cifar10() -> list[Task]:
    """20 learning-rate tasks: which of 11 rates is best for networks of a depth, with a proportion of wrong labels?

    An arm is a learning rate; its rewards are the test accuracies of 20 fully connected networks that were trained
    with it on CIFAR-10, each with its own initial weights, wrong labels and order of the images. Depths 2, 4, 6, 8, 10;
    proportions 0, 0.1, 0.2, 0.3. `task.points` are the logarithms of the rates to the base 10. Trained by
    `scripts.cifar`; docs/theory/cifar.md tells how, and what is smaller than in the paper.

    >>> tasks = cifar10()
    >>> len(tasks), tasks[5].name, tasks[5].n_arms, tasks[5].arms[0], tasks[5].rewards[0].size
    (20, 'depth 4, noise 0.1', 11, '0.001', 20)
    """
    with resources.as_file(resources.files(__name__) / "cifar10_accuracy.npz") as path:
        return read_learning_rates(path)


def read_learning_rates(path: str | os.PathLike[str]) -> list[Task]:
    """Return the tasks of a table that `scripts.cifar` has made: see `cifar10`.

    The file holds `accuracy` (tasks, rates, networks), `depth` (tasks,), `noise` (tasks,) and `rates` (rates,).
    """
    accuracy, depths, noises, rates = read_arrays(path, "accuracy", "depth", "noise", "rates")
    wanted = (depths.size, rates.size)
    if accuracy.ndim != 3 or accuracy.shape[:2] != wanted or depths.shape != noises.shape:
        raise FileError(f"{path}: accuracy must have shape (tasks, rates, networks), got {accuracy.shape}")
    arms, points = [f"{rate:g}" for rate in rates], np.log10(rates)[:, None]
    rewards = np.round(accuracy.astype(np.float64), 6)  # of single precision, which has no more digits
    return [
        Task(rows, arms=arms, points=points, name=f"depth {depth}, noise {noise:g}", limits=ZERO_ONE)
        for rows, depth, noise in zip(rewards, depths, noises, strict=True)
    ]


def hpobench() -> list[Task]:
    """6 tuning tasks: which of 600 configurations of a neural network is best on a data set?

    An arm is a configuration: batch size, depth, initial learning rate and width, each laid out from 0 to 1 in
    `task.points`. Its rewards are validation accuracies with 5 seeds. From HPOBench (Eggensperger et al. 2021), Apache
    licence 2.0: see LICENSE.hpobench.

    >>> tasks = hpobench()
    >>> len(tasks), tasks[0].name, tasks[0].n_arms, tasks[0].points.shape
    (6, 'australian', 600, (600, 4))
    """
    arrays = _load_arrays("hpobench_mlp.npz")
    axes = [str(axis) for axis in arrays["axes"]]
    arms = [", ".join(f"{axis}={x:.3g}" for axis, x in zip(axes, point, strict=True)) for point in arrays["points"]]
    return [
        Task(rows, arms=arms, points=arrays["points"], name=str(name), limits=ZERO_ONE)
        for rows, name in zip(arrays["accuracy"].astype(np.float64), arrays["tasks"], strict=True)
    ]


def _load_arrays(name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a bundled file."""
    with resources.as_file(resources.files(__name__) / name) as path:
        return read_all_arrays(path)
