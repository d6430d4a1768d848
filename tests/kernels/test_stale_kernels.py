"""Machine code goes when what it calls has changed, and stays otherwise."""

import os
from pathlib import Path

from tests.stale_kernels import remove_stale_kernels


def test_what_calls_a_changed_kernel_is_compiled_again(tmp_path: Path) -> None:
    kernels = tmp_path / "package" / "kernels"
    (kernels / "__pycache__").mkdir(parents=True)
    sources = {
        "sweep": "from package.kernels.rounds import play\n",
        "rounds": "from package.kernels import index as at\n",
        "index": "",
        "other": "import math\n",
    }
    for name, text in sources.items():
        (kernels / f"{name}.py").write_text(text)
        os.utime(kernels / f"{name}.py", (200.0, 200.0) if name == "index" else (50.0, 50.0))
        for ending in ("nbi", "1.nbc"):
            code = kernels / "__pycache__" / f"{name}.run-1.py311.{ending}"
            code.touch()
            os.utime(code, (100.0, 100.0))
    remove_stale_kernels(tmp_path, tmp_path)
    assert {each.name.partition(".")[0] for each in kernels.rglob("*.nb[ic]")} == {"other"}
