"""GrowthBook's export of an experiment's results: a row for each metric and variation, with users, mean and spread.

The columns are those of ResultsDownloadButton in github.com/growthbook/growthbook; the tracking key names the file.
"""

from banditune.logs.formats.base import Layout

LAYOUTS = (
    Layout(
        "growthbook",
        "GrowthBook",
        needs=("metric", "variation", "users", "totalValue", "perUserValue", "perUserValueStdDev"),
        usual={
            "task": ":file+metric",
            "arm": "variation",
            "pulls": "users",
            "mean": "perUserValue",
            "sd": "perUserValueStdDev",
        },
        advice='take one metric with only={"metric": ...}; read proportions as totals: successes="totalValue"',
    ),
)
