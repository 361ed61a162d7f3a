"""Where a mention leads in this workspace, as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuedeck.citations.mentions import Kind, Mention, mentions
from cuedeck.citations.model import Thing
from cuedeck.citations.symbols import definition_of
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import confine_file

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot
    from cuedeck.workspace import Workspace


class Lookup:
    """Finds things by the names that texts use for them; one use, one state of the code."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._snapshot: Snapshot | None = None
        self._looked = False

    @property
    def snapshot(self) -> Snapshot | None:
        """The checked-out code if it is indexed; never indexed for this."""
        if not self._looked:
            self._snapshot, self._looked = self._workspace.code.ready(), True
        return self._snapshot

    def cited(self, text: str) -> list[Thing]:
        """Everything a text cites, each once."""
        found = dict.fromkeys(thing for mention in mentions(text) if (thing := self.thing(mention)))
        return list(found)

    def thing(self, mention: Mention) -> Thing | None:
        """What a mention leads to, or nothing."""
        match mention.kind:
            case Kind.SYMBOL:
                return self._symbol(mention)
            case Kind.FILE:
                return self._file(mention.name)
            case Kind.MEMORY:
                return self._memory(mention.name)
            case Kind.TASK:
                return self._task(mention.name)
            case Kind.CARD:
                return self._card(mention.name)
            case Kind.RUN:
                return self._run(mention.name)

    def _symbol(self, mention: Mention) -> Thing | None:
        if self.snapshot is None:
            return None
        with self.snapshot.lock:
            record = definition_of(self.snapshot, mention)
        if record is None:
            return None
        return Thing(Kind.SYMBOL, record.qualified_name, record.path)

    def _file(self, name: str) -> Thing | None:
        try:
            return Thing(Kind.FILE, confine_file(self._workspace.root, name).relative)
        except CueError:
            pass
        if self.snapshot is None:
            return None
        ends = [path for path in self.snapshot.files if path.endswith("/" + name)]
        return Thing(Kind.FILE, ends[0]) if len(ends) == 1 else None

    def _memory(self, id: str) -> Thing | None:
        try:
            memory, _, _ = self._workspace.memory.peek(id)
        except CueError as error:
            return _nothing_if_absent(error)
        if memory.deleted_at is not None:
            return None
        return Thing(Kind.MEMORY, memory.id, title=memory.shown_title)

    def _task(self, id: str) -> Thing | None:
        try:
            task = self._workspace.agent_tasks.get(id)
        except CueError as error:
            return _nothing_if_absent(error)
        return Thing(Kind.TASK, task.id, title=task.name)

    def _card(self, id: str) -> Thing | None:
        try:
            card = self._workspace.cards.get(id)
        except CueError as error:
            return _nothing_if_absent(error)
        return Thing(Kind.CARD, card.id, title=card.title)

    def _run(self, id: str) -> Thing | None:
        run = self._workspace.workflows.journal.find(id)
        return Thing(Kind.RUN, run.id, title=run.name) if run is not None else None


def _nothing_if_absent(error: CueError) -> Thing | None:
    """Nothing for what is not there; anything else is a failure."""
    if error.code not in (ErrorCode.NOT_FOUND, ErrorCode.VALIDATION):
        raise error
    return None
