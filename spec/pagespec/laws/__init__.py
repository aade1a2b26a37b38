"""The laws: what must hold of a zone, of a request, and of an allocator seen from outside.

Each book holds the laws about one kind of subject, in the order in which they are judged: what a
caller sees, the state between requests, one request, a zone after boot, a zone that everything
was given back to, and the order of the lists.
"""
