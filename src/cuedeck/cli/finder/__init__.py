"""``cue open``: what can be found, how it ranks, and the picker around it."""
