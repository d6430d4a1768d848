"""Draw the pictures of the documentation: python -m scripts.docs.draw (needs pip install ".[plot]")."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyBboxPatch

import banditune as bt
from banditune.curves.palette import BLUE, GREEN, GREY, PINK, RANGE, RED
from banditune.evaluation.cross_validation import EQUAL_SPLIT
from banditune.kernels.lines.index import LOG, growth_at
from banditune.policies.gaussian.expectation_maximisation import fit_prior
from banditune.report.curve_figure import draw_curve, lay_out_curve
from banditune.report.learned_prior import draw_correlation
from banditune.report.plan_page import draw_plan
from banditune.report.wording import choose_words
from scripts.docs.walk_figure import draw_box_and_lines

FOLDER = Path(__file__).parents[2] / "docs" / "figures"

mpl.rcParams |= {
    "svg.fonttype": "path",
    "svg.hashsalt": "banditune",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}


def save(figure: plt.Figure, name: str) -> None:
    """Write a figure to its file."""
    figure.savefig(FOLDER / name, metadata={"Date": None})
    plt.close(figure)


def lines_cross() -> None:
    """After ten pulls of three arms: the index of each is a line in theta."""
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    theta = np.linspace(0.0, 1.6, 300)
    pulls, means, t = np.array([6, 3, 1]), np.array([0.67, 0.6, 0.2]), 11
    indices = means[:, None] + theta * growth_at(LOG, 0.0, float(t)) / np.sqrt(pulls)[:, None]
    leader = indices.argmax(axis=0)
    for arm, colour in enumerate((BLUE, GREEN, RED)):
        axes.plot(theta, indices[arm], color=colour, lw=1.4)
        axes.plot(np.where(leader == arm, theta, np.nan), indices[arm], color=colour, lw=4.5, solid_capstyle="butt")
        words = f"arm {arm}: mean {means[arm]:.2f} after {pulls[arm]} pull{'s' if pulls[arm] > 1 else ''}"
        axes.annotate(words, (theta[-1], indices[arm, -1]), (6, -4), textcoords="offset points", color=colour)
    for edge in theta[1:][np.diff(leader) != 0]:
        axes.axvline(edge, color=GREY, ls=":", lw=1.2)
    axes.set(xlabel=r"$\theta = \sqrt{\alpha}$", ylabel="index", xlim=(0, 1.6), title="Round 11: which arm leads?")
    axes.margins(x=0)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1))
    save(figure, "lines.svg")


def arms_go_together() -> None:
    """The correlations of the bundled tasks' learners."""
    prior = fit_prior(bt.datasets.lcdb(), "full")
    (FOLDER / "arm-correlations.svg").write_text(draw_correlation(prior), encoding="utf-8")


def loss_is_a_step_function() -> None:
    """The loss of one task, and the mean over more and more of them."""
    rng = np.random.default_rng(0)
    tasks = []
    for _ in range(1000):
        means = np.array([0.5, np.clip(rng.normal(0.5, 0.2), 0.0, 1.0)])
        tasks.append(bt.Task((rng.random((2, 100)) < means[:, None]).astype(float), means=means))
    figure, panels = plt.subplots(1, 3, figsize=(10.5, 3.3))
    for axes, count in zip(panels, (1, 20, 1000), strict=True):
        tuned = bt.tune(bt.UCB, tasks[1 : count + 1], horizon=100, alpha=(0.0, 1.0))
        axes.axvspan(*tuned.within_one_se, color=RANGE, lw=0)
        tuned.curve.plot(axes)
        axes.plot(tuned.alpha, tuned.loss, "o", color=GREEN, ms=7, zorder=5)
        title = f"{count:,} task{'s' if count > 1 else ''}: {tuned.curve.n_pieces:,} pieces"
        axes.set(xlabel=r"$\alpha$", title=title, xlim=(0, 1))
        axes.set_ylim(bottom=0)
    panels[0].set_ylabel("mean regret, 100 rounds")
    save(figure, "steps.svg")


