"""How fast things start: plain commands, warm and cold ``cue mcp``, the cost of the shim, an idle daemon."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks._start_agent import CUE, INITIALIZE, Ground, ground

ROUNDS = 40
CALLS = 400
COLD_ROUNDS = 5
IDLE_SECONDS = 10.0


def main() -> None:
    with ground() as place:
        print(f"{'':44}{'ours':>9}{'bound':>9}")
        plain_commands(place)
        short_commands(place)
        warm_start(place)
        added_cost(place)
        cold_start(place)
        idle_daemon(place)


def report(what: str, value: float, bound: float, unit: str) -> None:
    verdict = "" if value <= bound else "  MISSED"
    print(f"{what:44}{value:>7.2f}{unit:>3}{bound:>7.2f}{unit:>3}{verdict}")


def cpu(command: list[str], place: Ground) -> float:
    process = subprocess.Popen(command, cwd=place.folder, env=place.environ, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return 1000 * (usage.ru_utime + usage.ru_stime)


def plain_commands(place: Ground) -> None:
    bare = [sys.executable, "-c", "pass"]
    commands = {
        "cue --version": ["--version"],
        "cue --help": ["--help"],
        "cue clean": ["clean"],
        "cue daemon status": ["daemon", "status"],
    }
    times: dict[str, list[float]] = {name: [] for name in ("python", *commands)}
    for _ in range(ROUNDS // 2):
        times["python"].append(cpu(bare, place))
        for name, arguments in commands.items():
            times[name].append(cpu([CUE, *arguments], place))
    for name in commands:
        ratio = min(times[name]) / min(times["python"])
        report(f"{name}, CPU against python -c pass", ratio, 2.5, "x")


def short_commands(place: Ground) -> None:
    """Commands in an empty workspace, to their exit: the first time in a process of their own, then warm."""
    commands = [
        "card --help",
        "card list",
        "task list",
        "todo list",
        "memory list",
        "search word --mode keyword",
    ]
    commands += ["links word", "workflow list", "doctor", "memory search word"]
    alone = {**place.environ, "CUEDECK_DAEMON__STANDBY": "false"}
    for _ in range(2):  # the second one starts it
        place.cue("card", "list")
    while not (standby := place.status()["standby"]):
        time.sleep(0.05)
    print(f"standby: {standby[0]['memory_bytes'] / 1e6:.0f} MB")
    for command in commands:
        line = [CUE, *command.split()]
        python, first, warm = [], [], []
        used = processor_seconds(standby[0]["pid"], children=True)
        for number in range(ROUNDS // 2):
            python.append(spawn_to_exit(place))
            warm.append(spawn_to_exit(place, line))
            if number < COLD_ROUNDS:
                first.append(spawn_to_exit(place, line, alone))
        used = processor_seconds(standby[0]["pid"], children=True) - used
        middle = statistics.median(python)
        told = (
            f"{statistics.median(first) / middle:.1f}x alone, {statistics.median(warm) / middle:.2f}x median"
        )
        print(f"{command}: {told}, the standby's CPU {1000 * used / len(warm):.0f} ms")
        report(f"cue {command}, warm, best", min(warm) / min(python), 2.5, "x")


def spawn_to_reply(place: Ground) -> float:
    began = time.perf_counter()
    agent = place.agent()
    agent.send(INITIALIZE)
    agent.line()
    elapsed = time.perf_counter() - began
    agent.leave()
    return 1000 * elapsed


def spawn_to_exit(
    place: Ground, command: list[str] | None = None, environ: dict[str, str] | None = None
) -> float:
    began = time.perf_counter()
    subprocess.run(
        command or [sys.executable, "-c", "pass"],
        cwd=place.folder,
        env=environ or place.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return 1000 * (time.perf_counter() - began)


def warm_start(place: Ground) -> None:
    for _ in range(3):
        spawn_to_reply(place)
    ours, bare = [], []
    for _ in range(ROUNDS):
        bare.append(spawn_to_exit(place))
        ours.append(spawn_to_reply(place))
    best = min(ours) / min(bare)
    middle = statistics.median(ours) / statistics.median(bare)
    print(f"warm cue mcp: min {min(ours):.1f} ms, python -c pass: min {min(bare):.1f} ms")
    report("warm cue mcp to initialize reply, best", best, 2.0, "x")
    report("warm cue mcp to initialize reply, median", middle, 2.0, "x")


def added_cost(place: Ground) -> None:
    """The same smallest request through shim and daemon, and in one process, in turns."""
    through, within = place.agent(), place.agent("--no-daemon")
    times: dict[str, list[float]] = {"daemon": [], "process": []}
    through.initialize()
    within.initialize()
    for _ in range(CALLS):
        for name, agent in (("daemon", through), ("process", within)):
            began = time.perf_counter()
            agent.ping()
            times[name].append(1000 * (time.perf_counter() - began))
    through.leave()
    within.leave()
    daemon, process = statistics.median(times["daemon"]), statistics.median(times["process"])
    print(f"one request: p50 {daemon:.2f} ms through the daemon, {process:.2f} ms in-process")
    report("added cost per call, p50", daemon - process, 0.5, "ms")


def cold_start(place: Ground) -> None:
    times, used = [], []
    for _ in range(COLD_ROUNDS):
        place.cue("daemon", "stop")
        times.append(spawn_to_reply(place) / 1000)
        used.append(processor_seconds(place.status()["pid"]))
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    print(f"cold start: processor time {min(used):.2f} s; the machine's load per core is {load:.1f}")
    report("cold start of the daemon, best", min(times), 2.0, "s")
    report("cold start of the daemon, median", statistics.median(times), 2.0, "s")


def idle_daemon(place: Ground) -> None:
    agent = place.agent().initialize()
    # The engines begin two seconds after the first client.
    time.sleep(6)
    pid = place.status()["pid"]
    memory = place.status()["memory_bytes"] / 1e6
    before = processor_seconds(pid)
    time.sleep(IDLE_SECONDS)
    used = processor_seconds(pid) - before
    agent.leave()
    report("idle daemon with one client, memory", memory, 120, "MB")
    # The watcher and the clock of the workflows look up once or twice a second.
    report("idle daemon with one client, CPU", 100 * used / IDLE_SECONDS, 0.5, "%")


def processor_seconds(pid: int, *, children: bool = False) -> float:
    """Of a process, and of the children that it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if children else 13])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
