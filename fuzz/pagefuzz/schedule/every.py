"""All that is explored: scenarios and experiments of zones, counters, slabs and compaction."""

from pagefuzz.schedule.experiments import EXPERIMENTS
from pagefuzz.schedule.scenarios import SCENARIOS
from pagefuzz.schedule.scenarios_kinds import KIND_EXPERIMENTS, KIND_SCENARIOS

EVERY_SCENARIO = {**SCENARIOS, **KIND_SCENARIOS}
"""By topic and era; those whose states are visited come first."""

EVERY_EXPERIMENT = {**EXPERIMENTS, **KIND_EXPERIMENTS}
"""By name, each with what breaks in it."""
