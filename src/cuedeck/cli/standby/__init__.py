"""Commands that start at once: a process that has everything loaded, and forks for each of them.

``client`` hands a command over, or says that it must run where it is; ``process`` is what waits; ``child``
becomes the command; ``surroundings`` says who may meet whom. See docs/standby.md.
"""
