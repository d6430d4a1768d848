"""The Open Bandit Dataset: a row for each recommendation of a fashion shop, with the propensity of the choice.

Saito, Aihara, Matsutani and Narita, Open Bandit Dataset and Pipeline (2021). A file is a campaign (all, men, women).
"""

from banditune.logs.formats.base import Layout

LAYOUTS = (
    Layout(
        "openbandit",
        "Open Bandit Dataset",
        needs=("timestamp", "item_id", "position", "click", "propensity_score"),
        usual={
            "task": ":file+timestamp:day",
            "arm": "item_id",
            "reward": "click",
            "time": "timestamp",
            "propensity": "propensity_score",
        },
    ),
)
