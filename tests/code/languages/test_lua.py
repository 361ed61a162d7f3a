"""References in Lua: what is a file's own, modules in a folder of their name, and metatables."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_local_name_is_its_files_own(project: Project) -> None:
    written = project("""
        === a.lua
        local assert = assert -- <def assert>
        local function check(x) return assert(x) end -- <def check> <assert>
        function shared() return check(1) end -- <def shared> <check>
        === b.lua
        assert(shared()) -- <shared>
        check(2)
        """)
    for name in ("assert", "check", "shared"):
        written.check(name)


def test_an_object_has_what_its_metatable_has(project: Project) -> None:
    written = project("""
        === queue.lua
        local Queue = {}
        Queue.__index = Queue
        function Queue:new() return setmetatable({}, self) end
        function Queue.made() return setmetatable({}, { __index = Queue }) end
        function Queue:push(x) return x end -- <def push>
        return Queue
        === main.lua
        local Queue = require("queue")
        local q = Queue:new()
        q:push(1) -- <push>
        Queue.made():push(2) -- <push>
        """)
    written.check("push")


def test_a_module_may_be_named_with_the_folder_that_the_repository_is_put_into(project: Project) -> None:
    written = project("""
        === helpers.lua
        local helpers = {}
        function helpers.read(x) return x end -- <def read>
        return helpers
        === widget/cpu.lua
        local helpers = require("kit.helpers")
        helpers.read(1) -- <read>
        """)
    written.check("read")
