"""The laws about one request between two states, the most basic first."""

from pagespec.laws.claim import CLAIM_LAWS
from pagespec.laws.events import EVENT_LAWS
from pagespec.laws.fallback import FALLBACK_LAWS
from pagespec.laws.frame import FRAME_LAWS
from pagespec.laws.law import LawBook, Transition
from pagespec.laws.lists import PCP_LAWS
from pagespec.laws.refusal import REFUSAL_LAWS
from pagespec.laws.reserve import KEPT_LAWS, RESERVE_LAWS
from pagespec.laws.serving import SERVING_LAWS
from pagespec.laws.types import MERGE_LAWS

STEP_LAWS: LawBook[Transition] = LawBook(
    REFUSAL_LAWS,
    KEPT_LAWS,
    RESERVE_LAWS,
    SERVING_LAWS,
    FALLBACK_LAWS,
    CLAIM_LAWS,
    MERGE_LAWS,
    PCP_LAWS,
    FRAME_LAWS,
    EVENT_LAWS,
)
