"""The folder of cards: parsed once, checked against disk on every question, written atomically."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cuedeck.documents.frontmatter import Problem
from cuedeck.lock import workspace_lock
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import ConfinedPath, confine, make_folders, read_file, refused, replace_file
from cuedeck.tasks.card import CARD_ID, FOLDER, BrokenCard, Card, read_card
from cuedeck.tasks.card_snapshot import NO_CARDS, CardSnapshot, card_snapshot
from cuedeck.tasks.folder_watch import FolderWatch

MAX_BYTES = 2 * 1024 * 1024
_SHORTER = "Keep what is long in a document and name it in refs."
_ROUNDS = 5
# A write in the same clock tick as our read leaves the same status behind; ticks are at most 10 ms.
_TICK_NS = 50_000_000
_O_READ: int = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
)
_BY_DESCRIPTOR = os.stat in os.supports_dir_fd and os.listdir in os.supports_fd

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Known:
    stamp: Stamp | None
    card: Card | BrokenCard


class CardFolder:
    """Reads and writes ``.cuedeck/cards``; safe to use from many threads."""

    def __init__(self, root: Path, *, lock_timeout: float) -> None:
        self._root = root
        self._lock_timeout = lock_timeout
        self._known: dict[str, _Known] = {}
        self._snapshot = NO_CARDS
        self._watch: FolderWatch | None = None
        self._looked = False
        self._guard = threading.Lock()

    def snapshot(self) -> CardSnapshot:
        """Every card as it is on disk now."""
        with self._guard, _told("read"):
            if self._watch is not None and self._watch.quiet():
                return self._snapshot
            try:
                place = _Place.open(self._root)
            except FileNotFoundError:
                self._known, self._snapshot, self._watch = {}, NO_CARDS, None
                return self._snapshot
            with place:
                self._watch_after_first_look(place)
                changed = self._refresh(place)
            if changed:
                self._snapshot = card_snapshot(known.card for known in self._known.values())
            return self._snapshot

    def read(self, card_id: str) -> tuple[Card, bytes]:
        """One card and its file's bytes."""
        path = self._path(card_id)
        if not path.absolute.is_file():
            raise no_card(card_id)
        data = read_file(path).data
        return self.parsed(card_id, data), data

    def is_free(self, card_id: str) -> bool:
        """Whether no file has that id."""
        return not os.path.lexists(self._root / FOLDER / f"{card_id}.md")

    def create(self, card_id: str, data: bytes) -> None:
        """Write a new card under a free id. The caller holds the lock."""
        path = self._path(card_id)
        _check_size(data)
        with _told("written"):
            make_folders(path.root, path.absolute.parent)
            replace_file(path, data)

    def change(self, card_id: str, edit: Callable[[Card, bytes], bytes]) -> Card:
        """Apply an edit to the card as it is now, again if somebody else wrote meanwhile."""
        with self.locked():
            for remaining in reversed(range(_ROUNDS)):
                card, data = self.read(card_id)
                edited = edit(card, data)
                _check_size(edited)
                try:
                    if edited != data:
                        with _told("written"):
                            replace_file(self._path(card_id), edited, expected=data)
                except CueError as error:
                    if error.code is not ErrorCode.STALE_CACHE or not remaining:
                        raise
                else:
                    return self.parsed(card_id, edited)
        raise AssertionError("the last round returns or raises")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the workspace's write lock."""
        with ExitStack() as held:
            with _told("written"):
                held.enter_context(workspace_lock(self._root, timeout=self._lock_timeout))
            yield

    def parsed(self, card_id: str, data: bytes) -> Card:
        """A card's bytes as a card, or why they are none."""
        card = read_card(card_id, data)
        if isinstance(card, BrokenCard):
            raise _unreadable(card)
        return card

    def _path(self, card_id: str) -> ConfinedPath:
        if not CARD_ID.fullmatch(card_id):
            raise no_card(card_id[:100])
        path = confine(self._root, f"{FOLDER}/{card_id}.md")
        if path.relative != f"{FOLDER}/{card_id}.md":
            raise refused(f"{FOLDER}/{card_id}.md", "it is a symlink")
        return path

    def _watch_after_first_look(self, place: _Place) -> None:
        """One look needs no watch; whoever looks again will look often. Watch first, so nothing slips by."""
        if self._looked and (self._watch is None or not self._watch.valid()):
            self._watch = FolderWatch(Path(place.path))
        self._looked = True

    def _refresh(self, place: _Place) -> bool:
        """Bring what is known up to date; whether anything changed."""
        known: dict[str, _Known] = {}
        changed = False
        for name, status in place.entries():
            before = self._known.get(name)
            if before is None or before.stamp != _stamp(status):
                before = _read(place, name, status)
                changed = True
            known[name] = before
        changed = changed or known.keys() != self._known.keys()
        self._known = known
        return changed


