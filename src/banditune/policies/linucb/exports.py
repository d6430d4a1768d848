"""LinUCB's exploration in the parameters of other libraries."""

from banditune.policies.exports import Export, write_script


def write_mabwiser(policy: str) -> str:
    """Write a program that runs a policy of MABWiser."""
    return write_script(
        "from mabwiser.mab import MAB, LearningPolicy",
        f"""\
mab = MAB(arms, LearningPolicy.{policy}(alpha={{alpha!r}}, l2_lambda={{l2_lambda!r}}))
first = [context() for _ in arms]
mab.fit(arms, [pull(arm) for arm in arms], first)  # every arm once
for _ in range(100):
    x = context()
    arm = mab.predict([x])
    mab.partial_fit([arm], [pull(arm)], [x])
""",
        contexts=True,
    )


def write_contextualbandits(made: str) -> str:
    """Write a program that runs a policy of contextualbandits."""
    return write_script(
        "import numpy as np\nfrom contextualbandits.online import " + made.partition("(")[0],
        f"""\
policy = {made}
first = np.array([context() for _ in arms])
policy.partial_fit(first, np.array(arms), np.array([pull(arm) for arm in arms]))  # every arm once
for _ in range(100):
    x = np.array([context()])
    arm = int(policy.predict(x)[0])
    policy.partial_fit(x, np.array([arm]), np.array([pull(arm)]))
""",
        contexts=True,
    )


EXPORTS = {
    "mabwiser": Export(  # weights . x + alpha sqrt(x' A^-1 x), A = l2_lambda I + sum x x', for each arm
        lambda alpha, ridge=1.0: {"alpha": alpha, "l2_lambda": ridge},
        write_mabwiser("LinUCB"),
        "The same index from the same history. For an arm that was never chosen it takes l2_lambda I as the inverse of "
        "itself, which is the same at 1 only: choose every arm once first. All arms share a context.",
    ),
    "contextualbandits": Export(  # weights . x + alpha sqrt(x' A^-1 x), A = lambda_ I + sum x x', for each arm
        lambda alpha, ridge=1.0: {"alpha": alpha, "lambda_": ridge},
        write_contextualbandits(
            "LinUCB(len(arms), alpha={alpha!r}, lambda_={lambda_!r}, fit_intercept=False, use_float=False)"
        ),
        "The same index from the same history, also for an arm that was never chosen. Arms are numbered from 0, and "
        "all share a context.",
    ),
}
