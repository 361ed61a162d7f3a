"""Every setting there is: one frozen section per part of the product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cuedeck.config.setting import setting, subsections


@dataclass(frozen=True)
class CoreSection:
    """What concerns the whole workspace."""

    token_limit: int = setting(32000, "Largest document, slice or scene, in tokens.", minimum=100)
    lock_timeout: float = setting(5.0, "Seconds to wait for the write lock.", minimum=0.0, maximum=600.0)


@dataclass(frozen=True)
class StoreSection:
    """Where state and index are kept."""

    url: str | None = setting(
        None, "PostgreSQL URL; SQLite in `.cuedeck/` when unset.", kind=str, private=True
    )
    workspace: str | None = setting(
        None, "Name of this workspace in a shared PostgreSQL.", kind=str, private=True
    )
    # The writers of state and index may each need a second one at the same moment.
    pool_size: int = setting(8, "PostgreSQL connections per process.", minimum=3, maximum=200)
    busy_timeout: float = setting(10.0, "Seconds to wait for another writer.", minimum=0.1, maximum=600.0)


@dataclass(frozen=True)
class AuthSection:
    """Who may call over HTTP."""

    jwt_secret: str | None = setting(
        None, "HS256 secret, better of 32 bytes or more.", kind=str, private=True
    )
    jwks: str | None = setting(
        None, "JWKS file or https URL for RS, ES and EdDSA tokens.", kind=str, private=True
    )
    issuer: str | None = setting(None, "Required `iss` of a token.", kind=str, private=True)
    audience: str | None = setting(None, "Required `aud` of a token.", kind=str, private=True)
    leeway: int = setting(10, "Clock difference tolerated, in seconds.", minimum=0, maximum=300)


@dataclass(frozen=True)
class HttpSection:
    """How the server is reached over HTTP."""

    allowed_hosts: tuple[str, ...] = setting(
        (), "Host names served besides loopback, with or without port.", private=True
    )
    allowed_origins: tuple[str, ...] = setting(
        (), "Web origins that may call, besides loopback.", private=True
    )
    public_url: str | None = setting(
        None, "URL that clients use when a proxy stands in front.", kind=str, private=True
    )


@dataclass(frozen=True)
class UserSection:
    """The local user of the todo deck."""

    id: str | None = setting(
        None, "UUID of the local user; `--user` and `CUEDECK_USER` win.", kind=str, private=True
    )


@dataclass(frozen=True)
class ToolLimit:
    """The rate limit of one tool."""

    rate: int = setting(0, "Sustained calls per minute; 0 means unlimited.", minimum=0)
    burst: int = setting(0, "Calls that may come at once; 0 means the rate.", minimum=0)


@dataclass(frozen=True)
class LimitsSection:
    """How often and how much a client may ask."""

    enabled: bool = setting(True, "Whether rate limits apply.")
    message_bytes: int = setting(4 * 1024 * 1024, "Largest request.", minimum=64 * 1024)
    call_seconds: int = setting(120, "Longest tool call over HTTP.", minimum=1, maximum=3600)
    tools: Mapping[str, ToolLimit] = subsections(ToolLimit, "Rate limit of the tool of that name.")


@dataclass(frozen=True)
class SearchSection:
    """How text becomes vectors."""

    model: str | None = setting(None, "ONNX file of another embedding model.", kind=str, private=True)
    tokenizer: str | None = setting(None, "tokenizer.json of that model.", kind=str, private=True)
    pooling: str = setting("mean", "How that model's token vectors become one.", choices=("mean", "cls"))
    enabled: bool = setting(True, "Whether vectors are made at all.")
    threads: int = setting(2, "Threads the model may use.", minimum=1, maximum=64)


@dataclass(frozen=True)
class DocumentsSection:
    """What belongs to the documents index."""

    ignore: tuple[str, ...] = setting((), "Patterns to leave out, as in `.gitignore`.")
    max_file_bytes: int = setting(2 * 1024 * 1024, "Larger files are skipped with a note.", minimum=1024)


@dataclass(frozen=True)
class SceneSection:
    """What goes into a scene."""

    depth: int = setting(2, "How many references away from active cards.", minimum=0, maximum=10)
    secret_patterns: tuple[str, ...] = setting((), "Further regular expressions to mask.")


@dataclass(frozen=True)
class CodeSection:
    """How code is indexed."""

    workers: int = setting(0, "Parsing processes; 0 means one per core.", minimum=0, maximum=64)
    vectors: int = setting(
        20_000,
        "So many symbols get vectors for semantic search, public ones first, tests last; 0 for none.",
        minimum=0,
    )


@dataclass(frozen=True)
class MemorySection:
    """How memories are kept."""

    secrets: str = setting(
        "mask",
        "What to do with a secret in content.",
        choices=("mask", "refuse", "allow"),
        private=("allow",),
    )
    link_floor: float = setting(0.5, "Least cosine of an automatic link.", minimum=0.0, maximum=1.0)
    search_floor: float = setting(
        0.3, "Least cosine of a memory that matches by meaning.", minimum=0.0, maximum=1.0
    )


@dataclass(frozen=True)
class TasksSection:
    """How tasks are handed out."""

    lease_seconds: int = setting(
        1800, "A claim not renewed for this long returns.", minimum=1, maximum=604_800
    )


@dataclass(frozen=True)
class WorkflowSetting:
    """Settings of one workflow."""

    enabled: bool = setting(True, "Whether the workflow may run.")


@dataclass(frozen=True)
class WorkflowsSection:
    """How workflows run."""

    workers: int = setting(2, "Runs executed at once per process.", minimum=0, maximum=64)
    keep_days: int = setting(0, "Forget finished runs after so many days; 0 keeps them for good.", minimum=0)
    by_id: Mapping[str, WorkflowSetting] = subsections(WorkflowSetting, "The workflow of that id.")


@dataclass(frozen=True)
class DaemonSection:
    """The background process of a workspace."""

    idle_seconds: int = setting(
        900, "The daemon ends after this long without a client.", minimum=1, maximum=2_592_000
    )
    standby: bool = setting(True, "Whether a process is kept ready so that commands start at once.")


@dataclass(frozen=True)
class Config:
    """All sections, merged from every layer."""

    core: CoreSection = field(default_factory=CoreSection)
    store: StoreSection = field(default_factory=StoreSection)
    auth: AuthSection = field(default_factory=AuthSection)
    http: HttpSection = field(default_factory=HttpSection)
    user: UserSection = field(default_factory=UserSection)
    limits: LimitsSection = field(default_factory=LimitsSection)
    search: SearchSection = field(default_factory=SearchSection)
    documents: DocumentsSection = field(default_factory=DocumentsSection)
    scene: SceneSection = field(default_factory=SceneSection)
    code: CodeSection = field(default_factory=CodeSection)
    memory: MemorySection = field(default_factory=MemorySection)
    tasks: TasksSection = field(default_factory=TasksSection)
    workflows: WorkflowsSection = field(default_factory=WorkflowsSection)
    daemon: DaemonSection = field(default_factory=DaemonSection)
