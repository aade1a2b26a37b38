"""Allocators for `--target tests/fuzz/targets.py:NAME`: right ones, odd ones, deadly ones."""

import os
import signal

from tests.target.allocators import Called

from pagespec.laws.outside import Promises
from pagespec.machine import Machine
from pagespec.types import DomainError, Order, Pfn
from pagespec.zone import Held


class Least:
    """Alloc and free, and nothing else."""

    def __init__(self, machine: Machine) -> None:
        self.spec = Called(machine)

    def alloc(self, order: Order) -> Pfn | None:
        return self.spec.alloc(order)

    def free(self, pfn: Pfn, order: Order) -> None:
        self.spec.free(pfn, order)


class Leaks(Least):
    """Forgets single frames."""

    def free(self, pfn: Pfn, order: Order) -> None:
        if order or pfn not in self.spec.zone.held:
            super().free(pfn, order)


class Exits(Called):
    """Ends its process when it is asked for a block of order 1 while one is held."""

    def alloc(self, order: Order) -> Pfn | None:
        if order == 1 and self.zone.held:
            os._exit(0)
        return super().alloc(order)


class Dies(Called):
    """Kills its process likewise, as the system does when memory runs out."""

    def alloc(self, order: Order) -> Pfn | None:
        if order == 1 and self.zone.held:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().alloc(order)


class DiesOnce(Called):
    """Kills its process the first time only: a file beside it remembers."""

    def alloc(self, order: Order) -> Pfn | None:
        flag = os.environ["DIES_ONCE"]
        if not os.path.exists(flag):
            open(flag, "x").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().alloc(order)


class Modern(Called):
    """Takes no machine of the old design, and none with holes."""

    def __init__(self, machine: Machine) -> None:
        if machine.era.design == "bitmap" or machine.holes:
            raise DomainError("tags and whole zones only")
        super().__init__(machine)


class Leaves(Called):
    """Raises what no `except Exception` catches."""

    def alloc(self, order: Order) -> Pfn | None:
        if order == 1 and self.zone.held:
            raise SystemExit(0)
        return super().alloc(order)


class Unmade(Least):
    """Cannot be made."""

    def __init__(self, machine: Machine) -> None:
        raise RuntimeError("no ledger")


class Boasts(Least):
    """Promises in a form of its own."""

    promises = "exact"


class Wavers(Least):
    """Fails now and then, whatever is asked: no two runs are alike."""

    def alloc(self, order: Order) -> Pfn | None:
        return None if os.urandom(1)[0] < 32 else super().alloc(order)


class Hoards(Least):
    """Keeps single frames until everything is back; promises no more than that."""

    promises = Promises(merges_eagerly=False)

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.kept: list[Pfn] = []

    def alloc(self, order: Order) -> Pfn | None:
        if order == 0 and self.kept:
            return self.kept.pop()
        return super().alloc(order)

    def free(self, pfn: Pfn, order: Order) -> None:
        if order == 0 and self.spec.zone.held.get(pfn) == Held(0, 1, False):
            if pfn in self.kept:
                raise ValueError(f"{pfn} is kept")
            self.kept.append(pfn)
        else:
            super().free(pfn, order)
        if len(self.kept) == len(self.spec.zone.held):
            while self.kept:
                super().free(self.kept.pop(), 0)


class Interrupts(Called):
    """Raises what Ctrl-C raises."""

    def alloc(self, order: Order) -> Pfn | None:
        raise KeyboardInterrupt