def merging() -> None:
    """How many pieces the loss has, and how many histories there are, round by round."""
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    rounds = np.unique(np.geomspace(20, 1000, 24).astype(int))
    task = bt.datasets.lcdb()[0]
    histories = [bt.tune(bt.UCB, [task], horizon=int(t), alpha=(0.0, 4.0)).histories for t in rounds]
    pieces = [curve.n_pieces for curve in bt.loss_curve(bt.UCB, task, horizon=rounds.tolist(), alpha=(0.0, 4.0))]
    for values, colour, words in (
        (histories, RED, "distinct histories:\nwhat a recursion visits"),
        (pieces, BLUE, "pieces of the loss:\nwhat merging leaves"),
    ):
        axes.loglog(rounds, values, color=colour, lw=2.2)
        axes.annotate(words, (rounds[-1], values[-1]), (8, -8), textcoords="offset points", color=colour)
    axes.set(
        xlabel="rounds", ylabel="number", title=f"{task.name}: {task.n_arms} arms, alpha in [0, 4]", xlim=(20, 1000)
    )
    axes.set_xticks([20, 50, 100, 200, 500, 1000], ["20", "50", "100", "200", "500", "1,000"])
    axes.minorticks_off()
    save(figure, "merging.svg")


def level_walk() -> None:
    """The lemma of the walk."""
    save(draw_box_and_lines(), "walk.svg")


def collected_rewards() -> None:
    """How often `bt.collect` pulls the arms of a task."""
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    task = bt.problems.bernoulli(10).bandit(0).task(100)
    rewards = [iter(row) for row in task.rewards]
    found = bt.collect(bt.UCB, lambda arm: next(rewards[arm]), n_arms=10, horizon=100, alpha=(0.0, 1.0))
    order, places = task.means.argsort()[::-1], np.arange(10)
    axes.bar(places, 100, color="#e8ecef", width=0.7, label=f"every arm 100 times: {10 * 100:,} pulls")
    axes.bar(places, found.lengths[order], color=BLUE, width=0.7, label=f"bt.collect: {found.total_pulls} pulls")
    for place, pulls in zip(places, found.lengths[order], strict=True):
        axes.annotate(f"{pulls}", (place, pulls), (0, 3), textcoords="offset points", ha="center", color=BLUE)
    axes.set_xticks(places, [f"{mean:.2f}" for mean in task.means[order]])
    axes.set(xlabel="true rate of the arm", ylabel="pulls", ylim=(0, 128), yticks=[0, 25, 50, 75, 100])
    axes.set_title("What every alpha in [0, 1] needs in 100 rounds")
    axes.legend(loc="upper right", frameon=False, ncols=2)
    save(figure, "collected.svg")


def bundled_tasks() -> None:
    """What `banditune tune --example headlines --out` draws."""
    bundled = bt.UCB.bundled["headlines"]
    study = bt.study(bt.UCB, bundled.load(), horizon=bundled.horizon, draws=bundled.draws, alpha=(0.0, 4.0))
    assert study.held_out is not None
    words = choose_words(study.tuned, bundled.units)
    split = float(study.held_out.others[EQUAL_SPLIT].mean())
    (FOLDER / "curve.svg").write_text(draw_curve(lay_out_curve(study.tuned, study.usual_losses, words, split)))


def what_can_be_promised() -> None:
    """The bounds of each method against the number of tasks, and the paired interval."""
    tasks = bt.problems.bernoulli(2).sample(20_000, 50, seed=1)
    truth = bt.tune(bt.UCB, tasks[10_000:], horizon=50, alpha=(0.0, 1.0)).curve
    sizes = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]
    results = [bt.tune(bt.UCB, tasks[:n], horizon=50, alpha=(0.0, 1.0)) for n in sizes]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.0))
    methods = {"paper": GREY, "massart": PINK, "rademacher": RED, "compression": BLUE, "holdout": GREEN}
    for method, colour in methods.items():
        bounds = [tuned.certificate(0.05, method=method).loss_bound for tuned in results]
        left.plot(sizes, bounds, color=colour, lw=2.2)
        offset = {"compression": 2, "holdout": -11}.get(method, -4)
        left.annotate(method, (sizes[-1], bounds[-1]), (6, offset), textcoords="offset points", color=colour)
    left.plot(sizes, [truth(tuned.alpha) for tuned in results], color="black", lw=1.4, ls=":")
    left.annotate("what new tasks lose", (sizes[0], truth(results[0].alpha)), (30, -32), textcoords="offset points")
    left.axhline(50.0, color=GREY, lw=1, ls="--")
    left.annotate("the most a task can lose", (sizes[4], 50.0), (2, 5), textcoords="offset points", color=GREY)
    left.set(xscale="log", yscale="log", xlabel="tasks learned from", title="Mean regret promised, 95% confidence")
    left.set_ylim(0.9, 110.0)
    found = [tuned.improvement(1.0) for tuned in results]
    low, high = (np.array([100 * getattr(each.share, end) for each in found]) for end in ("low", "high"))
    right.fill_between(sizes, low, high, color=BLUE, alpha=0.25, lw=0)
    saved = 100 * (1 - np.array([truth(each.value) for each in found]) / truth(1.0))
    right.plot(sizes, saved, color="black", lw=1.4, ls=":")
    right.annotate("what is saved on new tasks", (sizes[3], saved[3]), (0, 6), textcoords="offset points")
    right.axhline(0.0, color=GREY, lw=1)
    right.set(
        xscale="log", xlabel="tasks, half of them held out", title="Regret saved against alpha = 1, 95% confidence"
    )
    right.set_ylim(-60, 100)
    right.yaxis.set_major_formatter("{x:.0f}%")
    for axes in (left, right):
        axes.set_xticks([20, 100, 1000, 10_000], ["20", "100", "1,000", "10,000"])
        axes.minorticks_off()
    save(figure, "certificates.svg")


