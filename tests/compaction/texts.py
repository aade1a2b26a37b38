"""The text of a trace of compaction, for what reads it and what spoils it."""

TEXT = """pagefuzz-trace 1
# seed 1
compaction pages=64 top=3 era=6.1 start=4 holes=9+2 pageblock=2 types=M13UMC cpus=2 batch=1 \
min_free=16 scan=rechecks
a = alloc order=0 cpu=1 -> pfn 5
b = alloc order=1 mt=U -> pfn 12
c = alloc order=0 lru=0
pin a
unpin a cpu=1
stray b number=7
pin pfn=9 -> refused HOLE
compact order=3 -> complete
compact cpu=1 mt=E mode=async killed=1 whole=1 -> contended
d = direct order=2 mt=U lru=0 mode=async killed=1 whole=1 -> none
e = direct order=1
background order=2 -> skipped
f = claim pfn=16 pages=4 cpu=1 -> pfn 16
free f+1 irq=1 -> done
free b order=3 -> refused WRONG_ORDER
free pfn=7 order=1
drainall
rest -> done
expect CMP-undo
"""
"""A request of each verb, and each of their words."""
