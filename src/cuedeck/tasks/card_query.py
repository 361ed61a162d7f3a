"""Which cards to list: a value, apart from how they are found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from cuedeck.tasks.card import Card, CardPriority, CardStatus
from cuedeck.tasks.dates import Period, parse_period


@dataclass(frozen=True, slots=True)
class CardQuery:
    """Every condition given must hold; tags match when one of them does."""

    status: CardStatus | None = None
    assignee: str | None = None
    tags: frozenset[str] = frozenset()
    priority: CardPriority | None = None
    created: Period | None = None
    updated: Period | None = None

    def matches(self, card: Card) -> bool:
        """Whether a card is asked for."""
        return (
            (self.status is None or card.status is self.status)
            and (self.priority is None or card.priority is self.priority)
            and (self.assignee is None or (card.assignee or "").casefold() == self.assignee)
            and (not self.tags or not self.tags.isdisjoint(tag.casefold() for tag in card.tags))
            and (self.created is None or self.created.holds(card.created))
            and (self.updated is None or self.updated.holds(card.updated or card.created))
        )


def card_query(
    *,
    now: datetime,
    status: str | None = None,
    assignee: str | None = None,
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    created: str | None = None,
    updated: str | None = None,
) -> CardQuery:
    """Build a query from the words of a caller; an unusable date filter is refused."""
    return CardQuery(
        status=CardStatus(status) if status else None,
        assignee=assignee.casefold() if assignee is not None else None,
        tags=frozenset(tag.strip().casefold() for tag in tags or ()),
        priority=CardPriority(priority) if priority else None,
        created=None if created is None else parse_period("created", created, now=now),
        updated=None if updated is None else parse_period("updated", updated, now=now),
    )
