"""Learn a bandit's exploration from the tasks you have already run.

Names are imported when they are first used: `import banditune` is instant, compiled code is loaded when it is needed.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from banditune import datasets as datasets
    from banditune import problems as problems
    from banditune.collecting import collect as collect
    from banditune.contextual_task import ContextualTask as ContextualTask
    from banditune.curve_set import mean_curve as mean_curve
    from banditune.curves import loss_curve as loss_curve
    from banditune.errors import BanditTuneError as BanditTuneError
    from banditune.errors import FileError as FileError
    from banditune.errors import InputError as InputError
    from banditune.errors import ParameterError as ParameterError
    from banditune.errors import TaskError as TaskError
    from banditune.game import Trajectory as Trajectory
    from banditune.game import play as play
    from banditune.guarantees.complexity import dual_complexity as dual_complexity
    from banditune.guarantees.sample_size import sample_size as sample_size
    from banditune.loading import load as load
    from banditune.logged_task import LoggedTask as LoggedTask
    from banditune.logs.log import Log as Log
    from banditune.logs.reading import read_log as read_log
    from banditune.policies import policy_from_json as policy_from_json
    from banditune.policies.gpucb import GPUCB as GPUCB
    from banditune.policies.linucb import LinUCB as LinUCB
    from banditune.policies.ucb import UCB as UCB
    from banditune.rivals.corral import Corral as Corral
    from banditune.rivals.corral import StochasticCorral as StochasticCorral
    from banditune.step_function import Interval as Interval
    from banditune.step_function import StepFunction as StepFunction
    from banditune.tasks import Task as Task
    from banditune.tuned import Tuned as Tuned
    from banditune.tuning import tune as tune

__version__ = "0.1.0"

_HOMES = {
    "BanditTuneError": "errors",
    "ContextualTask": "contextual_task",
    "Corral": "rivals.corral",
    "FileError": "errors",
    "GPUCB": "policies.gpucb",
    "InputError": "errors",
    "Interval": "step_function",
    "LinUCB": "policies.linucb",
    "Log": "logs.log",
    "LoggedTask": "logged_task",
    "ParameterError": "errors",
    "StepFunction": "step_function",
    "StochasticCorral": "rivals.corral",
    "Task": "tasks",
    "TaskError": "errors",
    "Trajectory": "game",
    "Tuned": "tuned",
    "UCB": "policies.ucb",
    "collect": "collecting",
    "datasets": "",
    "dual_complexity": "guarantees.complexity",
    "load": "loading",
    "loss_curve": "curves",
    "mean_curve": "curve_set",
    "play": "game",
    "policy_from_json": "policies",
    "problems": "",
    "read_log": "logs.reading",
    "sample_size": "guarantees.sample_size",
    "tune": "tuning",
}

__all__ = sorted(_HOMES)  # the table above is the one list of public names


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'banditune' has no attribute {name!r}")
    home = _HOMES[name]
    if not home:
        return importlib.import_module(f"banditune.{name}")
    return getattr(importlib.import_module(f"banditune.{home}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
