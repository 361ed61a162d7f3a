"""Which folder is the workspace, and which checkout keeps its state."""

from __future__ import annotations

from pathlib import Path

from cuedeck.model.errors import CueError, ErrorCode

FOLDER = ".cuedeck"


def find_root(start: Path) -> Path:
    """The nearest folder upwards with ``.cuedeck/``, else the git root, else the folder itself."""
    start = existing_folder(start)
    folders = [folder for folder in (start, *start.parents) if folder != folder.parent]
    for folder in folders:
        if (folder / FOLDER).is_dir():
            return folder
    for folder in folders:
        if (folder / ".git").exists():
            return folder
    return start


def existing_folder(path: Path) -> Path:
    """The real path of a folder, or an error a person can act on."""
    try:
        real = path.expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise _no_folder(path) from error
    if not real.is_dir():
        raise _no_folder(path)
    return real


def check_project(root: Path) -> None:
    """Refuse the root of the file system: all of the disk would be read, and every folder be part of it."""
    if root == root.parent:
        raise CueError(
            ErrorCode.PROJECT_NOT_FOUND,
            f"{root} is the root of the file system, not a project",
            data={"workspace": str(root)},
            hint="Go to the project's folder, or name it with --workspace.",
        )


def _no_folder(path: Path) -> CueError:
    return CueError(
        ErrorCode.PROJECT_NOT_FOUND,
        f"There is no folder {path}",
        data={"workspace": str(path)},
        hint="Name an existing folder with --workspace.",
    )


def main_checkout(root: Path) -> Path:
    """The checkout whose state a worktree shares; the folder itself when it is not a worktree."""
    common = _common_git_dir(root)
    if common is None or common.name != ".git" or not common.parent.is_dir():
        return root
    return common.parent


def _common_git_dir(root: Path) -> Path | None:
    marker = root / ".git"
    if not marker.is_file():
        return None
    try:
        line = marker.read_text(encoding="utf-8").strip()
        if not line.startswith("gitdir:"):
            return None
        git_dir = (root / line.removeprefix("gitdir:").strip()).resolve(strict=True)
        back_link = Path((git_dir / "gitdir").read_text(encoding="utf-8").strip())
        common = (git_dir / (git_dir / "commondir").read_text(encoding="utf-8").strip()).resolve(strict=True)
    except (OSError, UnicodeDecodeError):
        return None
    # Only a worktree that the main repository lists itself may share its state.
    return common if (git_dir / back_link).resolve() == marker.resolve() else None


def workspace_identity(root: Path) -> str:
    """A name that machines with a checkout of the same repository agree on."""
    import hashlib
    import socket

    origin = _origin(main_checkout(root))
    source = origin or f"{socket.gethostname()}:{root}"
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _origin(root: Path) -> str | None:
    import configparser
    import re

    parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    try:
        parser.read_string((root / ".git" / "config").read_text(encoding="utf-8"))
        url = parser.get('remote "origin"', "url", fallback=None)
    except (OSError, UnicodeDecodeError, configparser.Error):
        return None
    if not url:
        return None
    url = re.sub(r"^[a-z+]+://([^/@]*@)?", "", url.strip().lower())
    return re.sub(r"^[^/@]*@", "", url).replace(":", "/").removesuffix("/").removesuffix(".git")
