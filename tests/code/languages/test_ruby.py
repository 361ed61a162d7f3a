"""References in Ruby projects."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_attributes_and_instance_variables_hold_what_they_were_given(project: Project) -> None:
    written = project(
        """
        === lib/shop.rb
        class Item
          def cost; 1; end # <def cost>
        end
        class Shop
          attr_reader :item # <def item>
          def initialize(item)
            @item = item
            @other ||= Item.new
          end
          def both
            @item.cost + @other.cost # <cost>
            item.cost if @other # <item> <cost>
          end
          def given; @item || Item.new; end
        end
        === use.rb
        shop = Shop.new(Item.new)
        shop.item.cost # <item> <cost>
        shop.given.cost # <cost>
        unknown.cost
        """
    )
    written.check("cost")
    written.check("item")
    assert ("use.rb", 4) in written.possible("cost")


def test_blocks_take_what_methods_hand_them(project: Project) -> None:
    written = project(
        """
        === lib/list.rb
        class Item
          def cost; 1; end # <def cost>
        end
        class List
          include Enumerable
          def initialize; @items = [Item.new]; end
          def each(&block)
            @items.each(&block)
          end
          def each_named
            yield "a", @items.first
          end
        end
        class Held
          extend Forwardable
          def_delegators :@list, :each_named
          def initialize; @list = List.new; end
        end
        === use.rb
        list = List.new
        list.each { |item| item.cost } # <cost>
        list.each_named do |name, item|
          item.cost # <cost>
          name.cost
        end
        list.map(&:cost) # <cost>
        list.select { |i| i.cost }.first.cost # <cost>
        Held.new.each_named { |_, item| item.cost } # <cost>
        { a: Item.new }.each { |key, item| item.cost } # <cost>
        [Item.new].map { |i| i }.each { |i| i.cost } # <cost>
        begin
          list.each
        rescue Broken => error
          error.reason # <reason>
        end
        === lib/broken.rb
        class Broken < StandardError
          def reason; end # <def reason>
        end
        """
    )
    written.check("cost")
    written.check("reason")


def test_parameters_are_what_calls_give_them(project: Project) -> None:
    written = project(
        """
        === lib/a.rb
        class Item
          def cost; 1; end # <def cost>
        end
        class Other
          def cost; 2; end
        end
        class Till
          def ring(item, times = 1)
            item.cost * times # <cost>
          end
          def other(thing)
            thing.cost
          end
        end
        === use.rb
        Till.new.ring(Item.new)
        Till.new.other(Other.new)
        """
    )
    written.check("cost")


def test_what_a_class_has_itself_is_apart_from_what_its_instances_have(project: Project) -> None:
    written = project(
        """
        === lib/entry.rb
        class Entry
          def self.read(io) # <def class>
            entry = new
            entry.read(io) # <instance>
            entry
          end
          class << self
            def build; read(nil); end # <class>
          end
          def read(io) # <def instance>
            self.class.build.read(io) # <instance>
          end
          def again; read(nil); end # <instance>
        end
        class Small < Entry; end
        === use.rb
        Entry.read(1) # <class>
        Small.read(1) # <class>
        Small.new.read(2) # <instance>
        Entry.read(1).read(2) # <class> <instance>
        """
    )
    written.check("class", "read")
    written.check("instance", "read")


def test_modules_give_classes_their_methods(project: Project) -> None:
    written = project(
        """
        === lib/base.rb
        module Base
          def self.included(base)
            base.extend ClassMethods
          end
          module ClassMethods
            def start; end # <def start>
          end
          def run
            work(1) # <work>
          end
        end
        class Job
          include Base
          start # <start>
          def work(n); end # <def work>
        end
        === use.rb
        Job.start # <start>
        Job.new.run
        """
    )
    written.check("start")
    written.check("work")


def test_names_with_an_owner_and_names_outside_of_everything(project: Project) -> None:
    written = project(
        """
        === lib/kit.rb
        module Kit
          class Field; end
        end
        === lib/kit/small.rb
        module Kit
          class Field::Small # <def Small>
            def size; 1; end # <def size>
          end
          class File # <def File>
            def open; ::File.new; end
          end
          File.new # <File>
        end
        === use.rb
        Kit::Field::Small.new.size # <Small> <size>
        """
    )
    written.check("Small")
    written.check("size")
    written.check("File")


def test_classes_made_of_names_aliases_setters_and_constructors(project: Project) -> None:
    written = project(
        """
        === lib/point.rb
        Point = Struct.new(:x, :y) do # <def Point> <def x>
          def far; x + y; end # <x> <def far>
          alias distant far # <far>
        end
        class Box
          def initialize(size) # <def initialize>
            @size = size
          end
          def size=(value) # <def size=>
            @size = value
          end
        end
        class Chest < Box; end
        === use.rb
        point = Point.new(1, 2) # <Point>
        point.x # <x>
        point.far # <far>
        box = Box.new(1) # <initialize>
        box.size = 2 # <size=>
        Chest.new(2) # <initialize>
        """
    )
    for name in ("Point", "x", "far", "initialize", "size="):
        written.check(name)


def test_names_that_tests_give_and_their_helpers(project: Project) -> None:
    written = project(
        """
        === lib/item.rb
        class Item
          def cost; 1; end # <def cost>
        end
        === spec/helper.rb
        RSpec.configure do |config|
          def made # <def made>
            Item.new
          end
        end
        === spec/item_spec.rb
        RSpec.describe Item do
          let(:item) { Item.new }
          before { @kept = Item.new }
          it "costs" do
            item.cost # <cost>
            @kept.cost # <cost>
            made.cost # <made> <cost>
          end
        end
        """
    )
    written.check("cost")
    written.check("made")


def test_tests_have_what_a_project_adds_to_their_framework(project: Project) -> None:
    written = project("""
        === test/test_helper.rb
        module Minitest
          module Assertions
            def assert_shape(x) # <def assert_shape>
              x
            end
          end
        end
        class Minitest::Test
          def make_shape # <def make_shape>
            1
          end
        end
        === test/one_test.rb
        class OneTest < Minitest::Test
          def test_one
            assert_shape make_shape # <assert_shape> <make_shape>
          end
        end
        === test/two_test.rb
        describe "two" do
          it "works" do
            assert_shape(1) # <assert_shape>
          end
        end
        """)
    written.check("assert_shape")
    written.check("make_shape")


def test_groups_of_tests_have_what_they_include(project: Project) -> None:
    written = project("""
        === spec/support/guessing.rb
        module Support
          module Guessing
            def guess_name(x) # <def guess_name>
              x
            end
          end
          module Signing
            def sign_on # <def sign_on>
              1
            end
          end
        end
        === spec/spec_helper.rb
        RSpec.configure do |config|
          config.include Support::Signing
        end
        === spec/one_spec.rb
        describe "one" do
          include Support::Guessing
          it { guess_name(sign_on) } # <guess_name> <sign_on>
        end
        === spec/two_spec.rb
        describe "two" do
          it { guess_name(1) }
        end
        """)
    written.check("guess_name")
    written.check("sign_on")
