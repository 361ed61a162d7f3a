"""A small real project: documents, notes with links and tags, source on two branches."""

from __future__ import annotations

import subprocess
from pathlib import Path

FILES = {
    "README.md": "# Harbour\n\nA sample. See [the login](docs/auth.md#login-flow).\n",
    "docs/auth.md": (
        "---\ntype: feature\nstatus: active\ntags: [auth, security]\n---\n"
        "# Authentication\n\nWho you are.\n\n"
        "## Login Flow\n\nThe browser sends a password; see [[tokens]].\n\n"
        "### Second Factor\n\nA code.\n\n"
        "## Error Codes\n\n```\n## not a heading\n```\n\nFour of them.\n"
    ),
    "docs/tokens.md": (
        "---\ntype: concept\nstatus: draft\ntags: 'auth, token/refresh'\n---\n"
        "# Tokens\n\nBack to [[auth#Login Flow|login]], and [[nowhere]]. #inline/tag\n"
    ),
    "concepts/graph.md": "---\ntype: concept\nstatus: active\n---\n# Graph\n\n![[tokens]] and `[[auth]]`.\n",
    "src/auth/jwt.rs": (
        "pub struct Claims;\n\n"
        "pub fn validate_token(token: &str) -> Result<Claims, String> {\n"
        "    parse(token)\n}\n\n"
        "fn parse(token: &str) -> Result<Claims, String> {\n    Err(token.to_string())\n}\n"
    ),
    "src/auth/mod.rs": "pub mod jwt;\npub mod legacy;\n",
    "src/auth/legacy.rs": "pub fn legacy_auth(name: &str) -> bool {\n    name.is_empty()\n}\n",
    "src/middleware.rs": (
        "use crate::auth::jwt::validate_token;\n\n"
        "pub fn check_auth(token: &str) -> bool {\n    validate_token(token).is_ok()\n}\n"
    ),
    "src/lib.rs": "pub mod auth;\npub mod middleware;\n",
    "tools/report.py": (
        'class Report:\n    """A report."""\n\n'
        "    def render(self, title: str) -> str:\n        return shout(title)\n\n\n"
        "def shout(text: str) -> str:\n    return text.upper()\n\n\n"
        "class Monthly(Report):\n    pass\n"
    ),
}
ON_THE_BRANCH = {
    "src/auth/jwt.rs": FILES["src/auth/jwt.rs"].replace("(token: &str)", "(token: &str, strict: bool)", 1),
    "src/auth/oauth.rs": "pub fn refresh_token(token: &str) -> String {\n    token.to_string()\n}\n",
    "src/auth/mod.rs": "pub mod jwt;\npub mod oauth;\n",
}


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def make_project(root: Path) -> Path:
    """A repository on ``main`` with a branch ``feat/oauth2``."""
    root.mkdir(parents=True)
    write(root, {**FILES, ".gitignore": ".cuedeck/\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "First")
    git(root, "checkout", "-q", "-b", "feat/oauth2")
    write(root, ON_THE_BRANCH)
    (root / "src/auth/legacy.rs").unlink()
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "OAuth")
    git(root, "checkout", "-q", "main")
    return root
