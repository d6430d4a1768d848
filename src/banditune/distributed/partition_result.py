"""A finished partition, in memory or in a file."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banditune.checkpoints.arrays import from_arrays, to_arrays
from banditune.checkpoints.pieces import read_piece, reading_piece, write_piece
from banditune.curves.exact_sum import Floats
from banditune.distributed.files import Partition
from banditune.distributed.sample import SampledTask
from banditune.logs.account import Account, RefusedRow
from banditune.logs.columns import Form
from banditune.policies.sweeps import Swept

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class PartitionSummary:
    """What the driver knows of a finished partition."""

    path: str
    n_tasks: int
    form: Form
    order: str | None  # what sorts the rows of an arm: "number" or "date"
    numbers_for_arms: bool  # whether all arms are called by whole numbers
    account: Account
    left_out: tuple[str, ...]  # tasks that could not be worked on, and why


@dataclass(frozen=True, slots=True, eq=False)
class PartitionResult:
    """What was found in a partition."""

    summary: PartitionSummary
    names: tuple[str, ...]  # of the tasks
    hashes: Hashes  # (tasks,) of their names
    sampled: tuple[SampledTask, ...]  # those with the lowest hashes, the lowest first
    usual: Floats  # (values + 1, tasks) what they lose with the usual values and with equal split
    curves: Swept | None  # None if there are no tasks, or if they are in the file
    file: Path | None

    def read_curves(self) -> Swept | None:
        """The curves of the tasks; None if there are none."""
        if self.file is None or self.summary.n_tasks == 0:
            return self.curves
        with reading_piece(self.file):
            return from_arrays(read_piece(self.file).arrays, "")


def write_done(done: PartitionResult, partition: Partition, file: Path) -> PartitionResult:
    """Write a finished partition to a file; what is returned leaves the curves there."""
    arrays = {} if done.curves is None else to_arrays(done.curves, "")
    note = {
        "state": partition.state,
        "summary": asdict(done.summary),
        "names": done.names,
        "sampled": [asdict(each) for each in done.sampled],
    }
    write_piece(file, note, {**arrays, "hashes": done.hashes, "usual": done.usual})
    return replace(done, curves=None, file=file)


def read_done(file: Path) -> tuple[PartitionResult, str]:
    """A finished partition, of which the curves stay in the file, and the state of the partition then."""
    with reading_piece(file):
        note, arrays = read_piece(file)
        saved = note["summary"]
        account = saved["account"]
        examples = tuple(RefusedRow(**row) for row in account["examples"])
        reasons = tuple((reason, count) for reason, count in account["rejected"])
        account |= {"examples": examples, "rejected": reasons}
        account |= {name: tuple(account[name]) for name in ("parts", "left_out")}
        summary = PartitionSummary(**{**saved, "account": Account(**account), "left_out": tuple(saved["left_out"])})
        sampled = tuple(SampledTask(**each) for each in note["sampled"])
        names, hashes, usual = tuple(note["names"]), arrays["hashes"], arrays["usual"]
        return PartitionResult(summary, names, hashes, sampled, usual, None, file), note["state"]
