"""What is measured, explained to those who read the page."""

from banditune.policies.losses import MEAN
from banditune.report.wording import Words


def explain_measure(words: Words) -> str:
    """Return what is measured, and on which of the tasks."""
    if words.loss.tail is None:
        return _explain_loss(words)
    worst = f"Counted are the worst {100.0 * words.loss.tail:.3g}% of the tasks alone, whichever these are at a value"
    return f"{_explain_loss(words)} {worst} (conditional value at risk, CVaR)."


def _explain_loss(words: Words) -> str:
    if words.loss.later:
        return _explain_recommendation(words)
    if words.lost:
        return (
            "Regret is the loss against always pulling the best arm of the task: the sum over the rounds of the "
            "best arm's mean reward minus that of the pulled arm. Lower is better."
        )
    if words.replayed:
        return (
            "The mean reward per event is an off-policy estimate of what the policy would earn at each decision. "
            "Higher is better."
        )
    return "The total reward is the sum of the rewards of a run. Higher is better."


def _explain_recommendation(words: Words) -> str:
    """Return what is measured where an arm is recommended at the end of a run."""
    best = "with the highest mean" if words.loss.recommend == MEAN else "pulled most often"
    arm = f"the arm {best} at the end of the run"
    if not words.loss.gaps:
        return f"Simple regret is the best arm's mean reward minus that of {arm}. Lower is better."
    return (
        "What is counted is the regret of the test, the loss against always pulling the best arm of the task, and that "
        f"of {words.units.count(int(words.loss.later))} after it, all given to {arm}. Lower is better."
    )
