"""LinUCB's exploration in the parameters of other libraries."""

from banditune.errors import ParameterError
from banditune.policies.exports import Recipe, write_script


def _disjoint_only(
    alpha: float, ridge: float = 1.0, disjoint: bool = False, scaling: object = "none"
) -> dict[str, float]:
    if not disjoint:
        raise ParameterError("MABWiser's LinUCB has a regression for each arm: only disjoint=True can be converted")
    if scaling != "none":
        raise ParameterError('MABWiser scales features in its own way: only scaling="none" can be converted')
    return {"alpha": alpha, "l2_lambda": ridge}


def _sampled(scale: float, ridge: float = 1.0, disjoint: bool = False, scaling: object = "none") -> dict[str, float]:
    return _disjoint_only(scale, ridge, disjoint, scaling)


EXPORTS = {
    "mabwiser": Recipe(  # weights . x + alpha sqrt(x' A^-1 x), A = l2_lambda I + sum x x', for each arm
        _disjoint_only,
        write_script(
            "from mabwiser.mab import MAB, LearningPolicy",
            """\
mab = MAB(arms, LearningPolicy.LinUCB(alpha={alpha!r}, l2_lambda={l2_lambda!r}))
first = [context() for _ in arms]
mab.fit(arms, [pull(arm) for arm in arms], first)  # every arm once
for _ in range(100):
    x = context()
    arm = mab.predict([x])
    mab.partial_fit([arm], [pull(arm)], [x])
""",
            contexts=True,
        ),
        "The same index from the same history. For an arm that was never chosen it takes l2_lambda I as the inverse of "
        "itself, which is the same at 1 only: choose every arm once first. All arms share a context.",
    ),
}

SAMPLED = {
    "mabwiser": Recipe(  # a sample of N(weights, alpha^2 A^-1) for each arm
        _sampled,
        write_script(
            "from mabwiser.mab import MAB, LearningPolicy",
            """\
mab = MAB(arms, LearningPolicy.LinTS(alpha={alpha!r}, l2_lambda={l2_lambda!r}))
first = [context() for _ in arms]
mab.fit(arms, [pull(arm) for arm in arms], first)  # every arm once
for _ in range(100):
    x = context()
    arm = mab.predict([x])
    mab.partial_fit([arm], [pull(arm)], [x])
""",
            contexts=True,
        ),
        "The same distribution from the same history, drawn by other random numbers. For an arm that was never chosen "
        "it takes l2_lambda I as the inverse of itself: choose every arm once first. All arms share a context.",
    ),
}
