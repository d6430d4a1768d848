"""Machine code of kernels that call what has changed since: Numba compares it with a kernel's own file alone."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path


def remove_stale_kernels(source: Path, *folders: Path) -> None:
    """Remove machine code in the folders that is older than its file, or than a file of `source` that this imports."""
    for code in (each for folder in folders for each in folder.rglob("*.nb[ic]")):
        file = code.parents[1] / f"{code.name.partition('.')[0]}.py"
        if file.exists() and code.stat().st_mtime < _find_last_change(file, source):
            code.unlink(missing_ok=True)  # another process may do the same


@cache
def _find_last_change(file: Path, source: Path) -> float:
    """Return when a file, or one that it imports, was changed last."""
    return max(file.stat().st_mtime, *(_find_last_change(each, source) for each in _list_imports(file, source)), 0.0)


def _list_imports(file: Path, source: Path) -> Iterator[Path]:
    for statement in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.ImportFrom) and "kernels" in (statement.module or "").split("."):
            module = source.joinpath(*(statement.module or "").split("."))
            places = [module, *(module / each.name for each in statement.names)]
            yield from (each.with_suffix(".py") for each in places if each.with_suffix(".py").exists())
