"""Learn a bandit's exploration from the tasks you have already run.

Names are imported when they are first used: `import banditune` is instant, compiled code is loaded when it is needed.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from banditune import baselines as baselines
    from banditune import datasets as datasets
    from banditune import deployment as deployment
    from banditune import policies as policies
    from banditune import problems as problems
    from banditune import stopping as stopping
    from banditune.baselines.corral import Corral as Corral
    from banditune.baselines.corral import StochasticCorral as StochasticCorral
    from banditune.curves.curve_set import mean_curve as mean_curve
    from banditune.curves.step_function import Interval as Interval
    from banditune.curves.step_function import StepFunction as StepFunction
    from banditune.errors import BanditTuneError as BanditTuneError
    from banditune.errors import FileError as FileError
    from banditune.errors import InputError as InputError
    from banditune.errors import ParameterError as ParameterError
    from banditune.errors import TaskError as TaskError
    from banditune.evaluation.complexity import dual_complexity as dual_complexity
    from banditune.evaluation.complexity import dual_complexity_bound as dual_complexity_bound
    from banditune.evaluation.sample_size import sample_size as sample_size
    from banditune.logs.log import Log as Log
    from banditune.logs.reading import read_log as read_log
    from banditune.policies.gaussian.ts import GaussianTS as GaussianTS
    from banditune.policies.gaussian.ucb import GaussianUCB as GaussianUCB
    from banditune.policies.gpucb.gpucb import GPUCB as GPUCB
    from banditune.policies.lines.beta_thompson import BetaThompson as BetaThompson
    from banditune.policies.lines.boltzmann_gumbel import BoltzmannGumbel as BoltzmannGumbel
    from banditune.policies.lines.epsilon_greedy import EpsilonGreedy as EpsilonGreedy
    from banditune.policies.lines.explore_then_commit import ExploreThenCommit as ExploreThenCommit
    from banditune.policies.lines.gaussian_thompson import GaussianThompson as GaussianThompson
    from banditune.policies.lines.kl_ucb import KLUCB as KLUCB
    from banditune.policies.lines.moss import MOSS as MOSS
    from banditune.policies.lines.softmax import Softmax as Softmax
    from banditune.policies.lines.ucb_tuned import UCBTuned as UCBTuned
    from banditune.policies.lines.ucb_v import UCBV as UCBV
    from banditune.policies.linucb.lints import LinTS as LinTS
    from banditune.policies.linucb.linucb import LinUCB as LinUCB
    from banditune.policies.registry import policy_from_json as policy_from_json
    from banditune.policies.ucb.ucb import UCB as UCB
    from banditune.policies.updates import Batches as Batches
    from banditune.policies.updates import Delay as Delay
    from banditune.policies.updates import Updates as Updates
    from banditune.simulation.compare import compare as compare
    from banditune.simulation.play import Trajectory as Trajectory
    from banditune.simulation.play import play as play
    from banditune.tasks.contextual import ContextualTask as ContextualTask
    from banditune.tasks.logged import LoggedTask as LoggedTask
    from banditune.tasks.task import Task as Task
    from banditune.tuning.collection import collect as collect
    from banditune.tuning.loss_curve import loss_curve as loss_curve
    from banditune.tuning.results.saved_result import load as load
    from banditune.tuning.results.study_result import Study as Study
    from banditune.tuning.results.tuned import Tuned as Tuned
    from banditune.tuning.study import study as study
    from banditune.tuning.tune import tune as tune

    __all__: list[str]

__version__ = "0.1.0"

_HOMES = {
    "BanditTuneError": "errors",
    "Batches": "policies.updates",
    "Delay": "policies.updates",
    "Updates": "policies.updates",
    "ContextualTask": "tasks.contextual",
    "Corral": "baselines.corral",
    "FileError": "errors",
    "GPUCB": "policies.gpucb.gpucb",
    "GaussianTS": "policies.gaussian.ts",
    "GaussianUCB": "policies.gaussian.ucb",
    "InputError": "errors",
    "Interval": "curves.step_function",
    "LinTS": "policies.linucb.lints",
    "LinUCB": "policies.linucb.linucb",
    "Log": "logs.log",
    "LoggedTask": "tasks.logged",
    "ParameterError": "errors",
    "StepFunction": "curves.step_function",
    "StochasticCorral": "baselines.corral",
    "Task": "tasks.task",
    "TaskError": "errors",
    "Trajectory": "simulation.play",
    "Tuned": "tuning.results.tuned",
    "UCB": "policies.ucb.ucb",
    "baselines": "",
    "collect": "tuning.collection",
    "compare": "simulation.compare",
    "datasets": "",
    "deployment": "",
    "dual_complexity": "evaluation.complexity",
    "dual_complexity_bound": "evaluation.complexity",
    "load": "tuning.results.saved_result",
    "loss_curve": "tuning.loss_curve",
    "mean_curve": "curves.curve_set",
    "play": "simulation.play",
    "policies": "",
    "policy_from_json": "policies.registry",
    "problems": "",
    "read_log": "logs.reading",
    "study": "tuning.study",
    "Study": "tuning.results.study_result",
    "sample_size": "evaluation.sample_size",
    "stopping": "",
    "tune": "tuning.tune",
}


def __getattr__(name: str) -> object:
    if name == "__all__":
        return sorted({*_HOMES, *_load_policies()})
    if name not in _HOMES:
        policies = {} if name.startswith("_") else _load_policies()
        if name not in policies:
            raise AttributeError(f"module 'banditune' has no attribute {name!r}")
        return policies[name]
    home = _HOMES[name]
    if not home:
        return importlib.import_module(f"banditune.{name}")
    return getattr(importlib.import_module(f"banditune.{home}"), name)


def _load_policies() -> dict[str, type]:
    """Return the policies of the package that can be tuned, by the names of their classes, be they above or not."""
    from banditune.policies.registry import find_tunable_policies

    return {
        each.__name__: each for each in find_tunable_policies().values() if each.__module__.startswith("banditune.")
    }


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]  # type: ignore[misc]
