"""Real kernels' traces: what they say about the free set, and which laws they keep."""

from pagefuzz.kernel.checking import check_run
from pagefuzz.kernel.findings import Report, Verdict
from pagefuzz.kernel.runs import bundled_runs

__all__ = ["Report", "Verdict", "bundled_runs", "check_run"]
