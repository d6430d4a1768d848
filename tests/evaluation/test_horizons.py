"""What is learned at other horizons is what tuning there learns."""

import banditune as bt
from banditune.evaluation.horizons import compare_horizons
from banditune.evaluation.recommended_value import recommend
from banditune.tuning.search import Search


def test_each_horizon_learns_what_tuning_with_it_learns() -> None:
    tasks = bt.problems.bernoulli(3).sample(12, 60)
    search = Search.of(bt.UCB, [60], {"alpha": (0.0, 4.0)}, loss="regret", seed=0, extend=True)
    found = compare_horizons(search, tasks)
    assert [each.horizon for each in found] == [6, 20, 60, 180]
    assert [each.recorded for each in found] == [1.0, 1.0, 1.0, 1.0]  # three arms of 60 rewards each
    for each in found:
        tuned = bt.tune(bt.UCB, tasks, horizon=each.horizon, alpha=(0.0, 4.0), draws=1)
        value = recommend(search.free_parameter, tuned.curve, tuned.n_tasks, draws=tuned.draws)
        assert (each.value, each.loss) == (value, tuned.curve(value))
        assert each.usual == ((1.0, tuned.curve(1.0)), (2.0, tuned.curve(2.0)))


def test_of_many_tasks_some_are_taken_and_short_records_are_told() -> None:
    tasks = [bt.Task.from_counts([20, 30], [k % 20, 15]) for k in range(90)]
    search = Search.of(bt.UCB, [50], {"alpha": (0.0, 0.5)}, loss="regret", seed=0, extend=True)
    found = compare_horizons(search, tasks)
    assert [each.recorded for each in found] == [1.0, 1.0, 1.0, 0.0]
    assert all(each.usual == () for each in found)  # 1 and 2 lie outside the range
