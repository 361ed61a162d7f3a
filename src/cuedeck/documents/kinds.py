"""What a file is to the index: a markdown document, source text, or an asset that links may name."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """How the index treats a file."""

    MARKDOWN = "markdown"
    SOURCE = "source"
    ASSET = "asset"


MARKDOWN_SUFFIXES = frozenset((".md", ".markdown", ".mdx"))

_SOURCE = """
adoc asciidoc astro awk bash bat bazel bzl c cc cfg clj cljs cmake cmd coffee cpp cs css csv cts cu cxx
d dart dockerfile el elm erl ex exs f90 fish fs fsx gd gleam glsl go gradle graphql groovy h hbs hcl
hh hpp hs htm html hx hxx ini ipynb java jl js json json5 jsonc jsx kt kts less lisp lua m mk ml mli mm mts
nim nix nu org pas php pl pm po pony proto ps1 pug py pyi pyx r rake rb re rkt rs rst sass scala scm scss
sh sol sql styl sv svelte swift tcl tex tf thrift toml ts tsx txt v vala vb vhd vim vue wgsl xml yaml yml
zig zsh
"""
_NAMED_SOURCE = """
makefile dockerfile justfile rakefile gemfile procfile vagrantfile jenkinsfile build workspace
license readme changelog authors contributing notice
"""
_LOCKS = """
package-lock.json yarn.lock pnpm-lock.yaml cargo.lock poetry.lock uv.lock gemfile.lock composer.lock
go.sum flake.lock bun.lock
"""
_SOURCE_SUFFIXES = frozenset(f".{suffix}" for suffix in _SOURCE.split())
_SOURCE_NAMES = frozenset(_NAMED_SOURCE.split())
_LOCK_NAMES = frozenset(_LOCKS.split())


def kind_of(path: str) -> Kind:
    """The kind a path's name promises; content may still make it an asset."""
    name = path.rpartition("/")[2].casefold()
    stem, dot, ending = name.rpartition(".")
    suffix = dot + ending if stem else ""
    if suffix in MARKDOWN_SUFFIXES:
        return Kind.MARKDOWN
    if name in _LOCK_NAMES or name.endswith((".min.js", ".min.css", ".map")):
        return Kind.ASSET
    if suffix in _SOURCE_SUFFIXES or name in _SOURCE_NAMES:
        return Kind.SOURCE
    return Kind.ASSET


def in_vault(path: str) -> bool:
    """Whether a path is part of the vault: no folder or file on the way begins with a dot."""
    return not path.startswith(".") and "/." not in path
