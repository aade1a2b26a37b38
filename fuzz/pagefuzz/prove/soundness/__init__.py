"""How far below its mark a zone can fall while the count of its free frames still passes.

`bound` states it, `lemmas` hold for any number of CPUs, `domains` are small machines whose every
state is visited, and `breach` and `witness` are traces of large ones.
"""
