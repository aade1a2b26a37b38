"""The text of a trace of slabs, for what reads it and what spoils it."""

TEXT = """pagefuzz-trace 1
# seed 1
slabs era=5.15 pages=64 top=3 start=1 min_free=8 cpus=2 lists=1 design=slab \
scheme=objects present=8 groups=2 limit=0
create cache=1 size=1024 order=0 kept=4 partials=0 batch=2 shared=1
create cpu=1 cache=2 size=256
group group=1
a = alloc cpu=1 cache=1 group=1 -> address 4096
b,c,d = allocbulk cache=1 objects=3 -> objects 3
freebulk c,0,b cpu=1 cache=1 withheld=c,b -> done
freebulk 8192,a+8
freebulk
free d+8 -> refused NOT_OBJECT
free a withheld=a
e = large order=1 -> none
allocbulk cache=2 objects=0 group=2 -> objects 0
release cpu=1
flush cpu=1
reap
shrink cache=1
offline group=1
destroy cache=1
expect OUT-fault
"""
"""A request of each verb, and each of their words."""

HEAD = "pagefuzz-trace 1\nslabs era=5.15 pages=64 top=3 start=1 cpus=1 design=slub\n"
"""What is said before the requests, if no more than need be."""
