"""What a comparison says in words."""

from banditune.comparing import Comparison, Standing

MOST_NAMES = 5  # in a sentence


def beside(standing: Standing) -> str:
    """The interval of what a policy lost more than the reference."""
    return f"{standing.interval.low:+.3g} to {standing.interval.high:+.3g}"


def advice(compared: Comparison) -> str:
    """Which policy to use."""
    reference, first = compared.of(compared.reference), compared.standings[0]
    others = [each for each in compared.standings if each.name != compared.reference]
    better = [each for each in others if each.interval.high < 0.0]
    level = [each for each in others if each.interval.low <= 0.0 <= each.interval.high]
    worse = [each for each in others if each.interval.low > 0.0]
    told = f"{first.name} lost least: {first.regret:.4g}"
    if first.name != reference.name and reference.regret > 0.0:
        told += f", {first.regret / reference.regret:.2g} times what {reference.name} did"
    told += "."
    if first.name == reference.name and first.regret > 0.0 and worse:
        times = f"{worse[0].regret / first.regret:.2g} times as much"
        told += f" The next that it clearly beats, {worse[0].name}, lost {times}."
    if better and better != [first]:
        told += f" Clearly better than {reference.name}: {_names(better)}."
    if level:
        told += f" These tasks do not tell {reference.name} apart from {_names(level)}."
    return told


def _names(standings: list[Standing]) -> str:
    """Some names in a row; of very many, the first."""
    names = [standing.name for standing in standings]
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
    return names[0] if len(names) == 1 else f"{'; '.join(names[:-1])} and {names[-1]}"


def told_to(compared: Comparison) -> dict[str, list[str]]:
    """What policies were told beforehand, and which of them."""
    found: dict[str, list[str]] = {}
    for standing in compared.standings:
        found.setdefault(standing.told, []).append(standing.name)
    return found
