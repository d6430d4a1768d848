"""What gets into a log: regular files, by whatever way and name, and nothing that is waited for."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import banditune as bt
from banditune.io.files import check_file, open_file, read_all_arrays
from banditune.logs.engine import Engine
from banditune.logs.sources import is_address

LOG = "task,arm,reward\nt,a,1\nt,b,0\n"
MARKS = "*?["


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(os.path.relpath(path))  # the whole path may be too long for one


def make_link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


IRREGULAR = [
    (make_pipe, "it must be a regular file, but it is a pipe"),
    (make_socket, "it must be a regular file, but it is a socket"),
    (make_link_to("/dev/zero"), "it must be a regular file, but it is a device"),
    (make_link_to("nowhere"), "it is a link to nowhere, which is not there"),
    (make_link_to("x.csv"), "[Ss]ymbolic links"),  # itself
]
WAYS = ["d", "d/x.csv", "d/*.csv", "**/*.csv", ["d/good.csv", "d/x.csv"]]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes and links")
@pytest.mark.parametrize(("make", "words"), IRREGULAR)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_what_is_no_regular_file_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], words: str, way: str | list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d/good.csv").write_text(LOG)
    make(tmp_path / "d/x.csv")
    with pytest.raises(bt.FileError, match=rf"d/x\.csv: .*{words}"):
        bt.read_log(way)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_saved_files_journals_and_checkpoints_are_regular_files(tmp_path: Path) -> None:
    make_pipe(tmp_path / "pipe")
    for read in (bt.load, read_all_arrays, open_file, check_file):
        with pytest.raises(bt.FileError, match="pipe: it must be a regular file, but it is a pipe"):
            read(tmp_path / "pipe")  # type: ignore[operator]
    with pytest.raises(bt.FileError, match=r"cannot open .*pipe: it must be a regular file, but it is a pipe"):
        bt.collect(bt.UCB, lambda arm: 1.0, n_arms=2, horizon=2, alpha=(0.0, 1.0), save=tmp_path / "pipe")
    (tmp_path / "kept").mkdir()
    make_pipe(tmp_path / "kept/.lock")
    with pytest.raises(bt.FileError, match=r"\.lock: it must be a regular file, but it is a pipe"):
        bt.tune(bt.UCB, [bt.Task([[1.0], [0.0]])], horizon=2, alpha=(0.0, 1.0), resume=tmp_path / "kept")


def test_folders_are_entered_once_whatever_they_are_called(tmp_path: Path) -> None:
    for name in ("d/x.csv/part.csv", "elsewhere/more.csv"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(LOG.replace("\nt,", f"\n{name},"))
    (tmp_path / "d/link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "d/loop").symlink_to(tmp_path / "d")
    (tmp_path / "d/notes.md").write_text("no data")
    log = bt.read_log(tmp_path / "d")
    assert sorted(log.names) == ["d/x.csv/part.csv", "elsewhere/more.csv"]
    assert log.account.left_out == (str(tmp_path / "d/notes.md"),)
    assert bt.read_log(f"{tmp_path}/d/[xl]*").names == log.names


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_an_error_that_names_it(tmp_path: Path) -> None:
    for name in ("closed.csv", "shut/x.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(LOG)
        place = tmp_path / name.split("/")[0]
        place.chmod(0)
        try:
            with pytest.raises(bt.FileError, match=rf"{place.name}: [Pp]ermission denied"):
                bt.read_log(tmp_path)
        finally:
            place.chmod(0o700)
            (tmp_path / name).unlink()


def test_files_without_bytes_are_empty(tmp_path: Path) -> None:
    (tmp_path / "x.csv").touch()
    with pytest.raises(bt.FileError, match=r"x\.csv is empty"):
        bt.read_log(tmp_path)
    if Path("/proc/self/status").exists():  # has content, but says that it has none, and others like it never end
        (tmp_path / "x.csv").unlink()
        (tmp_path / "x.csv").symlink_to("/proc/self/status")
        with pytest.raises(bt.FileError, match=r"x\.csv is empty"):
            bt.read_log(tmp_path)


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet", "x.json"])
def test_holes_are_not_read_into_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(LOG if name == "x.csv" else '{"task": 1, "arm": 1, "reward": 1}\n')
    os.truncate(path, 2**40)
    if os.stat(path).st_blocks * 512 > 2**20:
        pytest.skip("the file system knows no holes")
    words = {"x.parquet": "cannot be read as Parquet"}.get(name, r"line \d has over .* characters: it is no row")
    with pytest.raises(bt.FileError, match=words):
        bt.read_log(path)
    with pytest.raises(bt.FileError, match="too many for such a text"):
        bt.load(path)


NAMES = ["a*.csv", "[x].csv", "a?.csv", r"a\*.csv", "s3:x.csv", "http:x.csv", "file:/x.csv", "~/x.csv", "task=5/x.csv"]
NAMES += ["a'b.csv", "{a,b}.csv", "day=1/[x]/**/x.csv", "a\nb.csv", ":smile:.csv", "[.csv", "a]b.csv"]


KINDS = ["csv", "parquet", "jsonl"]


def write_named(name: str, kind: str, task: str) -> Path:
    """A log of one task by this name, beside files that are none, which patterns would match or trip over."""
    path = Path(name).with_suffix(f".{kind}")
    path.parent.mkdir(parents=True, exist_ok=True)
    for neighbour in (r"\[", "ab", "x", "aXb"):
        path.with_name(f"{neighbour}.{kind}").write_text("no log")
    if kind == "parquet":
        with path.open("wb") as file:
            pa.parquet.write_table(pa.table({"task": [task, task], "arm": ["a", "b"], "reward": [1.0, 0.0]}), file)
    elif kind == "csv":
        path.write_text(f"task,arm,reward\n{task},a,1\n{task},b,0\n")
    else:
        lines = [{"task": task, "arm": "a", "reward": 1}, {"task": task, "arm": "b", "reward": 0}]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.mark.parametrize(("name", "kind"), [(name, KINDS[k % 3]) for k, name in enumerate(NAMES)])
def test_a_file_given_by_name_is_read_as_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (task,) = bt.read_log(str(write_named(name, kind, "t")))
    assert (task.name, task.arms, task.flat.tolist()) == ("t", ("a", "b"), [1.0, 0.0])


@pytest.mark.parametrize("kind", KINDS)
def test_files_given_by_name_are_each_read_as_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [str(write_named(name, kind, f"t{k}")) for k, name in enumerate(NAMES)]
    assert {task.name: task.flat.tolist() for task in bt.read_log(paths)} == {
        f"t{k}": [1.0, 0.0] for k in range(len(NAMES))
    }


def test_addresses_have_a_scheme_and_slashes() -> None:
    for address in ("s3://a", "memory://x.csv", "gs+x.y-z://a", "simplecache::s3://a/b", "file:///x.csv"):
        assert is_address(address), address
    for path in ("s3:x.csv", "s3:", "http:x.csv", "/s3://a", "./s3://a", "a b://c", "x/y://z", "C:\\x.csv", "://x"):
        assert not is_address(path), path


def test_a_folder_that_looks_like_an_address_is_read_by_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:").mkdir()
    (tmp_path / "s3:/x.csv").write_text(LOG)
    with pytest.raises(bt.FileError, match=r"is an address in .*, or \./s3://x\.csv for the file of that name"):
        bt.read_log("s3://x.csv")
    for way in ("./s3://x.csv", "s3:", "s3:/x.csv", "s3:/*.csv"):
        assert len(bt.read_log(way)) == 1


def test_stars_are_not_escaped_by_backslashes(tmp_path: Path) -> None:
    with pytest.raises(bt.FileError, match=r"there is no file .*; in a pattern, \[\*\] stands for a star itself"):
        bt.read_log(str(tmp_path / r"a\*.csv"))


def test_the_engine_is_given_paths_without_patterns(tmp_path: Path) -> None:
    engine = Engine()
    for name in ("x", "[x]", "*"):
        (tmp_path / name).write_text(name)
        path = engine.plain_path(str(tmp_path / name))
        assert not any(mark in path for mark in MARKS)
        assert Path(path).read_text() == name
    engine.close()


ENCODINGS = [
    (b"\xef\xbb\xbf", r"x\.csv is empty"),
    (b"\xef\xbb\xbf\r\n \n", r"x\.csv is empty"),
    (b"\xef\xbb\xbf" * 2 + LOG.encode(), "must begin with one byte-order mark or none, but it has several; remove"),
    (LOG.encode("utf-16"), "begins like UTF-16; save it as UTF-8"),
    (LOG.encode("utf-32"), "begins like UTF-32; save it as UTF-8"),
    (LOG.encode("utf-16-le"), "zero bytes, as UTF-16 without a byte-order mark has; save it as UTF-8"),
    (LOG.encode("utf-16-be"), "zero bytes, as UTF-16 without a byte-order mark has; save it as UTF-8"),
    (LOG.replace("\n", "\r").replace("task", "ta\0sk").encode(), "its first line has zero bytes, as no text has"),
    (LOG.replace("task", "ta\0sk").encode(), "its first line has zero bytes, as no text has; save it as UTF-8"),
    (LOG.replace("task", "tâche").encode("latin-1"), r"t\\udce2che.*they are not UTF-8 text: save it as UTF-8"),
]


@pytest.mark.parametrize(("content", "words"), ENCODINGS)
def test_other_encodings_are_told_with_what_to_do(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(bt.FileError, match=words):
        bt.read_log(tmp_path / "x.csv")
