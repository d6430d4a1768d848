"""Logs in stores of files: a listing and a question about one file need not tell the same things of it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import banditune as bt
from banditune.distributed.files import list_partitions
from tests.distributed.logs import rows_of, write


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A store in memory that tells more of a file when asked for it than in a listing."""
    told = MemoryFileSystem.info
    monkeypatch.setattr(MemoryFileSystem, "info", lambda *given, **how: told(*given, **how) | {"ContentType": "bytes"})
    store = fsspec.filesystem("memory")
    yield store
    store.rm("/", recursive=True)


def put(store: Any, folder: Path, *addresses: str) -> None:
    """Put a log of two tasks at each of the addresses."""
    for number, address in enumerate(addresses):
        write(folder / "part.parquet", rows_of(2, first=2 * number))
        store.put_file(str(folder / "part.parquet"), address)


def test_files_of_a_store_are_the_same_while_nothing_changes(store: Any, tmp_path: Path) -> None:
    put(store, tmp_path, "/logs/b.parquet", "/logs/a.parquet")
    found, left_out = list_partitions(["memory:///logs/*.parquet"])
    assert [each.path for each in found] == ["memory:///logs/a.parquet", "memory:///logs/b.parquet"]
    assert left_out == ()
    for each in found:
        with each.here() as copy:
            assert len(bt.read_log(copy)) == 2
    assert list_partitions(["memory:///logs/a.parquet"])[0] == found[:1]


def test_a_file_that_was_changed_in_its_store_is_rejected(store: Any, tmp_path: Path) -> None:
    put(store, tmp_path, "/logs/a.parquet")
    ((found,), _) = list_partitions(["memory:///logs/*.parquet"])
    put(store, tmp_path, "/logs/a.parquet")
    with pytest.raises(bt.FileError, match=r"memory:///logs/a\.parquet was changed"):
        found.check()
    store.rm_file("/logs/a.parquet")
    with pytest.raises(bt.FileError, match=r"cannot read memory:///logs/a\.parquet: FileNotFoundError"):
        found.check()


def test_a_folder_in_a_store_is_read_as_one_on_a_disk(store: Any, tmp_path: Path) -> None:
    put(store, tmp_path, "/logs/2026/a.parquet", "/logs/2026/11/b.parquet", "/logs/2026/_old/c.parquet")
    store.pipe_file("/logs/2026/notes.md", b"of the log")
    found, left_out = list_partitions(["memory:///logs/2026/"])
    assert [each.path for each in found] == ["memory:///logs/2026/11/b.parquet", "memory:///logs/2026/a.parquet"]
    assert left_out == ("memory:///logs/2026/notes.md",)
    store.pipe_file("/empty/notes.md", b"of nothing")
    with pytest.raises(bt.FileError, match="the folder memory:///empty has no log"):
        list_partitions(["memory:///empty"])


def test_an_address_without_a_cluster_is_told_as_such() -> None:
    with pytest.raises(
        bt.FileError, match=r"s3://logs/\*\.parquet is an address in an object store, which only the workers"
    ):
        bt.read_log("s3://logs/*.parquet")


@contextmanager
def s3_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A store that speaks S3, on this machine."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    told = {"ENDPOINT_URL": f"http://{host}:{port}", "ACCESS_KEY_ID": "a", "SECRET_ACCESS_KEY": "b"}
    for name, value in {**told, "DEFAULT_REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    try:
        yield pytest.importorskip("s3fs").S3FileSystem()
    finally:
        server.stop()


@pytest.mark.filterwarnings("default")  # those of the libraries that speak S3
def test_files_in_s3_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with s3_server(monkeypatch) as store:
        store.mkdir("logs")
        put(store, tmp_path, "logs/2026/a.parquet", "logs/2026/b.parquet")
        found, _ = list_partitions(["s3://logs/2026/*.parquet"])
        assert [each.path for each in found] == ["s3://logs/2026/a.parquet", "s3://logs/2026/b.parquet"]
        assert list_partitions(["s3://logs/2026"]) == (found, ())
        for each in found:
            with each.here() as copy:
                assert len(bt.read_log(copy)) == 2
        put(store, tmp_path, "logs/2026/b.parquet")
        with pytest.raises(bt.FileError, match=r"s3://logs/2026/b\.parquet was changed"):
            found[1].check()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("way", ["{}", "{}/*.csv", "file://{}", "file://{}/*.csv", "file://{}/x.csv"])
def test_pipes_among_partitions_are_errors_that_name_them(tmp_path: Path, way: str) -> None:
    (tmp_path / "good.csv").write_text("task,arm,reward\nt,a,1\n")
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(bt.FileError, match=r"x\.csv: it must be a regular file, but it is a pipe"):
        list_partitions(way.format(tmp_path))


def test_stored_file_with_a_star_in_its_name_is_itself(tmp_path: Path) -> None:
    for name in ("a*.csv", "ab.csv"):
        (tmp_path / name).write_text("task,arm,reward\nt,a,1\n")
    found, _ = list_partitions(f"file://{tmp_path}/a*.csv")
    assert [Path(each.path).name for each in found] == ["a*.csv"]
