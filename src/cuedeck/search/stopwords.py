"""Words that a question is made of but that tell nothing about its answer."""

from __future__ import annotations

_WORDS = """
    a about all also am an and any are as at be been being but by can could did do does doing done
    for from get got had has have having he her here hers him his how i if in into is it its just
    like many may me might more most much must my no nor not of on or other our ours out over own
    please shall she should show so some such tell than that the their theirs them then there these
    they this those through to too up us very was we were what when where which while who whom whose
    why will with would you your yours
"""

STOP_WORDS = frozenset(_WORDS.split())
