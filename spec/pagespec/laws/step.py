"""The laws about one request between two states, the most basic first."""

from pagespec.laws.bulk import BULK_LAWS
from pagespec.laws.cells import CELL_LAWS
from pagespec.laws.claim import CLAIM_LAWS
from pagespec.laws.counting import COUNTING_LAWS
from pagespec.laws.drains import DRAIN_LAWS, TOLD_DRAIN_LAWS
from pagespec.laws.events import EVENT_LAWS
from pagespec.laws.fallback import FALLBACK_LAWS
from pagespec.laws.frame import FRAME_LAWS
from pagespec.laws.law import LawBook, Transition
from pagespec.laws.learning import LEARNING_LAWS
from pagespec.laws.owners import OWNER_LAWS
from pagespec.laws.refills import REFILL_LAWS, TOLD_REFILL_LAWS
from pagespec.laws.refusal import REFUSAL_LAWS
from pagespec.laws.reserve import KEPT_LAWS, RESERVE_LAWS
from pagespec.laws.serving import SERVING_LAWS
from pagespec.laws.types import MERGE_LAWS
from pagespec.laws.watermarks import WATERMARK_LAWS

STEP_LAWS: LawBook[Transition] = LawBook(
    REFUSAL_LAWS,
    KEPT_LAWS,
    RESERVE_LAWS,
    WATERMARK_LAWS,
    SERVING_LAWS,
    FALLBACK_LAWS,
    CLAIM_LAWS,
    MERGE_LAWS,
    BULK_LAWS,
    CELL_LAWS,
    OWNER_LAWS,
    DRAIN_LAWS,
    REFILL_LAWS,
    LEARNING_LAWS,
    FRAME_LAWS,
    COUNTING_LAWS,
    EVENT_LAWS,
    TOLD_REFILL_LAWS,
    TOLD_DRAIN_LAWS,
)

TOLD = frozenset({"LIVE-ends", "EVT-order", "EVT-refill", "EVT-drain"})
"""The laws about what the spec tells of a request; the others judge states alone."""
