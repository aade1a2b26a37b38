"""The text of a trace of counters, for what reads it and what spoils it."""

TEXT = """pagefuzz-trace 1
# seed 1
counters era=6.1 cpus=0,0,1 min_free=64 numa=u16 normal=2 pressure=5 numa_threshold=3
zone node=0 pages=500
zone node=1 pages=40000
mod free zone=0 cpu=1 by=-31 irqs_on=1 open=1
inc isolated node=0 cpu=1 times=5 -> done
dec cma zone=1
land number=0
refresh cpu=1 open=1 -> count 3
plug -> refused BAD_CPU
unplug cpu=2
wake node=0
rest node=1
minfree kbytes=128
resize zone=0 pages=600 silent=1
read free zone=0 close=1 -> count 460
read hit all=1
check zone=0 level=low order=0 reclaim=1 -> yes
take zone=1 cpu=2 level=min order=3 -> no
count zone=0 preferred=1 cpu=2 times=4 interleave=1
numaoff
numaon
expect VM-conserve
"""
"""A request of each verb, and each of their words."""

HEAD = "pagefuzz-trace 1\ncounters era=6.1 cpus=0\n"
"""What is said before the zones, if no more than need be."""
