"""Resolution on demand: which symbol a name, attribute or import leads to, for one ref."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final, TypeVar

from cuedeck.code.facts import (
    BIND_MASK,
    INSTANCE,
    OP_MASK,
    ROLE_SHIFT,
    TYPE_ROLES,
    Bind,
    Links,
    Op,
    Role,
    ScopeKind,
)
from cuedeck.code.resolution.memo import ANY_FILE, ASSUMPTION, Memo, naming
from cuedeck.code.resolution.namesakes import Namesakes
from cuedeck.code.resolution.rules import Files, Rules
from cuedeck.code.resolution.shapes import is_class_of, made_of
from cuedeck.code.resolution.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    METHODS,
    MODULE,
    PACKAGE,
    PARAMETER,
    SUPER,
    TYPE_OF,
    Symbol,
    Target,
    Targets,
    Value,
    Values,
    has_member,
)
from cuedeck.code.resolution.values import (
    INSTANCE as INSTANCE_OF,
)

T = TypeVar("T")

_MAX_DEPTH: Final = 120
_MAX_MEMO: Final = 100 * 1024 * 1024
_NEVER: Final = 1 << 30
_LOCAL: Final = frozenset(
    {
        Bind.FUNCTION,
        Bind.CLASS,
        Bind.VARIABLE,
        Bind.PARAMETER,
        Bind.SELF,
        Bind.OPAQUE,
        Bind.ALIAS,
        Bind.NAMESPACE,
    }
)


class Linker(Namesakes):
    """Links one ref's files. Results are memoised; a result cut short by a cycle is not kept.

    A cycle (``a = b; b = a``) is cut where it closes. What was computed below the cut depends on where the
    evaluation began, so it is forgotten once the cycle's root is done: answers never depend on the order of
    questions.
    """

    trusts: bool = False

    def __init__(self, project: Files, rules: Callable[[str], Rules], memo: Memo | None = None) -> None:
        self.project = project
        self.rules_of = rules
        self.memo = memo if memo is not None else Memo()
        self.active: dict[Any, int] = {}
        self.cut = _NEVER
        self.tentative: dict[Any, tuple[Any, int, int]] = {}
        # What the innermost computation rests on: files it has read, and files of the results it has used.
        self.read: set[str] = set()
        self.files = 0
        self.assumed = False

    def links(self, path: str) -> Links:
        """The links of a file."""
        self.read.add(path)
        return self.project.links(path)

    # Rules ask here for files, so that what they say is known to rest on them.

    @property
    def paths(self) -> Collection[str]:
        """Every code file, in order."""
        return self.project.paths

    def text(self, path: str) -> str | None:
        """A project file, if it is there."""
        return self.project.text(path)

    def followed(self, path: str) -> str:
        """A path without the symbolic links that it leads through."""
        return self.project.followed(path)

    def files_naming(self, name: str) -> Collection[str]:
        """The files in which a name occurs."""
        self.read.add(naming(name))
        return self.project.files_naming(name)

    def files_defining(self, name: str) -> Collection[str]:
        """The files that define a symbol of that name."""
        self.read.add(naming(name))
        return self.project.files_defining(name)

    def assumes(self) -> bool:
        """Whether packages of the project are taken to be built and installed, which no file says."""
        self.read.add(ASSUMPTION)
        self.assumed = self.assumed or not self.active
        return True

    def resting(self, resolve: Callable[..., T], *place: Any) -> tuple[T, bool]:
        """What something is resolved to, and whether that rests on an assumption."""
        self.assumed, self.files = False, 0
        found = resolve(*place)
        return found, self.assumed or bool(self.files & self.memo.assumption)

    def solve(self, key: Any, compute: Callable[..., Any], *arguments: Any) -> Any:
        """Compute once, cutting cycles."""
        memo = self.memo
        # Keys are types inside types, whose hash is no trifle: each look at a table counts.
        kept = memo.files.get(key)
        if kept is not None:
            self.files |= kept
            return memo.results[key]
        if self.tentative and key in self.tentative:
            result, root, files = self.tentative[key]
            self.cut = min(self.cut, root)
            self.files |= files
            return result
        active = self.active
        if key in active:
            self.cut = min(self.cut, active[key])
            return ()
        depth = len(active)
        if depth > _MAX_DEPTH:
            self.cut = 0
            return ()
        active[key] = depth
        outer, self.cut = self.cut, _NEVER
        around, self.read, self.files = (self.read, self.files), set(), 0
        try:
            result = compute(*arguments)
        finally:
            del active[key]
            files = self.files | memo.bits(self.read)
            self.read, self.files = around[0], around[1] | files
        if self.cut >= depth:
            memo.keep(key, result, files)
            if self.tentative and self.cut == depth:
                self.tentative = {k: v for k, v in self.tentative.items() if v[1] < depth}
            self.cut = outer
        else:
            self.tentative[key] = (result, self.cut, files)
            self.cut = min(outer, self.cut)
        if not active:
            self._settle()
        return result

    def _settle(self) -> None:
        """Nothing is being computed: what was tentative is forgotten, and nobody has read anything."""
        self.assumed = self.assumed or bool(self.files & self.memo.assumption)
        self.cut = _NEVER
        self.tentative.clear()
        self.read.clear()
        self.files = 0
        if self.memo.weight > _MAX_MEMO:
            self.memo.clear()

    # -- names

    def name(self, path: str, scope: int, name: str) -> Targets:
        """What a bare name means in a scope."""
        result: Targets = self.solve(("n", path, scope, name), self._name, path, scope, name)
        return result

    def _name(self, path: str, scope: int, name: str) -> Targets:
        links = self.links(path)
        number = links.string_numbers.get(name)
        rules = self.rules_of(path)
        star = links.string_numbers.get("*")
        current, direct = scope, True
        while current >= 0:
            row = links.scopes[current]
            if number is not None and row.globals and number in links.lists[row.globals]:
                return self.lookup(path, 0, name)
            if row.kind in (ScopeKind.CLASS, ScopeKind.EXTENSION):
                own = rules.class_constructors and number is not None and is_class_of(links, current, number)
                found = self._in_class(path, current, name, direct, rules) if not own else ()
                if found:
                    return found
            elif number in links.names[current] or star in links.names[current]:
                found = self.lookup(path, current, name)
                if found or number in links.names[current]:
                    return self.seen_inside(path, current, name, found) if len(found) > 1 else found
            if row.kind == ScopeKind.NAMESPACE and rules.open_namespaces:
                found = rules.lent(Value(MODULE, path, current), name)
                if found:
                    return found
            if row.receiver and rules.bare_members and rules.bare_receivers:
                found = self._of_receiver(path, current, name)
                if found:
                    return found
            direct = direct and row.kind == ScopeKind.BLOCK
            current = row.parent if row.kind != ScopeKind.TAGS else -1
        for module in rules.ambient(path, name):
            found = self.module_member(module, name)
            if found:
                return found
        return self.unbound(path, scope, name)

    def _of_receiver(self, path: str, scope: int, name: str) -> Targets:
        """A member of the value that a function is called on, which it sees by its bare name."""
        links = self.links(path)
        receiver = Symbol(path, scope, links.strings[links.scopes[scope].receiver])
        values = self.concrete(self.type_of(receiver)) if receiver.name != name else ()
        members = (self.member(value, name) for value in values if value.tag == INSTANCE_OF)
        return tuple(dict.fromkeys(member for member in members if member is not None))

    def _in_class(self, path: str, scope: int, name: str, direct: bool, rules: Rules) -> Targets:
        """A class's names are seen in its body, its type parameters everywhere inside, members if bare."""
        links = self.links(path)
        number = links.string_numbers.get(name)
        bindings = links.names[scope].get(number, ()) if number is not None else ()
        seen = direct and rules.body_names
        # What implements overloads is bound as a type parameter is, but beside them.
        if bindings and (seen or all(links.bindings[3][binding] == Bind.OPAQUE for binding in bindings)):
            return self.lookup(path, scope, name)
        if rules.bare_members:
            owner = Value(CLASS, path, scope)
            found = self.of_class_itself(owner, name, direct) if rules.singletons else None
            found = found or self.member(owner, name)
            return (found,) if found else self.lookup(path, scope, name) if bindings else ()
        return ()

    def lookup(self, path: str, scope: int, name: str) -> Targets:
        """What a scope itself calls by that name."""
        result: Targets = self.solve(("l", path, scope, name), self._lookup, path, scope, name)
        return result

    def _lookup(self, path: str, scope: int, name: str) -> Targets:
        links = self.links(path)
        names = links.names[scope]
        found: list[Target] = []
        number = links.string_numbers.get(name)
        if number is not None and number in names:
            local = False
            for binding in names[number]:
                kind = links.bindings[3][binding] & BIND_MASK
                if kind in _LOCAL:
                    local = True
                else:
                    found += self.linked(path, binding)
            if local:
                found.append(Symbol(path, scope, name))
            return tuple(dict.fromkeys(found))
        star = links.string_numbers.get("*")
        # Where several modules have the name, the last one has given it.
        for binding in reversed(names.get(star, ()) if star is not None else ()):
            module = self.imported(path, links.bindings[4][binding])
            if module is None or not self.rules_of(path).star_gives(module, name):
                continue
            members = self.module_member(module, name)
            if members and (self.rules_of(path).stars_pass_imports or isinstance(members[0], Symbol)):
                return members
            found += [] if found else members
        return tuple(found)

    def linked(self, path: str, binding: int) -> Targets:
        """Where a binding that only forwards leads."""
        links = self.links(path)
        kind, x, y = (column[binding] for column in links.bindings[3:])
        kind &= BIND_MASK
        if kind == Bind.LINK:
            return self.targets(path, x)
        module = self.imported(path, x)
        if module is None and kind in (Bind.MODULE, Bind.IMPORT) and not self.knows(path, x):
            return (Symbol(path, links.bindings[0][binding], links.strings[links.bindings[1][binding]]),)
        if kind == Bind.MODULE:
            return (module or self.foreign(path, links.imports[x].module),)
        if kind == Bind.IMPORT:
            original = links.strings[y]
            if module is None:
                return self.foreign_member(self.foreign(path, links.imports[x].module), original)
            return self.taken_from(module, original)
        return ()

    def taken_from(self, module: Value, name: str) -> Targets:
        """What importing a name gives: not what the module made something else of, ``x = changed(x)``.

        Nor what it has only where something else fails: ``except ImportError: from plain import x``.
        """
        found = self.module_member(module, name)
        if len(found) > 1 and module.tag == MODULE:
            found = self.lasting(module, name) or found
        own = [t for t in found if t[:2] == (module.path, module.scope) and isinstance(t, Symbol)]
        if len(found) < 2 or not own:
            return found
        links = self.links(module.path)
        number = links.string_numbers[name]
        bindings = links.names[module.scope].get(number, ())
        given = [links.bindings[5][b] for b in bindings if links.bindings[3][b] == Bind.VARIABLE]
        return tuple(own) if any(made_of(links, value, number) for value in given) else found

    def lasting(self, module: Value, name: str) -> Targets:
        """What a module calls by a name where nothing fails."""
        found: Targets = self.solve(("lasting", module.path, module.scope, name), self._lasting, module, name)
        return found

    def _lasting(self, module: Value, name: str) -> Targets:
        links = self.links(module.path)
        bindings = tuple(links.names[module.scope].get(links.string_numbers.get(name, -1), ()))
        kept = links.lasting(module.scope, bindings)
        if len(kept) == len(bindings):
            return ()
        kinds = links.bindings[3]
        # A variable is one thing with what it stands in for.
        own = any(kinds[b] in _LOCAL for b in kept) or any(kinds[b] == Bind.VARIABLE for b in bindings)
        found = [t for b in kept if kinds[b] & BIND_MASK not in _LOCAL for t in self.linked(module.path, b)]
        return tuple(dict.fromkeys([*found, Symbol(module.path, module.scope, name)] if own else found))

    def imported(self, path: str, number: int) -> Value | None:
        """The module an import names."""
        result: Value | None = self.solve(("i", path, number), self._imported, path, number)
        return result or None

    def _imported(self, path: str, number: int) -> Value | None:
        return self.rules_of(path).module(path, self.links(path).imports[number])

    def module_member(self, module: Value, name: str) -> Targets:
        """What a module calls by that name."""
        if module.tag == PACKAGE:
            return self.solve(("p", module, name), self._package_member, module, name)  # type: ignore[no-any-return]
        found = self.lookup(module.path, module.scope, name)
        if found:
            return self.given_out(module, name, found) if len(found) > 1 else found
        rules = self.rules_of(module.path)
        inner = rules.submodule(module, name)
        return (inner,) if inner else rules.lent(module, name)

    def _package_member(self, module: Value, name: str) -> Targets:
        for path in self.languages:
            rules = self.rules_of(path)
            if not rules.keeps_results:
                self.read.add(ANY_FILE)
            found = rules.package_member(module.path, name)
            if found:
                return found
        return ()

    def provided(self, path: str, number: int) -> Values:
        """What a name means that the language provides: the class around, a variable the project adds to."""
        rules, name = self.rules_of(path), self.label(path, number)
        if name in rules.self_types:
            return self.around(path, number)
        kind, foreign = rules.global_values.get(name, ""), name in rules.foreign_globals
        if (kind or foreign) and self.targets(path, number):
            return ()
        modules = spaces = tuple(rules.ambient(path, kind)) if kind else ()
        *around, kind = kind.split(".")
        for space in around:
            spaces = self.values(tuple(t for module in spaces for t in self.module_member(module, space)))
        types = tuple(target for module in spaces for target in self.module_member(module, kind))
        found = self.instances(path, self.values(types))
        if foreign:
            return (*found, self.foreign(path, name))
        return (*found, *modules) if name in rules.global_objects else found

    # -- classes

    def member(self, owner: Value, name: str, *, skip: int = 0) -> Symbol | None:
        """The member a class or its ancestors declare; assignments through the instance come last."""
        key = ("a", owner.path, owner.scope, name, skip)
        result: Symbol | None = self.solve(key, self._member, owner, name, skip)
        return result or None

    def _member(self, owner: Value, name: str, skip: int) -> Symbol | None:
        assigned: Symbol | None = None
        rules = self.rules_of(owner.path)
        constructed, declared = rules.class_constructors, rules.declared_members
        own = self.said_beside(owner) if skip and rules.linear_ancestors else ()
        for path, scope in self.lineage(owner)[skip:]:
            if (path, scope) in own:
                continue
            links = self.links(path)
            number = links.string_numbers.get(name)
            kinds, hints = links.bindings[3], links.bindings[4]
            # What only the constructor takes is no member, nor is a type parameter.
            bound = links.names[scope].get(number, ()) if number is not None else ()
            bindings = [b for b in bound if kinds[b] != Bind.PARAMETER or rules.parameters_are_members]
            told = declared and all(kinds[b] == Bind.OPAQUE for b in bindings)
            if told or not bindings or (constructed and is_class_of(links, scope, number or 0)):
                continue
            imported = all(kinds[b] & BIND_MASK not in _LOCAL for b in bindings)
            if imported and links.scopes[scope].kind == ScopeKind.MODULE:
                # A module as an ancestor: what it imports is not its own.
                continue
            in_body = [b for b in bindings if not kinds[b] & INSTANCE]
            # What an ancestor declares with a type is meant by assignments below it, and by defaults perhaps.
            typed = [b for b in bindings if hints[b] and not self.leaves_open(path, kinds[b], hints[b])]
            telling = declared or any(b in typed or kinds[b] != Bind.VARIABLE for b in in_body)
            if in_body and (telling or (assigned is None and not rules.typed_members_first)):
                return Symbol(path, scope, name)
            if typed:
                return Symbol(path, scope, name)
            assigned = assigned or Symbol(path, scope, name)
        return assigned or rules.opened_member(owner.path, owner.scope, name)

    # -- sites

    def attribute(self, path: str, number: int) -> Targets:
        """What an attribute expression names."""
        links = self.links(path)
        values = self.meant_on(path, number)
        if not values:
            return self.extended(path, number)
        values = self.not_its_own(path, number, values)
        name = links.strings[links.b[number]]
        rules = self.rules_of(path)
        if name in rules.members_of_all:
            return ()
        given = links.arguments.get(number) if rules.overloads else None
        called = links.ops[number] >> ROLE_SHIFT == Role.CALL
        found: list[Target] = []
        for value in self.concrete(values):
            targets = self.attribute_of(value, name) or self.behind_arrow(value, name, rules)
            targets = self.taken_by_dot(path, value, name, targets)
            if rules.fields_beside_methods:
                targets = self.beside(value, targets, called)
            found += targets if given is None else self.taking(value, targets, len(given))
        if len(found) > 1 and rules.structural:
            found = self.in_place(found, links.ops[number] >> ROLE_SHIFT in TYPE_ROLES)
        if all(isinstance(target, Value) for target in found) or self.is_refused(path, found, given):
            return self.extended(path, number) or tuple(dict.fromkeys(found))
        return tuple(dict.fromkeys(found))

    def behind_arrow(self, value: Value, name: str, rules: Rules) -> Targets:
        """The member of what a value points to, which is none of the value itself."""
        if not rules.arrow or value.tag != INSTANCE_OF:
            return ()
        pointed = [v for v in self.concrete(self.protocol(value, rules.arrow)) if v != value]
        return tuple(t for v in pointed for t in self.attribute_of(v, name))

    def not_its_own(self, path: str, number: int, values: Values) -> Values:
        """Whose key an object may set: a type parameter becomes the type of the object given for it."""
        links = self.links(path)
        owner = links.a[number]
        hint = self.plain(path, owner)
        if links.ops[hint] & OP_MASK != Op.ARGUMENT:
            return values
        position = links.b[hint]
        for given in links.arguments.get(links.a[hint], ())[position : position + 1]:
            if links.ops[given] & OP_MASK == Op.UNION and owner in links.lists[links.b[given]]:
                asked = self.revealed(self.evaluate(path, hint))
                told = [v for v in asked if not self.is_open(path, links.a[hint], v)]
                if len(told) < len(asked):
                    known = {v[:3] for v in (*told, *self.concrete(tuple(told)))}
                    return tuple([v for v in values if v[:3] in known])
        return values

    def is_open(self, path: str, callee: int, value: Value) -> bool:
        """Whether a value is a type parameter of what is called."""
        if value.tag != PARAMETER:
            return False
        called = self.concrete(self.evaluate(path, callee))
        functions = [f for v in called for f in self.functions_of(path, v)]
        return any((v.path, v.scope) == (value.path, value.scope) for v in (*called, *functions))

    def methods(self, path: str, member: int) -> Values:
        links = self.links(path)
        found: list[Value] = []
        if self.rules_of(path).fields_beside_methods:
            name = links.strings[links.b[member]]
            for owner in self.concrete(self.evaluate(path, links.a[member])):
                nearest = self.attribute_of(owner, name)
                meant = self.beside(owner, nearest, called=True)
                found += [v for target in meant if meant != nearest for v in self.worth(owner, target)]
        return tuple(found)

    def taking(self, value: Value, targets: Targets, count: int) -> Targets:
        """Of overloads that a class and its ancestors declare, the nearest that takes so many arguments."""
        if value.tag not in (CLASS, INSTANCE_OF, SUPER):
            return targets
        nearest, lineage, above = targets, self.lineage(value), 0
        while len(targets) == 1 and isinstance(targets[0], Symbol):
            functions = [f for f in self.type_of(targets[0]) if f.tag == FUNCTION]
            if not functions or any(self.takes(f, count) for f in functions):
                return targets
            place = (targets[0].path, targets[0].scope)
            if place not in lineage[above:]:
                break
            above = lineage.index(place, above) + 1
            symbol = self.member(value, targets[0].name, skip=above)
            targets = (symbol,) if symbol is not None else ()
        return nearest

    def attribute_of(self, value: Value, name: str) -> Targets:
        """What ``value.name`` names."""
        if value.tag in (MODULE, PACKAGE):
            return self.module_member(value, name)
        if value.tag in (CLASS, INSTANCE_OF, SUPER):
            if value.name and not has_member(value.name, name):
                return ()
            own = value.tag == CLASS and self.rules_of(value.path).singletons
            found = self.of_metaclass(value, name) if own else None
            found = found or self.member(value, name, skip=int(value.tag == SUPER))
            if found is None and value.tag == CLASS and not own:
                found = self.of_metaclass(value, name)
            if name == "__class__" and value.tag == INSTANCE_OF and not found:
                return (value._replace(tag=CLASS),)
            if found and METHODS in value.name and not self.declares(found, function=True):
                return ()
            if value.tag == CLASS and not found and name == self.rules_of(value.path).prototype:
                return (value._replace(tag=INSTANCE_OF),)
            if not found or self.is_rivalled(value, found) or self.is_of_instances(value, found):
                return ()
            return (*self.imported_member(found), *self.spread_over(value, found))
        if value.tag in (PARAMETER, TYPE_OF):
            return tuple(t for limit in self.bounds(value) for t in self.attribute_of(limit, name))
        return self.foreign_member(value, name) if value.tag == EXTERNAL else ()

    def of_metaclass(self, owner: Value, name: str) -> Symbol | None:
        """The member that a class has by the class of classes which it or an ancestor names."""
        for path, scope in self.lineage(owner):
            links = self.links(path)
            row = links.scopes[scope]
            if row.kind == ScopeKind.CLASS and row.result:
                for value in self.evaluate(path, row.result):
                    found = self.member(value, name) if value.tag == CLASS else None
                    if found or not self.rules_of(path).singletons:
                        return found
        return None

    def imported_member(self, member: Symbol) -> Targets:
        """A member, or what it is where the body of its class imports it."""
        links = self.links(member.path)
        first = links.names[member.scope][links.string_numbers[member.name]][0]
        if links.bindings[3][first] & BIND_MASK in (Bind.IMPORT, Bind.LINK):
            return self.lookup(member.path, member.scope, member.name)
        return (member, *self.rules_of(member.path).variants(member))

    def targets(self, path: str, number: int) -> Targets:
        """What the expression names: symbols of the project, modules, external things."""
        links = self.links(path)
        op, a, b = links.ops[number] & OP_MASK, links.a[number], links.b[number]
        if op == Op.NAME:
            found = self.name(path, a, links.strings[b])
            role = links.ops[number] >> ROLE_SHIFT
            rules = self.rules_of(path)
            if rules.reads_in_order and rules.body_names and links.scopes[a].kind == ScopeKind.CLASS:
                return self.by_now(path, number, found)
            if rules.declared_first and len(found) == 1:
                return self.declared_before(path, number, found)
            if found and rules.tag_names:
                return self.structures_apart(path, number, found)
            if rules.fields_beside_methods:
                return self.method_or_field(path, a, links.strings[b], found, role == Role.CALL)
            if rules.types_beside_values and role == Role.TYPE:
                return self.type_outside(path, links.strings[b], found)
            return found if role not in TYPE_ROLES else self.type_beside(path, a, links.strings[b], found)
        if op == Op.ATTR:
            return self.attribute(path, number)
        if op == Op.IMPORTED:
            module = self.imported(path, a)
            return self.taken_from(module, links.strings[b]) if module is not None else ()
        if op == Op.MODULE:
            module = self.imported(path, a)
            outside = not links.imports[a].level
            return (module or self.foreign(path, links.imports[a].module),) if module or outside else ()
        if op in (Op.NARROWED, Op.WANTED):
            return self.targets(path, a)
        if op == Op.INTRINSIC:
            return self.element(path, links.strings[b])
        if op == Op.KEYWORD:
            return self.keyword(path, a, links.strings[b])
        return ()

    def element(self, path: str, tag: str) -> Targets:
        """What a tag means by the first interface of elements that knows it."""
        for symbol in self.rules_of(path).intrinsic(path, tag):
            for value in self.type_of(symbol):
                found = self.member(value, tag) if value.tag == CLASS else None
                if found:
                    return (found,)
        return ()
