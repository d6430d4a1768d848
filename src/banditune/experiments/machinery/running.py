"""Doing the units that are not finished yet, by any number of workers."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, as_completed

from banditune.errors import FileError
from banditune.experiments.machinery.experiment import Arrays, Results, Unit
from banditune.experiments.machinery.keeping import Store
from banditune.interruption import Work

Tell = Callable[[int, int], None]  # how many units are done, and of how many


def finished(
    units: Sequence[Unit], store: Store, executor: Executor, tell: Tell, say: Callable[[str], None]
) -> Results:
    """The results of all units, in their order: read where they were kept, else done and kept.

    A file that cannot be read is told through `say`, and its unit done again. Whatever ends the work, what was finished
    until then is kept.
    """
    results: dict[str, Arrays] = {}
    for unit in units:
        try:
            kept = store.read(unit)
        except FileError as error:
            say(f"{error}; this part is done again")
            kept = None
        if kept is not None:
            results[unit.name] = kept
    tell(len(results), len(units))
    waiting = [unit for unit in units if unit.name not in results]
    with Work() as work:
        jobs = {work.submit(executor, _done, unit, store): unit for unit in waiting}
        for job in as_completed(jobs):
            results[jobs[job].name] = job.result()
            tell(len(results), len(units))
    return {unit.name: results[unit.name] for unit in units}


def _done(unit: Unit, store: Store) -> Arrays:
    """Do a unit and keep it: what a worker does."""
    arrays = unit.work(seed=store.seed, **unit.arguments)
    store.write(unit, arrays)
    return arrays
