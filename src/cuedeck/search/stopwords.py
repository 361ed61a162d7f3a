"""Words that a question is made of but that tell nothing about its answer."""

from __future__ import annotations

# Verbs and directions that name functions (get, show, into, over) are not among them.
_WORDS = """
    a about also am an and any are as at be been being but by can could did do does doing done for
    from had has have having he her here hers him his how i if in is it its just like many may me
    might more most much must my no nor not of on or our ours shall she should so some such than
    that the their theirs them then there these they this those to too us very was we were what when
    where which while who whom whose why will with would you your yours
"""

STOP_WORDS = frozenset(_WORDS.split())
