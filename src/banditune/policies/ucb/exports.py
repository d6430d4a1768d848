"""UCB's exploration in the parameters of other libraries."""

from collections.abc import Mapping
from math import sqrt
from typing import Any

from banditune.errors import ParameterError
from banditune.policies.exports import Export, write_script

_ROUND_BEFORE = (
    "The same exploration, not the same sequence: its logarithm is that of the pulls so far, one less than ours."
)

EXPORTS = {
    "mabwiser": Export(  # mean + alpha sqrt(2 log(pulls so far) / pulls)
        lambda alpha: {"alpha": sqrt(alpha / 2.0)},
        write_script(
            "from mabwiser.mab import MAB, LearningPolicy",
            """\
mab = MAB(arms, LearningPolicy.UCB1(alpha={alpha!r}))
mab.fit(arms, [pull(arm) for arm in arms])  # every arm once
for _ in range(100):
    arm = mab.predict()
    mab.partial_fit([arm], [pull(arm)])
""",
        ),
        f"{_ROUND_BEFORE} It scores an arm that was never pulled 0, so pull every arm once before it decides.",
    ),
    "river": Export(  # mean + delta sqrt(2 log(pulls so far) / pulls)
        lambda alpha: {"delta": sqrt(alpha / 2.0)},
        write_script(
            "from river import bandit",
            """\
policy = bandit.UCB(delta={delta!r}, seed=0)
for _ in range(100):
    arm = policy.pull(arms)
    policy.update(arm, pull(arm))
""",
        ),
        f"{_ROUND_BEFORE} Ties are broken at random, also among arms that were never pulled. Give it no reward_scaler: "
        "the exploration was learned for the rewards as they are.",
    ),
    "smpybandits": Export(  # mean + sqrt(alpha log(pulls so far) / (2 pulls))
        lambda alpha: {"alpha": 2.0 * alpha},
        write_script(
            "from SMPyBandits.Policies import UCBalpha",
            """\
policy = UCBalpha(len(arms), alpha={alpha!r})
policy.startGame()
for _ in range(100):
    chosen = policy.choice()
    policy.getReward(chosen, pull(arms[chosen]))
""",
        ),
        f"{_ROUND_BEFORE} Ties are broken at random. Leave lower and amplitude alone: they rescale the rewards. "
        "From the source of SMPyBandits 0.9.7, not tested with the library: it cannot be imported with current SciPy.",
    ),
    "banditpylib": Export(  # mean + sqrt(alpha log t / pulls)
        lambda alpha: {"alpha": alpha},
        """\
from banditpylib.learners.mab_learner import UCB

learner = UCB(arm_num=3, alpha={alpha!r})  # as many arms as you have
learner.reset()
""",
        "The same index in the same round, and ties go to the lowest arm too; but rewards are kept in 32 bits, and "
        "alpha = 0 is rejected. From the source at github.com/Alanthink/banditpylib, not tested with the library: it "
        "is not on PyPI, and how pulls and rewards are passed differs from version to version.",
    ),
}


def check_convertible(params: Mapping[str, Any]) -> None:
    """Reject parameters that no other library has."""
    if params.get("prior_means") is not None:
        raise ParameterError("other libraries have no prior means: only a result without them can be converted")
    if params.get("schedule", "log") != "log":
        raise ParameterError('other libraries explore by the schedule "log": only a result with it can be converted')
