"""Every place that refers to a symbol, resolved; and the places that only share its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from cuedeck.code.facts import (
    BIND_MASK,
    ROLE_SHIFT,
    TYPE_BINDS,
    TYPE_ROLES,
    Bind,
    Kind,
    Links,
    Op,
    Role,
    ScopeKind,
)
from cuedeck.code.locating import definitions_of
from cuedeck.code.makings import is_constructor, makings
from cuedeck.code.overloads import functions_of, overload_at
from cuedeck.code.resolution.conventions import guessed
from cuedeck.code.resolution.expected import may_lack
from cuedeck.code.resolution.heirs import may_make_heir
from cuedeck.code.resolution.linker import Linker
from cuedeck.code.resolution.listing import is_listed
from cuedeck.code.resolution.shapes import is_made
from cuedeck.code.resolution.uses import (
    BY_NAME,
    CONSTRUCTS,
    CONVENTION,
    DECLARES,
    EDGES,
    EXPORTS,
    KEY,
    MAKES,
    PACKAGE,
    STUB,
    Site,
    Uses,
    edge_of,
)
from cuedeck.code.resolution.values import CLASS, EXTERNAL, MODULE, Symbol, Target, Value
from cuedeck.code.snapshot import Snapshot

_FORWARDING: Final = frozenset({Bind.IMPORT, Bind.MODULE, Bind.STAR, Bind.LINK})
_MAX_ALIASES: Final = 40
# What is written in these is called by its name from any other language, and these by each other.
_LINKED: Final = frozenset({"c", "cpp", "rust"})
_TOGETHER: Final = frozenset({"java", "kotlin"})
_MAX_HEIRS: Final = 200
_NAMED_CALL: Final = Op.NAME | Role.CALL << ROLE_SHIFT


@dataclass(frozen=True, slots=True)
class References:
    """What refers to a symbol, and what might."""

    resolved: tuple[Site, ...]
    possible: tuple[Site, ...]
    unseen: int = 0  # files that use the name and were not looked at in time

    @property
    def named(self) -> tuple[tuple[Site, ...], tuple[Site, ...]]:
        """What refers to it, and what might, for whoever names it and means all that is part of it."""
        joined = sorted((*self.resolved, *(site for site in self.possible if site.likely in BY_NAME)))
        return tuple(joined), tuple(site for site in self.possible if site.likely not in BY_NAME)

    @property
    def constructions(self) -> list[Site]:
        """What runs a constructor without naming it or its class by the bare name of that."""
        return [site for site in self.possible if site.likely == CONSTRUCTS]


def references(snapshot: Snapshot, symbol: Symbol, defined_at: int | None = None) -> References:
    """All references to a symbol, in path order, without the definition that is asked about.

    Setters and redefinitions count as references to it. What only declares it once more (an overload, a stub)
    is likely, and says why.
    """
    return _Search(snapshot, symbol, defined_at).run()


def without_stub(joined: References, checked: References) -> References:
    """Of a module what leads there as types are checked; what leads to the stub beside it is likely."""
    if checked.unseen:
        return replace(joined, unseen=max(joined.unseen, checked.unseen))
    proven = {_place(site) for site in checked.resolved}
    led = [replace(site, likely=STUB) for site in joined.resolved if _place(site) not in proven]
    return _told(checked.resolved, led, joined)


def with_stub(joined: References, checked: References) -> References:
    """Of a stub all that leads to it or to its module, as it runs or as types are checked."""
    both = {_place(site): site for site in (*checked.resolved, *joined.resolved)}
    found = _told(tuple(both[place] for place in sorted(both)), [], joined)
    return replace(found, unseen=max(joined.unseen, checked.unseen))


def _told(resolved: tuple[Site, ...], led: list[Site], joined: References) -> References:
    proven = {_place(site) for site in resolved}
    possible = [site for site in joined.possible if _place(site) not in proven]
    likely = sorted([*led, *(site for site in possible if site.likely)], key=_place)
    others = [site for site in possible if not site.likely]
    return replace(joined, resolved=resolved, possible=(*likely, *others))


def module_references(snapshot: Snapshot, path: str) -> References:
    """The imports of a file."""
    name = snapshot.symbols(path).module.rsplit("::", 1)[-1]
    uses = snapshot.uses(name)
    module = [
        t for t in uses.targets if isinstance(t, Value) and t.tag == MODULE and t.path == path and not t.scope
    ]
    found: set[Site] = set()
    for other, site in uses.of(module):
        links = snapshot.links(other)
        offset = links.pos[site]
        edge = edge_of(links.ops[site] >> ROLE_SHIFT)
        found.add(Site(other, offset, snapshot.line_of(other, offset), edge))
    return References(tuple(sorted(found)), (), len(uses.paths) - uses.looked)


def _bound(snapshot: Snapshot, symbol: Symbol) -> dict[int, int]:
    """What a name is bound as in its scope, by the place where it is."""
    links = snapshot.links(symbol.path)
    bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
    return {links.bindings[2][b]: links.bindings[3][b] & BIND_MASK for b in bindings}


def called_at(snapshot: Snapshot, symbol: Symbol, place: int | None) -> bool | None:
    """Whether a name that a class gives to a field and to a method is declared at a place as the method."""
    rules = snapshot.rules(symbol.path)
    if place is None or not (rules.overloads or rules.fields_beside_methods):
        return None
    kinds = _bound(snapshot, symbol)
    if place not in kinds or not {Bind.FUNCTION, Bind.VARIABLE} <= set(kinds.values()):
        return None
    return kinds[place] == Bind.FUNCTION


def beside_class(snapshot: Snapshot, symbol: Symbol, place: int | None) -> bool:
    """Whether a place declares a function that is named like a class: what is not called is the class."""
    if place is None or not snapshot.rules(symbol.path).overloads:
        return False
    kinds = _bound(snapshot, symbol)
    return kinds.get(place) == Bind.FUNCTION and Bind.CLASS in kinds.values()


def type_at(snapshot: Snapshot, symbol: Symbol, place: int | None) -> bool | None:
    """Whether a name is declared at a place as a type, which is another thing than the value of that name."""
    if place is None or not snapshot.rules(symbol.path).types_apart(symbol):
        return None
    others = snapshot.uses(symbol.name).of((symbol,))
    if all(path == symbol.path for path, _ in others):
        return None
    links = snapshot.links(symbol.path)
    bindings = links.names[symbol.scope].get(links.string_numbers[symbol.name], ())
    return any(links.bindings[2][b] == place and links.bindings[3][b] in TYPE_BINDS for b in bindings)


def beside_function(snapshot: Snapshot, symbol: Symbol, place: int | None) -> bool:
    """Whether a place declares an interface that is named like a function: what is called is that."""
    if place is None or not snapshot.rules(symbol.path).overloads:
        return False
    kinds = _bound(snapshot, symbol)
    if kinds.get(place) != Bind.CLASS or Bind.FUNCTION not in kinds.values():
        return False
    definitions = snapshot.outline(symbol.path).definitions
    return any(d.name_at == place and d.kind == Kind.INTERFACE for d in definitions)


class _Search:
    def __init__(self, snapshot: Snapshot, symbol: Symbol, defined_at: int | None) -> None:
        self.snapshot = snapshot
        self.linker: Linker = snapshot.linker
        self.symbol = symbol
        self.symbols = frozenset((symbol, *snapshot.rules(symbol.path).twins(symbol), *self.stood_in_for()))
        # Declarations of the same thing in files that do not see the symbol may be of another.
        rules = snapshot.rules(symbol.path)
        self.seeing = frozenset(t for t in self.symbols if t.path == symbol.path or rules.sees(t, symbol))
        self.found: dict[tuple[str, int], Site] = {}
        # What counts for a reason only.
        self.apart: dict[tuple[str, int], Site] = {}
        self.declared_at: set[tuple[str, int]] = set()
        self.unseen = 0
        outline = snapshot.outline(symbol.path)
        numbers = definitions_of(snapshot, symbol)
        places = [outline.definitions[n].name_at for n in numbers[:1]] if defined_at is None else [defined_at]
        self.definitions = {(symbol.path, place) for place in places}
        self.chosen = overload_at(snapshot, symbol, defined_at)
        self.overloads = functions_of(snapshot, symbol) if self.chosen else ()
        self.called = called_at(snapshot, symbol, defined_at)
        self.is_type = type_at(snapshot, symbol, defined_at)
        self.beside_class = beside_class(snapshot, symbol, defined_at)
        self.beside_function = beside_function(snapshot, symbol, defined_at)
        self.one_thing = (
            not (self.beside_class or self.beside_function)
            and self.chosen is None
            and self.called is None
            and self.is_type is None
        )
        self.is_made_apart = self.has_constructor()
        self.is_interface = any(outline.definitions[n].kind in (Kind.INTERFACE, Kind.TRAIT) for n in numbers)

    def stood_in_for(self) -> list[Target]:
        """What the same scope imports under the symbol's name: ``try: import`` with a substitute below.

        Of a function or a class that is not what a package has which nobody knows.
        """
        links, rules = self.snapshot.links(self.symbol.path), self.snapshot.rules(self.symbol.path)
        bindings = links.names[self.symbol.scope].get(links.string_numbers.get(self.symbol.name, -1), ())
        defined = any(links.bindings[3][b] in (Bind.FUNCTION, Bind.CLASS) for b in bindings)
        return [
            target
            for binding in bindings
            if _keeps_name(links, binding)
            for target in self.linker.linked(self.symbol.path, binding)
            if isinstance(target, Symbol)
            or target.tag == MODULE
            or (target.tag == EXTERNAL and not (defined and rules.is_unknown(target.path)))
        ]

    def has_constructor(self) -> bool:
        """Whether the symbol is a class whose constructor is what ``new`` refers to."""
        rules, links = self.snapshot.rules(self.symbol.path), self.snapshot.links(self.symbol.path)
        if not rules.new_names_constructors:
            return False
        bindings = links.names[self.symbol.scope].get(links.string_numbers.get(self.symbol.name, -1), ())
        classes = [links.bindings[4][b] for b in bindings if links.bindings[3][b] == Bind.CLASS]
        names = [links.string_numbers.get(name, -1) for name in rules.constructors]
        return any(name in links.names[scope] for scope in classes for name in names)

    def run(self) -> References:
        own = self.snapshot.uses(self.symbol.name)
        names, seen = self.scan(own), {self.symbol.name}
        while names and len(seen) < _MAX_ALIASES:
            name = names.pop()
            if name not in seen:
                seen.add(name)
                names += self.scan(self.snapshot.uses(name))
        self.constructions()
        # What is declared and exported at once names itself, too.
        for place in self.declared_at:
            self.found.pop(place, None)
        resolved = tuple(sorted(self.found.values(), key=_place))
        likely = {_place(site): site for site in self.likely(own) if _place(site) not in self.found}
        others = [site for site in self.unproven(own) if _place(site) not in likely]
        return References(resolved, (*(likely[place] for place in sorted(likely)), *others), self.unseen)

    def likely(self, uses: Uses) -> Iterator[Site]:
        """What runs the symbol without naming it, or means it if libraries do what they do by convention."""
        rules = self.snapshot.rules(self.symbol.path)
        takers = rules.takers(self.symbol, uses.paths[: uses.looked])
        places = [(path, at, Role.READ) for path, at in takers]
        guesses = guessed(self.snapshot, uses)
        rows = [row for symbol in self.symbols for row in guesses.get(symbol, ())]
        for path, row in (*rows, *uses.of(rules.known_as(self.symbol))):
            links = self.snapshot.links(path)
            places.append((path, links.pos[row], links.ops[row] >> ROLE_SHIFT))
        for path, place, role in places:
            yield Site(path, place, self.snapshot.line_of(path, place), edge_of(role), CONVENTION)
        yield from self.apart.values()
        for path, place in self.declared_at - self.definitions:
            yield Site(path, place, self.snapshot.line_of(path, place), edge_of(Role.WRITE), DECLARES)

    def unproven(self, uses: Uses) -> Iterator[Site]:
        """Uses of the name that lead nowhere."""
        for site in uses.unproven:
            if (
                (site.path, site.offset) not in self.found
                and self.may_name(site.path)
                and self.symbols.isdisjoint(uses.targets_of(site))
            ):
                yield site

    def may_name(self, path: str) -> bool:
        """Whether code in a file's language can use the symbol by its name."""
        languages = {self.snapshot.outline(each).language for each in (self.symbol.path, path)}
        if self.snapshot.outline(self.symbol.path).language in _LINKED or languages <= _TOGETHER:
            return True
        own, other = (type(self.snapshot.rules(each)) for each in (self.symbol.path, path))
        return issubclass(own, other) or issubclass(other, own)

    def scan(self, uses: Uses) -> list[str]:
        """Look at every use of a name; the other names that imports give the symbol."""
        proven = uses.proven(self.seeing)
        for path, site in uses.of(self.symbols):
            self.consider(path, self.snapshot.links(path), site, proven=(path, site) in proven)
        aliases: list[str] = []
        self.unseen += len(uses.paths) - uses.looked
        for path in uses.paths[: uses.looked]:
            links = self.snapshot.links(path)
            number = links.string_numbers.get(uses.name)
            if number is None:
                continue
            for binding in links.bound.get(number, ()):
                self.rebound(path, links, binding)
            aliases += self.aliases(self.symbol, path, links, number)
        return aliases

    def consider(self, path: str, links: Links, site: int, *, proven: bool) -> None:
        """Add a use that means the symbol, if it is the one of several things by that name."""
        role = links.ops[site] >> ROLE_SHIFT
        if self.called is not None and self.called != (role == Role.CALL):
            return
        if self.is_type is not None and self.is_type != (path == self.symbol.path and role in TYPE_ROLES):
            return
        if self.beside_function and role == Role.CALL:
            return
        if self.beside_class and role not in (Role.CALL, Role.IMPORT):
            return
        if proven and self.is_made_apart and role == Role.CALL and is_made(links, site):
            self.add(path, links.pos[site], role, MAKES)
        elif self.chosen is None or self.means_chosen(path, links, site):
            self.add(path, links.pos[site], role, self.reason(path, site) if proven else PACKAGE)

    def reason(self, path: str, site: int) -> str:
        """Why a place that means the symbol is no plain use of it, where types are what they look like."""
        if may_make_heir(self.linker, path, site):
            return KEY
        if not self.snapshot.rules(path).structural:
            return ""
        if may_lack(self.linker, path, site):
            return KEY
        return EXPORTS if is_listed(self.linker, path, site) else ""

    def means_chosen(self, path: str, links: Links, site: int) -> bool:
        """Whether a use of an overloaded name is the overload that is asked about."""
        assert self.chosen is not None
        if links.ops[site] >> ROLE_SHIFT != Role.CALL or site not in links.arguments:
            return True
        called = self.overloads
        if self.snapshot.rules(path).tells_receivers:
            called = self.linker.called_on(path, site, called)
        best = self.linker.chosen(path, called, links.arguments[site])
        return any(function in self.chosen for function in best)

    def rebound(self, path: str, links: Links, binding: int) -> None:
        """Later assignments to the same variable are references to it; imports of it are too."""
        kind = links.bindings[3][binding] & BIND_MASK
        place = links.bindings[2][binding]
        bound = Symbol(path, links.bindings[0][binding], links.strings[links.bindings[1][binding]])
        if kind in (Bind.IMPORT, Bind.MODULE) and bound == self.symbol:
            # ``try: import x`` with another ``x`` below: two ways to bind one name.
            self.add(path, place, Role.IMPORT)
        elif kind in (Bind.IMPORT, Bind.LINK):
            # An alias is where a new name begins; the imported name beside it is the reference.
            renamed = links.bindings[1][binding] != links.bindings[5][binding]
            if kind == Bind.IMPORT and not renamed and not self.is_type:
                found, assumed = self.linker.resting(self.linker.linked, path, binding)
                if not self.symbols.isdisjoint(found):
                    sure = self.snapshot.proofs.linked(path, binding) if assumed else found
                    self.add(path, place, Role.IMPORT, PACKAGE if self.seeing.isdisjoint(sure) else "")
        elif (
            kind not in _FORWARDING
            and (self.one_thing or self.chosen is not None)
            and not self.extends_another(path, links, binding)
            and (bound in self.symbols or self.stands_in(path, links, binding))
        ):
            if self.snapshot.rules(path).declares_again(self.symbol, bound, kind):
                self.declared_at.add((path, place))
            elif self.one_thing:
                self.add(path, place, Role.WRITE)

    def extends_another(self, path: str, links: Links, binding: int) -> bool:
        """Whether a binding outside of functions is another property of the name, for another type."""
        around = links.scopes[links.bindings[0][binding]].kind
        properties = self.snapshot.rules(path).tells_receivers
        return properties and around in (ScopeKind.MODULE, ScopeKind.CLASS)

    def stands_in(self, path: str, links: Links, binding: int) -> bool:
        """Whether a scope gives another value to a name under which it imports the symbol."""
        if not self.snapshot.rules(path).rebinds_imports:
            return False
        scope, number = links.bindings[0][binding], links.bindings[1][binding]
        return any(
            _keeps_name(links, other) and not self.symbols.isdisjoint(self.linker.linked(path, other))
            for other in links.names[scope].get(number, ())
        )

    def aliases(self, symbol: Symbol, path: str, links: Links, number: int) -> list[str]:
        """The other names that a file gives a symbol."""
        renamed = [*links.renamed.get(number, ()), *links.forwarding]
        return [
            links.strings[links.bindings[1][binding]]
            for binding in renamed
            if symbol in self.linker.linked(path, binding)
        ]

    def constructions(self) -> None:
        """Calling a class runs its constructor: such calls refer to it, or are what runs it."""
        if is_constructor(self.snapshot, self.symbol):
            for path, site in makings(self.snapshot, self.symbol, self.chosen):
                self.add(path, self.snapshot.links(path).pos[site], Role.CALL)
            return
        links = self.snapshot.links(self.symbol.path)
        rules = self.snapshot.rules(self.symbol.path)
        owner = links.scopes[self.symbol.scope]
        if self.symbol.name not in rules.constructors or owner.kind != ScopeKind.CLASS:
            return
        itself = Value(CLASS, self.symbol.path, self.symbol.scope)
        name = self.linker.class_name(itself)
        waiting, seen = [itself], set[Value]()
        while waiting and len(seen) < _MAX_HEIRS:
            made = waiting.pop()
            if made not in seen:
                seen.add(made)
                sites, heirs = self.made_by(made)
                waiting += heirs
                for path, site in sites:
                    links = self.snapshot.links(path)
                    inherits = made != itself and not rules.inherited_constructors
                    named = links.ops[site] == _NAMED_CALL and links.strings[links.b[site]] == name
                    if inherits or (rules.calls_name_constructors and not named):
                        self.add(path, links.pos[site], Role.CALL, CONSTRUCTS)
                    else:
                        proven = self.is_proven_class(path, site, made)
                        why = self.reason_to_make(path, site, made) if proven else PACKAGE
                        self.add(path, links.pos[site], Role.CALL, why)

    def reason_to_make(self, path: str, site: int, made: Value) -> str:
        """Why a place that makes an instance does not name its class, but what holds or lists that."""
        if not self.snapshot.rules(path).structural:
            return ""
        named = [t for t in self.linker.targets(path, site) if isinstance(t, Symbol)]
        held = any(t[:2] != self.bound_in(made) for t in named)
        return EXPORTS if held or is_listed(self.linker, path, site) else ""

    def bound_in(self, made: Value) -> tuple[str, int]:
        """The file and the scope in which a class has its name."""
        return made.path, self.snapshot.links(made.path).scopes[made.scope].parent

    def is_proven_class(self, path: str, site: int, made: Value) -> bool:
        """Whether a place means a class without an assumption."""
        _, assumed = self.linker.resting(self.linker.evaluate, path, site)
        return not assumed or any(v[:3] == made[:3] for v in self.snapshot.proofs.evaluate(path, site))

    def made_by(self, made: Value) -> tuple[list[tuple[str, int]], list[Value]]:
        """The places that make an instance of a class; its heirs that have the same constructor."""
        name = self.linker.class_name(made)
        itself = Symbol(made.path, self.snapshot.links(made.path).scopes[made.scope].parent, name)
        sites: list[tuple[str, int]] = []
        heirs: list[Value] = []
        names, seen = [name] if name else [], set[str]()
        while names and len(seen) < _MAX_ALIASES:
            name = names.pop()
            if name in seen:
                continue
            seen.add(name)
            paths = self.snapshot.files_bearing(name)
            self.snapshot.prepare(paths)
            for path in paths:
                links = self.snapshot.links(path)
                number = links.string_numbers.get(name, -1)
                names += self.aliases(itself, path, links, number)
                for site in links.sites.get(number, ()):
                    role = self.role_of_class(path, links, site, made)
                    sites += [(path, site)] if role == Role.CALL else []
                    heirs += self.heirs(path, links, site) if role == Role.EXTENDS else []
        return sites, heirs

    def role_of_class(self, path: str, links: Links, site: int, made: Value) -> int | None:
        """Whether a place makes an instance of a class or declares an heir of it."""
        role = links.ops[site] >> ROLE_SHIFT
        if role == Role.READ and site in links.arguments:
            role = Role.CALL  # of a class that is told its types: ``C[int]()``
        if role not in (Role.CALL, Role.EXTENDS):
            return None
        return role if any(v[:3] == made[:3] for v in self.linker.evaluate(path, site)) else None

    def heirs(self, path: str, links: Links, site: int) -> list[Value]:
        """The classes that name a parent at a site and inherit its constructor."""
        found = [
            Value(CLASS, path, number)
            for number, row in enumerate(links.scope_rows())
            if row.bases and site in links.lists[row.bases]
        ]
        return [heir for heir in found if self.linker.member(heir, self.symbol.name) == self.symbol]

    def add(self, path: str, offset: int, role: int, why: str = "") -> None:
        if (path, offset) in self.definitions:
            return
        edge = edge_of(role)
        if edge == "extends" and self.is_interface:
            edge = "implements" if not self.inside_interface(path, offset) else edge
        places = self.apart if why else self.found
        known = places.get((path, offset))
        if known is None or EDGES.index(edge) < EDGES.index(known.edge):
            line = self.snapshot.line_of(path, offset)
            places[path, offset] = Site(path, offset, line, edge, why)

    def inside_interface(self, path: str, offset: int) -> bool:
        outline = self.snapshot.outline(path)
        number = outline.enclosing(offset)
        return number >= 0 and outline.definitions[number].kind in (Kind.INTERFACE, Kind.TRAIT)


def _keeps_name(links: Links, binding: int) -> bool:
    """Whether a binding imports something by the name that it has where it comes from."""
    _, name, _, kind, _, original = (column[binding] for column in links.bindings)
    return original == name if kind == Bind.IMPORT else kind == Bind.MODULE and not original


def _place(site: Site) -> tuple[str, int]:
    return site.path, site.offset
