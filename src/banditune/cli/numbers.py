"""Numbers on the command line; a mistake is answered with what was given."""

import typer


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"a whole number is needed, got '{text}'") from None


def pair(option: str, texts: tuple[str, str]) -> tuple[float, float]:
    """The two numbers given for an option."""
    return _real(option, texts[0]), _real(option, texts[1])


def _real(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"a number is needed, got '{text}'", param_hint=option) from None
