"""The bundled tasks."""

from importlib import resources

import numpy as np

from banditune.tasks import Task


def lcdb() -> list[Task]:
    """160 model-selection tasks: which of 20 learners is best on a data set, after training on 256 rows?

    An arm is a learner; its rewards are its accuracies over up to 25 splits of the data. Learners that did not run on
    a data set are absent from that task. From the Learning Curve Database (Mohr et al. 2022), MIT licence: see
    LICENSE.lcdb.

    >>> tasks = lcdb()
    >>> len(tasks), tasks[0].name, tasks[0].n_arms
    (160, 'openml-3', 18)
    """
    bundle = resources.files(__name__) / "lcdb_anchor256.npz"
    with bundle.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        accuracy, ids, learners = arrays["accuracy"].astype(np.float64), arrays["openml_id"], arrays["learners"]
    tasks = []
    for rows, openml_id in zip(accuracy, ids, strict=True):
        observed = [(str(learner), row[~np.isnan(row)]) for learner, row in zip(learners, rows, strict=True)]
        ran = [(learner, rewards) for learner, rewards in observed if rewards.size > 0]
        names, rewards = [learner for learner, _ in ran], [rewards for _, rewards in ran]
        tasks.append(Task(rewards, arms=names, name=f"openml-{openml_id}"))
    return tasks
