"""Changes that no sequence of requests can tell from the original, and why.

They look like faults and are none, in this model. A search that found one of them would itself be
faulty; a test searches for each, within bounds.
"""

from typing import NamedTuple

from pagefuzz.museum.mutant import Edit


class Equivalent(NamedTuple):
    """A change that changes nothing, with the reason."""

    id: str
    change: str
    reason: str
    edits: tuple[Edit, ...]


EQUIVALENTS: tuple[Equivalent, ...] = (
    Equivalent(
        "split-to-tail",
        "A split for a request of the list's own type puts the upper halves at the tails.",
        "The lists below the order that serves were empty, or one of them would have served.",
        (
            Edit(
                "buddy",
                "            take(mem, p, order, current, mt)\n",
                "            del_from_free_list(mem, p, current)\n"
                "            for high in range(current - 1, order - 1, -1):\n"
                "                add_half(mem, p + (1 << high), high, mt)\n"
                "                if high >= guard_of(mem):\n"
                "                    list_del(mem, p + (1 << high), high)\n"
                "                    list_add(mem, p + (1 << high), high, mt, True)\n"
                "            account(mem, -(1 << order), mt, False)\n",
            ),
        ),
    ),
    Equivalent(
        "boot-shy-of-the-end",
        "Boot does not hand over a block that would end exactly at the chunk's end, but its parts.",
        "The ordinary free path merges the parts, and nothing else is freed between them.",
        (
            Edit(
                "boot",
                "largest_order_at(p, beyond - p, top)",
                "largest_order_at(p, beyond - p - 1, top)",
            ),
        ),
    ),
    Equivalent(
        "tag-order-at-least",
        "A free block of the buddy's order or more counts as the buddy.",
        "A larger free block that starts at the buddy would cover the block that is being freed.",
        (
            Edit(
                "buddy",
                "return tag_of(mem, p) & ~GUARD == BUDDY | order",
                "return tag_of(mem, p) & ~GUARD >= BUDDY | order",
            ),
        ),
    ),
    Equivalent(
        "parent-as-lower-of-two",
        "The merged block starts at the block or its buddy, whichever is lower.",
        "That is what a parent is.",
        (
            Edit(
                "buddy",
                "        p = parent_of(p, order)\n",
                "        p = min(p, buddy)\n",
            ),
        ),
    ),
    Equivalent(
        "bitmap-index-from-zone-start",
        "Pair bits are counted from the zone's first frame, not from the origin of its span.",
        "The one era with pair bits counts indices from the zone's start, so the two are the same.",
        (
            Edit("bitmap", "p - origin_of(mem)", "p - first_of(mem)"),
            Edit("bitmap", "    origin_of,\n", "    first_of,\n"),
        ),
    ),
    Equivalent(
        "references-added-to-none",
        "A block that is given out gets one reference more than it had.",
        "Free blocks have none: the last one was dropped, or there never was one.",
        (
            Edit(
                "alloc",
                "compound)\n    set_refs(mem, p, 1)\n",
                "compound)\n    set_refs(mem, p, refs_of(mem, p) + 1)\n",
            ),
        ),
    ),
    Equivalent(
        "owner-read-after-the-drop",
        "Whether a block is compound is read after the owner's reference is dropped: LNX-FREE-02, "
        "CVE-2023-52739.",
        "Only another context can free the block between the two. It takes an interleaving, which "
        "a sequence of requests has not: it is `compound-read-after-the-drop`, of the spec.",
        (
            Edit(
                "alloc",
                "    elif owner & COMPOUND == 0 and order > 0:",
                "    elif owner_of(mem, p) & COMPOUND == 0 and order > 0:",
            ),
        ),
    ),
    Equivalent(
        "barrier-of-5-15-asks-one-side",
        "From 4.10 to 5.15 a merge is held back only if the block that is freed is isolated, not "
        "if its buddy is: LNX-ISO-01.",
        "Ranges to isolate are whole largest blocks in these eras, so no block has an isolated "
        "buddy that is free while it is not isolated itself.",
        (Edit("buddy", "return mt == ISOLATE or other == ISOLATE", "return mt == ISOLATE"),),
    ),
)
