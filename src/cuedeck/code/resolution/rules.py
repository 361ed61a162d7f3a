"""What resolution asks of a language: where names come from beyond one file, and what types mean."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, ClassVar, Protocol, TypeVar

from cuedeck.code.facts import Import, Links
from cuedeck.code.resolution.values import MODULE, Symbol, Target, Targets, Value, Values

T = TypeVar("T")
R = TypeVar("R", bound="Rules")


class Files(Protocol):
    """One ref's files."""

    @property
    def paths(self) -> Collection[str]:
        """Every code file, in order."""

    def links(self, path: str) -> Links:
        """What resolution knows about a file."""

    def text(self, path: str) -> str | None:
        """A project file such as ``go.mod`` or ``tsconfig.json``, if it is there."""

    def followed(self, path: str) -> str:
        """A path without the symbolic links that it leads through."""

    def files_naming(self, name: str) -> Collection[str]:
        """The files in which a name occurs."""

    def files_defining(self, name: str) -> Collection[str]:
        """The files that define a symbol of that name."""


class Project(Files, Protocol):
    """One ref's files, as rules may ask for them."""

    # Whether libraries and modules are taken to do what is usual.
    trusts: bool

    def module_member(self, module: Value, name: str) -> Targets:
        """What a module calls by that name."""

    def evaluate(self, path: str, number: int) -> Values:
        """What an expression is worth."""

    def result(self, function: Value) -> Values:
        """What calling a function gives."""

    def lineage(self, owner: Value) -> tuple[tuple[str, int], ...]:
        """A class, its extensions and its ancestors, nearest first."""

    def solve(self, key: Any, compute: Callable[..., Any], *arguments: Any) -> Any:
        """What is computed from files, once for their present state."""

    def rules_of(self, path: str) -> Rules:
        """The rules of the language that a file is written in."""

    def assumes(self) -> bool:
        """Whether the project's packages are taken to be built and installed; what follows rests on that."""


