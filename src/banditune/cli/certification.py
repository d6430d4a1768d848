"""Whether a certificate is possible at all, before the work that it would rest on."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from banditune.tuning.question import Question


def check_certificate(question: "Question", *, partitioned: bool, racing: bool | None) -> None:
    """Check before the work whether a certificate is possible: it needs tasks that nothing was learned from."""
    from banditune.errors import ParameterError

    if partitioned:
        raise ParameterError("--certify needs the loss curves of all tasks, which --cluster leaves on the workers")
    if racing:
        raise ParameterError("--certify needs every task over the whole range: leave out --racing")
    if question.loss.tail is not None:
        raise ParameterError("--certify bounds the mean over all tasks: leave out --tail")
    known = question.policy.parameters
    together = (
        ["a prior"] * question.fits_prior
        + ["prior means"] * question.wants_priors
        + ["several parameters in turn"] * question.alternates
    )
    given: Any
    for name, given in question.parameters.items():
        values = known[name].values(given) if known[name].are_several(given) else (given,)
        together += [known[name].describe(value) for value in values if known[name].needs_tasks(value)]
    if together:
        raise ParameterError(
            f"--certify needs a single searched parameter: {together[0]} would be learned from all tasks together, so "
            "none is held out. In Python, tuned.certificate(tasks=...) takes held-out tasks"
        )
