"""All cards at one moment: what a query asks for, and how they hang together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from cuedeck.graph import Cycle, DependencyGraph, dependency_graph, find_cycle, ready
from cuedeck.graph.drawing import Label
from cuedeck.tasks.card import FINISHED, URGENCY, BrokenCard, Card, CardStatus
from cuedeck.tasks.card_query import CardQuery


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The cards next to one in the graph, and ids it names that are no cards."""

    cards: tuple[Card, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class CardSnapshot:
    """Cards by id, most urgent and then newest first, and the files among them that are none."""

    cards: Mapping[str, Card]
    broken: tuple[BrokenCard, ...]

    @cached_property
    def graph(self) -> DependencyGraph:
        """What waits for what."""
        return dependency_graph((card.id, card.depends_on) for card in self.cards.values())

    def matching(self, query: CardQuery) -> list[Card]:
        """The cards a query asks for."""
        return [card for card in self.cards.values() if query.matches(card)]

    def neighbours(self, card_id: str, *, reverse: bool = False) -> Neighbours:
        """What a card depends on, or what depends on it."""
        if reverse:
            return Neighbours(tuple(self.cards[other] for other in self.graph.needed_by[card_id]), ())
        known = tuple(self.cards[other] for other in self.graph.needs[card_id])
        return Neighbours(known, self.graph.missing.get(card_id, ()))

    def cycle(self, card_id: str | None = None) -> Cycle | None:
        """A cycle of the graph, or one that a card leads into."""
        return self._cycle if card_id is None else find_cycle(self.graph, card_id)

    @cached_property
    def _cycle(self) -> Cycle | None:
        return find_cycle(self.graph)

    def ready(self) -> list[Card]:
        """Open cards that nothing holds back."""
        done = [card.id for card in self.cards.values() if card.status in FINISHED]
        open_ = [card.id for card in self.cards.values() if card.status is CardStatus.TODO]
        return [self.cards[card_id] for card_id in ready(self.graph, done=done, open_=open_)]

    def labels(self) -> dict[str, Label]:
        """What a drawing of the graph shows for each card."""
        return {card.id: Label(card.title, card.status) for card in self.cards.values()}


NO_CARDS = CardSnapshot({}, ())


def card_snapshot(found: Iterable[Card | BrokenCard]) -> CardSnapshot:
    """Put what was found in order."""
    cards: list[Card] = []
    broken: list[BrokenCard] = []
    for item in found:
        if isinstance(item, Card):
            cards.append(item)
        else:
            broken.append(item)
    cards.sort(key=_place_in_list)
    broken.sort(key=lambda item: item.name)
    return CardSnapshot({card.id: card for card in cards}, tuple(broken))


def _place_in_list(card: Card) -> tuple[int, float, str]:
    return URGENCY[card.priority], -card.created.timestamp() if card.created else 0.0, card.id
