"""The second opinion about slabs: how objects of one cache are had and come back, in both designs.

Facts: mm/slub.c and mm/slab.c as they were in each of the eras.
"""

from tests.slabs.plain_parts import (
    FRAME,
    LATE,
    NODE,
    NOWHERE,
    Desk,
    Page,
    Stack,
    Store,
    sized,
    sized_arrays,
)

from pagespec.boot import boot
from pagespec.ops import perform
from pagespec.slab.machine import SlabMachine
from pagespec.slab.verbs import SlabOp
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb


class Keeper:
    """Caches over a zone. cpu: who asks."""

    def __init__(self, machine: SlabMachine) -> None:
        self.machine, self.era = machine, machine.era.name
        self.zone = boot(machine.zone)
        self.stores: dict[int, Store] = {}
        self.withheld: list[list[tuple[int, Store]]] = [[] for _ in range(machine.cpus)]
        self.cpu = 0

    def _page(self, store: Store) -> Page | None:
        frame = self.new_frames(store.order)
        if frame == NO_MEMORY:
            return None
        objects = [frame * FRAME + number * store.size for number in range(store.per_page)]
        page = store.pages[frame] = Page(frame, objects, objects.copy())
        return page

    def new_frames(self, order: int) -> int:
        """A block of the zone, or NO_MEMORY."""
        op = Op(Verb.ALLOC, order, compound=order > 0, cpu=self.on_lists())
        frame = perform(self.zone, op)
        self.zone.log.clear()
        return frame

    def on_lists(self) -> int:
        return self.cpu if self.machine.zone.cpus else 0

    def _drop(self, store: Store, page: Page) -> None:
        assert sorted(page.free) == page.objects, "a slab goes while an object of it is in use"
        del store.pages[page.frame]
        self.free_frames(page.frame, store.order)

    def free_frames(self, frame: int, order: int) -> None:
        assert perform(self.zone, Op(Verb.FREE, order, frame, cpu=self.on_lists())) == 0
        self.zone.log.clear()

    def create(self, op: SlabOp) -> None:
        slub = self.machine.design == "slub"
        store = sized(self.machine, op) if slub else sized_arrays(self.machine, op)
        cpus = range(self.machine.cpus)
        if slub:
            store.desks = [Desk() for _ in cpus]
        else:
            store.stacks = [Stack(store.kept) for _ in cpus]
        self.stores[op.cache] = store

    def destroy(self, op: SlabOp) -> None:
        self.shrink(op, sort=False)
        store = self.stores.pop(op.cache)
        assert not store.pages

    def shrink(self, op: SlabOp, *, sort: bool = True) -> None:
        store = self.stores[op.cache]
        for cpu in range(self.machine.cpus):
            for each in [one for one in self.withheld[cpu] if one[1] is store]:
                self.withheld[cpu].remove(each)
                self._back_at(store, cpu, [each[0]])
        for cpu in range(self.machine.cpus):
            # Each does it itself, so what goes back to the zone goes by its lists.
            self.cpu = cpu
            self._empty(store, cpu)
        self.cpu = op.cpu
        if self.machine.design == "slub":
            self._shrink_node(store, sort)
        else:
            if store.common is not None:
                self._to_pages(store, store.common, len(store.common.free))
            while store.whole:
                self._drop(store, store.whole.pop())

    def _shrink_node(self, store: Store, sort: bool) -> None:
        gone = [page for page in store.node if len(page.free) == store.per_page]
        rest = [page for page in store.node if page not in gone]
        if sort:
            few = [page for page in rest if len(page.free) <= 32]
            rest = [page for page in rest if page not in few]
            for count in range(32, 0, -1):
                rest = [page for page in few if len(page.free) == count][::-1] + rest
        store.node = rest
        for page in gone[::-1]:
            self._drop(store, page)

    def flush(self, op: SlabOp) -> None:
        stores = [*self.stores.values()][::-1]
        for store in stores:
            self._empty(store, op.cpu)
        for store in stores:
            while store.whole:
                self._drop(store, store.whole.pop())

    def _empty(self, store: Store, cpu: int) -> None:
        """A CPU gives up what it has of a cache."""
        if store.stacks:
            self._to_pages(store, store.stacks[cpu], len(store.stacks[cpu].free))
            return
        desk = store.desks[cpu]
        if desk.page is not None:
            self._give_up(store, desk)
        self._to_node(store, desk)

    def _give_up(self, store: Store, desk: Desk) -> None:
        page = desk.page
        assert page is not None
        mine, remote = desk.free, page.free
        # In 5.8 one object after the other goes on the slab's list.
        page.free = (mine[::-1] if self.era == "5.8" else mine) + remote
        desk.page, desk.free = None, []
        page.at = NOWHERE
        if len(page.free) == store.per_page and len(store.node) >= store.spare:
            self._drop(store, page)
        elif page.free:
            page.at = NODE
            store.node.insert(len(store.node) if remote else 0, page)

    def _to_node(self, store: Store, desk: Desk) -> None:
        """All partial slabs of a CPU go to the node, the empty ones only if it has few."""
        pages, desk.more = desk.more, []
        gone = []
        for page in pages:
            page.sum = 0
            if len(page.free) == store.per_page and len(store.node) >= store.spare:
                page.at = NOWHERE
                gone.append(page)
            else:
                page.at = NODE
                store.node.append(page)
        for page in gone[::-1]:
            self._drop(store, page)

    def reap(self, op: SlabOp) -> None:
        for store in [*self.stores.values()][::-1]:
            self._thin(store, store.stacks[op.cpu])
            if store.common is not None:
                self._thin(store, store.common)
            if store.node_used:
                store.node_used = False
                continue
            for _ in range(-(-store.spare // (5 * store.per_page))):
                if store.whole:
                    self._drop(store, store.whole.pop())

    def _thin(self, store: Store, stack: Stack) -> None:
        if not stack.free:
            return
        if stack.used:
            stack.used = False
            return
        count = (stack.room + 4) // 5
        self._to_pages(
            store, stack, count if count <= len(stack.free) else (len(stack.free) + 1) // 2
        )

    def take(self, store: Store) -> int | None:
        return self._take_stack(store) if store.stacks else self._take_desk(store)

    def _take_desk(self, store: Store) -> int | None:
        desk = store.desks[self.cpu]
        while not desk.free:
            if desk.page is None and not self._sit_down(store, desk):
                return None
            assert desk.page is not None
            desk.free, desk.page.free = desk.page.free, []
            if not desk.free:
                desk.page.at = NOWHERE
                desk.page = None
        return desk.free.pop(0)

    def _sit_down(self, store: Store, desk: Desk) -> bool:
        """The next slab to serve from: of the CPU, of the node, or a new one."""
        if desk.more:
            desk.page = desk.more.pop(0)
            desk.page.sum = 0
            return True
        if store.node:
            desk.page = store.node.pop(0)
            desk.page.at = self.cpu
            self._take_along(store, desk, len(desk.page.free))
            return True
        page = self._page(store)
        if page is not None:
            desk.page = page
            page.at = self.cpu
        return page is not None

    def _take_along(self, store: Store, desk: Desk, free: int) -> None:
        slabs = -(-2 * store.kept // store.per_page)
        count = 0
        while store.node:
            over = count > slabs // 2 if self.era in LATE else free > store.kept // 2
            if over or (self.era == "6.12" and not slabs):
                return
            page = store.node.pop(0)
            free += len(page.free)
            count += 1
            self._keep(store, desk, page)

    def _keep(self, store: Store, desk: Desk, page: Page) -> None:
        behind = desk.more[0].sum if desk.more else 0
        page.at, page.sum = self.cpu, behind + len(page.free)
        desk.more.insert(0, page)

    def back(self, store: Store, chain: list[int]) -> None:
        """Objects of one slab, the one to be served first in front."""
        if store.stacks:
            for address in chain:
                self._back_stack(store, address)
            return
        desk = store.desks[self.cpu]
        page = self._page_of(store, chain[0])
        if desk.page is page:
            desk.free[:0] = chain
            return
        was_full = not page.free
        page.free[:0] = chain
        if isinstance(page.at, int):
            return
        if was_full:
            full = (
                len(desk.more) >= -(-2 * store.kept // store.per_page)
                if self.era in LATE
                else bool(desk.more) and desk.more[0].sum > store.kept
            )
            if desk.more and full:
                old = Desk(more=desk.more)
                desk.more = []
                self._keep(store, desk, page)
                self._to_node(store, old)
            else:
                self._keep(store, desk, page)
            if self.era == "5.8" and not store.kept:
                self._to_node(store, desk)
        elif len(page.free) == store.per_page and len(store.node) >= store.spare:
            store.node.remove(page)
            self._drop(store, page)

    def _back_at(self, store: Store, cpu: int, chain: list[int]) -> None:
        asking, self.cpu = self.cpu, cpu
        self.back(store, chain)
        self.cpu = asking

    def _page_of(self, store: Store, address: int) -> Page:
        return next(page for page in store.pages.values() if address in page.objects)

    def _take_stack(self, store: Store) -> int | None:
        stack = store.stacks[self.cpu]
        if not stack.free:
            self._refill(store, stack)
        if not stack.free:
            return None
        stack.used = True
        return stack.free.pop()

    def _refill(self, store: Store, stack: Stack) -> None:
        batch = store.batch if stack.used else min(store.batch, 16)
        common = store.common
        if common is not None and common.free:
            count = min(batch, len(common.free))
            stack.free = common.free[-count:]
            del common.free[-count:]
            common.used = True
            return
        while len(stack.free) < batch and (store.node or store.whole):
            if not store.node:
                store.node_used = True
            page = (store.node or store.whole).pop(0)
            self._move(store, page, stack, batch - len(stack.free))
        if not stack.free:
            # Whoever looked among empty slabs and found none has marked the node as used, too.
            page_or_none = self._page(store)
            if page_or_none is not None:
                self._move(store, page_or_none, stack, batch)

    def _move(self, store: Store, page: Page, stack: Stack, count: int) -> None:
        stack.free += page.free[:count]
        del page.free[:count]
        page.at = NODE if page.free else NOWHERE
        if page.free:
            store.node.insert(0, page)

    def _back_stack(self, store: Store, address: int) -> None:
        stack = store.stacks[self.cpu]
        if len(stack.free) == stack.room:
            common = store.common
            space = common.room - len(common.free) if common is not None else 0
            count = min(store.batch, space) if space else store.batch
            if common is not None and space:
                common.free += stack.free[:count]
                del stack.free[:count]
            else:
                self._to_pages(store, stack, count)
        stack.free.append(address)

    def _to_pages(self, store: Store, stack: Stack, count: int) -> None:
        """The oldest objects of an array go back to their slabs, and slabs too many go."""
        back, stack.free = stack.free[:count], stack.free[count:]
        for address in back:
            page = self._page_of(store, address)
            for pages in (store.node, store.whole):
                if page in pages:
                    pages.remove(page)
            page.free.insert(0, address)
            if len(page.free) == store.per_page:
                store.whole.insert(0, page)
            else:
                store.node.append(page)
        gone: list[Page] = []
        free = sum(len(page.free) for page in store.pages.values())
        while store.whole and free - len(gone) * store.per_page > store.spare:
            gone.append(store.whole.pop())
        for page in gone[::-1]:
            self._drop(store, page)