def a_plan() -> None:
    """What `banditune plan` draws."""
    tasks = bt.problems.bernoulli(2).sample(150, 100, seed=1)
    tuned = bt.tune(bt.UCB, tasks, horizon=100, alpha=(0.0, 1.0))
    (FOLDER / "plan.svg").write_text(draw_plan(tuned.plan(), "mean regret"))


FLOW = {  # folder: (column, row, what it does)
    "logs/": (0, 2, "files and tables\nbecome rows, checked"),
    "datasets/  problems/": (0, 0, "bundled tasks;\ntasks drawn at random"),
    "tasks/": (1, 1, "what happened:\nrewards of each arm"),
    "policies/": (2, 1, "pack tasks into a\nbatch of arrays"),
    "kernels/": (3, 1, "sweep: all values of\nthe parameter at once"),
    "curves/": (4, 1, "one step function a task;\ntheir exact sum"),
    "tuning/": (5, 1, "the least piece:\nTuned, a policy"),
    "distributed/  checkpoints/": (4, 2, "the same sweep on a\ncluster, or resumed"),
    "simulation/  baselines/": (2, 0, "one run, many runs,\npolicies compared"),
    "evaluation/": (5, 0, "cross-validation,\ncertificates, plans"),
    "report/  cli/": (5, 2, "page, figure, text"),
}
ARROWS = (
    ("logs/", "tasks/"),
    ("datasets/  problems/", "tasks/"),
    ("tasks/", "policies/"),
    ("policies/", "kernels/"),
    ("kernels/", "curves/"),
    ("curves/", "tuning/"),
    ("distributed/  checkpoints/", "curves/"),
    ("tuning/", "evaluation/"),
    ("tuning/", "report/  cli/"),
    ("policies/", "simulation/  baselines/"),
)


def flow_of_a_task() -> None:
    """How a task passes through the folders of the package."""
    width, height, across, along = 2.3, 1.0, 2.75, 1.65
    figure, axes = plt.subplots(figsize=(13.0, 4.2))
    for name, (column, row, words) in FLOW.items():
        x, y, main = column * across, row * along, row == 1
        box = FancyBboxPatch(
            (x, y),
            width,
            height,
            "round,pad=0.05",
            fc="#e6f2fa" if main else "white",
            ec=BLUE if main else GREY,
            lw=1.3,
        )
        axes.add_patch(box)
        axes.text(x + width / 2, y + 0.77, name, ha="center", va="center", weight="bold", size=9)
        axes.text(x + width / 2, y + 0.32, words, ha="center", va="center", size=9, color="#3d4852")
    for start, end in ARROWS:
        (c0, r0, _), (c1, r1, _) = FLOW[start], FLOW[end]
        if c0 == c1:
            x = c0 * across + width / 2
            ends = (
                (x, r0 * along + (height + 0.05 if r1 > r0 else -0.05)),
                (x, r1 * along + (-0.05 if r1 > r0 else 1.05)),
            )
        else:
            right = c1 > c0
            ends = (
                (c0 * across + (width + 0.05 if right else -0.05), r0 * along + height / 2),
                (c1 * across + (-0.05 if right else width + 0.05), r1 * along + height / 2),
            )
        axes.annotate("", ends[1], ends[0], arrowprops={"arrowstyle": "-|>", "color": GREY, "lw": 1.4})
    axes.set(xlim=(-0.15, 5 * across + width + 0.15), ylim=(-0.2, 2 * along + height + 0.2), aspect="equal")
    axes.axis("off")
    save(figure, "flow.svg")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for draw in (
        lines_cross,
        loss_is_a_step_function,
        arms_go_together,
        merging,
        level_walk,
        collected_rewards,
        bundled_tasks,
        what_can_be_promised,
        a_plan,
        flow_of_a_task,
    ):
        draw()
