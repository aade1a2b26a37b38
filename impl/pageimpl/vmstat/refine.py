"""From the twin's memory to the spec's state of counters, by reading every raw field."""

import numpy as np
import numpy.typing as npt

from pageimpl.vmstat.choices import LONG, S8, S16, TELL_PLACE, TELL_TOTAL, U16, WRITE_CELL
from pageimpl.vmstat.state import (
    AREAS_FIRST,
    LINE,
    CounterMemory,
    area_stride_of,
    cell_offset_of,
    cpus_of,
    drift_mark_of,
    first_place_of,
    high_of,
    left_of,
    low_of,
    min_free_of,
    min_of,
    node_threshold_of,
    nr_places_of,
    numa_on_of,
    pages_of,
    reclaiming_of,
    running_of,
    stage_of,
    told_of,
    told_times_of,
    total_of,
    update_cpu_of,
    update_pages_of,
    update_place_of,
    updates_first_of,
    updates_of,
    width_of,
    writes_cell_of,
    zone_threshold_of,
    zones_of,
)
from pageimpl.vmstat.twin import CounterTwin
from pageimpl.vmstat.verbs import ITEMS
from pagespec.vmstat.counters import Counters, Stage, Update
from pagespec.watermark.marks import Marks

STAGES = {TELL_PLACE: Stage.PLACE, TELL_TOTAL: Stage.TOTAL, WRITE_CELL: Stage.CELL}

TYPES = {S8: np.int8, S16: np.int16, U16: np.uint16, LONG: np.int64}
"""What numpy calls a cell of each width."""


def _areas(memory: CounterMemory) -> npt.NDArray[np.uint8]:
    """The bytes of the CPUs' areas, a row each."""
    stride = area_stride_of(memory)
    end = AREAS_FIRST + cpus_of(memory) * stride
    return memory.array[AREAS_FIRST:end].reshape(-1, stride)


def _cells(memory: CounterMemory) -> list[list[int]]:
    """Per CPU and counter, what the cell holds."""
    areas = _areas(memory)
    columns = []
    for item in range(len(ITEMS)):
        count = nr_places_of(memory, item)
        if count:
            form = np.dtype(TYPES[width_of(memory, item)])
            first = cell_offset_of(memory, first_place_of(memory, item))
            block = areas[:, first : first + count * form.itemsize]
            columns.append(block.view(form).astype(np.int64))
    cells: list[list[int]] = np.concatenate(columns, axis=1).tolist()
    return cells


def _update(memory: CounterMemory, u: int) -> Update:
    return Update(
        place=update_place_of(memory, u),
        pages=update_pages_of(memory, u),
        cpu=update_cpu_of(memory, u),
        stage=STAGES[stage_of(memory, u)],
        left=left_of(memory, u) if writes_cell_of(memory, u) else None,
    )


def counters_of(twin: CounterTwin) -> Counters:
    """The counters that the twin's memory stands for."""
    memory, machine = twin.memory, twin.machine
    zones = range(zones_of(memory))
    first, stride = updates_first_of(memory), area_stride_of(memory)
    return Counters(
        machine=machine,
        places=twin.places,
        totals={
            item: total_of(memory, number)
            for number, item in enumerate(ITEMS)
            if nr_places_of(memory, number)
        },
        told=[told_of(memory, place) for place in range(len(twin.places))],
        cells=_cells(memory),
        updates=[_update(memory, first + at * LINE) for at in range(updates_of(memory))],
        running={
            cpu for cpu in range(cpus_of(memory)) if running_of(memory, AREAS_FIRST + cpu * stride)
        },
        min_free=min_free_of(memory),
        pages=[pages_of(memory, zone) for zone in zones],
        marks=[Marks(min_of(memory, z), low_of(memory, z), high_of(memory, z)) for z in zones],
        thresholds=[zone_threshold_of(memory, zone) for zone in zones],
        node_thresholds={node: node_threshold_of(memory, node) for node in machine.nodes},
        drift_marks=[drift_mark_of(memory, zone) for zone in zones],
        reclaiming={node for node in machine.nodes if reclaiming_of(memory, node)},
        numa_on=numa_on_of(memory) != 0,
        told_times=told_times_of(memory),
    )