class Rules:
    """A language's way of linking; the defaults suit a language of files without packages.

    One instance serves one ref: it may keep maps it builds from ``project.paths`` and ``project.text``.
    """

    # Nothing else is kept, so that what was resolved survives an edit of a file that it does not rest on.
    keeps_results: ClassVar[bool] = False
    # The names that a class body binds are seen in the rest of that body.
    body_names: ClassVar[bool] = True
    # A namespace is one in all files that open it: each sees what the others have in it.
    open_namespaces: ClassVar[bool] = False
    # A package has a module inside it by a dot once somebody has imported that.
    loads_modules: ClassVar[bool] = False
    # Methods see their class's members by bare name.
    bare_members: ClassVar[bool] = False
    # What a function gives that yields, is sent and at its end gives something.
    generators: ClassVar[frozenset[str]] = frozenset()
    # What a function gives that says of what type its first argument is.
    guards: ClassVar[frozenset[str]] = frozenset()
    # Generic types that stand for their first argument, hold many of it, or map to their last.
    transparent: ClassVar[frozenset[str]] = frozenset()
    sequences: ClassVar[frozenset[str]] = frozenset()
    mappings: ClassVar[frozenset[str]] = frozenset()
    # Methods of containers that give one element, or another container of the same.
    element_methods: ClassVar[frozenset[str]] = frozenset()
    container_methods: ClassVar[frozenset[str]] = frozenset()
    # Members of containers that are no methods: one element, the container again, a part of a pair.
    element_members: ClassVar[frozenset[str]] = frozenset()
    container_members: ClassVar[frozenset[str]] = frozenset()
    pair_members: ClassVar[Mapping[str, int]] = {}
    # A function may take the parts of a pair instead of the pair.
    spreads_pairs: ClassVar[bool] = False
    # Methods that give each element with its number before it.
    numbering_methods: ClassVar[frozenset[str]] = frozenset()
    # Foreign functions that hand the elements of their first argument to the functions beside it.
    element_calls: ClassVar[frozenset[str]] = frozenset()
    # Arguments have labels, by which they find their parameters.
    labelled_arguments: ClassVar[bool] = False
    # The methods by which a value gives an iterator, and by which that gives the next element.
    iterator: ClassVar[str] = ""
    advancer: ClassVar[str] = ""
    # A function is walked over that hands to another what it is to be given.
    walks_functions: ClassVar[bool] = False
    # What has a next element is walked over itself, with the methods of containers.
    walks_iterators: ClassVar[bool] = False
    # Methods that give each element together with one of their argument's.
    pairing_methods: ClassVar[frozenset[str]] = frozenset()
    # Methods of mappings that give one key with its value.
    entry_methods: ClassVar[frozenset[str]] = frozenset()
    # Methods of any value that give the value itself (clone, unwrap, as_ref).
    same_methods: ClassVar[frozenset[str]] = frozenset()
    # Decorators that make a method an attribute.
    property_decorators: ClassVar[frozenset[str]] = frozenset()
    # Decorators of functions that only say what the next of their name takes and gives.
    overload_decorators: ClassVar[frozenset[str]] = frozenset()
    # Decorators of classes whose heirs declare fields for their constructor by giving them values.
    field_decorators: ClassVar[frozenset[str]] = frozenset()
    # Foreign classes whose heirs take their typed members by name; of others it is a convention at best.
    field_classes: ClassVar[frozenset[str]] = frozenset()
    # A member that an ancestor's body declares is that one, whatever is assigned below it.
    declared_members: ClassVar[bool] = False
    # A member that an ancestor declares with a type is that one, whatever default is given below it.
    typed_members_first: ClassVar[bool] = False
    # A class has no members by the interfaces that it says it implements, only by declaring them.
    interfaces_promise: ClassVar[bool] = False
    # An ancestor comes after all its heirs, whichever parent leads to it.
    linear_ancestors: ClassVar[bool] = False
    # The method that gives what a member holds which nobody declares.
    stand_in: ClassVar[str] = ""
    # The method that gives the value whose members are meant, where a value has none of that name.
    arrow: ClassVar[str] = ""
    # The method by which a value in a class's body says what reading it gives.
    reader: ClassVar[str] = ""
    # Names that annotate the class around them.
    self_types: ClassVar[frozenset[str]] = frozenset()
    # Also in what extends a type: there they annotate whichever heir of it is meant.
    open_self: ClassVar[bool] = False
    constructors: ClassVar[tuple[str, ...]] = ()
    # Foreign classes, and the members that are of the types which they are told, in their order.
    told_members: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    # Their methods that change such a member, and their member that they are made from.
    changing_members: ClassVar[Mapping[str, str]] = {}
    made_from: ClassVar[str] = ""
    # What every object has behind a dot, which is none of its class's declarations.
    members_of_all: ClassVar[frozenset[str]] = frozenset()
    # The constructor that tells a class by parameters without types what its instances keep.
    untyped_constructor: ClassVar[str] = ""
    # The member of a class under which its instances' members are.
    prototype: ClassVar[str] = ""
    # Methods by which heirs of foreign classes make instances of themselves.
    making_methods: ClassVar[frozenset[str]] = frozenset()
    # Foreign methods that fill what they are given second, or by a name, and give it.
    filling_calls: ClassVar[Mapping[str, str]] = {}
    # The method that makes an instance of the class that it is given, where nobody declares it.
    maker: ClassVar[str] = ""
    # Making an heir refers to the constructor that it inherits.
    inherited_constructors: ClassVar[bool] = False
    # Only calling a class by a name of the file refers to its constructor; ``module.C()`` runs it.
    calls_name_constructors: ClassVar[bool] = False
    # ``new C()`` refers to the constructor that C declares; of the class itself it makes an instance.
    new_names_constructors: ClassVar[bool] = False
    # An annotation may be a function's type; these methods of a container hand its elements to a function,
    # and those of them give what the function gives.
    function_types: ClassVar[bool] = False
    # A foreign generic type may be a wrapper with its argument's methods; members of mappings are elements.
    foreign_wrappers: ClassVar[bool] = False
    # What a module merely imports is among what all of it is.
    stars_pass_imports: ClassVar[bool] = True
    callback_methods: ClassVar[frozenset[str]] = frozenset()
    # Those of them that hand on what they gave before, beginning with their second argument.
    folding_methods: ClassVar[frozenset[str]] = frozenset()
    # Those of them that hand over two elements at once.
    comparing_methods: ClassVar[frozenset[str]] = frozenset()
    # Generic types that leave out, or keep only, the named members of their first argument; and those that
    # are the members of both arguments, the second's before the first's.
    leaving_out: ClassVar[frozenset[str]] = frozenset()
    keeping: ClassVar[frozenset[str]] = frozenset()
    merging: ClassVar[frozenset[str]] = frozenset()
    # Generic types that are the texts of their second argument.
    extracting: ClassVar[frozenset[str]] = frozenset()
    # Foreign functions that return only if their first argument is true.
    asserting: ClassVar[frozenset[str]] = frozenset()
    # Generic types that allow their arguments, which are constants; classes whose fields are their items.
    literal_forms: ClassVar[frozenset[str]] = frozenset()
    item_classes: ClassVar[frozenset[str]] = frozenset()
    # Foreign classes whose heirs list their instances as members, or are tuples of their fields.
    enumerations: ClassVar[frozenset[str]] = frozenset()
    tuple_classes: ClassVar[frozenset[str]] = frozenset()
    # Generic types that are what a function gives, or what a class makes.
    results_of: ClassVar[frozenset[str]] = frozenset()
    # Generic types that are the list of what a function or a class takes.
    taken_by: ClassVar[frozenset[str]] = frozenset()
    # What every class has itself, whatever its instances declare by these names.
    class_members: ClassVar[frozenset[str]] = frozenset()
    # Methods of a container that take what it holds.
    taking_methods: ClassVar[frozenset[str]] = frozenset()
    # Of these, those that take a container of it as well.
    joining_methods: ClassVar[frozenset[str]] = frozenset()
    # Walking over a mapping gives each key with its value, not the keys alone.
    yields_entries: ClassVar[bool] = False
    mapping_methods: ClassVar[frozenset[str]] = frozenset()
    # Of these, what a function gives that is a container counts for what it holds.
    flattening_methods: ClassVar[frozenset[str]] = frozenset()
    # Generic types of functions, and what their arguments say: see ``formed``.
    function_forms: ClassVar[Mapping[str, str]] = {}
    # Methods that hand the value itself to a function, and give what that gives.
    passing_methods: ClassVar[frozenset[str]] = frozenset()
    # Annotations that say nothing about the type: the value does.
    qualifiers: ClassVar[frozenset[str]] = frozenset()
    # A method's parameter without a type has that of the method it overrides.
    inherits_parameters: ClassVar[bool] = False
    # Several arguments of a generic type are written as one tuple.
    tuple_arguments: ClassVar[bool] = False
    # Functions that make a type parameter.
    type_variables: ClassVar[frozenset[str]] = frozenset()
    # Functions of one name in one place are different things, told apart by what they take.
    overloads: ClassVar[bool] = False
    # How the functions begin by which foreign types make values of their own.
    factories: ClassVar[tuple[str, ...]] = ()
    # Foreign types that a function is given for: how much it takes, and whether it gives something.
    functional_types: ClassVar[Mapping[str, tuple[int, bool]]] = {}
    # A function may be declared in one place and defined in another.
    prototypes: ClassVar[bool] = False
    # A field and a method may share a name: what is called is the method.
    fields_beside_methods: ClassVar[bool] = False
    # What a field holds may be called.
    calls_fields: ClassVar[bool] = True
    # A member may have the name of a type: in an annotation the type is meant.
    types_beside_members: ClassVar[bool] = False
    # A container is one whatever it holds: what its methods make of plain elements is known.
    keeps_empty: ClassVar[bool] = False
    # A value may have the name of a type that is declared further out: in an annotation the type is meant.
    types_beside_values: ClassVar[bool] = False
    # A method outside of its type gives the type's parameters names of its own.
    receivers_name_parameters: ClassVar[bool] = False
    # A variable of a function is seen behind its declaration only, by functions inside too.
    declared_first: ClassVar[bool] = False
    # A call that gives several things may be all that another is given: ``f(g())``.
    results_fill_parameters: ClassVar[bool] = False
    # What is written like a field in a literal is a key where the literal makes a container.
    literal_keys: ClassVar[bool] = False
    # What a class takes where its name is declared is among its members.
    parameters_are_members: ClassVar[bool] = True
    # What a condition says of a name counts where its declared type has no such member.
    casts_when_needed: ClassVar[bool] = False
    # How the methods begin that give the parts of a value which is taken apart.
    component: ClassVar[str] = ""
    # Methods declared elsewhere are called like a value's own: see ``extending``.
    extension_methods: ClassVar[bool] = False
    # So are properties, which are read.
    extension_properties: ClassVar[bool] = False
    # So are other members, and only what foreign types were given is meant.
    extension_values: ClassVar[bool] = False
    # Of methods that extend different types, the one for the type of the value is meant.
    tells_receivers: ClassVar[bool] = False
    # Calling a type makes a value of it, also of a foreign one.
    bare_constructors: ClassVar[bool] = False
    # Methods that types of the language itself have, so that they are meant where a value's type is unknown.
    core_members: ClassVar[frozenset[str]] = frozenset()
    # Methods of any value whose name says the type of what they give.
    converting: ClassVar[Mapping[str, str]] = {}
    # Names that most foreign values have, so that one given to a foreign type is not meant on any value.
    library_methods: ClassVar[frozenset[str]] = frozenset()
    # Such methods see the members of what they are called on by their bare names.
    bare_receivers: ClassVar[bool] = True
    # Structures may have names of their own: ``struct x`` is another thing than ``x``.
    tag_names: ClassVar[bool] = False
    # They may be named without the keyword.
    bare_tags: ClassVar[bool] = False
    # A constructor is named like its class, which the name means everywhere.
    class_constructors: ClassVar[bool] = False
    # Names of the types that literals have: of a text, of anything else by its node.
    text_type: ClassVar[str] = ""
    # Types that take any value, those that no other type is an heir of, and what a built-in type becomes.
    any_types: ClassVar[frozenset[str]] = frozenset()
    final_types: ClassVar[frozenset[str]] = frozenset()
    widening: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    # Values fit types by their members, whatever their class.
    structural: ClassVar[bool] = False
    # A type is an interface's by its methods alone, without naming it; the methods of foreign interfaces.
    implicit_interfaces: ClassVar[bool] = False
    foreign_interfaces: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    # What foreign generic types and functions make of the type that they are told: see ``shaped``.
    foreign_types: ClassVar[Mapping[str, str]] = {}
    foreign_calls: ClassVar[Mapping[str, str]] = {}
    # Functions of packages that make a store of the state which they are told.
    store_calls: ClassVar[Mapping[str, str]] = {}
    # Foreign functions that give their argument back, and those that keep it under a member of their result.
    passing_calls: ClassVar[frozenset[str]] = frozenset()
    recording_calls: ClassVar[Mapping[str, str]] = {}
    # Arguments that are given by name are known by it.
    named_arguments: ClassVar[bool] = False
    # A project adds members to foreign types: see ``additions``.
    adds_to_foreign: ClassVar[bool] = False
    # Functions that give one which runs a function for each row of a table.
    table_calls: ClassVar[frozenset[str]] = frozenset()
    # Variables that are there without an import, and the types that a project may add members to.
    global_values: ClassVar[Mapping[str, str]] = {}
    # Those of which every variable is a member that is there without an import.
    global_objects: ClassVar[frozenset[str]] = frozenset()
    # Those that are foreign, and may hold what a project adds to.
    foreign_globals: ClassVar[frozenset[str]] = frozenset()
    # What a file calls the object whose members it sees by their bare names.
    bare_owner: ClassVar[str] = ""
    # Classes made from a function, which is handed one that takes what the class is told.
    promises: ClassVar[frozenset[str]] = frozenset()
    # A scope may give a name another value that it imports: a substitute where the import fails.
    rebinds_imports: ClassVar[bool] = False
    # The method by which a value says what waiting for it gives.
    waiter: ClassVar[str] = ""
    # A file may give something out under a name that it calls something else by itself.
    renames_exports: ClassVar[bool] = False
    # A method that gives ``this`` gives the heir that it is called on.
    heirs_give_themselves: ClassVar[bool] = False
    # ``typeof C`` as a type is read as C: what is called although it is no function is the class then.
    reads_classes_as_instances: ClassVar[bool] = False
    # The method that takes a function and hands it what waiting for the value gives.
    settler: ClassVar[str] = ""
    # Functions that hand the elements of what follows to the function which they are given first.
    walking_calls: ClassVar[frozenset[str]] = frozenset()
    # Functions of the language's library, as they are written or by their module: see ``library_call``.
    # Methods of what nobody knows begin with a dot.
    library: ClassVar[Mapping[str, str]] = {}
    # Those that give some arguments to a function, which is called later.
    completing_calls: ClassVar[frozenset[str]] = frozenset()
    # Types of the language itself that say what a value is, and that nothing of a project is but their heirs.
    plain_types: ClassVar[frozenset[str]] = frozenset()
    # Overloads are told apart by types: those of the language and its library, with the names of types that
    # take them, and further ones of which it is known what they take.
    literal_types: ClassVar[Mapping[str, frozenset[str]]] = {}
    telling_types: ClassVar[frozenset[str]] = frozenset()
    # Members are always called: one that is no function gives what it holds.
    members_are_called: ClassVar[bool] = False
    # Nothing says what a function takes but its calls.
    asks_callers: ClassVar[bool] = False
    # What a class has itself and what its instances have are two things: see ``SINGLETON``.
    singletons: ClassVar[bool] = False
    # The method by which a class hands its elements to a function, as all others do that containers have.
    walker: ClassVar[str] = ""
    # A class may call by its bare name what only its heirs declare.
    heirs_supply: ClassVar[bool] = False
    # Methods of a mapping hand a key and what it holds to a function.
    hands_entries: ClassVar[bool] = False
    # A function's variables are seen in the whole function, so only their order tells what they hold.
    reads_in_order: ClassVar[bool] = False

    def __init__(self, project: Project) -> None:
        self.project = project

    @classmethod
    def checking(cls) -> type[Rules] | None:
        """The rules by which type checkers read, if they see other files than what runs."""
        return None

    @property
    def is_checked_apart(self) -> bool:
        """Whether there are files of which type checkers and what runs see different ones."""
        return False

    def is_stub(self, path: str) -> bool:
        """Whether a file only declares what the module beside it defines."""
        return False

    def moved(self, project: Project) -> Rules:
        """The same rules for a later state of the same paths, with what they know of those."""
        other = type(self)(project)
        other.__dict__.update(self.__dict__ | {"project": project})
        return other

    def as_types(self, path: str, name: str, found: Targets) -> Targets:
        """Of what a name means, or may mean, that which can stand where a type is expected."""
        return found

    def module(self, path: str, imported: Import) -> Value | None:
        """The module an import in a file names, or nothing when it is outside the project."""
        return None

    def submodule(self, module: Value, name: str) -> Value | None:
        """A module inside a module."""
        return None

    def is_unknown(self, name: str) -> bool:
        """Whether a foreign name is of a package that need not be there."""
        return False

    def adds_to_language(self, target: Target) -> bool:
        """Whether a declaration only adds members to a type that the language itself provides."""
        return False

    def is_absent(self, path: str, module: str) -> bool:
        """Whether a foreign module that a file imports is not installed, so that nothing proves its types."""
        return False

    def has_package(self, module: str) -> bool:
        """Whether the package of a foreign module is part of the language, or installed."""
        return True

    def is_loaded(self, path: str, space: Value, name: str, module: Value) -> bool:
        """Whether a module is sure to be there for a file that takes it from another by a dot and a name."""
        return True

    def lent(self, module: Value, name: str) -> Targets:
        """What a module has by that name from files that it does not name."""
        return ()

    def package_member(self, key: str, name: str) -> Targets:
        """What a package of several files calls by that name."""
        return ()

    def is_typed(self, path: str) -> bool:
        """Whether a file says its types, of which no function is one."""
        return False

    def is_copy(self, path: str) -> bool:
        """Whether a file is another project's, copied into this one to build it."""
        return False

    def ambient(self, path: str, name: str) -> Iterable[Value]:
        """Modules whose names a file sees without importing them, nearest first."""
        return ()

    def opened_member(self, path: str, scope: int, name: str) -> Symbol | None:
        """A member that a class declares where it is opened again, in one of very many places."""
        return None

    def extensions(self, path: str, scope: int, name: str) -> Iterable[tuple[str, int]]:
        """Scopes elsewhere that add members to a class."""
        return ()

    def additions(self, foreign: str) -> Sequence[Value]:
        """The modules and classes that add members to something foreign."""
        return ()

    def added_package(self, foreign: str) -> tuple[str, str]:
        """The package to whose types the project adds, and what of it a foreign name means."""
        return "", ""

    def extending(self, name: str) -> Iterable[Symbol]:
        """Methods that are called on their first parameter, wherever they are declared."""
        return ()

    def reaches(self, path: str, method: Symbol) -> bool:
        """Whether a file may call a method that is declared elsewhere like a value's own."""
        return True

    def intrinsic(self, path: str, name: str) -> Iterable[Symbol]:
        """The interfaces that may declare the elements of a language inside a file's language, best first."""
        return ()

    def is_tag(self, symbol: Symbol) -> bool:
        """Whether a name is that of a structure, which stands apart from all others."""
        return False

    def types_apart(self, symbol: Symbol) -> bool:
        """Whether a name stands for a value that other files see and for a type that they do not."""
        return False

    def variants(self, member: Symbol) -> Iterable[Symbol]:
        """What another build of the program has in the place of a member."""
        return ()

    def star_gives(self, module: Value, name: str) -> bool:
        """Whether importing all that a module has gives what it calls by a name."""
        return True

    @staticmethod
    def names_sought(links: Links) -> Iterable[str]:
        """Beside the names in a file what it has to be found by."""
        return ()

    # What libraries do by convention; what rests on it is likely and no more.

    def takers(self, symbol: Symbol, within: Collection[str]) -> Iterable[tuple[str, int]]:
        """The files and places of parameters that are handed a symbol because they are named so.

        Of the files that use the symbol's own name only some have been looked at.
        """
        return ()

    def known_as(self, symbol: Symbol) -> Iterable[Value]:
        """The foreign names under which a library gives out a symbol of the project."""
        return ()

    def is_called_by_names(self, path: str) -> bool:
        """Whether a library calls functions of a file with arguments that it chooses by their names."""
        return False

    def is_guessed_at(self, path: str) -> bool:
        """Whether names that lead nowhere in a file may mean something by convention."""
        return self.is_called_by_names(path)

    def handed(self, parameter: Symbol) -> Values:
        """What a library gives to a parameter of that name."""
        return ()

    def told_beside(self, symbol: Symbol) -> Iterable[Symbol]:
        """The declarations of a symbol in another file that say of what type it is."""
        return ()

    def twins(self, symbol: Symbol) -> Iterable[Symbol]:
        """Other declarations of the same thing, such as a prototype and its definition."""
        return ()

    def sees(self, declaration: Target, symbol: Symbol) -> bool:
        """Whether what leads to another declaration of a symbol certainly leads to this one, too."""
        return True

    def counts_nothing(self, path: str) -> tuple[bool, bool]:
        """Whether, in a file, nothing is a type of its own; whether it is one of a member left out, too."""
        return True, True

    def declares_again(self, symbol: Symbol, other: Symbol, kind: int) -> bool:
        """Whether a binding of that kind only declares the same symbol once more."""
        return False


def from_files(compute: Callable[[R], T]) -> Callable[[R], T]:
    """A table that rules make of files, anew where one of those is another; empty while it is being made."""

    @wraps(compute)
    def made(rules: R) -> T:
        return rules.project.solve(("table", compute.__qualname__), compute, rules)  # type: ignore[no-any-return]

    return made


def file_module(path: str) -> Value:
    """A whole file as a module."""
    return Value(MODULE, path, 0)