class _Place:
    """The cards' folder, opened once so that every name is looked up inside it."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def open(cls, root: Path) -> _Place:
        path = confine(root, FOLDER)
        if path.relative != FOLDER:
            raise refused(FOLDER, "it is a symlink")
        if not _BY_DESCRIPTOR:
            if not path.absolute.is_dir():
                raise FileNotFoundError(FOLDER)
            return cls(str(path.absolute), None)
        return cls(str(path.absolute), os.open(path.absolute, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    def __enter__(self) -> _Place:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def entries(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every markdown file and its status; names inside an open folder are looked up fastest."""
        names = os.listdir(self.path if self._descriptor is None else self._descriptor)  # noqa: PTH208
        for name in names:
            if name.endswith(".md") and name[0] != ".":
                try:
                    yield name, os.stat(self._in(name), dir_fd=self._descriptor, follow_symlinks=False)
                except FileNotFoundError:
                    continue

    def read(self, name: str) -> bytes:
        descriptor = os.open(self._in(name), _O_READ, dir_fd=self._descriptor)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MAX_BYTES + 1)

    def _in(self, name: str) -> str:
        return name if self._descriptor is not None else f"{self.path}{os.sep}{name}"


@contextmanager
def _told(what: str) -> Iterator[None]:
    """A folder that the system refuses is an error to act on, not an accident."""
    try:
        yield
    except OSError as error:
        raise CueError(
            ErrorCode.UNAVAILABLE,
            f"Cards cannot be {what}: {(error.strerror or str(error)).lower()}",
            data={"path": FOLDER},
            hint=f"Check the permissions of {FOLDER} and the space on the disk.",
        ) from error


def _check_size(data: bytes) -> None:
    """A card that is written can be read again."""
    if len(data) > MAX_BYTES:
        raise CueError(
            ErrorCode.VALIDATION,
            f"The card would be {len(data)} bytes long, and at most {MAX_BYTES} are read",
            data={"bytes": len(data), "limit": MAX_BYTES},
            hint=_SHORTER,
        )


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _read(place: _Place, name: str, status: os.stat_result) -> _Known:
    def broken(why: str, fix: str) -> BrokenCard:
        return BrokenCard(name, Problem(why, 1), fix)

    stamp = _stamp(status)
    card_id = name.removesuffix(".md")
    if not CARD_ID.fullmatch(card_id):
        why = "the name is not six of a-z and 0-9, so it is no task card"
        return _Known(stamp, broken(why, "Rename or move it."))
    if not stat.S_ISREG(status.st_mode):
        why = "not a regular file; links are not followed"
        return _Known(stamp, broken(why, "Put the file itself there."))
    if status.st_size > MAX_BYTES:
        return _Known(stamp, broken(f"larger than {MAX_BYTES} bytes", _SHORTER))
    settled = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _TICK_NS
    try:
        data = place.read(name)
    except OSError as error:
        return _Known(None, broken(f"cannot be read: {error.strerror}", "Let this user read it."))
    return _Known(stamp if settled else None, read_card(card_id, data))


def no_card(card_id: str) -> CueError:
    """There is no card of that id."""
    return CueError(
        ErrorCode.NOT_FOUND,
        f"Task Not Found: there is no card '{card_id}'",
        data={
            "id": card_id,
            "path": f"{FOLDER}/{card_id}.md",
            "suggestion": "list_tasks (`cue card list`) shows the ids",
        },
    )


def _unreadable(card: BrokenCard) -> CueError:
    return CueError(
        ErrorCode.VALIDATION,
        f"Card {card.path} cannot be used: {card.problem.message} (line {card.problem.line})",
        data={
            "field": "frontmatter",
            "expected": "valid YAML frontmatter",
            "actual": card.problem.message,
            "path": card.path,
            "line": card.problem.line,
        },
        hint=f"{card.fix} Then try again.",
    )
