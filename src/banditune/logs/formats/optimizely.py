"""Optimizely's results of an experiment as totals: a row for each metric and variation, with visitors and conversions.

What the columns of its CSV export are called is not documented, and differs between its products: these are expected,
in whatever capitals and with blanks or underscores, and the layout is never recognised by itself.
"""

from banditune.logs.formats.base import Layout

LAYOUTS = (
    Layout(
        "optimizely",
        "Optimizely",
        needs=("variation_name", "metric_name", "visitors", "conversions"),
        usual={
            "task": ":file+metric_name",
            "arm": "variation_name",
            "pulls": "visitors",
            "successes": "conversions",
        },
        is_recognised=False,
        advice='take one metric with only={"metric_name": ...}',
    ),
)
