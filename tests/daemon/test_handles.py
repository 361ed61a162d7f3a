from __future__ import annotations

import resource

import pytest

from cuedeck.daemon.handles import WANTED, allow_many_clients


def test_a_low_limit_is_raised_to_what_the_system_allows() -> None:
    before = soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 512:
        pytest.skip("the limit is low already")
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
    try:
        allow_many_clients()
        allowed = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (allowed, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_generous_limit_is_left_alone() -> None:
    before = _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard <= WANTED:
        pytest.skip("nothing beyond what is wanted is allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (WANTED + 1, hard))
    try:
        allow_many_clients()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (WANTED + 1, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
