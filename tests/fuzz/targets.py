"""Allocators for `--target tests/fuzz/targets.py:NAME`: right ones, odd ones, deadly ones."""

import os
import signal

from pagefuzz.target.builtin import Spec
from pagespec.machine import Machine
from pagespec.types import DomainError, Order, Pfn


class Least:
    """Alloc and free, and nothing else."""

    def __init__(self, machine: Machine) -> None:
        self.spec = Spec(machine)

    def alloc(self, order: Order) -> Pfn | None:
        return self.spec.alloc(order)

    def free(self, pfn: Pfn, order: Order) -> None:
        self.spec.free(pfn, order)


class Leaks(Least):
    """Forgets single frames."""

    def free(self, pfn: Pfn, order: Order) -> None:
        if order or pfn not in self.spec.zone.held:
            super().free(pfn, order)


class Exits(Spec):
    """Ends its process when it is asked for a block of order 1 while one is held."""

    def alloc(self, order: Order) -> Pfn | None:
        if order == 1 and self.zone.held:
            os._exit(0)
        return super().alloc(order)


class Dies(Spec):
    """Kills its process likewise, as the system does when memory runs out."""

    def alloc(self, order: Order) -> Pfn | None:
        if order == 1 and self.zone.held:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().alloc(order)


class DiesOnce(Spec):
    """Kills its process the first time only: a file beside it remembers."""

    def alloc(self, order: Order) -> Pfn | None:
        flag = os.environ["DIES_ONCE"]
        if not os.path.exists(flag):
            open(flag, "x").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().alloc(order)


class Modern(Spec):
    """Takes no machine of the old design, and none with holes."""

    def __init__(self, machine: Machine) -> None:
        if machine.era.design == "bitmap" or machine.holes:
            raise DomainError("tags and whole zones only")
        super().__init__(machine)
