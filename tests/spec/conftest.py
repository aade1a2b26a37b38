"""One Hypothesis profile: no deadline, and the same examples on every run of the suite."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    # On a shared machine the data are slow now and then, never by themselves.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")
