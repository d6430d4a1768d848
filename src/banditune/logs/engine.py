"""The embedded database in which logs are sorted and grouped: on disk where memory ends."""

import contextlib
import hashlib
import os
import re
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import FileError, ParameterError
from banditune.temporary_folders import ScratchFolder
from banditune.validation import format_value

POLL_SECONDS = 0.1
BLOCK = 2**20  # bytes of a stream that are copied at once


class Engine:
    """A DuckDB database in a temporary folder, which goes when the engine does.

    `memory` (such as "2GB") bounds what it holds; what is more goes to the folder. `progress` is called with words and
    the share done while something runs; `threads` is how many it works with, by default as many as there are cores.
    """

    def __init__(
        self,
        memory: str | None = None,
        progress: Callable[[str, float], None] | None = None,
        threads: int | None = None,
    ) -> None:
        import duckdb

        if memory is not None and not (
            isinstance(memory, str) and re.fullmatch(r"(?i)[\d.]*[1-9][\d.]* ?[KMGT]i?B", memory)
        ):
            raise ParameterError(f'memory must be a size such as "2GB", got {format_value(memory)}')
        self._folder = ScratchFolder()
        self.Error = duckdb.Error  # what its failures are
        self._progress = progress
        self._stream_failure: Exception | None = None
        self._share: Callable[[], float] | None = None  # of a stream that has been read
        self._worker: threading.Thread | None = None
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        config: dict[str, Any] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,  # nothing is asked from the network
            "checkpoint_on_detach": "DISABLED",  # nobody opens it again: its folder goes when it does
            "fsync_mode": "NONE",  # nor after a crash
            "temp_directory": str(self._folder.path / "spilled"),
        }
        if memory is not None:
            config["memory_limit"] = memory
        if threads is not None:
            config["threads"] = threads
        try:
            self.connection = duckdb.connect(str(self._folder.path / "log.duckdb"), config=config)
            self.connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
            self.connection.execute("SET TimeZone = 'UTC'")  # of dates that do not say theirs
        except duckdb.Error as error:
            raise FileError(f"the log database could not be opened: {first_line(error)}") from None

    def close(self) -> None:
        """End the database and its threads."""
        self.connection.close()

    def plain_path(self, path: str) -> str:
        """Return a path by which the database reads this file alone: from the root, without marks of a pattern."""
        from_root = os.path.join(os.getcwd(), path)
        if not any(mark in from_root for mark in "*?["):
            return from_root
        link = self._folder.path / f"{hashlib.blake2b(os.fsencode(from_root), digest_size=8).hexdigest()}.parquet"
        if not link.exists():
            link.symlink_to(from_root)
        return str(link)

    def new_file(self, ending: str) -> Path:
        """Name a file in the folder that is not there yet."""
        return self._folder.path / f"{len(list(self._folder.path.glob(f'*.{ending}')))}.{ending}"

    def keep_stream(self, source: Any, name: str) -> Path:
        """Copy what an open file has left into the folder, and return where it is."""
        path = self.new_file("stream")
        try:
            with path.open("wb") as file:
                while block := source.read(BLOCK):
                    file.write(block.encode("utf-8") if isinstance(block, str) else block)
        except (OSError, ValueError) as error:
            raise FileError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None
        return path

    def stream(self, schema: Any, batches: Iterator[Any], share: Callable[[], float]) -> None:
        """Make Arrow batches the table `part` of the next statement. What ends them early ends the statement.

        `share` tells how much of them has been made, which the database cannot know.
        """
        import pyarrow as pa

        self._share = share

        def yield_batches() -> Iterator[Any]:
            try:
                yield from batches
            except Exception as failure:  # it would reach `run` as mere text
                self._stream_failure = failure
                raise

        self.connection.register("part", pa.RecordBatchReader.from_batches(schema, yield_batches()))

    def export_table(self, name: str) -> bytes:
        """Return a table with its rows in their order, in Arrow's format of streams."""
        import pyarrow as pa

        held = pa.BufferOutputStream()
        reader = pa.RecordBatchReader.from_stream(self.connection.cursor().sql(f"SELECT * FROM {name}"))
        with pa.ipc.new_stream(held, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
        return bytes(held.getvalue())

    def import_table(self, name: str, exported: bytes) -> None:
        """Make a table of what `export_table` returned."""
        import pyarrow as pa

        self.connection.register("part", pa.ipc.open_stream(exported).read_all())
        self.run("Restoring", f"CREATE TABLE {name} AS SELECT * FROM part")
        self.connection.unregister("part")

    def rows(self, query: str, words: str = "Counting") -> list[tuple[Any, ...]]:
        """Return the rows of a query's result."""
        self.run(words, query)
        return self.connection.fetchall()

    def describe(self, source: str) -> dict[str, str]:
        """Return the columns of a table or a query, with their types."""
        return {name: kind for name, kind, *_ in self.rows(f"DESCRIBE {source}")}

    def row(self, query: str) -> tuple[Any, ...]:
        """Return the one row of a query's result."""
        (only,) = self.rows(query)
        return only

    def value(self, query: str) -> Any:
        """Return the one value of a query's result."""
        return self.row(query)[0]

    def run(self, words: str, statement: str) -> None:
        """Execute what may take long: it shows its progress, and Ctrl-C ends it."""
        failure: list[BaseException] = []
        ended = threading.Event()  # not Thread.join: Ctrl-C within it makes a thread look ended that is not
        connection = self.connection

        def work() -> None:
            try:
                connection.execute(statement)
            except BaseException as error:  # handed on to the thread that waits
                failure.append(error)
            finally:
                ended.set()

        self._working_thread().put(work)
        try:
            while not ended.wait(POLL_SECONDS):
                if self._progress is not None:
                    self._progress(words, self._measure_progress())
        except BaseException:
            while not ended.is_set():  # also when Ctrl-C comes again: left alone, it would bring Python down at exit
                with contextlib.suppress(KeyboardInterrupt):
                    self.connection.interrupt()
                    ended.wait()
            raise
        if not statement.startswith("DESCRIBE"):
            self._share = None
        if failure:
            stream_failure, self._stream_failure = self._stream_failure, None
            raise stream_failure or failure[0]

    def _working_thread(self) -> "SimpleQueue[Callable[[], None] | None]":
        """Return the queue of the thread that executes statements, which ends when the engine is gone."""
        if self._worker is None or not self._worker.is_alive():  # the first time, or in a process that was forked off
            self._work = SimpleQueue()
            weakref.finalize(self, self._work.put, None)
            self._worker = threading.Thread(target=_work_on, args=(self._work,), name="banditune-log", daemon=True)
            self._worker.start()
        return self._work

    def _measure_progress(self) -> float:
        """Return how much of the statement is done: of a stream, as it tells itself."""
        return max(0.0, self.connection.query_progress()) / 100.0 if self._share is None else self._share()


def _work_on(queue: "SimpleQueue[Callable[[], None] | None]") -> None:
    """Do what comes, until None does."""
    while (work := queue.get()) is not None:
        work()
        del work  # and what it holds: the engine would never be gone


def literal(text: str | os.PathLike[str]) -> str:
    """Return text as it stands in a query."""
    return "'" + os.fspath(text).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return the name of a column or table as it stands in a query."""
    return '"' + name.replace('"', '""') + '"'


def first_line(error: BaseException) -> str:
    """Return what went wrong, without the advice below it."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__


class RowStream:
    """The rows of some tasks in order, taken a number at a time."""

    def __init__(self, engine: Engine, columns: str, numbers: range) -> None:
        import pyarrow as pa

        limits = f"WHERE task_id BETWEEN {numbers.start} AND {numbers.stop - 1}"
        query = f"SELECT {columns} FROM events {limits}"
        self._cursor = engine.connection.cursor()  # held: the stream ends when it is gone
        self._batches = pa.RecordBatchReader.from_stream(self._cursor.sql(query))
        self._held: dict[str, list[NDArray[Any]]] = {}
        self._n_held = 0

    def take(self, n_rows: int) -> dict[str, NDArray[Any]]:
        """Return the next rows, column by column."""
        while self._n_held < n_rows:
            batch = self._batches.read_next_batch()
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                self._held.setdefault(name, []).append(_as_array(column))
            self._n_held += batch.num_rows
        self._n_held -= n_rows
        taken = {}
        for name, arrays in self._held.items():
            whole = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
            taken[name], self._held[name] = whole[:n_rows], [whole[n_rows:]]
        return taken


def _as_array(column: Any) -> NDArray[Any]:
    """Return a column as an array: (rows,), or (rows, d) where each row holds a list of d numbers."""
    import pyarrow as pa

    if pa.types.is_list(column.type):
        return _as_array(column.flatten()).reshape(len(column), -1)
    if column.null_count == 0 and (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return np.from_dlpack(column)  # to_numpy imports pandas, where it is installed: a third of a second
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return values
