"""Room for many clients: each is a file descriptor, and the usual limit is meant for ordinary programs."""

from __future__ import annotations

WANTED = 65536


def allow_many_clients() -> None:
    """Use what the system allows, up to far more than is ever needed."""
    try:
        import resource
    except ImportError:
        return  # Windows has no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
