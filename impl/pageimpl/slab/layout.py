"""Where a machine's caches lie in their memory, and the state before the first of them."""

from pageimpl.memory import Memory, Words
from pageimpl.slab.choices import CHARGES, DESIGNS, NO_LIMIT, SCHEMES
from pageimpl.slab.state import (
    FRAME_WORDS,
    LINE,
    ROWS_FIRST,
    WORD,
    Pages,
    SlabMemory,
    records_of,
    set_base,
    set_charge,
    set_counted_cpus,
    set_cpu_rows,
    set_cpus,
    set_design,
    set_detaches_by_swapping,
    set_end,
    set_group_rows,
    set_groups,
    set_halves_slabs,
    set_keeps_more_partials,
    set_keeps_no_partials,
    set_limit,
    set_next_record,
    set_opens_slow_path,
    set_pages,
    set_records,
    set_scheme,
    set_splices_chains,
    set_table,
    set_undoes_in_bulk,
    set_undoes_unhooked,
)
from pagespec.slab.machine import MAX_CACHES, SlabMachine
from pagespec.types import DomainError

FIRST_ROOM = 64 * LINE
"""Bytes for which the buffer has room at first, behind the table of caches."""

FRAME_BYTES = WORD * FRAME_WORDS


def write_choices(memory: SlabMemory, machine: SlabMachine) -> None:
    """Write what the era and the machine have chosen."""
    era = machine.era
    set_design(memory, DESIGNS[machine.design])
    set_scheme(memory, SCHEMES[machine.scheme])
    set_charge(memory, CHARGES[era.slab_charge])
    set_counted_cpus(memory, machine.counted_cpus)
    set_limit(memory, NO_LIMIT if machine.limit is None else machine.limit)
    set_keeps_more_partials(memory, era.keeps_more_partials)
    set_detaches_by_swapping(memory, era.detaches_by_swapping)
    set_undoes_in_bulk(memory, era.undoes_in_bulk)
    set_undoes_unhooked(memory, era.undoes_unhooked)
    set_opens_slow_path(memory, era.opens_slow_path)
    set_splices_chains(memory, era.splices_chains)
    set_keeps_no_partials(memory, era.keeps_no_partials)
    set_halves_slabs(memory, era.halves_slabs)


def empty_slabs(machine: SlabMachine, zone: Memory, pages: Pages) -> SlabMemory:
    """The memory of a machine without caches, over a zone that has just been handed over.

    Raises DomainError if there is not as much memory as the zone has frames.
    """
    frames = machine.zone.pages
    cpu_rows = ROWS_FIRST + (frames + 1) * LINE
    group_rows = cpu_rows + machine.cpus * LINE
    table = group_rows + (machine.groups + 1) * LINE
    records = table + -(-WORD * (MAX_CACHES + 1) * (machine.groups + 1) // LINE) * LINE
    try:
        words = Words((frames + 1) * FRAME_WORDS)
    except MemoryError:
        raise DomainError(
            f"pages={frames}: objects need {frames * FRAME_BYTES:,} bytes of memory, which this "
            "computer does not give; expected fewer frames"
        ) from None
    memory = SlabMemory(records + FIRST_ROOM, zone, words, pages)
    write_choices(memory, machine)
    set_base(memory, (machine.zone.start - 1) * FRAME_BYTES)
    set_pages(memory, frames)
    set_cpus(memory, machine.cpus)
    set_groups(memory, machine.groups)
    set_cpu_rows(memory, cpu_rows)
    set_group_rows(memory, group_rows)
    set_table(memory, table)
    set_records(memory, records)
    set_next_record(memory, records)
    set_end(memory, memory.size)
    return memory


def with_more_room(memory: SlabMemory, lacking: int) -> SlabMemory:
    """The same state with room for so many more bytes of records, and as many again as before."""
    room = memory.size - records_of(memory)
    larger = SlabMemory(memory.size + room + lacking, memory.zone, memory.objects, memory.pages)
    # The words that say where others lie are the same.
    larger.array[: memory.size] = memory.array
    set_end(larger, larger.size)
    return larger
