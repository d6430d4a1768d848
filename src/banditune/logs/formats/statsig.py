"""Statsig's export of an experiment's results (Pulse Summary): a row for each metric and group.

The columns are those of "Pulse Summary File Description - For Experiments" in docs.statsig.com.
"""

from banditune.logs.formats.base import Layout

LAYOUTS = (
    Layout(
        "statsig",
        "Statsig",
        needs=("name", "experiment_group", "metric_name", "metric_dimension", "units", "mean", "stderr"),
        usual={
            "task": "name+metric_name",
            "arm": "experiment_group",
            "pulls": "units",
            "mean": "mean",
            "sd": "stderr:se",
        },
        only={"metric_dimension": "!statsig_topline"},
        advice='take one metric with only={"metric_name": ...}',
    ),
)
