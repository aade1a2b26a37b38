"""The built-in scenarios: sound ones, each small enough to visit all of its states in seconds."""

from pagefuzz.schedule.scenarios_counters import COUNTER_SCENARIOS
from pagefuzz.schedule.scenarios_lists import LIST_SCENARIOS
from pagefuzz.schedule.scenarios_zone import ZONE_SCENARIOS
from pagespec.schedule.contexts import Scenario

SCENARIOS: dict[str, Scenario] = {
    **LIST_SCENARIOS,
    **ZONE_SCENARIOS,
    **COUNTER_SCENARIOS,
}
"""By topic and era."""
