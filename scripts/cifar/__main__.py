"""The command line: python -m scripts.cifar."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from banditune.datasets import cifar10, read_learning_rates
from banditune.errors import BanditTuneError
from scripts.cifar.images import read_images
from scripts.cifar.job import train as run_job
from scripts.cifar.settings import Settings
from scripts.cifar.table import as_text

USUAL = Settings()
main = typer.Typer(
    name="python -m scripts.cifar",
    help="Learning rates on CIFAR: train the networks, show their accuracies.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@main.command()
def train(
    images: Annotated[Path, typer.Argument(help="The folder of CIFAR-10 or CIFAR-100 for Python, or an npz of JPEGs.")],
    out: Annotated[Path, typer.Option(help="The folder for what is finished; the table will be its accuracy.npz.")],
    seeds: Annotated[int, typer.Option(help="Networks for each task and rate.")] = 20,
    train_images: Annotated[int, typer.Option(help="How many images to train on.")] = USUAL.images,
    side: Annotated[int, typer.Option(help="Pixels of an image's side; must divide 32.")] = USUAL.side,
    width: Annotated[int, typer.Option(help="Units of a hidden layer.")] = USUAL.width,
    epochs: Annotated[int, typer.Option(help="How often each image is seen.")] = USUAL.epochs,
    batch: Annotated[int, typer.Option(help="Images for each step.")] = USUAL.batch,
    seed: Annotated[int, typer.Option(help="Of all that is random.")] = USUAL.seed,
) -> None:
    """Train the networks. Stop it when you like: what is finished is kept, and the same command goes on from there."""
    with _explain_errors():
        settings = Settings(images=train_images, side=side, width=width, epochs=epochs, batch=batch, seed=seed)
        table = run_job(read_images(images), out, settings, seeds, _say)
        typer.echo(table)


@main.command()
def show(
    table: Annotated[Path | None, typer.Argument(help="Without it: the bundled table.")] = None,
    spread: Annotated[bool, typer.Option("--spread", help="Standard deviations over the networks instead.")] = False,
) -> None:
    """Print the mean accuracies in per cent."""
    with _explain_errors():
        typer.echo(as_text(cifar10() if table is None else read_learning_rates(table), spread=spread))


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextmanager
def _explain_errors() -> Iterator[None]:
    """Failures told in a line. Exit 2: the user can mend it; 130: interrupted."""
    try:
        yield
    except BanditTuneError as error:
        typer.secho(f"banditune: {error}", fg="red", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.secho("banditune: interrupted; what is finished is kept", fg="red", err=True)
        raise typer.Exit(130) from None


if __name__ == "__main__":
    main()
