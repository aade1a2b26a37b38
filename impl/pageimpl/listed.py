"""Random requests about CPUs, the lists and counts that they keep, and kswapd, most of them legal.

Which CPUs are unplugged is remembered, so that requests come from those that run, and that a CPU
comes back as often as it goes.
"""

from pageimpl.dice import (
    COUNT,
    DISABLED,
    FILLED,
    ODDS_COLD,
    ODDS_CONTENDED,
    ODDS_IRQ,
    UNPLUGGED,
    VERB,
    WANT,
    ask,
    draw,
    draw_below,
    remember,
)
from pageimpl.era import NO_BULK
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    COUNTS_IN_CELLS,
    Memory,
    Words,
    bulk_rule_of,
    counting_of,
    cpus_of,
    frame_in_array_of,
    marked_of,
    set_word,
    shift_of,
    word_at,
)
from pageimpl.verbs import (
    AGE,
    BULK,
    COLD,
    CONTENDED,
    CPU_BITS,
    CPU_SHIFT,
    DISABLE,
    DRAIN,
    DRAIN_ALL,
    ENABLE,
    EXPIRE,
    IRQ,
    PLUG,
    REFRESH,
    REST,
    UNPLUG,
)

TRACKED = 62
"""CPUs that are ever unplugged, and slots of a bulk request: as many as a word has bits."""


@kernel
def draw_cpu(mem: Memory, state: Words) -> int:
    """A CPU that runs: any, or the next one that does."""
    cpus, unplugged = cpus_of(mem), word_at(state, UNPLUGGED)
    cpu = draw_below(state, cpus)
    while cpu < TRACKED and unplugged >> cpu & 1:
        cpu = (cpu + 1) % cpus
    return cpu


@kernel
def draw_where(mem: Memory, state: Words) -> int:
    """Which CPU asks, and how, as a part of a want; without lists none of it matters."""
    if cpus_of(mem) == 0:
        return 0
    bits = draw(state)
    where = draw_cpu(mem, state) << CPU_SHIFT
    if bits & 1023 < word_at(state, ODDS_IRQ):
        where |= IRQ
    if bits >> 10 & 1023 < word_at(state, ODDS_CONTENDED):
        where |= CONTENDED
    if bits >> 20 & 1023 < word_at(state, ODDS_COLD):
        where |= COLD
    return where


@kernel
def choose_listed(mem: Memory, state: Words, want: int) -> bool:
    """Choose a request about CPUs, lists or kswapd that the machine has; whether there is any.

    want: what a bulk request asks for.
    """
    dice = draw(state) & 31
    if dice < 4 and marked_of(mem):
        ask(state, REST, 0, 0, 0, 0)
        return True
    if cpus_of(mem) == 0:
        return False
    if dice < 14 and bulk_rule_of(mem) != NO_BULK:
        pages = 1 + draw_below(state, 1 << draw_below(state, 6))
        choose_bulk(mem, state, want, pages)
        return True
    if counting_of(mem) & COUNTS_IN_CELLS and draw(state) & 3 == 0:
        # A far zone's lists rest through three in a row.
        ask(state, REFRESH, 0, 0, draw_cpu(mem, state) << CPU_SHIFT, 0)
    elif word_at(state, DISABLED) and draw(state) & 1:
        ask(state, ENABLE, 0, 0, 0, 0)
    elif dice < 19:
        ask(state, DRAIN, 0, 0, draw_cpu(mem, state) << CPU_SHIFT, 0)
    elif dice == 19:
        ask(state, DRAIN_ALL, 0, 0, 0, 0)
    elif dice < 23:
        ask(state, AGE, 0, 0, draw_cpu(mem, state) << CPU_SHIFT, 0)
    elif dice < 26:
        ask(state, EXPIRE, 0, 0, draw_cpu(mem, state) << CPU_SHIFT, 0)
    elif dice < 30:
        choose_plug(mem, state)
    else:
        ask(state, DISABLE, 0, 0, 0, 0)
    return True


@kernel
def choose_plug(mem: Memory, state: Words) -> None:
    """Unplug a CPU, or plug in one that is missing."""
    unplugged = word_at(state, UNPLUGGED)
    if unplugged != 0 and draw(state) & 1:
        cpu = draw_below(state, cpus_of(mem))
        while not (cpu < TRACKED and unplugged >> cpu & 1):
            cpu = (cpu + 1) % cpus_of(mem)
        ask(state, PLUG, 0, 0, cpu << CPU_SHIFT, 0)
    else:
        cpu = draw_cpu(mem, state) % TRACKED
        ask(state, UNPLUG, 0, 0, cpu << CPU_SHIFT, 0)


@kernel
def choose_bulk(mem: Memory, state: Words, want: int, pages: int) -> None:
    """Ask for so many slots to be filled, and remember which of them are."""
    filled = 0
    for slot in range(min(pages, TRACKED)):
        if frame_in_array_of(mem, slot) != 0:
            filled |= 1 << slot
    set_word(state, FILLED, filled)
    ask(state, BULK, 0, 0, want & ~COLD, pages)


@kernel
def follow_listed(mem: Memory, state: Words, result: int) -> None:
    """Keep what is remembered in step with what came of a request about CPUs or in bulk."""
    verb = word_at(state, VERB)
    cpu = word_at(state, WANT) >> CPU_SHIFT & CPU_BITS
    unplugged = word_at(state, UNPLUGGED)
    if verb == BULK:
        follow_bulk(mem, state)
    elif result != 0:
        return
    elif verb == UNPLUG and cpu < TRACKED:
        set_word(state, UNPLUGGED, unplugged | 1 << cpu)
    elif verb == PLUG and cpu < TRACKED:
        set_word(state, UNPLUGGED, unplugged & ~(1 << cpu))
    elif verb in (DISABLE, ENABLE):
        set_word(state, DISABLED, verb == DISABLE)


@kernel
def follow_bulk(mem: Memory, state: Words) -> None:
    """Remember the frames of the slots that were filled; of a refused request there are none."""
    for slot in range(min(word_at(state, COUNT), TRACKED)):
        p = frame_in_array_of(mem, slot)
        if p != 0 and word_at(state, FILLED) >> slot & 1 == 0:
            remember(state, p - shift_of(mem), 0)
