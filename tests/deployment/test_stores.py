"""What only stores do: threads, forks, lost connections, files of something else, lines that were cut short."""

import errno
import inspect
import json
import os
import pkgutil
import sqlite3
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import banditune as bt
from banditune.deployment import (
    JsonLinesStore,
    PostgresqlStore,
    SqliteStore,
    Store,
    StoreError,
    deploy,
    open_deployment,
    stores,
)
from tests.deployment.conftest import KINDS

Open = Callable[[], Store]


def count(deployment: Any) -> int:
    return sum(each.pulls for each in deployment.table())


def test_every_store_is_among_those_that_all_tests_run_with() -> None:
    files = (file.name for file in pkgutil.iter_modules(stores.__path__))
    found = [each for file in files for each in vars(import_module(f"{stores.__name__}.{file}")).values()]
    kinds = {each for each in found if inspect.isclass(each) and issubclass(each, Store)}
    assert {each for each in kinds if not inspect.isabstract(each)} == {*KINDS.values()}


def test_threads_share_a_deployment(open_again: Open) -> None:
    deployment = deploy(bt.UCB, arms=["a", "b"], store=open_again())
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(10):
                assert deployment.reward(deployment.choose(), 1.0)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert count(deployment) == 40


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_forks_use_connections_of_their_own(open_again: Open) -> None:
    deployment = deploy(bt.UCB, arms=["a", "b"], store=open_again())
    decision = deployment.choose()
    is_memory = open_again() is deployment.store
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if deployment.reward(deployment.choose(), 1.0) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert deployment.reward(decision, 1.0)
    assert count(deployment) == (1 if is_memory else 2)


def test_one_store_holds_several_deployments(open_again: Open, request: pytest.FixtureRequest) -> None:
    if isinstance(open_again(), JsonLinesStore):
        pytest.skip("it holds one")
    one = deploy(bt.UCB, arms=["a"], store=open_again(), name="one")
    other = deploy(bt.MOSS, arms=["a", "b"], horizon=10, store=open_again(), name="other")
    decision = one.choose()
    assert other.choose(2)[1].number == 2
    assert (one.pending, other.pending) == (1, 2)
    with pytest.raises(bt.ParameterError, match="is the id of another deployment"):
        other.reward(decision.id, 1.0)


def test_file_of_json_lines_holds_one_deployment(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    deploy(bt.UCB, arms=["a"], store=path, name="one")
    with pytest.raises(bt.FileError, match='holds the deployment "one", got "two"'):
        deploy(bt.UCB, arms=["a"], store=path, name="two")


def test_lost_connection_is_said_and_opened_again(database: str) -> None:
    import psycopg

    store = PostgresqlStore(database)
    deployment = deploy(bt.UCB, arms=["a"], store=store)
    decision = deployment.choose()
    with psycopg.connect(database, autocommit=True) as other:
        mine = store._connection.info.backend_pid
        other.execute("SELECT pg_terminate_backend(%s)", (mine,))
    with pytest.raises(StoreError, match="PostgreSQL: "):
        deployment.reward(decision, 1.0)
    assert deployment.reward(decision, 1.0)
    assert count(deployment) == 1
    store.close()


def test_password_is_not_shown() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError) as caught:
        deploy(bt.UCB, arms=["a"], store="postgresql://me:secret@127.0.0.1:1/x?connect_timeout=2")
    assert "secret" not in str(caught.value)


def test_files_of_something_else_are_left_alone(tmp_path: Path) -> None:
    for name in ("x.db", "x.jsonl"):
        path = tmp_path / name
        path.write_text("hello\n" * 1000)
        with pytest.raises(bt.FileError, match=r"not a database|is not a deployment"):
            deploy(bt.UCB, arms=["a"], store=path)
        assert path.read_text() == "hello\n" * 1000
        with pytest.raises((bt.FileError, StoreError), match=r"unable to open|No such file"):
            deploy(bt.UCB, arms=["a"], store=tmp_path / "nowhere" / name)
        (tmp_path / f"folder{path.suffix}").mkdir()
        with pytest.raises(bt.FileError, match="it must be a regular file, but it is a folder"):
            deploy(bt.UCB, arms=["a"], store=tmp_path / f"folder{path.suffix}")


def test_database_of_others_gets_two_tables_more(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as other:
        other.execute("CREATE TABLE users (name TEXT)")
        other.execute("INSERT INTO users VALUES ('me')")
    other.close()
    store = SqliteStore(tmp_path / "x.db")
    deploy(bt.UCB, arms=["a"], store=store).choose()
    store.close()
    with sqlite3.connect(tmp_path / "x.db") as other:
        assert other.execute("SELECT * FROM users").fetchall() == [("me",)]
        tables = other.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        assert tables == [("banditune_deployments",), ("banditune_events",), ("users",)]
    other.close()


def test_locked_database_is_no_mistake_of_the_caller(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "x.db", timeout=0.01)
    deployment = deploy(bt.UCB, arms=["a"], store=store)
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"cannot use .*x\.db now: database is locked"):
        deployment.choose()
    assert not issubclass(StoreError, bt.InputError)
    assert deployment.pending == 0  # readers need not wait
    other.execute("ROLLBACK")
    other.close()
    assert deployment.choose().number == 1
    store.close()


def test_line_that_was_cut_short_is_no_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    deployment = deploy(bt.UCB, arms=["a", "b"], store=path)
    decision = deployment.choose()
    deployment.reward(decision, 1.0)
    whole = path.read_bytes()
    for cut in range(1, len(whole.splitlines()[-1])):
        path.write_bytes(whole[:-cut])
        again = open_deployment(path)
        assert again.pending == 1
    assert again.reward(decision, 1.0)
    assert count(open_deployment(path)) == 1


def test_changed_and_shortened_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    deployment = deploy(bt.UCB, arms=["a", "b"], store=path)
    deployment.choose(3)
    lines = path.read_text().splitlines(keepends=True)
    for wrong in ("[]\n", "{}\n", "null\n", "\n", "\xff\n", lines[2].replace("choose", "lose")):
        path.write_text("".join([*lines[:2], wrong, lines[3]]), encoding="latin-1")
        with pytest.raises(bt.FileError, match="line 3"):
            _ = open_deployment(path).pending
    path.write_text(lines[0])
    with pytest.raises(bt.FileError, match="is shorter than it was"):
        _ = deployment.pending
    assert json.loads(lines[0])["format"] == "banditune.deployment/1"


def test_full_disk_takes_nothing_for_granted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.jsonl"
    deployment = deploy(bt.UCB, arms=["a", "b"], store=path)
    decision, before = deployment.choose(), path.read_bytes()
    write = os.write

    def fill(handle: int, content: bytes) -> int:
        if len(content) > 10:
            return write(handle, content[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("banditune.deployment.stores.json_lines.os.write", fill)
    with pytest.raises(StoreError, match="No space left"):
        deployment.reward(decision, 1.0)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert deployment.reward(decision, 1.0)
    assert count(open_deployment(path)) == 1
