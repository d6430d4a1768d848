"""Attack the installed banditune in every way we know, within a stated time; exit 1 if anything gave way."""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

from benchmarks.hostile import (
    bombs,
    corruption,
    foreign,
    full_disk,
    kills,
    names,
    numbers,
    oldest,
    signals,
    specials,
)
from benchmarks.hostile.attack import Tally, attack_for

PARTS: dict[str, tuple[ModuleType, int]] = {  # with the share of the time that each is given
    "kills": (kills, 13),
    "signals": (signals, 13),
    "corruption": (corruption, 6),
    "specials": (specials, 13),
    "foreign": (foreign, 9),
    "full_disk": (full_disk, 9),
    "names": (names, 12),
    "numbers": (numbers, 4),
    "bombs": (bombs, 10),
    "oldest": (oldest, 11),
}


def main() -> None:
    options = parse_options()
    chosen = options.parts or list(PARTS)
    shares = sum(PARTS[name][1] for name in chosen)
    if len(chosen) == 1:
        failed = not run_part(chosen[0], options.seconds, options)
    else:
        seconds = {name: options.seconds * PARTS[name][1] / shares for name in chosen}
        failed = sum(not run_apart(name, seconds[name], options) for name in chosen) > 0
    sys.exit(1 if failed else 0)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; without one, all")
    parser.add_argument("--seconds", type=float, default=600.0, metavar="N", help="for all parts together; default 600")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="random seed")
    parser.add_argument("--case", type=int, metavar="N", help="of one part: this case alone, as a failure names it")
    parser.add_argument("--keep", metavar="DIR", help="work in this new folder and leave it, to look at what failed")
    options = parser.parse_args()
    unknown = [name for name in options.parts if name not in PARTS]
    if unknown:
        parser.error(f"a part must be one of {', '.join(PARTS)}; got {unknown[0]}")
    if options.case is not None and len(options.parts) != 1:
        parser.error("--case needs the one part whose case it is")
    return options


def run_part(name: str, seconds: float, options: argparse.Namespace) -> bool:
    """Run one part in this process, print its line, and say whether all held."""
    module, start = PARTS[name][0], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as temporary:
        folder = Path(options.keep or temporary) / name
        folder.mkdir(parents=True)
        tally = attack_for(seconds, module.cases(folder), (options.seed, *name.encode()), options.case)
    print_result(name, module.TRIED, tally, time.monotonic() - start, options.seed)
    return not tally.failures


def run_apart(name: str, seconds: float, options: argparse.Namespace) -> bool:
    """Run one part in a process of its own, so that what it attacks cannot take the others with it."""
    arguments = [name, "--seconds", str(seconds), "--seed", str(options.seed)]
    arguments += ["--keep", options.keep] if options.keep else []
    limit = 3 * seconds + 300  # a part stops by itself; this is for one that hangs
    try:
        done = subprocess.run([sys.executable, "-m", "benchmarks.hostile", *arguments], timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        print(f"{name:10} did not end within {limit:.0f} s", flush=True)
        return False
    if done.returncode not in (0, 1):
        print(f"{name:10} died with status {done.returncode}", flush=True)
    return done.returncode == 0


def print_result(name: str, tried: str, tally: Tally, seconds: float, seed: int) -> None:
    """Print what was tried, how often, how much failed, and how to see each kind of failure again."""
    number = sum(len(cases) for cases in tally.failures.values())
    notes = "".join(f"; {note}" for note in tally.notes.values())
    verdict = f"{number} FAILED" if number else "0 failed"
    print(f"{name:10} {tally.n_tried} {tried}: {verdict}{notes}; {seconds:.0f} s", flush=True)
    for kind, failed in tally.failures.items():
        case, problem = failed[0]
        again = f"python -m benchmarks.hostile {name} --seed {seed} --case {case}"
        print(f"  {kind}: {len(failed)} of {tally.kinds[kind]}; {again}\n    {problem[:600]}", flush=True)


if __name__ == "__main__":
    main()
