"""The second opinion about who pays for objects, by the byte.

Facts: mm/memcontrol.c as it was in each of the eras.
"""

from dataclasses import dataclass

from pagespec.slab.machine import SlabMachine

FRAME = 4096


@dataclass(eq=False)
class Payer:
    """A group: frames charged, bytes that are nobody's, and whether it takes more."""

    frames: int = 0
    rest: int = 0
    open: bool = True
    lost: int = 0
    refs: int = 0


class Purses:
    """What groups are charged, and what each CPU has in stock for which group."""

    def __init__(self, machine: SlabMachine) -> None:
        self.machine, self.era = machine, machine.era.name
        self.payers: dict[int, Payer] = {}
        self.purse: list[list[int]] = [[0, 0] for _ in range(machine.cpus)]

    def close(self, group: int) -> None:
        """It takes no more, and goes as soon as nothing refers to it."""
        self.payers[group].open = False
        self.payers[group].refs += 1
        self.unref(group)

    def unref(self, group: int) -> None:
        payer = self.payers[group]
        payer.refs -= 1
        if not payer.refs and not payer.open:
            payer.frames -= payer.rest // FRAME
            payer.rest %= FRAME
            if not payer.frames:
                del self.payers[group]

    def charge(self, cpu: int, group: int, size: int) -> bool:
        purse, payer = self.purse[cpu], self.payers[group]
        if purse[0] == group and purse[1] >= size:
            purse[1] -= size
            return True
        frames = -(-size // FRAME)
        if self.machine.limit is not None and payer.frames + frames > self.machine.limit:
            return False
        payer.frames += frames
        if size % FRAME:
            self._stock(cpu, group, FRAME - size % FRAME, shrink=False)
        return True

    def uncharge(self, cpu: int, group: int, size: int) -> None:
        self._stock(cpu, group, size, shrink=True)

    def _stock(self, cpu: int, group: int, size: int, *, shrink: bool) -> None:
        purse, payer = self.purse[cpu], self.payers[group]
        if purse[0] != group:
            payer.refs += 1
            self._spill(cpu)
            purse[0], purse[1] = group, payer.rest
            payer.rest = 0
            shrink = True
        purse[1] += size
        if self.era == "5.8" and purse[1] > FRAME:
            self._spill(cpu)
        elif shrink and purse[1] > FRAME:
            payer.frames -= purse[1] // FRAME
            purse[1] %= FRAME

    def _spill(self, cpu: int) -> None:
        """The stock goes back to its group: whole frames are paid back, bytes are its rest."""
        group, size = self.purse[cpu]
        if not group:
            return
        payer = self.payers[group]
        payer.frames -= size // FRAME
        payer.rest += size % FRAME
        self.purse[cpu][:] = [0, 0]
        self.unref(group)
