"""Builds the scene of a workspace and writes it to ``.cuedeck/SCENE.md``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import confine, make_folders, replace_file
from cuedeck.scene.compose import Scene, compose
from cuedeck.scene.sources import SourceFinder
from cuedeck.tasks.card import CardStatus

if TYPE_CHECKING:
    from cuedeck.config.sections import SceneSection
    from cuedeck.documents.engine import Documents
    from cuedeck.tasks.cards import Cards

SCENE_FILE = ".cuedeck/SCENE.md"


class Scenes:
    """One snapshot after another of what an agent should know."""

    def __init__(
        self, root: Path, documents: Documents, cards: Cards, section: SceneSection, *, token_limit: int
    ) -> None:
        self._root = root
        self._documents = documents
        self._cards = cards
        self._section = section
        self._token_limit = token_limit

    def build(self, *, token_limit: int | None = None) -> Scene:
        """The scene as of now."""
        self._documents.freshness.ensure(patience=None)
        snapshot = self._cards.snapshot()
        active = [card for card in snapshot.cards.values() if card.status is CardStatus.ACTIVE]
        finder = SourceFinder(
            self._root,
            snapshot,
            self._documents.outgoing,
            self._documents.index.markdown_paths(),
            depth=self._section.depth,
        )
        limit = self._token_limit if token_limit is None else token_limit
        sources = finder.find(active)
        with self._documents.token_counts.counting() as count:
            return compose(sources, limit=limit, patterns=self._section.secret_patterns, count=count)

    def write(self, scene: Scene) -> Path:
        """Put a scene into the workspace, unless it is there already."""
        if (self._root / SCENE_FILE).is_symlink():
            raise CueError(
                ErrorCode.VALIDATION,
                f"{SCENE_FILE} is a link and is not written through",
                data={"path": SCENE_FILE},
                hint="Remove the link; it may have come with a clone.",
            )
        target = confine(self._root, SCENE_FILE)
        make_folders(target.root, target.absolute.parent)
        data = scene.text.encode()
        if not target.absolute.is_file() or target.absolute.read_bytes() != data:
            replace_file(target, data)
        return target.absolute
