"""Many processes share a deployment and are killed at random: python -m benchmarks.deployment

Each of 4 processes makes 25,000 decisions and rewards them, one transaction each; now and then one is killed (SIGKILL)
and started again, and sends again what it may have sent. Every reward has to count exactly once. PostgreSQL takes part
where its server is installed.
"""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

import banditune as bt
from banditune.deployment import deploy, open_store
from tests.deployment.crowd import count_rewards, run_crowd
from tests.deployment.postgresql import explain_absence, run_server

ARMS = ["a", "b", "c", "d", "e"]


@contextmanager
def open_address(kind: str, folder: Path) -> Iterator[str | None]:
    """Yield the address of an empty store; None if there is none of this kind."""
    if kind != "postgresql":
        yield str(folder / {"sqlite": "bandit.db", "lines": "bandit.jsonl"}[kind])
        return
    absent = explain_absence()
    if absent is not None:
        print(f"| {kind} | left out: {absent} |")
        yield None
        return
    with run_server(durable=True) as address:
        yield address


def show_quantiles(seconds: list[float]) -> str:
    """The median and the 99th percentile, in milliseconds."""
    return " / ".join(f"{1e3 * quantile:.1f}" for quantile in np.quantile(seconds, [0.5, 0.99]))


def measure(kind: str, durable: bool, workers: int, decisions: int, kills: int, seed: int) -> None:
    """Print a row."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        address = stack.enter_context(open_address(kind, folder))
        if address is None:
            return
        store = open_store(address)
        deployment = deploy(bt.UCB, arms=ARMS, alpha=0.1, store=store)
        notes = [folder / f"notes{k}" for k in range(workers)]
        options = ["--durable"] if durable else []
        pause = workers * decisions / 1_000 / max(kills, 1) / 4.0  # so that all kills happen before the end
        asked = {"kills": kills, "pause": pause, "seed": f"{kind} {seed}", "options": options}
        seconds = run_crowd(address, notes, decisions, **asked)  # type: ignore[arg-type]
        found, pulls = count_rewards(deployment, notes), sum(each.pulls for each in deployment.table())
        store.close()
    exact = (found.lost, found.repeated, found.wrong, pulls) == (0, 0, 0, workers * decisions)
    mistakes = f"{found.lost} / {found.repeated} / {found.wrong}"
    speed = f"{len(found.sent) / seconds:.0f}"
    times = f"{show_quantiles(found.choosing)} | {show_quantiles(found.rewarding)}"
    name = f"{kind}{'' if durable else ', durable=False'}"
    print(
        f"| {name} | {pulls:,} | {mistakes} | {kills} | {found.orphans} | {speed} | {times} | {seconds:.0f} |",
        flush=True,
    )
    if not exact:
        raise SystemExit(f"{kind}: not every reward counts exactly once")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--stores", nargs="+", default=["sqlite", "postgresql"], choices=["sqlite", "postgresql", "lines"]
    )
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--decisions", type=int, default=25_000, help="of each process")
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--fast", action="store_true", help="durable=False: a power failure may undo the last calls")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    columns = "store | rewards counted | lost / repeated / wrong | kills | never noted | decisions with reward a second"
    print(f"| {columns} | choose, ms p50 / p99 | reward, ms p50 / p99 | s |\n|{'---|' * 9}", flush=True)
    for kind in asked.stores:
        measure(kind, not asked.fast, asked.workers, asked.decisions, asked.kills, asked.seed)


if __name__ == "__main__":
    main()
