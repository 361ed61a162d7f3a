"""CueDeck: documents, code on every branch, memory, tasks and workflows for coding agents."""

from __future__ import annotations

# Importing typing costs as much as starting Python; type checkers know this name without it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

__version__ = "0.1.0"
__all__ = ["Workspace", "__version__"]


def __getattr__(name: str) -> object:
    if name == "Workspace":
        from cuedeck.workspace import Workspace

        return Workspace
    raise AttributeError(f"module 'cuedeck' has no attribute {name!r}")
