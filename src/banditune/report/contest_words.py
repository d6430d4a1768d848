"""What a comparison says in words."""

from banditune.comparing import Comparison, Standing


def beside(standing: Standing) -> str:
    """The interval of what a policy lost more than the reference."""
    return f"{standing.interval.low:+.3g} to {standing.interval.high:+.3g}"


def advice(compared: Comparison) -> str:
    """Which policy to use."""
    reference = compared.of(compared.reference)
    others = [each for each in compared.standings if each.name != compared.reference]
    better = [each for each in others if each.interval.high < 0.0]
    level = [each for each in others if each.interval.low <= 0.0 <= each.interval.high]
    worse = [each for each in others if each.interval.low > 0.0]
    if better:
        best = better[0]
        share = best.regret / reference.regret
        told = f"{best.name} lost least: {best.regret:.4g}, {share:.2g} times what {reference.name} did."
    elif reference.regret > 0.0 and worse:
        first = worse[0]
        told = (
            f"{reference.name} lost {reference.regret:.4g}. The next that it clearly beats, {first.name}, lost "
            f"{first.regret / reference.regret:.2g} times as much."
        )
    else:
        told = f"{reference.name} lost {reference.regret:.4g}."
    if level:
        told += f" These tasks do not tell it apart from {_names(level)}."
    return told


def _names(standings: list[Standing]) -> str:
    names = [standing.name for standing in standings]
    return names[0] if len(names) == 1 else f"{'; '.join(names[:-1])} and {names[-1]}"


def told_to(compared: Comparison) -> dict[str, list[str]]:
    """What policies were told beforehand, and which of them."""
    found: dict[str, list[str]] = {}
    for standing in compared.standings:
        found.setdefault(standing.told, []).append(standing.name)
    return found
