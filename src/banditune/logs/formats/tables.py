"""Plain tables: CSV, Parquet and JSON lines, whose columns are called as their owner likes."""

from banditune.logs.csv_files import CsvFile
from banditune.logs.formats.base import Format
from banditune.logs.json_files import JsonLines
from banditune.logs.parts import ParquetFile

FORMATS = (
    Format(
        "csv",
        "CSV",
        lambda path, opening: CsvFile.open(path, opening.columns.wanted, opening.delimiter),
        (".csv", ".tsv", ".txt"),
    ),
    Format("parquet", "Parquet", lambda path, opening: ParquetFile.open(path, opening.engine), (".parquet", ".pq")),
    Format("json", "JSON lines", lambda path, opening: JsonLines.open(path), (".jsonl", ".ndjson", ".json")),
)
