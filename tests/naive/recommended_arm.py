"""The arm that is recommended at the end of a run, and losses that count what comes after it, by their definitions."""

from collections.abc import Sequence
from fractions import Fraction


def naive_recommended(arms: Sequence[int], rewards: Sequence[float], by: str = "mean") -> int:
    """The pulled arm with the highest mean reward, as floats have it, or with the most pulls; of equals the lowest."""
    of_arm: dict[int, list[Fraction]] = {}
    for arm, reward in zip(arms, rewards, strict=True):
        of_arm.setdefault(arm, []).append(Fraction(reward))
    score = {arm: len(own) if by == "pulls" else float(sum(own)) / len(own) for arm, own in of_arm.items()}
    return min(arm for arm in score if score[arm] == max(score.values()))


def naive_loss(
    means: Sequence[float], arms: Sequence[int], rewards: Sequence[float], recommended: int, loss: str, rounds: int = 0
) -> float:
    """The loss of a run, and of so many rounds after it, each of them with the arm recommended."""
    gaps = [Fraction(max(means)) - Fraction(mean) for mean in means]
    regret = sum((gaps[arm] for arm in arms), Fraction(0))
    of_loss = {
        "regret": regret,
        "reward": -sum(map(Fraction, rewards), Fraction(0)),
        "simple": gaps[recommended],
        "rollout": regret + rounds * gaps[recommended],
    }
    return float(of_loss[loss])
