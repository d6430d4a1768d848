"""`.ci/run` ends well if and only if every step does; the steps themselves are replaced here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

STEPS = ("pip", "banditune", "pytest", "ruff", "lint-imports", "mypy", "mkdocs")
REPLACED = f"""
step_of() {{ echo "$1: minimises the mean regret"; [ "$1" != "$FAILS" ]; }}
{"".join(f"{name}() {{ step_of {name}; }};" for name in STEPS)}
apt-get() {{ :; }}
python3() {{ mkdir -p "$3/bin" && : >"$3/bin/activate"; }}
export -f step_of {" ".join(STEPS)} apt-get python3
exec bash .ci/run
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize("fails", ["", *STEPS])
def test_every_step_counts(fails: str, tmp_path: Path) -> None:
    environment = os.environ | {"FAILS": fails, "TMPDIR": str(tmp_path)}
    root = Path(__file__).parents[1]
    done = subprocess.run(["bash", "-c", REPLACED], cwd=root, env=environment, capture_output=True, text=True)
    assert (done.returncode == 0) == (fails == "") == ("all is well" in done.stdout), done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
