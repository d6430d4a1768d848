"""The public surface: what is promised is importable, documented and no more."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import banditune as bt

LINES = "banditune.policies.lines."


def test_every_public_name_is_importable_and_says_what_it_is() -> None:
    assert len(bt.__all__) <= 55  # about fifty
    for name in bt.__all__:
        assert getattr(bt, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bt.nothing


def test_type_checkers_see_every_public_name() -> None:
    """But for policies that are found by their files, which need no line there."""
    source = Path(bt.__file__).read_text(encoding="utf-8")
    seen = {*re.findall(r"^    from banditune\S* import \w+ as (\w+)$", source, flags=re.M)}
    found = {name for name in bt.__all__ if getattr(getattr(bt, name), "__module__", "").startswith(LINES)}
    assert seen <= {*bt.__all__} <= seen | found


def test_every_public_function_and_class_is_documented_by_sections_with_an_example() -> None:
    for name in bt.__all__:
        each = getattr(bt, name)
        if inspect.ismodule(each) or (isinstance(each, type) and issubclass(each, Exception)):
            continue
        text = inspect.getdoc(each) or ""
        assert ">>>" in text, name
        assert re.search(r"^(Parameters|Attributes)\n-+$", text, flags=re.M), name
        if inspect.isfunction(each):
            assert re.search(r"^Returns\n-+$", text, flags=re.M), name


def test_functions_stay_functions_after_their_modules_are_imported() -> None:
    modules = "banditune.simulation.play, banditune.tuning.loss_curve, banditune as bt"
    code = f"import {modules}; print(callable(bt.play), callable(bt.loss_curve))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "True True\n"


def test_import_is_instant_because_nothing_heavy_is_loaded() -> None:
    code = "import sys, banditune; print(sorted({'numba', 'numpy', 'rich', 'typer'} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_errors_form_one_tree() -> None:
    for error in (bt.InputError, bt.TaskError, bt.ParameterError, bt.FileError):
        assert issubclass(error, bt.BanditTuneError)
        assert issubclass(error, ValueError)


def test_global_random_state_is_never_touched() -> None:
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    bt.Task.from_counts([5], [2]).extend(20)
    bt.tune(bt.UCB, [bt.Task([[1.0], [0.0]])], horizon=10, alpha=(0.0, 1.0))
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
