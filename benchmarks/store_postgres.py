"""The store at 100,000 records on PostgreSQL: the figures of `store_bench` on a server of our own.

    python -m benchmarks.store_postgres [--records N] [--postgres URL]

CPU times are the client's; the server's part shows in the wall times.
"""

from __future__ import annotations

import argparse

from benchmarks.store_bench import report
from benchmarks.store_kill import server


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--postgres", help="an existing server, whose database may be filled")
    chosen = parser.parse_args()
    with server(chosen.postgres) as url:
        report(url, chosen.records)


if __name__ == "__main__":
    main()
