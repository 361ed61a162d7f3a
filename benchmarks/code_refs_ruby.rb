# frozen_string_literal: true

# Calls as Ruby dispatches them while a project's own tests run:
#
#   REFS_ROOT=. REFS_TRUTH=truth.jsonl RUBYOPT=-r/path/to/code_refs_ruby.rb ruby -Ilib -Itest test/all.rb
#
# Of a line that no test ran nothing is said: it is neither right nor wrong. So are lines that ran an override of
# the method asked about. Rows are scored by `benchmarks.code_refs_languages ROOT TRUTH.jsonl .rb --every`.

require "json"
require "set"

# What a run of the tests told.
module References
  ROOT = "#{File.realpath(ENV.fetch("REFS_ROOT"))}/"
  FOREIGN = "foreign"
  @calls = Hash.new { |calls, place| calls[place] = Set.new }
  @places = {}
  @above = {}

  class << self
    # Only then are calls of the core's own methods told, and those of attributes.
    def begin
      RubyVM::InstructionSequence.compile_option = { specialized_instruction: false }
      main = Process.pid
      TracePoint.new(:call, :c_call) { |event| note(event) }.enable
      at_exit { Process.pid == main && write }
    end

    def note(event)
      # A method written in Ruby is told of from inside.
      caller = caller_locations(event.event == :call ? 3 : 2, 1)&.first
      file = caller&.absolute_path
      return unless file&.start_with?(ROOT) && event.callee_id

      @calls[[file, caller.lineno, event.callee_id]] << target(event)
    end

    # Where the method that was called is written; of one that has another name nothing is told.
    def target(event)
      owner, name = event.defined_class, event.method_id
      return nil unless name == event.callee_id

      @places[[owner, name]] ||= begin
        method = method_of(owner, name)
        found = place(method)
        above(method, found) if found != FOREIGN
        found
      end
    end

    def method_of(owner, name)
      Module.instance_method(:instance_method).bind_call(owner, name)
    rescue NameError
      nil
    end

    def place(method)
      file, line = method&.source_location
      file = File.expand_path(file) if file
      file&.start_with?(ROOT) && File.file?(file) ? [file, line, method.name] : FOREIGN
    end

    # The methods that one overrides.
    def above(method, found)
      seen = @above[found] ||= Set.new
      while (method = method.super_method)
        seen << place(method)
      end
    end

    def write
      rows = Hash.new { |all, key| all[key] = { refs: Set.new, either: Set.new } }
      told = Hash.new { |all, name| all[name] = Set.new }
      @calls.each { |(file, line, name), targets| tell(rows, told, file, line, name, targets) }
      File.open(ENV.fetch("REFS_TRUTH"), "w") do |out|
        rows.each { |key, row| out.puts(JSON.generate(row(key, row, told))) if spelled?(*key) }
      end
    end

    def tell(rows, told, file, line, name, targets)
      return unless words(file, written(name)).include?(line)

      told[name] << [file, line]
      targets.each do |target|
        next if target == FOREIGN

        rows[target][:refs] << [file, line] if target
        (@above[target] || []).each { |other| rows[other][:either] << [file, line] unless other == FOREIGN }
      end
      told[name].delete([file, line]) if targets.include?(nil)
    end

    def spelled?(file, line, name)
      lines(file).fetch(line - 1, "").include?(plain(name))
    end

    def row((file, line, name), found, told)
      silent = files.flat_map { |other| words(other, written(name)).map { |at| [other, at] } }
      silent = silent.to_set - told[name]
      column = lines(file)[line - 1].b.index(plain(name).b)
      { name: setter?(file, line, name) ? name : plain(name), kind: "method", def: { path: short(file), line: line, col: column },
        refs: refs(found[:refs]), either: refs(silent | found[:either]) }
    end

    # What a call of a method says: `new` runs `initialize`.
    def written(name)
      name == :initialize ? :new : name
    end

    # `attr_accessor :name` makes both, `def name=` only one.
    def setter?(file, line, name)
      name.end_with?("=") && lines(file)[line - 1].b.include?(name.to_s.b)
    end

    def refs(places)
      places.map { |file, line| { path: short(file), line: line } }
    end

    def plain(name)
      name.to_s.delete_suffix("=")
    end

    def short(file)
      file.delete_prefix(ROOT)
    end

    def files
      @files ||= Dir.glob("#{ROOT}**/*.rb").select { |file| File.file?(file) }
    end

    def lines(file)
      (@lines ||= {})[file] ||= File.binread(file).split("\n")
    end

    # The lines that hold a name as a word of its own.
    def words(file, name)
      ((@words ||= {})[file] ||= index(file))[plain(name)] || []
    end

    def index(file)
      lines(file).each_with_index.with_object({}) do |(text, at), found|
        text.scan(/[A-Za-z_]\w*[?!]?/n).uniq.each { |word| (found[word] ||= []) << at + 1 }
      end
    end
  end
end

References.begin
