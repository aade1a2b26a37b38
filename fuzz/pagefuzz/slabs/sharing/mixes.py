"""Which objects groups ask for: sizes, and how often each is asked for among the others."""

import re
from typing import NamedTuple

from pagefuzz.errors import UsageError
from pagespec.slab.machine import MAX_CACHES

LARGEST = 2**17
"""The largest object in bytes; larger ones are frames by themselves anyway."""

MOST_WEIGHT = 10**9


class Kind(NamedTuple):
    """Objects of one cache. size: bytes from one to the next. weight: how often it is asked for."""

    name: str
    size: int
    weight: int = 1


class Mix(NamedTuple):
    """What groups ask for, and where that is from."""

    source: str
    kinds: tuple[Kind, ...]


FILES = Mix(
    "a public slabtop listing of a desktop with ext4 (E. Poškus, slabtop - kernel slab cache "
    "information in real time): its largest caches, by their active objects; sizes, which it "
    "rounds, are those that give its objects per slab",
    (
        Kind("dentry", 192, 1_639_083),
        Kind("buffer_head", 104, 519_564),
        Kind("kmalloc-32", 32, 432_640),
        Kind("kmalloc-128", 128, 401_655),
        Kind("ext4_extent_status", 40, 335_756),
        Kind("ext4_inode_cache", 1080, 325_687),
        Kind("ecryptfs_inode_cache", 1024, 216_070),
        Kind("proc_inode_cache", 624, 192_576),
        Kind("kmalloc-64", 64, 116_329),
        Kind("radix_tree_node", 576, 72_290),
        Kind("vm_area_struct", 200, 51_332),
        Kind("inode_cache", 568, 22_881),
        Kind("kmalloc-1024", 1024, 18_001),
    ),
)

KMALLOC = Mix(
    "the sizes of kmalloc in mm/slab_common.c, 5.8, each asked for as often",
    tuple(
        Kind(f"kmalloc-{size}", size)
        for size in (8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192)
    ),
)

BENCH = Mix(
    "the objects of slab_bulk_test01, by which the thread of 2020 was measured",
    (Kind("256 bytes", 256),),
)

MIXES: dict[str, Mix] = {"files": FILES, "kmalloc": KMALLOC, "bench": BENCH}


def read_mix(text: str) -> Mix:
    """The mix of that name, or of sizes as in 256 or 64:3,1024. Raises UsageError."""
    if text in MIXES:
        return MIXES[text]
    words = text.split(",")
    if len(words) > MAX_CACHES:
        raise UsageError(f"{len(words)} sizes: expected 1 to {MAX_CACHES}")
    return Mix("as asked", tuple(_read_kind(text, word) for word in words))


def _read_kind(text: str, word: str) -> Kind:
    read = re.fullmatch("([0-9]{1,9})(?::([0-9]{1,10}))?", word)
    size, weight = (int(read[1]), int(read[2] or 1)) if read else (0, 0)
    if not 8 <= size <= LARGEST or not 1 <= weight <= MOST_WEIGHT or size % 8:
        raise UsageError(
            f"{text!r} is no mix; expected {', '.join(MIXES)}, or sizes of 8 to {LARGEST} bytes "
            f"that are multiples of 8, each with its weight of 1 to {MOST_WEIGHT} behind a colon "
            "if it is not 1, as in 64:3,1024"
        )
    return Kind(f"{size} bytes", size, weight)
