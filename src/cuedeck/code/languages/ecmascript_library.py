"""JavaScript and TypeScript: what the language itself and well-known packages do with types and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from cuedeck.code.resolution.rules import Rules


class EcmaLibrary(Rules):
    """Names of types, methods and functions that are declared nowhere in a project."""

    transparent: ClassVar[frozenset[str]] = frozenset(
        {
            "Promise",
            "PromiseLike",
            "Awaited",
            "Partial",
            "Required",
            "Readonly",
            "NonNullable",
            "Extract",
            "Exclude",
            "NoInfer",
            "Mocked",
            "MockedObject",
            "MockedObjectDeep",
            "DeepMocked",
            "MockProxy",
            "DeepMockProxy",
            "SinonStubbedInstance",
            # The members of what they are told, made read-only, optional or plain: of packages that many use.
            "DeepPartial",
            "DeepReadonly",
            "DeepRequired",
            "DeepWritable",
            "Draft",
            "HydratedDocument",
            "Immutable",
            "ImmutableObject",
            "Maybe",
            "MarkOptional",
            "MarkReadonly",
            "MarkRequired",
            "MarkWritable",
            "Nullable",
            "PartialDeep",
            "PropsWithChildren",
            "PropsWithRef",
            "PropsWithoutRef",
            "ReadonlyDeep",
            "RequiredDeep",
            "SetNonNullable",
            "SetOptional",
            "SetReadonly",
            "SetRequired",
            "Simplify",
            "WithId",
            "Writable",
            "WritableDeep",
            "WritableDraft",
        }
    )
    promises: ClassVar[frozenset[str]] = frozenset({"Promise"})
    leaving_out: ClassVar[frozenset[str]] = frozenset({"Omit", "Except", "StrictOmit"})
    keeping: ClassVar[frozenset[str]] = frozenset({"Pick"})
    merging: ClassVar[frozenset[str]] = frozenset({"Merge"})
    extracting: ClassVar[frozenset[str]] = frozenset({"Extract"})
    results_of: ClassVar[frozenset[str]] = frozenset({"ReturnType", "InstanceType"})
    taken_by: ClassVar[frozenset[str]] = frozenset({"Parameters", "ConstructorParameters"})
    sequences: ClassVar[frozenset[str]] = frozenset(
        {
            "Array",
            "ReadonlyArray",
            "Set",
            "ReadonlySet",
            "Iterable",
            "Iterator",
            "AsyncIterable",
            "AsyncIterator",
            "IterableIterator",
            "AsyncIterableIterator",
            "Generator",
            "AsyncGenerator",
            "WeakSet",
        }
    )
    mappings: ClassVar[frozenset[str]] = frozenset({"Map", "ReadonlyMap", "WeakMap", "Record"})
    element_methods: ClassVar[frozenset[str]] = frozenset({"get", "pop", "shift", "find", "at", "findLast"})
    container_methods: ClassVar[frozenset[str]] = frozenset(
        {"filter", "slice", "concat", "reverse", "sort", "toSorted", "toReversed", "splice", "flat", "with"}
    )
    same_methods: ClassVar[frozenset[str]] = frozenset({"catch", "finally", "bind"})
    callback_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "map",
            "forEach",
            "filter",
            "find",
            "findIndex",
            "findLast",
            "some",
            "every",
            "flatMap",
            "sort",
            "toSorted",
            "findLastIndex",
            "reduce",
            "reduceRight",
        }
    )
    folding_methods: ClassVar[frozenset[str]] = frozenset({"reduce", "reduceRight"})
    comparing_methods: ClassVar[frozenset[str]] = frozenset({"sort", "toSorted"})
    mapping_methods: ClassVar[frozenset[str]] = frozenset({"map", "flatMap"})
    flattening_methods: ClassVar[frozenset[str]] = frozenset({"flatMap"})
    passing_methods: ClassVar[frozenset[str]] = frozenset({"then"})
    settler: ClassVar[str] = "then"
    taking_methods: ClassVar[frozenset[str]] = frozenset({"push", "unshift", "add", "concat", "fill", "set"})
    class_members: ClassVar[frozenset[str]] = frozenset({"name", "length"})
    joining_methods: ClassVar[frozenset[str]] = frozenset({"concat"})
    asserting: ClassVar[frozenset[str]] = frozenset({"assert", "ok", "invariant"})
    global_values: ClassVar[Mapping[str, str]] = {
        "window": "Window",
        "globalThis": "Window",
        "global": "Window",
        "self": "Window",
        "document": "Document",
        "navigator": "Navigator",
        "cy": "Cypress.Chainable",
        "import.meta": "ImportMeta",
    }
    global_objects: ClassVar[frozenset[str]] = frozenset({"window", "globalThis", "global", "self"})
    foreign_globals: ClassVar[frozenset[str]] = frozenset({"process", "import.meta"})
    library: ClassVar[Mapping[str, str]] = {
        "Object.keys": "texts",
        ".split": "texts",
        "Object.values": "values",
        "Object.entries": "entries",
        "Object.fromEntries": "paired",
        "Object.assign": "all",
        "Object.freeze": "same",
        "Promise.all": "same",
        "Promise.resolve": "same",
        "Array.from": "elements",
        "vi.mocked": "same",
        "jest.mocked": "same",
        "react.use": "same",
        "react.default.use": "same",
    }
    # React, Redux, Vue and Svelte, through which most of an application's values pass.
    foreign_types: ClassVar[Mapping[str, str]] = {
        "FC": "takes",
        "FunctionComponent": "takes",
        "ComponentType": "takes",
        "ComponentClass": "takes",
        "ExoticComponent": "takes",
        "ForwardRefExoticComponent": "takes",
        "NamedExoticComponent": "takes",
        "NextPage": "takes",
        "VFC": "takes",
        "Dispatch": "takes",
        "SetStateAction": "changes",
        "ComponentProps": "taken",
        "ComponentPropsWithRef": "taken",
        "ComponentPropsWithoutRef": "taken",
        "Context": "context",
        "RefObject": "current",
        "MutableRefObject": "current",
        "Ref": "reference",
        "ShallowRef": "reference",
        "ComputedRef": "reference",
    }
    told_members: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Component": ("props", "state"),
        "PureComponent": ("props", "state"),
    }
    changing_members: ClassVar[Mapping[str, str]] = {"setState": "state"}
    made_from: ClassVar[str] = "props"
    function_forms: ClassVar[Mapping[str, str]] = {"Reducer": "same"}
    foreign_calls: ClassVar[Mapping[str, str]] = {
        "memo": "takes",
        "forwardRef": "takes",
        "createContext": "context",
        "useRef": "current",
        "useState": "state",
        "useReducer": "reduced",
        "useActionState": "reduced",
        "useOptimistic": "reduced",
        "useMemo": "same",
        "lazy": "loaded",
        "dynamic": "loaded",
        "loadable": "loaded",
        "defineAsyncComponent": "loaded",
        "renderHook": "hook",
        "expect": "matchers",
        "ref": "reference",
        "shallowRef": "reference",
        "computed": "reference",
        "defineStore": "set up",
    }
    store_calls: ClassVar[Mapping[str, str]] = {
        "create": "zustand",
        "createStore": "zustand",
        "createWithEqualityFn": "zustand",
    }
    passing_calls: ClassVar[frozenset[str]] = frozenset(
        {
            "useContext",
            "useCallback",
            "useDeferredValue",
            "useShallow",
            "debounce",
            "throttle",
            "memoize",
            "structuredClone",
            "reactive",
            "readonly",
            "defineProps",
            "unref",
            "toRaw",
            "$state",
            "$derived",
        }
    )
    table_calls: ClassVar[frozenset[str]] = frozenset({"each"})
