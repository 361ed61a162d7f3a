"""A workspace: its folder, configuration, store and engines. The only module that knows them all."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from cuedeck.config import Config, load_config
from cuedeck.discovery import FOLDER, check_project, find_root, main_checkout, workspace_identity
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from types import TracebackType

    from cuedeck.citations.engine import Citations
    from cuedeck.code.engine import Code
    from cuedeck.code.search.vectors import SymbolVectors
    from cuedeck.documents.engine import Documents
    from cuedeck.housekeeping import Housekeeping
    from cuedeck.memory.memories import Memories
    from cuedeck.scene.engine import Scenes
    from cuedeck.search.embedder import Embedder
    from cuedeck.store.protocol import Store
    from cuedeck.tasks.agent_tasks import AgentTasks
    from cuedeck.tasks.cards import Cards
    from cuedeck.tasks.todos import Todos
    from cuedeck.workflows.engine import WorkflowEngine

T = TypeVar("T")


class part(Generic[T]):
    """A property that is made once, when first asked for, and closed with its workspace."""

    def __init__(self, make: Callable[[Workspace], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, _owner: type[Workspace], name: str) -> None:
        self._name = name

    def __get__(self, workspace: Workspace, _owner: type[Workspace]) -> T:
        return workspace._opened(self._name, self._make)


class Workspace:
    """Everything CueDeck knows about one folder; each part is opened when first asked for."""

    def __init__(self, root: Path, config: Config) -> None:
        check_project(root)
        self.root = root
        self.config = config
        self.opened_ns = time.time_ns()
        self.state_root = main_checkout(root)
        self._parts: dict[str, Any] = {}
        self._guard = threading.RLock()
        self._closed = False

    @classmethod
    def open(
        cls,
        path: str | Path = ".",
        *,
        environ: Mapping[str, str] | None = None,
        flags: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Workspace:
        """The workspace around a folder, with its configuration read and validated."""
        root = find_root(Path(path))
        return cls(root, load_config(root, environ=environ, flags=flags))

    @property
    def folder(self) -> Path:
        """The workspace's ``.cuedeck`` folder, created when first needed."""
        folder = self.root / FOLDER
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def identity(self) -> str:
        """The name of this workspace in a shared store."""
        return self.config.store.workspace or workspace_identity(self.root)

    @part
    def store(self) -> Store:
        """The state and index databases."""
        from cuedeck.store import open_store

        url = self.config.store.url
        return open_store(
            url,
            root=self.root,
            state_root=self.state_root,
            workspace_id=self.identity if url else "",
            busy_timeout=self.config.store.busy_timeout,
            pool_size=self.config.store.pool_size,
        )

    @part
    def cards(self) -> Cards:
        """Task cards in markdown."""
        from cuedeck.tasks.cards import Cards

        return Cards(self.root, lock_timeout=self.config.core.lock_timeout)

    @part
    def embedder(self) -> Embedder:
        """What turns text into vectors; it loads on first use and may be unavailable."""
        from cuedeck.search.embedder import open_embedder

        return open_embedder(self.config.search, self.root)

    @part
    def documents(self) -> Documents:
        """The documents engine: index, search, reading, vault."""
        from cuedeck.documents.engine import Documents

        return Documents(
            self.root,
            self.store,
            self.embedder,
            self.config.documents,
            token_limit=self.config.core.token_limit,
            opened_ns=self.opened_ns,
        )

    @part
    def scene(self) -> Scenes:
        """Snapshots of what an agent should know now."""
        from cuedeck.scene.engine import Scenes

        return Scenes(
            self.root,
            self.documents,
            self.cards,
            self.config.scene,
            token_limit=self.config.core.token_limit,
        )

    @part
    def memory(self) -> Memories:
        """Typed memories, their graph, and what failures taught."""
        from cuedeck.memory.memories import Memories

        return Memories(self.store, self.embedder, self.config.memory)

    @part
    def citations(self) -> Citations:
        """What cites what, across documents, code, memories, tasks and runs."""
        from cuedeck.citations.engine import Citations

        return Citations(self)

    @part
    def workflows(self) -> WorkflowEngine:
        """Runs, their triggers and their history."""
        from cuedeck.workflows import open_engine

        return open_engine(self)

    @part
    def agent_tasks(self) -> AgentTasks:
        """Tasks that agents claim."""
        from cuedeck.tasks.agent_tasks import AgentTasks

        return AgentTasks(
            self.store,
            lease_seconds=self.config.tasks.lease_seconds,
            mark_success=lambda *episode: self.memory.mark_success(*episode),
        )

    @part
    def todos(self) -> Todos:
        """Everybody's to-do lists."""
        from cuedeck.tasks.todos import Todos

        return Todos(self.store)

    @part
    def housekeeping(self) -> Housekeeping:
        """Forgets what was to be kept for ninety days only."""
        from cuedeck.housekeeping import Housekeeping

        return Housekeeping(self)

    @part
    def code(self) -> Code:
        """The code on every ref."""
        from cuedeck.code.engine import Code

        return Code(self.root, self.store, workers=self.config.code.workers)

    @part
    def symbol_vectors(self) -> SymbolVectors:
        """What symbols mean, for semantic search of code."""
        from cuedeck.code.search.vectors import SymbolVectors

        return SymbolVectors(self.code, self.embedder, self.config.code.vectors)

    def close(self) -> None:
        """Close what was opened, last first."""
        with self._guard:
            self._closed = True
            opened = list(self._parts.values())
            self._parts.clear()
        with ExitStack() as closing:
            for each in opened:
                if hasattr(each, "close"):
                    closing.callback(each.close)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self, name: str, make: Callable[[Workspace], T]) -> T:
        found = self._parts.get(name)
        if found is None:
            with self._guard:
                if self._closed:
                    raise CueError(ErrorCode.UNAVAILABLE, "The workspace is closed", hint="Open it again.")
                found = self._parts.get(name)
                if found is None:
                    found = self._parts[name] = make(self)
        return cast(T, found)
