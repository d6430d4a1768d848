"""banditune tune --cluster, with what the driver reads and sends to the workers: the bits of the plain command."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed.cfexecutor import ClientExecutor

from tests.cli.command import banditune
from tests.distributed.logs import rows_of, write

SUBMIT = ClientExecutor.submit


def write_contexts(path: Path) -> None:
    """A log of randomised choices with features."""
    rng = np.random.default_rng(0)
    lines = [f"{k // 40},{rng.integers(3)},{rng.integers(2)},1,{rng.random():.3f}" for k in range(160)]
    path.write_text("\n".join(["task,arm,reward,x_one,x_age", *lines]))


def write_configurations(path: Path) -> None:
    """A table of configurations and results."""
    lines = [f"{task},{rate},{(7 * k + task) % 5}" for task in range(3) for k, rate in enumerate(("0.01", "0.1", "1"))]
    path.write_text("\n".join(["task,rate,reward", *lines]))


ASKED = {
    "contexts": "contexts.csv --policy linucb --features x_ --ridge 1 --ridge 4",
    "configurations": "runs.csv --policy gpucb --parameter rate:log --horizon 4 --length-scale 0.5 --length-scale 1",
    "two parameters in turn": "runs.csv --policy gpucb --parameter rate --horizon 3 --noise 0.1 1 --beta 0 1 "
    "--length-scale 1",
    "configurations as arms": "runs.csv --parameter rate --horizon 5",
    "priors": "rows.parquet --horizon 12 --alpha 0 1 --prior-means 0 1",
    "bundled tasks and a certificate": "--horizon 20 --certify 0.05",
    "log and a certificate": "rows.parquet --horizon 12 --alpha 0 1 --certify 0.05 --bound 9",
    "worst tasks": "rows.parquet --horizon 12 --alpha 0 1 --tail 0.5",
    "costs": "rows.parquet --horizon 12 --alpha 0 1 --cost 9=0.1",
    "racing": "rows.parquet --horizon 12 --alpha 0 1 --racing",
    "every policy": "rows.parquet --horizon 5 --policy all",
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_workers_give_the_bits_of_the_plain_command(
    client: Any, tmp_path: Path, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_contexts(tmp_path / "contexts.csv")
    write_configurations(tmp_path / "runs.csv")
    write(tmp_path / "rows.parquet", rows_of(6))
    plain = banditune("tune", *asked.split(), "--json", cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    sent: list[object] = []

    def submit(self: ClientExecutor, *work: Any) -> Any:
        sent.append(work)
        return SUBMIT(self, *work)

    monkeypatch.setattr(ClientExecutor, "submit", submit)
    there = banditune("tune", *asked.split(), "--json", "--cluster", client.scheduler.address, cwd=tmp_path)
    assert there.returncode == 0, there.stderr
    assert sent
    assert json.loads(there.stdout) | {"seconds": 0} == json.loads(plain.stdout) | {"seconds": 0}


@pytest.mark.parametrize("asked", [(), ("--racing",)])
def test_who_reads_the_log_is_told_where_an_option_decides(client: Any, tmp_path: Path, asked: tuple[str, ...]) -> None:
    log = write(tmp_path / "rows.parquet", rows_of(6))
    given = ("tune", str(log), "--horizon", "5", "--alpha", "0", "1", "--draws", "1", "--current", "0.3")
    done = banditune(*given, *asked, "--cluster", client.scheduler.address, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ("read here, not by the workers: --racing needs all tasks" in done.stderr) == bool(asked)
    plain = banditune(*given, *asked, "--json", cwd=tmp_path)
    assert json.loads(done.stdout) | {"seconds": 0} == json.loads(plain.stdout) | {"seconds": 0}
    rows = json.loads(done.stdout)["held_out"]["rows"]
    assert [row["name"] for row in rows if row["current"]] == ["alpha = 0.3"]
