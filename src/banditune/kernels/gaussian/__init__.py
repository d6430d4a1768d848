"""Arms that go together: Gaussian posteriors as functions of the counts, and the sweep over their scale."""
