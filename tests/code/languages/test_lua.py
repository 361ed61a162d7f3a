"""References in Lua: what is a file's own, modules by what they return, classes, and types in comments."""

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


def test_a_class_inherits_from_one_that_another_file_returns(project: Project) -> None:
    written = project("""
        === ui/widget.lua
        local Widget = {}
        function Widget:extend(o)
          o = o or {}
          setmetatable(o, self)
          self.__index = self
          return o
        end
        function Widget:new(o) return self:extend(o) end
        function Widget:paintTo(x) return x end -- <def paintTo>
        return Widget
        === ui/button.lua
        local Widget = require("ui/widget")
        local Button = Widget:extend{ label = "" }
        function Button:onTap() return self:paintTo(1) end -- <def onTap> <paintTo>
        return Button
        === ui/menu.lua
        local Menu = require("ui.button"):extend()
        function Menu:open() self:onTap() end -- <onTap>
        return Menu
        === main.lua
        local Button = require("ui/button")
        local button = Button:new{ label = "a" }
        button:onTap() -- <onTap>
        button:paintTo(2) -- <paintTo>
        """)
    written.check("paintTo")
    written.check("onTap")


def test_a_library_makes_classes_and_adds_mixins(project: Project) -> None:
    written = project("""
        === walking.lua
        local Walking = {}
        function Walking:stepOn() return 1 end -- <def stepOn>
        return Walking
        === animal.lua
        local class = require("middleclass")
        local Animal = class("Animal")
        function Animal:makeNoise() return 1 end -- <def makeNoise>
        return Animal
        === dog.lua
        local class = require("middleclass")
        local Animal = require("animal")
        local Walking = require("walking")
        local Dog = class("Dog", Animal)
        Dog:include(Walking)
        function Dog:wagTail() return self:stepOn() end -- <def wagTail> <stepOn>
        Dog:new():makeNoise() -- <makeNoise>
        Dog():wagTail() -- <wagTail>
        """)
    for name in ("stepOn", "makeNoise", "wagTail"):
        written.check(name)


def test_objects_and_tables_hold_what_they_are_given(project: Project) -> None:
    written = project("""
        === queue.lua
        local Queue = {}
        function Queue:pushBack(x) return x end -- <def pushBack>
        return Queue
        === kit.lua
        local Queue = require("queue")
        local M = { parts = {} }
        M.jobs = Queue:new()
        local function secret() return 1 end -- <def secret>
        M.opened = secret -- <secret>
        function M.parts:oil() return 1 end -- <def oil>
        function M:init(list)
          self.queue = Queue:new()
          self.list = { Queue:new() }
        end
        function M:run()
          self.queue:pushBack(1) -- <pushBack>
          for _, each in ipairs(self.list) do each:pushBack(2) end -- <pushBack>
        end
        return M
        === main.lua
        local kit = require("kit")
        kit.jobs:pushBack(3) -- <pushBack>
        kit.opened() -- <secret>
        kit.parts:oil() -- <oil>
        """)
    for name in ("pushBack", "secret", "oil"):
        written.check(name)


def test_a_file_returns_a_table_of_its_functions(project: Project) -> None:
    written = project("""
        === tools.lua
        local function readAll(x) return x end -- <def readAll>
        return { readAll = readAll, again = function(x) return readAll(x) end } -- <readAll> <readAll>
        === main.lua
        local tools = require("tools")
        tools.readAll(1) -- <readAll>
        """)
    written.check("readAll")


def test_tables_for_all_are_filled_by_several_files(project: Project) -> None:
    written = project("""
        === text.lua
        function string.trimmed(x) return x end -- <def trimmed>
        === game.lua
        Game = {}
        === score.lua
        function Game.addScore(n) return n end -- <def addScore>
        === text_spec.lua
        describe("text", function()
          io.open = function() return { closeAll = function() return 1 end } end -- <def closeAll>
        end)
        === main.lua
        io.open("a"):closeAll()
        string.trimmed("a") -- <trimmed>
        Game.addScore(1) -- <addScore>
        === other.lua
        local Game = {}
        function Game.lost() Game.addScore() end
        """)
    for name in ("trimmed", "addScore", "closeAll"):
        written.check(name)


def test_a_function_is_put_into_the_table_of_the_function_around(project: Project) -> None:
    written = project("""
        === block.lua
        return function(kit)
          local block = {}
          function block.runAll() return 1 end -- <def runAll>
          function block.run() return block.runAll() end -- <runAll>
          return block
        end
        """)
    written.check("runAll")


def test_parameters_are_what_calls_give_them(project: Project) -> None:
    written = project("""
        === registry.lua
        local Registry = {}
        function Registry:addOne(x) return x end -- <def addOne>
        require("viewer"):register(Registry)
        return Registry
        === viewer.lua
        local Viewer = {}
        function Viewer:register(registry) registry:addOne(1) end -- <addOne>
        return Viewer
        """)
    written.check("addOne")


def test_comments_give_types(project: Project) -> None:
    written = project("""
        === repo.lua
        --- @class kit.Base
        --- @field owner kit.Owner

        --- @class kit.Repo: kit.Base
        --- @field jobs kit.Job[]
        local Repo = {}
        function Repo:fetchAll() return self.owner:greet() end -- <def fetchAll> <greet>
        return Repo
        === owner.lua
        ---@class kit.Owner
        local Owner = {}
        function Owner:greet() return 1 end -- <def greet>
        ---@class (exact) kit.Job
        local Job = {}
        function Job:finish() return 1 end -- <def finish>
        === main.lua
        ---@param repo? kit.Repo
        ---@param by table<string, kit.Owner>
        local function run(repo, by)
          repo:fetchAll() -- <fetchAll>
          for _, job in ipairs(repo.jobs) do job:finish() end -- <finish>
          for _, owner in pairs(by) do owner:greet() end -- <greet>
        end
        ---@return kit.Job|nil
        local function last() return cache[1] end
        last():finish() -- <finish>
        ---@type kit.Owner
        local one = cache.one
        one:greet() -- <greet>
        """)
    for name in ("fetchAll", "greet", "finish"):
        written.check(name)


def test_of_modules_of_one_name_the_one_from_the_outer_root_is_meant(project: Project) -> None:
    written = project("""
        === data/core/init.lua
        local core = {}
        function core.addThread() return 1 end -- <def addThread>
        return core
        === data/core/commands/core.lua
        local core = require("core")
        core.addThread() -- <addThread>
        === data/core/commands/doc.lua
        local core = require("core")
        core.addThread() -- <addThread>
        """)
    written.check("addThread")


def test_names_that_are_written_as_texts_are_names(project: Project) -> None:
    written = project(
        """
        === tables.lua
        local chosen = "z"
        local plain = { ["stored"] = function() return 1 end } -- <def stored>
        plain["added"] = function() return plain.stored() end -- <def added> <stored>
        plain["two words"] = function() return plain.added() end -- <added>
        plain[chosen] = function() return plain["added"]() end -- <added>
        local other = { [chosen] = function() return plain["stored"]() end } -- <stored>
        return other
        """
    )
    written.check("stored")
    written.check("added")
    names = [each.name for each in written.facts["tables.lua"].outline.definitions]
    assert names == ["chosen", "plain", "stored", "added", "two words", "other"]
