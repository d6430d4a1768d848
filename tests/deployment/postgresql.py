"""A PostgreSQL server of one's own, from the distribution's packages, for as long as a test needs it."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def find_program(name: str) -> str | None:
    """Return where a program of the server is; None if it is not installed."""
    return shutil.which(name, path=os.pathsep.join([*map(str, FOLDERS), os.environ.get("PATH", "")]))


def find_user() -> str | None:
    """Return the user the server is to be run as: it rejects root."""
    if os.getuid() != 0:
        return None
    known = {each.pw_name for each in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


def explain_absence() -> str | None:
    """Return why there is no server to be had here; None if there is."""
    if find_program("initdb") is None or find_program("pg_ctl") is None:
        return "PostgreSQL's server is not installed"
    if os.getuid() == 0 and find_user() is None:
        return "PostgreSQL does not run as root, and there is no other user"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed"
    return None


@contextlib.contextmanager
def run_server(*, durable: bool = False) -> Iterator[str]:
    """Run a server on a socket in a temporary folder; yield the address of its database."""
    user = find_user()
    folder = tempfile.mkdtemp(prefix="pg")
    who: dict[str, Any] = {} if user is None else {"user": user}
    if user is not None:
        shutil.chown(folder, user)
    data, log = os.path.join(folder, "data"), os.path.join(folder, "log")
    settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync={'on' if durable else 'off'}"
    quiet: dict[str, Any] = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "stdin": subprocess.DEVNULL,
        "cwd": folder,
    }
    try:
        made = [str(find_program("initdb")), "-D", data, "-A", "trust", "-U", "tester", "--no-sync", "--encoding=UTF8"]
        subprocess.run(made, check=True, **quiet, **who)
        start = [str(find_program("pg_ctl")), "-D", data, "-l", log, "-o", settings, "-w", "start"]
        subprocess.run(start, check=True, **quiet, **who)
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            subprocess.run([str(find_program("pg_ctl")), "-D", data, "-m", "immediate", "-w", "stop"], **quiet, **who)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
