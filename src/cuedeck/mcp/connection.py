"""One client's connection: what it chose, who it is, and how its tool calls are carried out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuedeck.mcp.incident import unexpected
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.registry import Entry, Registry, product
from cuedeck.mcp.rendering import Rendered, encoded, render_answer, render_error, rpc_error
from cuedeck.mcp.runtime import Runtime
from cuedeck.mcp.tool import Answer, Call, Tool, no_progress
from cuedeck.mcp.validation import validated
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.principal import Principal
from cuedeck.paths import check_present

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

WorkspaceProvider = Callable[[ConnectionOptions], "Workspace"]
Progress = Callable[[float, str], None]
Cancelled = Callable[[], bool]


class Connection:
    """Performs tool calls for one client; safe to use from many threads at once."""

    def __init__(
        self,
        provider: WorkspaceProvider,
        options: ConnectionOptions,
        runtime: Runtime,
        registry: Registry | None = None,
    ) -> None:
        self.options = options
        self.runtime = runtime
        self.selection = (registry or product()).select(options)
        self._provider = provider

    def workspace(self) -> Workspace:
        """The workspace this client works in, opened when it is first needed."""
        return self._provider(self.options)

    def local_principal(self) -> Principal:
        """The caller of a connection that carries no token: the configured local user."""
        return Principal(subject=self.options.user or self.workspace().config.user.id)

    def perform(
        self, entry: Entry, arguments: Any, who: Principal | None, progress: Progress, cancelled: Cancelled
    ) -> Rendered:
        """Carry out one ``tools/call``: a result, or a JSON-RPC error where the contract wants one."""
        started = time.perf_counter()
        try:
            answer = self._answer(entry.tool, arguments, who, progress, cancelled)
            return render_answer(entry.tool, answer, _since(started))
        except CueError as error:
            failure = error
        except Exception as error:  # noqa: BLE001 - the boundary where anything unexpected becomes an id
            failure = unexpected(entry.tool.name, error)
        return self._failed(entry, failure, _since(started))

    def gave_up(self, entry: Entry, seconds: float) -> Rendered:
        """What a call is answered with that was given up after its time limit."""
        return self._failed(entry, too_slow(seconds), seconds * 1000)

    def _failed(self, entry: Entry, error: CueError, elapsed_ms: float) -> Rendered:
        if entry.tool.deck is Deck.CONTEXT and self.options.errors == "rpc":
            raise rpc_error(error)
        return render_error(entry.tool, error, elapsed_ms, entry.describes)

    def perform_bare(self, tool: Tool, arguments: Any, who: Principal | None, cancelled: Cancelled) -> Any:
        """Carry out a bare JSON-RPC method of the context deck: the contract's own JSON."""
        try:
            answer = self._answer(tool, arguments, who, no_progress, cancelled)
            return encoded(answer.value)[1]
        except CueError as error:
            raise rpc_error(error) from None
        except Exception as error:  # noqa: BLE001 - as above
            raise rpc_error(unexpected(tool.name, error)) from None

    def _answer(
        self, tool: Tool, raw: Any, who: Principal | None, progress: Progress, cancelled: Cancelled
    ) -> Answer:
        self.runtime.activity.count()
        arguments = self._arguments(tool, raw, who)
        workspace = self.workspace()
        if tool.needs_folder:
            gone = ErrorCode.PROJECT_NOT_FOUND if tool.deck is Deck.CODE else ErrorCode.UNAVAILABLE
            check_present(workspace.root, gone)
        principal = who or self.local_principal()
        if tool.deck is Deck.CONTEXT:
            self.runtime.limits.take(principal, tool.name, workspace.config.limits)
        return tool.handler(Call(workspace, principal, arguments, progress, cancelled, self.runtime.activity))

    def _arguments(self, tool: Tool, raw: Any, who: Principal | None) -> Any:
        """What is wrong with a call is told only to those whom the tool admits."""
        try:
            return validated(tool.arguments, raw)
        except CueError:
            if tool.admits:
                tool.admits(who or self.local_principal())
            raise


def too_slow(seconds: float) -> CueError:
    """The error of a call that outlived its time limit."""
    return CueError(
        ErrorCode.UNAVAILABLE,
        f"No answer within {seconds:g} seconds",
        data={"call_seconds": seconds},
        hint="Ask for less, or raise limits.call_seconds.",
    )


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
