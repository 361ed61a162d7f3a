"""What ``cue doctor`` says about cards: unusable files, cycles, missing dependencies, orphans, stale ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cuedeck.graph import find_cycles
from cuedeck.model.finding import Finding, Status, passed
from cuedeck.tasks.card import CardStatus
from cuedeck.tasks.card_snapshot import CardSnapshot

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

# Of each kind so many are named, the others counted.
MOST = 50
MAX_CYCLES = 20
STALE_DAYS = 14


def check(workspace: Workspace) -> Iterator[Finding]:
    """Everything about the cards, worst first."""
    snapshot = workspace.cards.snapshot()
    findings = [*_files(snapshot), *_graph(snapshot), *_fields(snapshot)]
    seen: Counter[str] = Counter()
    for finding in findings:
        seen[finding.check] += 1
        if seen[finding.check] <= MOST:
            yield finding
    for name, count in seen.items():
        if count > MOST:
            status = next(finding.status for finding in findings if finding.check == name)
            yield Finding(name, status, f"{count - MOST} more like these")
    if not findings:
        yield passed("cards", f"{len(snapshot.cards)} cards, all usable")


def _files(snapshot: CardSnapshot) -> Iterator[Finding]:
    for broken in snapshot.broken:
        yield Finding(
            "cards",
            Status.WARN if broken.misnamed else Status.FAIL,
            broken.problem.message,
            file=broken.path,
            line=broken.problem.line,
            fix=broken.fix,
        )


def _graph(snapshot: CardSnapshot) -> Iterator[Finding]:
    for cycle in find_cycles(snapshot.graph, limit=MAX_CYCLES):
        yield Finding(
            "card cycle",
            Status.FAIL,
            f"Circular dependency: {' → '.join(cycle)}",
            file=snapshot.cards[cycle[0]].path,
            fix=f"Remove {cycle[1]} from depends_on of {cycle[0]}.",
        )
    for card_id, targets in snapshot.graph.missing.items():
        for target in targets:
            yield Finding(
                "card dependency",
                Status.FAIL,
                f"Depends on '{target}', which does not exist",
                file=snapshot.cards[card_id].path,
                fix=f"Remove {target} from depends_on, or create the card.",
            )


def _fields(snapshot: CardSnapshot) -> Iterator[Finding]:
    now = datetime.now(UTC)
    for card in snapshot.cards.values():
        for problem in card.problems:
            yield Finding("card fields", Status.WARN, problem.message, file=card.path, line=problem.line)
        if card.status is CardStatus.ACTIVE and not card.assignee:
            yield Finding(
                "orphan card",
                Status.WARN,
                f"'{card.title[:60]}' is active and has no assignee",
                file=card.path,
                fix=f"cue card edit {card.id} --assignee NAME",
            )
        days = (now - card.updated).days if card.updated else 0
        if card.status is CardStatus.ACTIVE and days > STALE_DAYS:
            yield Finding(
                "stale card",
                Status.WARN,
                f"'{card.title[:60]}' is active and was not touched for {days} days",
                file=card.path,
                fix=f"Go on with it, or `cue card edit {card.id} --status todo`.",
            )
